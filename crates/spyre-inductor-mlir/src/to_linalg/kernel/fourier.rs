//! Discrete Fourier transforms, as sums of products with the powers of a root of 1.
//!
//! A transform of `n` elements takes `n * n` products. They are added in `f64`: the error of a sum of as many terms in `f32` is larger
//! than that of the fast transform that PyTorch runs.

use std::f64::consts::TAU;

use melior::ir::attribute::{DenseElementsAttribute, FloatAttribute};
use melior::ir::r#type::RankedTensorType;
use melior::ir::{Attribute, Type};
use spyre_construct::build::element_of;
use spyre_construct::structured::{Mapped, map};
use spyre_dialects::attr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{Op, Val};
use spyre_ods::{arith, tensor};

use super::super::emit::{Binary, Emit, Is, number};
use super::super::{Graph, error};
use super::complex::Parts;

/// The sign of the exponents of a transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// `exp(-2 pi i j k / n)`.
    Forward,
    /// `exp(2 pi i j k / n)`.
    Backward,
}

/// The terms that are summed to a part of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Real,
    Imaginary,
}

/// A transform along a dimension.
#[derive(Debug, Clone, Copy)]
struct Transform<'p> {
    dim: usize,
    /// The number of elements that repeat: the order of the root of 1.
    order: i64,
    /// The number of results.
    count: i64,
    direction: Direction,
    /// The cosines and the sines of the angles `2 pi j / n`, in `f64`.
    tables: [Val<'p>; 2],
    /// Whether the elements are the first half of a symmetric spectrum, with a conjugate other half.
    is_half: bool,
}

impl<'p> Graph<'p> {
    /// Converts a transform of PyTorch: of real numbers to half of their spectrum (`_fft_r2c`), back (`_fft_c2r`), or of complex
    /// numbers (`_fft_c2c`).
    pub(super) fn fourier(&mut self, op: Op<'p>, name: &str) -> Result<(), Diagnostic<'p>> {
        let mut parts = self.parts(op, 0)?;
        let shape = self.extents(parts.real);
        let dims = self.dims(op, shape.len())?;
        let (last, others) = match dims.split_last() {
            Some((last, others)) => (*last, others.to_vec()),
            None => {
                return Err(error(
                    op,
                    "a Fourier transform needs at least one dimension",
                ));
            }
        };
        let argument = self.argument(op, "normalization", 2);
        let normalization = argument.and_then(attr::integer);
        let third = self.argument(op, third_argument(name), 3);
        let missing = || error(op, format!("it has no {}", third_argument(name)));
        // The elements that are transformed together.
        let mut all: f64 = 1.0;
        let mut along = |count: i64| all *= exact(count);
        match name {
            "_fft_r2c" => {
                let is_half = self.flag(op, third_argument(name), 3).ok_or_else(missing)?;
                let order = self.fixed(op, &shape[last])?;
                let count = if is_half { order / 2 + 1 } else { order };
                along(order);
                parts =
                    self.transformed(op, parts, (last, order), count, Direction::Forward, false);
                for dim in others {
                    let count = self.fixed(op, &shape[dim])?;
                    along(count);
                    let whole = (dim, count);
                    parts = self.transformed(op, parts, whole, count, Direction::Forward, false);
                }
            }
            "_fft_c2c" => {
                let forward = self.flag(op, third_argument(name), 3).ok_or_else(missing)?;
                let direction = match forward {
                    true => Direction::Forward,
                    false => Direction::Backward,
                };
                for dim in dims {
                    let count = self.fixed(op, &shape[dim])?;
                    along(count);
                    let whole = (dim, count);
                    parts = self.transformed(op, parts, whole, count, direction, false);
                }
            }
            _ => {
                let order = third.and_then(attr::integer).ok_or_else(missing)?;
                if shape[last] != order / 2 + 1 {
                    let message = format!(
                        "{:?} elements of half a spectrum, where {order} results have {}",
                        shape[last],
                        order / 2 + 1
                    );
                    return Err(error(op, message));
                }
                for dim in others {
                    let count = self.fixed(op, &shape[dim])?;
                    along(count);
                    let whole = (dim, count);
                    parts = self.transformed(op, parts, whole, count, Direction::Backward, false);
                }
                along(order);
                let half = (last, order);
                parts = self.transformed(op, parts, half, order, Direction::Backward, true);
            }
        }
        // PyTorch's numbers of ways to scale: not at all, by the root of the number of elements, and by their number.
        let by = match normalization {
            Some(0) => 1.0,
            Some(1) => all.sqrt().recip(),
            Some(2) => all.recip(),
            other => return Err(error(op, format!("{other:?} is no normalization"))),
        };
        let ty = self.part_type(op);
        let scaled = |tensor: Val<'p>| {
            self.each(op, &[tensor], ty, &|emit, values| {
                let factor = emit.number(by, Type::float64(self.context));
                let scaled = emit.same(arith::mulf(values[0], factor));
                emit.converted(scaled, ty, false)
            })
        };
        let tensor = match name {
            "_fft_c2r" => scaled(parts.real),
            _ => {
                let parts = Parts {
                    real: scaled(parts.real),
                    imaginary: scaled(parts.imaginary),
                };
                self.joined(op, parts)
            }
        };
        self.finish(op, tensor)
    }

