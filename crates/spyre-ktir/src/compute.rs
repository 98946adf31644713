//! Builds the computation of a device operation on the parts of a core.
//!
//! Floats of 16 bits are computed in 32 bits and rounded once, as on the CPU (`docs/Execution.md`). Numbers of a
//! formula are tensors, not constants of the body: an interpreter of KTIR rounds the constants of a body to 16 bits,
//! and takes none in a maximum.

use melior::Context;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Type, TypeLike, ValueLike};
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{self, OpBuilder, OpParts, Val};
use spyre_ods::{Arithmetic, arith};
use spyre_ops::{Comparison, Formula, Meaning};

use crate::emit::{Emitter, Tile, compact, element, shape};
use crate::moments;
use crate::plan::Step;
use crate::structured::{self, Mapped};
use crate::sums::Sums;

/// A device operation with its operands.
pub(crate) struct Computation<'a, 'p> {
    /// The operation.
    pub device: DeviceOp<'p>,
    /// Its plan.
    pub step: &'a Step<'p>,
    /// The operands.
    pub inputs: Vec<Tile<'p>>,
}

/// The loops of an operation: its iteration dimensions of more than one element.
struct Loops {
    /// The loop along each iteration dimension.
    of_dim: Vec<Option<usize>>,
    extents: Vec<u64>,
}

impl<'p> Computation<'_, 'p> {
    /// Returns the element type of the result.
    pub(crate) fn element(&self) -> Type<'p> {
        let result = self.step.tensors.last().expect("an operation has a result");
        result.operand.buffer.element
    }

    /// Returns the extents of the tensor of the result.
    pub(crate) fn result_shape(&self) -> Vec<u64> {
        let result = self.step.tensors.last().expect("an operation has a result");
        compact(&result.parts)
    }

    /// Returns the iteration dimension along each dimension of the tensor of a tile.
    ///
    /// # Errors
    /// A dimension of several elements is no dimension of the iteration space.
    pub(crate) fn dims(&self, tensor: usize) -> Result<Vec<usize>, String> {
        let dims = self.device.tensor_dims(tensor);
        let parts = &self.step.tensors[tensor].parts;
        // No operation runs along a pair of moments.
        let count = parts.len() - usize::from(moments::is_pair(self.device, tensor));
        let long = dims
            .into_iter()
            .zip(parts)
            .take(count)
            .filter(|(_, part)| part.size > 1);
        let dims = long.map(|(dim, _)| {
            dim.ok_or_else(|| {
                format!("tensor #{tensor} has a dimension that the operation does not run along")
            })
        });
        dims.collect()
    }

    fn loops(&self) -> Loops {
        let parts = &self.step.division.parts;
        let parallel = parts.len() - self.device.reduction_dims();
        let mut extents = Vec::new();
        let of_dim = parts.iter().enumerate().map(|(dim, part)| {
            let is_loop = part.size > 1 && dim < parallel;
            is_loop.then(|| {
                extents.push(part.size);
                extents.len() - 1
            })
        });
        let of_dim = of_dim.collect();
        if extents.is_empty() {
            extents.push(1);
        }
        Loops { of_dim, extents }
    }

    /// Returns a tensor of the operation as an operand of a `linalg.generic` of loops.
    fn mapped(
        &self,
        emit: &Emitter<'p>,
        loops: &Loops,
        tensor: usize,
        value: Val<'p>,
    ) -> Result<Mapped<'p>, String> {
        let dims = self.dims(tensor)?.into_iter();
        let along =
            dims.map(|dim| loops.of_dim[dim].ok_or("an operand runs along a reduced dimension"));
        let along = along.collect::<Result<Vec<_>, _>>()?;
        if !along.is_empty() {
            return Ok(Mapped {
                value,
                loops: along,
            });
        }
        Ok(match loops.extents[..] {
            [1] => Mapped {
                value,
                loops: vec![0],
            },
            // A map to the constant 0 is no projection.
            _ => Mapped {
                value: emit.reshape(value, &[]),
                loops: Vec::new(),
            },
        })
    }

    /// Returns the operands of the formula with the numbers of their tensors. A pair is two of them, if there is no other
    /// operand, and otherwise its mean.
    fn operands(&self, emit: &Emitter<'p>) -> Vec<(usize, Val<'p>)> {
        let mut operands = Vec::with_capacity(self.inputs.len() + 1);
        for (tensor, input) in self.inputs.iter().enumerate() {
            if !moments::is_pair(self.device, tensor) {
                operands.push((tensor, input.value));
                continue;
            }
            operands.push((tensor, moments::half(emit, input.value, 0)));
            if self.inputs.len() == 1 {
                operands.push((tensor, moments::half(emit, input.value, 1)));
            }
        }
        operands
    }

    /// Builds one element of the result for each of the loops. `numbers` are operands of 32 bits after the others.
    fn pointwise(
        &self,
        emit: &Emitter<'p>,
        numbers: &[f64],
        build: impl FnOnce(OpBuilder<'p>, &[Val<'p>]) -> Val<'p>,
    ) -> Result<Val<'p>, String> {
        let loops = self.loops();
        let mut inputs = Vec::with_capacity(self.inputs.len() + numbers.len());
        for (tensor, value) in self.operands(emit) {
            inputs.push(self.mapped(emit, &loops, tensor, value)?);
        }
        let last = loops.extents.len() - 1;
        for &number in numbers {
            let value = emit.splat(number, &[loops.extents[last]], f32(emit.context));
            inputs.push(Mapped {
                value,
                loops: vec![last],
            });
        }
        let init = emit.empty(&self.result_shape(), self.element());
        let init = self.mapped(emit, &loops, self.inputs.len(), init)?;
        let count = loops.extents.len();
        Ok(structured::generic(emit, count, &inputs, &init, build))
    }
}

fn f32(context: &Context) -> Type<'_> {
    Type::float32(context)
}

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
        Some(Meaning::Bits | Meaning::OfMagnitude(_) | Meaning::TopK(_)) | None => {
            Err(format!("'{}' has no form in KTIR", facts.name))
        }
        Some(Meaning::Gather) => unreachable!("a gather is a load"),
    }
}

/// Checks that operands and result are floats that KTIR computes with.
pub(crate) fn check_floats(
    context: &Context,
    computation: &Computation<'_, '_>,
) -> Result<(), String> {
    let tensors = computation.step.tensors.iter();
    for ty in tensors.map(|tensor| tensor.operand.buffer.element) {
        let is_float = ty.is_f32()
            || ir::is_bf16(ty)
            || ty.to_raw().ptr == Type::float16(context).to_raw().ptr;
        if !is_float {
            return Err(format!("it is not defined on elements of type '{ty}'"));
        }
    }
    Ok(())
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
