//! Kernels of complex numbers, by their parts.
//!
//! The tensor of a buffer of complex numbers has a last dimension of extent 2: real parts and imaginary parts, as
//! in `torch.view_as_real`. So views between both are no computation, and complex arithmetic is structured
//! operations on floats, which the device may run.

use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use spyre_construct::build::{element_of, element_type};
use spyre_dialects::attr;
use spyre_index_expr::Expr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::{arith, math};

use super::super::emit::{self, Emit, Is};
use super::super::{Graph, error, result};
use super::{Factor, broadcast};

/// The real and the imaginary parts of complex numbers: tensors of the same shape, or elements of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts<'p> {
    pub(super) real: Val<'p>,
    pub(super) imaginary: Val<'p>,
}

/// A function of one complex number.
type Unary<'p> = fn(Emit<'p>, Parts<'p>) -> Parts<'p>;

/// A function of two complex numbers.
type Binary<'p> = fn(Emit<'p>, Parts<'p>, Parts<'p>) -> Parts<'p>;

/// A function from a complex number to a real one.
type Measure<'p> = fn(Emit<'p>, Parts<'p>) -> Val<'p>;

/// Returns whether a kernel has operands or a result of complex numbers.
pub(super) fn is_kernel(op: Op<'_>, name: &str) -> bool {
    // Up to PyTorch 2.13, a kernel that falls back has a tuple as its result, which has no type of elements.
    matches!(
        name,
        "view_as_complex" | "complex" | "polar" | "_fft_r2c" | "_fft_c2r" | "_fft_c2c"
    ) || op.operands().chain(ir::results(op)).any(is_complex)
}

fn is_complex(value: Val<'_>) -> bool {
    let ty = value.r#type();
    ir::is_ranked_tensor(ty) && ir::complex_part(element_type(ty)).is_some()
}

