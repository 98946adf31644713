//! Builds the computation of a device operation on the parts of a core.
//!
//! Floats of 16 bits are computed in 32 bits and rounded once, as on the CPU (`docs/Execution.md`). Numbers of a
//! formula are tensors, not constants of the body: an interpreter of KTIR rounds the constants of a body to 16 bits,
//! and takes none in a maximum.

use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Type, TypeLike, ValueLike};
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{OpBuilder, OpParts, Val};
use spyre_ods::{Arithmetic, arith};
use spyre_ops::{Comparison, Formula, Meaning};

use crate::computation::{Computation, check_floats, f32};
use crate::emit::{Emitter, element, shape};
use crate::sums::Sums;

/// Builds a device operation. Returns the tensor of the part of its result.
///
/// # Errors
/// The operation has no form in KTIR.
pub(crate) fn compute<'p>(
    emit: &mut Emitter<'p>,
    computation: &Computation<'_, 'p>,
) -> Result<Val<'p>, String> {
    let device = computation.device;
    let facts = device.facts();
    if !device.walked_dims().is_empty() {
        return Err("windows that walk along an image have no form in KTIR yet".to_owned());
    }
    let result = computation.element();
    match facts.meaning {
        Some(Meaning::Identity) => identity(emit, computation),
        Some(Meaning::Select) => {
            computation.pointwise(emit, &[], |body, of| body.select(of[0], of[1], of[2]))
        }
        Some(Meaning::Number(_, name)) if result.is_integer() => {
            computation.pointwise(emit, &[], |body, of| body.same(OpParts::named(name, of)))
        }
        Some(Meaning::Float(formula) | Meaning::Number(formula, _)) => {
            check_floats(emit.context, computation)?;
            let mut numbers = Vec::new();
            collect(&formula, device, &mut numbers)?;
            computation.pointwise(emit, &numbers, |body, of| {
                let (operands, constants) = of.split_at(of.len() - numbers.len());
                let widened: Vec<_> = operands.iter().map(|x| widen(body, *x)).collect();
                let evaluation = Evaluation {
                    body,
                    device,
                    operands: &widened,
                    numbers: &numbers,
                    constants,
                };
                round(body, evaluation.part(&formula, &mut Vec::new()), result)
            })
        }
        Some(Meaning::Compare(how)) => computation.pointwise(emit, &[], |body, of| {
            let [a, b] = [of[0], of[1]].map(|x| comparable(body, x));
            compare(body, how, a, b)
        }),
        Some(Meaning::Reduce | Meaning::Contract | Meaning::Moments) => {
            Sums::of(emit.context, computation)?.whole(emit, computation)
        }
        Some(Meaning::Bits) => {
            computation.pointwise(emit, &[], |body, of| body.op(arith::bitcast(of[0]), result))
        }
        Some(Meaning::OfMagnitude(_) | Meaning::TopK(_)) | None => {
            Err(format!("'{}' has no form in KTIR", facts.name))
        }
        Some(Meaning::Gather) => unreachable!("a gather is a load"),
    }
}

/// Builds a copy: the operand itself, unless the operation repeats it.
fn identity<'p>(emit: &Emitter<'p>, computation: &Computation<'_, 'p>) -> Result<Val<'p>, String> {
    let input = computation.inputs[0].value;
    let is_same = computation.dims(0)? == computation.dims(1)?;
    if is_same
        && element(input) == computation.element()
        && shape(input) == computation.result_shape()
    {
        return Ok(input);
    }
    let result = computation.element();
    if element(input) != result {
        return Err("a copy to another type has no form in KTIR".to_owned());
    }
    computation.pointwise(emit, &[], |_, of| of[0])
}