    /// Returns the dimensions of a transform, in complex numbers.
    fn dims(&self, op: Op<'p>, rank: usize) -> Result<Vec<usize>, Diagnostic<'p>> {
        let dims = self.argument(op, "dim", 1).map(attr::elements);
        let rank = i64::try_from(rank).expect("dimensions are few");
        let dims = dims.unwrap_or_default().into_iter().map(|dim| {
            let dim = attr::integer(dim)?;
            let dim = if dim < 0 { dim + rank } else { dim };
            usize::try_from(dim).ok().filter(|_| dim < rank)
        });
        let dims: Option<Vec<usize>> = dims.collect();
        dims.ok_or_else(|| {
            error(
                op,
                format!("it has a dimension that rank {rank} does not have"),
            )
        })
    }

    /// Builds the transform along a dimension, in `f64`.
    fn transformed(
        &self,
        op: Op<'p>,
        parts: Parts<'p>,
        (dim, order): (usize, i64),
        count: i64,
        direction: Direction,
        is_half: bool,
    ) -> Parts<'p> {
        let turns: Vec<[f64; 2]> = (0..order).map(|number| turn(number, order)).collect();
        let tables = [0, 1].map(|of| {
            let values: Vec<f64> = turns.iter().map(|turn| turn[of]).collect();
            self.table(op, &values)
        });
        let transform = Transform {
            dim,
            order,
            count,
            direction,
            tables,
            is_half,
        };
        Parts {
            real: self.transformed_part(op, parts, transform, Part::Real),
            imaginary: self.transformed_part(op, parts, transform, Part::Imaginary),
        }
    }

