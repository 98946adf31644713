//! Searches: the largest or smallest element and its position, as one reduction with two results.
//!
//! Front ends print the step of a search in many ways. So it is recognised by its results: [`Step`] evaluates the
//! body for an element that is smaller than, equal to and larger than the current extreme.

use melior::ir::attribute::IntegerAttribute;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Type, TypeLike, ValueLike};
use spyre_analysis::dynamic::extents::Extent;
use spyre_construct::access::LoopId;
use spyre_construct::build::{Build, element_of, shape_of, splat};
use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::{arith, linalg, spyre};

use super::nest::{Access, Nest};
use super::scalars::Element;
use super::view;

/// A search along one loop.
pub(super) struct Search<'a, 'p> {
    /// The operand that is searched.
    source: &'a Access<'p>,
    along: LoopId,
    /// Whether the smallest element is searched.
    smallest: bool,
    /// The result that is the position; the other one is the element.
    position: usize,
    /// The element that the search starts from; `None` for the infinity that no element is worse than. If no element is
    /// better than it, the position is 0.
    start: Option<f64>,
}

impl<'a, 'p> Search<'a, 'p> {
    /// Recognises a nest as a search; `None` for other nests, and for searches of the last of equal elements.
    pub(super) fn of(nest: &'a Nest<'p>, end: Op<'p>) -> Option<Self> {
        let mut reduced = nest.reduced();
        let (along, None) = (reduced.next()?, reduced.next()) else {
            return None;
        };
        let [first, second] = nest.outputs.as_slice() else {
            return None;
        };
        let (element, position) = if IntegerType::try_from(first.element.r#type()).is_ok() {
            (second, first)
        } else {
            (first, second)
        };
        let numbers = [element, position].map(|output| {
            let is_it = |other: &Access<'p>| other.element == output.element;
            nest.outputs
                .iter()
                .position(is_it)
                .expect("it is an output")
        });
        let mut sources = nest.inputs.iter().filter(|input| {
            ir::is_ranked_tensor(input.value.r#type())
                && input.element.r#type() == element.element.r#type()
        });
        let (source, None) = (sources.next()?, sources.next()) else {
            return None;
        };
        let counted = nest
            .inputs
            .iter()
            .filter(|input| is_count(nest, input, along));
        let counted: Vec<Val<'p>> = counted.map(|input| input.element).collect();
        // In a loop of one iteration, the loop's index has been folded to 0.
        let at = if nest.extent(along).is_one() {
            0.0
        } else {
            7.0
        };
        let step = |candidate: f64, best: f64| {
            let step = Step {
                nest,
                along,
                at,
                values: [
                    (source.element, candidate),
                    (element.element, best),
                    (position.element, 3.0),
                ]
                .into_iter()
                .chain(counted.iter().map(|element| (*element, at)))
                .collect(),
            };
            let value = |number: usize| step.value(ir::operand(end, number)?);
            Some((value(numbers[0])?, value(numbers[1])?))
        };
        let pairs = [
            (1.0, 2.0),
            (2.0, 1.0),
            (-1.5, -0.5),
            (-0.5, -1.5),
            (0.25, 0.25),
            (-4.0, -4.0),
        ];
        let finds = |better: fn(f64, f64) -> bool| {
            pairs.iter().all(|(candidate, best)| {
                let expected = if better(*candidate, *best) {
                    (*candidate, at)
                } else {
                    (*best, 3.0)
                };
                step(*candidate, *best) == Some(expected)
            })
        };
        let smallest = if finds(|candidate, best| candidate > best) {
            false
        } else if finds(|candidate, best| candidate < best) {
            true
        } else {
            return None;
        };
        let constant = |value| {
            let op = ir::defining_op(value)?;
            attr::number(splat(op)?)
        };
        // No element is worse than this infinity. If the search starts from another element and none is better, the position stays
        // the initial one, which must be 0.
        let start = constant(element.value)?;
        let beyond = if smallest {
            f64::INFINITY
        } else {
            f64::NEG_INFINITY
        };
        let is_first = constant(position.value) == Some(0.0);
        (start == beyond || (start.is_finite() && is_first)).then_some(Self {
            source,
            along,
            smallest,
            position: numbers[1],
            start: (start != beyond).then_some(start),
        })
    }

    /// Builds a result of the search.
    ///
    /// # Errors
    /// The reason why the searched elements are not a view of their tensor.
    pub(super) fn result(
        &self,
        build: Build<'p>,
        nest: &Nest<'p>,
        number: usize,
    ) -> Result<Val<'p>, String> {
        let Element::Tensor(source) = view::read(&build, nest, self.source)? else {
            return Err("the searched operand is a number, not a tensor".into());
        };
        let source = build.widen(source, &nest.extents);
        let source = match self.start {
            Some(start) => {
                let element = element_of(source);
                let start = build.scalar(start, nest.extents.len(), element);
                let name = if self.smallest {
                    spyre::MINIMUM
                } else {
                    spyre::MAXIMUM
                };
                build.pointwise(name, &[source, start], element)
            }
            None => source,
        };
        if number != self.position {
            let name = if self.smallest {
                spyre::MIN
            } else {
                spyre::MAX
            };
            return Ok(build.reduce(name, source, &[self.along.0]));
        }
        let source = if self.smallest {
            build.pointwise(spyre::NEG, &[source], element_of(source))
        } else {
            source
        };
        let mut shape = build.shape(source);
        shape[self.along.0] = Extent::ONE;
        let i64 = IntegerType::new(build.context, 64).into();
        let integer =
            |value: usize| -> Attribute<'p> { IntegerAttribute::new(i64, i64_of(value)).into() };
        let output = nest.outputs[number].element.r#type();
        // The card has positions in the format of the searched elements (contract, K27); the host converts them to
        // integers.
        let Extent::Static(extent) = build.shape(source)[self.along.0] else {
            let message = "the position of an element is searched for along {}; give the function a tensor of positions";
            return Err(build.because(nest.extent(self.along), message));
        };
        let ty = element_of(source);
        let is_exact = extent > 0 && extent - 1 <= most_exact_integer(ty);
        let element = if is_exact { ty } else { output };
        let position = spyre::topkindex(source, integer(self.along.0), integer(1));
        let position = build.emit(position, build.tensor(&shape, element));
        shape.remove(self.along.0);
        let position = build.reshape(position, &shape)?;
        Ok(if is_exact {
            to_integers(build, position, output)
        } else {
            position
        })
    }
}