/// Collects the numbers of a formula, each once.
fn collect(formula: &Formula, device: DeviceOp<'_>, numbers: &mut Vec<f64>) -> Result<(), String> {
    let number = match formula {
        Formula::Operand(_) => return Ok(()),
        Formula::Number(value) => *value,
        Formula::Parameter(name) => parameter(device, name)?,
        Formula::Apply(_, parts) => {
            return parts
                .iter()
                .try_for_each(|part| collect(part, device, numbers));
        }
        Formula::Where(_, parts) => {
            return parts
                .iter()
                .try_for_each(|part| collect(part, device, numbers));
        }
    };
    if !numbers
        .iter()
        .any(|other| other.to_bits() == number.to_bits())
    {
        numbers.push(number);
    }
    Ok(())
}

/// Returns a number among the attributes of an operation.
fn parameter(device: DeviceOp<'_>, name: &str) -> Result<f64, String> {
    let value = device.op().attribute(name).map_err(|err| err.to_string())?;
    let value = FloatAttribute::try_from(value).map_err(|err| err.to_string())?;
    Ok(value.value())
}

/// The evaluation of a formula in the body of a `linalg.generic`.
struct Evaluation<'a, 'p> {
    body: OpBuilder<'p>,
    device: DeviceOp<'p>,
    operands: &'a [Val<'p>],
    numbers: &'a [f64],
    constants: &'a [Val<'p>],
}

impl<'p> Evaluation<'_, 'p> {
    fn constant(&self, value: f64) -> Val<'p> {
        let mut numbers = self.numbers.iter();
        let place = numbers.position(|number| number.to_bits() == value.to_bits());
        self.constants[place.expect("all numbers are operands")]
    }

    /// Builds a part of the formula. Equal parts are built once.
    fn part(&self, formula: &Formula, built: &mut Vec<(Formula, Val<'p>)>) -> Val<'p> {
        if let Some((_, value)) = built.iter().find(|(part, _)| part == formula) {
            return *value;
        }
        let mut parts = |parts: &[Formula]| {
            let parts = parts.iter().map(|part| self.part(part, built));
            parts.collect::<Vec<_>>()
        };
        let value = match formula {
            Formula::Operand(number) => self.operands[*number],
            Formula::Number(value) => self.constant(*value),
            Formula::Parameter(name) => {
                let value = parameter(self.device, name);
                self.constant(value.expect("the parameter was read before"))
            }
            Formula::Apply(name, of) => self.body.same(OpParts::named(*name, &parts(of))),
            Formula::Where(how, of) => {
                let of = parts(*of);
                let holds = compare(self.body, *how, of[0], of[1]);
                self.body.select(holds, of[2], of[3])
            }
        };
        built.push((*formula, value));
        value
    }
}

/// Builds a comparison of scalars.
fn compare<'p>(body: OpBuilder<'p>, how: Comparison, a: Val<'p>, b: Val<'p>) -> Val<'p> {
    let (float, integer) = how.predicates();
    let predicate =
        |number| IntegerAttribute::new(IntegerType::new(body.context, 64).into(), number).into();
    let parts = match a.r#type().is_integer() {
        true => arith::cmpi(a, b, predicate(integer)),
        false => arith::cmpf(a, b, predicate(float)),
    };
    body.op(parts, IntegerType::new(body.context, 1).into())
}

/// Builds a float in 32 bits.
fn widen<'p>(body: OpBuilder<'p>, x: Val<'p>) -> Val<'p> {
    match x.r#type().is_f32() {
        true => x,
        false => body.op(arith::extf(x), f32(body.context)),
    }
}

/// Builds a float of 32 bits rounded to a type.
fn round<'p>(body: OpBuilder<'p>, x: Val<'p>, ty: Type<'p>) -> Val<'p> {
    match x.r#type() == ty {
        true => x,
        false => body.op(arith::truncf(x), ty),
    }
}

/// Builds an element for a comparison: a float in 32 bits, a truth value as an integer.
fn comparable<'p>(body: OpBuilder<'p>, x: Val<'p>) -> Val<'p> {
    match IntegerType::try_from(x.r#type()) {
        Ok(integer) if integer.width() == 1 => {
            body.op(arith::extui(x), IntegerType::new(body.context, 32).into())
        }
        Ok(_) => x,
        Err(_) => widen(body, x),
    }
}