impl<'p> Graph<'p> {
    /// Converts a kernel of complex numbers.
    ///
    /// # Errors
    /// The kernel is not one of the supported ones, or its operands do not fit.
    pub(super) fn complex_kernel(&mut self, op: Op<'p>, name: &str) -> Result<(), Diagnostic<'p>> {
        match name {
            "view_as_complex" | "view_as_real" | "clone" | "alias" | "resolve_conj"
            | "resolve_neg" => {
                let tensor = self.whole(op, 0)?;
                self.finish(op, tensor)
            }
            "view" => self.view_of_parts(op),
            "real" => self.measured(op, |_, number| number.real),
            "imag" => self.measured(op, |_, number| number.imaginary),
            "abs" => self.measured(op, magnitude),
            "angle" => self.measured(op, |emit, number| {
                emit.same(math::atan2(number.imaginary, number.real))
            }),
            "complex" => self.combined_parts(op, |_, real, imaginary| Parts {
                real: real.real,
                imaginary: imaginary.real,
            }),
            "polar" => self.combined_parts(op, |emit, magnitude, angle| {
                turned(emit, magnitude.real, angle.real)
            }),
            "neg" => self.mapped_parts(op, |emit, number| Parts {
                real: emit.same(arith::negf(number.real)),
                imaginary: emit.same(arith::negf(number.imaginary)),
            }),
            "conj" | "_conj" | "conj_physical" => self.mapped_parts(op, conjugate),
            "exp" => self.mapped_parts(op, |emit, number| {
                let magnitude = emit.same(math::exp(number.real));
                turned(emit, magnitude, number.imaginary)
            }),
            "reciprocal" => self.mapped_parts(op, |emit, number| {
                let ty = number.real.r#type();
                let one = Parts {
                    real: emit.number(1.0, ty),
                    imaginary: emit.number(0.0, ty),
                };
                quotient(emit, one, number)
            }),
            "square" => self.mapped_parts(op, |emit, number| product(emit, number, number)),
            "add" | "sub" => self.complex_sum(op, name == "sub"),
            "mul" => self.combined_parts(op, product),
            "div" => self.combined_parts(op, quotient),
            "mm" | "bmm" => self.complex_product(op),
            "cat" => self.cat(op),
            "_fft_r2c" | "_fft_c2r" | "_fft_c2c" => self.fourier(op, name),
            _ => {
                let message = format!(
                    "the kernel 'aten.{name}' is not converted with complex numbers; torch.view_as_real has their parts as a dimension of \
                     real numbers"
                );
                Err(error(op, message))
            }
        }
    }

    /// Converts a view by another type of elements: pairs of real numbers as complex ones, or complex numbers as twice as many real ones.
    fn view_of_parts(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let tensor = self.whole(op, 0)?;
        let shape = self.memory(op, result(op).r#type())?.size;
        let ty = self.signless(element_type(result(op).r#type()));
        let is_same = Expr::product(&shape) == Expr::product(&self.extents(tensor));
        if element_of(tensor) != ty || !is_same {
            let message = format!(
                "{} cannot be viewed as {}",
                tensor.r#type(),
                result(op).r#type()
            );
            return Err(error(op, message));
        }
        let tensor = self.reshape_as(op, tensor, &shape)?;
        self.finish(op, tensor)
    }

    /// Returns the extents of an operand, in complex numbers.
    fn numbers_of(&self, op: Op<'p>, number: usize) -> Result<Vec<Expr>, Diagnostic<'p>> {
        let mut shape = self.size(op, number)?;
        if ir::operand(op, number).is_some_and(is_complex) {
            shape.pop();
        }
        Ok(shape)
    }

    /// Returns an operand as factors of structured operations over a shape, which it repeats along: its real parts, and its imaginary
    /// parts if it has any.
    fn factors(
        &self,
        op: Op<'p>,
        number: usize,
        shape: &[Expr],
    ) -> Result<(Factor<'p>, Option<Factor<'p>>), Diagnostic<'p>> {
        let size = self.numbers_of(op, number)?;
        let at = broadcast(&size, shape).ok_or_else(|| {
            error(
                op,
                format!("an operand of extents {size:?} cannot be broadcast to {shape:?}"),
            )
        })?;
        let buffer = ir::operand(op, number).expect("its extents are known");
        if !is_complex(buffer) {
            return Ok(((buffer, at), None));
        }
        let part = |part: i64| {
            let at = at.iter().cloned().chain([Expr::constant(part)]);
            (buffer, at.collect())
        };
        Ok((part(0), Some(part(1))))
    }

    /// Returns the shape that operands have together, in complex numbers.
    fn together_of(&self, op: Op<'p>, count: usize) -> Result<Vec<Expr>, Diagnostic<'p>> {
        let mut shape: Vec<Expr> = Vec::new();
        for number in 0..count {
            let size = self.numbers_of(op, number)?;
            if size.len() > shape.len() {
                shape.splice(0..0, vec![1.into(); size.len() - shape.len()]);
            }
            let before = shape.len() - size.len();
            for (dim, extent) in size.iter().enumerate() {
                let so_far = &mut shape[before + dim];
                if *so_far == 1 {
                    *so_far = extent.clone();
                } else if *so_far != *extent && *extent != 1 {
                    let message = format!(
                        "operands have the extents {so_far:?} and {extent:?} in the same dimension"
                    );
                    return Err(error(op, message));
                }
            }
        }
        Ok(shape)
    }

    /// Returns the type of the parts that a kernel computes with: that of its first operand of complex numbers, or of its first one.
    pub(super) fn part_type(&self, op: Op<'p>) -> Type<'p> {
        let of = op.operands().find(|value| is_complex(*value));
        let of = of.or_else(|| ir::operand(op, 0));
        self.signless(element_type(of.expect("it has an operand").r#type()))
    }

    /// Builds a tensor of real numbers, each a function of the elements of all operands.
    fn each_number(
        &self,
        op: Op<'p>,
        shape: &[Expr],
        of: &dyn Fn(Emit<'p>, &[Parts<'p>]) -> Val<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let ty = self.part_type(op);
        let mut factors: Vec<Factor<'p>> = Vec::new();
        let mut places = Vec::new();
        for number in 0..op.operand_count() {
            let (real, imaginary) = self.factors(op, number, shape)?;
            places.push((factors.len(), imaginary.is_some()));
            factors.push(real);
            factors.extend(imaginary);
        }
        self.pointwise_of(op, shape, (&[], &factors), ty, &|emit, values| {
            let numbers: Vec<Parts<'p>> = places
                .iter()
                .map(|&(at, has_imaginary)| Parts {
                    real: emit.converted(values[at], ty, false),
                    imaginary: match has_imaginary {
                        true => values[at + 1],
                        false => emit.number(0.0, ty),
                    },
                })
                .collect();
            of(emit, &numbers)
        })
    }

    /// Builds complex numbers of their parts: a tensor with one more dimension.
    pub(super) fn joined(&self, op: Op<'p>, parts: Parts<'p>) -> Val<'p> {
        let shape = self.extents(parts.real);
        let (mut one, mut both) = (shape.clone(), shape.clone());
        one.push(1.into());
        both.push(2.into());
        let mut joined = self.empty(op, &both, element_of(parts.real));
        let mut offsets = vec![0; both.len()];
        for (number, part) in [(0, parts.real), (1, parts.imaginary)] {
            offsets[shape.len()] = number;
            let part = self.reshape(op, part, &one);
            let inserted = self.build(op).insert(part, joined, &offsets);
            joined = inserted.expect("a part has all elements along the other dimensions");
        }
        joined
    }

    /// Converts a function from complex numbers to real ones.
    fn measured(&mut self, op: Op<'p>, of: Measure<'p>) -> Result<(), Diagnostic<'p>> {
        let shape = self.numbers_of(op, 0)?;
        let tensor = self.each_number(op, &shape, &|emit, numbers| of(emit, numbers[0]))?;
        self.finish(op, tensor)
    }

    /// Converts a function of complex numbers.
    fn mapped_parts(&mut self, op: Op<'p>, of: Unary<'p>) -> Result<(), Diagnostic<'p>> {
        let shape = self.numbers_of(op, 0)?;
        self.finish_parts(op, &shape, &|emit, numbers| of(emit, numbers[0]))
    }

    /// Converts a function of two operands, the second of which may be a real number of the program.
    fn combined_parts(&mut self, op: Op<'p>, of: Binary<'p>) -> Result<(), Diagnostic<'p>> {
        let shape = self.together_of(op, op.operand_count())?;
        let other = self.other(op)?;
        self.finish_parts(op, &shape, &|emit, numbers| {
            of(emit, numbers[0], second(emit, numbers, other))
        })
    }

    /// Converts `a + alpha * b`, or `a - alpha * b`.
    fn complex_sum(&mut self, op: Op<'p>, is_difference: bool) -> Result<(), Diagnostic<'p>> {
        let shape = self.together_of(op, op.operand_count())?;
        let other = self.other(op)?;
        let alpha = self.argument(op, "alpha", usize::MAX).map(|value| {
            let value = attr::number(value);
            value.ok_or_else(|| error(op, "alpha is no real number"))
        });
        let alpha = alpha.transpose()?.unwrap_or(1.0);
        let combine: emit::Binary = match is_difference {
            true => arith::subf,
            false => arith::addf,
        };
        self.finish_parts(op, &shape, &|emit, numbers| {
            let b = second(emit, numbers, other);
            let part = |a: Val<'p>, b: Val<'p>| {
                let b = match alpha == 1.0 {
                    true => b,
                    false => emit.same(arith::mulf(b, emit.number(alpha, b.r#type()))),
                };
                emit.same(combine(a, b))
            };
            Parts {
                real: part(numbers[0].real, b.real),
                imaginary: part(numbers[0].imaginary, b.imaginary),
            }
        })
    }

    /// Returns the second operand of a kernel where it is a number of the program; `None` if it is a tensor.
    fn other(&self, op: Op<'p>) -> Result<Option<f64>, Diagnostic<'p>> {
        if op.operand_count() == 2 {
            return Ok(None);
        }
        let number = self.argument(op, "other", 1).and_then(attr::number);
        number.map(Some).ok_or_else(|| {
            error(
                op,
                "its second operand is neither a tensor nor a real number",
            )
        })
    }

    fn finish_parts(
        &mut self,
        op: Op<'p>,
        shape: &[Expr],
        of: &dyn Fn(Emit<'p>, &[Parts<'p>]) -> Parts<'p>,
    ) -> Result<(), Diagnostic<'p>> {
        let parts = Parts {
            real: self.each_number(op, shape, &|emit, numbers| of(emit, numbers).real)?,
            imaginary: self.each_number(op, shape, &|emit, numbers| of(emit, numbers).imaginary)?,
        };
        let joined = self.joined(op, parts);
        self.finish(op, joined)
    }

    /// Returns the parts of an operand as tensors; imaginary parts are zeros where it is real.
    pub(super) fn parts(&self, op: Op<'p>, number: usize) -> Result<Parts<'p>, Diagnostic<'p>> {
        let shape = self.numbers_of(op, number)?;
        let ty = self.part_type(op);
        let (real, imaginary) = self.factors(op, number, &shape)?;
        let tensor = |factor: Factor<'p>| {
            self.pointwise_of(op, &shape, (&[], &[factor]), ty, &|emit, values| {
                emit.converted(values[0], ty, false)
            })
        };
        let real = tensor(real)?;
        let imaginary = match imaginary {
            Some(imaginary) => tensor(imaginary)?,
            None => {
                let zero = super::number(self.context, 0.0, ty);
                self.filled(op, zero, ty, &shape)
            }
        };
        Ok(Parts { real, imaginary })
    }

    /// Converts the product of matrices: four products of their parts.
    fn complex_product(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let [a, b] = [self.parts(op, 0)?, self.parts(op, 1)?];
        let product = |a: Val<'p>, b: Val<'p>| {
            self.product_of(op, [a, b], [a, b].map(|tensor| self.extents(tensor)))
        };
        let [rr, ii, ri, ir] = [
            product(a.real, b.real)?,
            product(a.imaginary, b.imaginary)?,
            product(a.real, b.imaginary)?,
            product(a.imaginary, b.real)?,
        ];
        let ty = element_of(rr);
        let parts = Parts {
            real: self.each(op, &[rr, ii], ty, &|emit, values| {
                emit.same(arith::subf(values[0], values[1]))
            }),
            imaginary: self.each(op, &[ri, ir], ty, &|emit, values| {
                emit.same(arith::addf(values[0], values[1]))
            }),
        };
        let joined = self.joined(op, parts);
        self.finish(op, joined)
    }
}

/// Returns the second of two numbers, which may be a real number of the program.
fn second<'p>(emit: Emit<'p>, numbers: &[Parts<'p>], other: Option<f64>) -> Parts<'p> {
    match other {
        None => numbers[1],
        Some(other) => {
            let ty = numbers[0].real.r#type();
            Parts {
                real: emit.number(other, ty),
                imaginary: emit.number(0.0, ty),
            }
        }
    }
}

fn conjugate<'p>(emit: Emit<'p>, number: Parts<'p>) -> Parts<'p> {
    Parts {
        real: number.real,
        imaginary: emit.same(arith::negf(number.imaginary)),
    }
}

/// Builds the number of a magnitude and an angle, in radians.
fn turned<'p>(emit: Emit<'p>, magnitude: Val<'p>, angle: Val<'p>) -> Parts<'p> {
    let part = |function: emit::Unary| {
        let of = emit.same(function(angle));
        emit.same(arith::mulf(magnitude, of))
    };
    Parts {
        real: part(math::cos),
        imaginary: part(math::sin),
    }
}

fn product<'p>(emit: Emit<'p>, a: Parts<'p>, b: Parts<'p>) -> Parts<'p> {
    let mul = |a: Val<'p>, b: Val<'p>| emit.same(arith::mulf(a, b));
    Parts {
        real: emit.same(arith::subf(
            mul(a.real, b.real),
            mul(a.imaginary, b.imaginary),
        )),
        imaginary: emit.same(arith::addf(
            mul(a.real, b.imaginary),
            mul(a.imaginary, b.real),
        )),
    }
}

/// Builds a quotient. Both numbers are scaled by the larger part of the divisor first: the square of that may not be a number of the
/// type.
fn quotient<'p>(emit: Emit<'p>, a: Parts<'p>, b: Parts<'p>) -> Parts<'p> {
    let absolute = |value: Val<'p>| emit.same(math::absf(value));
    let scale = emit.same(arith::maximumf(absolute(b.real), absolute(b.imaginary)));
    let div = |value: Val<'p>, by: Val<'p>| emit.same(arith::divf(value, by));
    let scaled = |number: Parts<'p>| Parts {
        real: div(number.real, scale),
        imaginary: div(number.imaginary, scale),
    };
    let (a, b) = (scaled(a), scaled(b));
    let square = product(emit, b, conjugate(emit, b)).real;
    let above = product(emit, a, conjugate(emit, b));
    Parts {
        real: div(above.real, square),
        imaginary: div(above.imaginary, square),
    }
}