/// Returns the largest integer up to which a float type represents all integers, on the host and on the card, where
/// the 16-bit float has 9 bits of fraction (constraint S33).
fn most_exact_integer(float: Type<'_>) -> i64 {
    match (float.is_f32(), float.is_bf16()) {
        (true, _) => 1 << 24,
        (_, true) => 256,
        _ => 1024,
    }
}

/// Returns whole numbers as integers of a type.
fn to_integers<'p>(build: Build<'p>, numbers: Val<'p>, integer: Type<'p>) -> Val<'p> {
    let f32 = Type::float32(build.context);
    let i32: Type<'p> = IntegerType::new(build.context, 32).into();
    let wide = match element_of(numbers).is_f32() {
        true => numbers,
        false => build.pointwise(spyre::DL16TOFP32, &[numbers], f32),
    };
    let words = build.pointwise(spyre::FPTOSI, &[wide], i32);
    match integer == i32 {
        true => words,
        false => build.pointwise(spyre::BITCAST, &[words], integer),
    }
}

fn i64_of(value: usize) -> i64 {
    i64::try_from(value).expect("a dimension is a small number")
}

/// Returns whether an operand counts the iterations of a loop.
fn is_count(nest: &Nest<'_>, input: &Access<'_>, along: LoopId) -> bool {
    let Some(op) = ir::defining_op(input.value).filter(|op| ir::name(*op) == arith::CONSTANT)
    else {
        return false;
    };
    let mut dims = input.coordinates.iter().enumerate();
    let Some((dim, _)) = dims.find(|(_, at)| at.as_index() == Some(along)) else {
        return false;
    };
    let (Ok(shape), Some(bytes)) = (
        shape_of(input.value),
        ir::attribute(op, "value").and_then(attr::dense_bytes),
    ) else {
        return false;
    };
    let Extent::Static(extent) = nest.extent(along) else {
        return false;
    };
    let inner: i64 = shape[dim + 1..].iter().product();
    let is_its_number = |at: usize, value: i64| i64_of(at) / inner % extent == value;
    let Ok(integer) = IntegerType::try_from(element_of(input.value)) else {
        return false;
    };
    match integer.width() {
        32 => {
            let (values, _) = bytes.as_chunks::<4>();
            let mut values = values.iter().enumerate();
            values.all(|(at, value)| is_its_number(at, i32::from_ne_bytes(*value).into()))
        }
        64 => {
            let (values, _) = bytes.as_chunks::<8>();
            let mut values = values.iter().enumerate();
            values.all(|(at, value)| is_its_number(at, i64::from_ne_bytes(*value)))
        }
        _ => false,
    }
}