    /// Builds a table of numbers.
    fn table(&self, op: Op<'p>, values: &[f64]) -> Val<'p> {
        let context = self.context;
        let f64: Type<'p> = Type::float64(context);
        let of = |value: &f64| FloatAttribute::new(context, f64, *value).into();
        let elements: Vec<Attribute<'p>> = values.iter().map(of).collect();
        let ty: Type<'p> = RankedTensorType::new(&[values.len() as u64], f64, None).into();
        let elements = DenseElementsAttribute::new(ty, &elements);
        let elements = elements.expect("the elements are as many as the type has");
        self.emit(op, arith::constant(elements.into()), ty)
    }

    fn transformed_part(
        &self,
        op: Op<'p>,
        parts: Parts<'p>,
        transform: Transform<'p>,
        part: Part,
    ) -> Val<'p> {
        let context = self.context;
        let f64: Type<'p> = Type::float64(context);
        let mut shape = self.extents(parts.real);
        let rank = shape.len();
        shape[transform.dim] = transform.count.into();
        let mut at: Vec<usize> = (0..rank).collect();
        at[transform.dim] = rank;
        let at = map(context, rank + 1, &at);
        let ins: [Mapped<'p>; 2] = [(parts.real, at), (parts.imaginary, at)];
        let zero = self.filled(op, number(context, 0.0, f64), f64, &shape);
        self.combined(op, &ins, (zero, 1), &|emit, values, so_far| {
            let [real, imaginary] = [0, 1].map(|part| emit.converted(values[part], f64, false));
            let number = Parts { real, imaginary };
            let term = term(emit, number, (transform, rank), part);
            emit.same(arith::addf(so_far, term))
        })
    }
}

/// Builds the term of an element, at the inner loop, of a result, at the loop of its dimension.
fn term<'p>(
    emit: Emit<'p>,
    element: Parts<'p>,
    (transform, inner): (Transform<'p>, usize),
    part: Part,
) -> Val<'p> {
    let f64: Type<'p> = Type::float64(emit.context);
    let source = emit.loop_index(inner);
    let target = emit.loop_index(transform.dim);
    let turns = emit.same(arith::muli(source, target));
    let place = emit.same(arith::remui(turns, emit.index(transform.order)));
    let [cos, sin] = transform
        .tables
        .map(|table| emit.op(tensor::extract(table, &[place]), element_of(table)));
    let mul = |a: Val<'p>, b: Val<'p>| emit.same(arith::mulf(a, b));
    // (a + ib)(cos - i sin) forward, and (a + ib)(cos + i sin) backward.
    let (first, second, sign) = match part {
        Part::Real => (mul(element.real, cos), mul(element.imaginary, sin), 1),
        Part::Imaginary => (mul(element.imaginary, cos), mul(element.real, sin), -1),
    };
    let sign = match transform.direction {
        Direction::Forward => sign,
        Direction::Backward => -sign,
    };
    let combine: Binary = if sign > 0 { arith::addf } else { arith::subf };
    let term = emit.same(combine(first, second));
    if !transform.is_half {
        return term;
    }
    // An element represents its conjugate in the other half of the spectrum as well. The first and the middle one
    // have none: they are real, and their imaginary parts are not read.
    let middle = transform.order / 2;
    let is_first = emit.is(Is::Equal, source, emit.index(0));
    let is_alone = match transform.order % 2 {
        0 => {
            let is_middle = emit.is(Is::Equal, source, emit.index(middle));
            emit.same(arith::ori(is_first, is_middle))
        }
        _ => is_first,
    };
    let twice = emit.same(arith::mulf(term, emit.number(2.0, f64)));
    emit.select(is_alone, first, twice)
}

/// Returns the name of the argument of a transform that only its kind has.
fn third_argument(name: &str) -> &'static str {
    match name {
        "_fft_r2c" => "onesided",
        "_fft_c2c" => "forward",
        _ => "last_dim_size",
    }
}

/// Returns the cosine and the sine of `number / order` of a turn, which are exact at quarters of a turn: for an angle
/// in radians they are not, and zeros of the result would not be 0.
fn turn(number: i64, order: i64) -> [f64; 2] {
    let (quarters, rest) = (4 * number / order, 4 * number % order);
    let (sin, cos) = (TAU * exact(rest) / (4.0 * exact(order))).sin_cos();
    match quarters {
        0 => [cos, sin],
        1 => [-sin, cos],
        2 => [-cos, -sin],
        _ => [sin, -cos],
    }
}

/// Returns a number of elements as a float.
#[expect(
    clippy::cast_precision_loss,
    reason = "dimensions have fewer than 2^53 elements"
)]
fn exact(count: i64) -> f64 {
    count as f64
}