/// Builds the magnitude of a number: that of a number with an infinite part is infinite, also where the other one is NaN, as in IEEE
/// 754's `hypot`.
fn magnitude<'p>(emit: Emit<'p>, number: Parts<'p>) -> Val<'p> {
    let ty = number.real.r#type();
    let [a, b] = [number.real, number.imaginary].map(|part| emit.same(math::absf(part)));
    // `maxnumf` and `minnumf` return the other part where one is NaN; the sum below is NaN again.
    let large = emit.same(arith::maxnumf(a, b));
    let small = emit.same(arith::minnumf(a, b));
    let ratio = emit.same(arith::divf(small, large));
    let square = emit.same(arith::mulf(ratio, ratio));
    let sum = emit.same(arith::addf(square, emit.number(1.0, ty)));
    let root = emit.same(math::sqrt(sum));
    let magnitude = emit.same(arith::mulf(large, root));
    // The ratio of two zeros, and that of two infinities, is no number.
    let zero = emit.number(0.0, ty);
    let is_zero = emit.is(Is::Equal, large, zero);
    let sum = emit.same(arith::addf(a, b));
    let of_numbers = emit.select(is_zero, sum, magnitude);
    let infinite = emit.number(f64::INFINITY, ty);
    let is_infinite = emit.is(Is::Equal, large, infinite);
    let of_all = emit.select(is_infinite, infinite, of_numbers);
    // A NaN with a finite part.
    let is_nan = emit.is_nan(sum);
    let finite = emit.not(is_infinite);
    let is_nan = emit.same(arith::andi(is_nan, finite));
    emit.select(is_nan, sum, of_all)
}