/// One step of a body on numbers.
struct Step<'a, 'p> {
    nest: &'a Nest<'p>,
    along: LoopId,
    /// The index of that loop.
    at: f64,
    values: Vec<(Val<'p>, f64)>,
}

impl<'p> Step<'_, 'p> {
    /// Returns the value of an element of the body: a number, or 0 and 1 for truth values. `None` for an operation
    /// that a search does not have.
    fn value(&self, value: Val<'p>) -> Option<f64> {
        if let Some((_, number)) = self.values.iter().find(|(element, _)| *element == value) {
            return Some(*number);
        }
        let op = ir::defining_op(value)?;
        let operand = |number: usize| self.value(ir::operand(op, number)?);
        let truth = |value: bool| Some(if value { 1.0 } else { 0.0 });
        match ir::name(op) {
            arith::CONSTANT => attr::number(ir::attribute(op, "value")?),
            linalg::INDEX => {
                let dim = attr::integer(ir::attribute(op, "dim")?)?;
                let at = self.nest.loops.get(usize::try_from(dim).ok()?)?;
                (at.as_index() == Some(self.along)).then_some(self.at)
            }
            arith::INDEX_CAST | arith::TRUNCI | arith::EXTSI => operand(0),
            arith::MAXIMUMF | arith::MAXNUMF => Some(operand(0)?.max(operand(1)?)),
            arith::MINIMUMF | arith::MINNUMF => Some(operand(0)?.min(operand(1)?)),
            arith::SELECT => {
                if operand(0)? == 1.0 {
                    operand(1)
                } else {
                    operand(2)
                }
            }
            arith::ANDI => truth(operand(0)? * operand(1)? == 1.0),
            arith::ORI => truth(operand(0)? + operand(1)? >= 1.0),
            arith::XORI => truth((operand(0)? != 0.0) != (operand(1)? != 0.0)),
            name @ (arith::CMPF | arith::CMPI) => {
                let predicate = attr::integer(ir::attribute(op, "predicate")?)?;
                let (a, b) = (operand(0)?, operand(1)?);
                // Ordered and unordered comparisons of numbers agree.
                truth(match (name, predicate) {
                    (arith::CMPF, 1 | 8) | (arith::CMPI, 0) => a == b,
                    (arith::CMPF, 2 | 9) | (arith::CMPI, 4) => a > b,
                    (arith::CMPF, 3 | 10) | (arith::CMPI, 5) => a >= b,
                    (arith::CMPF, 4 | 11) | (arith::CMPI, 2) => a < b,
                    (arith::CMPF, 5 | 12) | (arith::CMPI, 3) => a <= b,
                    (arith::CMPF, 6 | 13) | (arith::CMPI, 1) => a != b,
                    (arith::CMPF, 7) => true,
                    (arith::CMPF, 14) => false,
                    _ => return None,
                })
            }
            _ => None,
        }
    }
}
