//! A device operation with its operands, and the loops of a `linalg.generic` that computes it by elements.

use melior::Context;
use melior::ir::{Type, TypeLike};
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{self, OpBuilder, Val};

use crate::division::is_pair;
use crate::emit::{Emitter, Tile, compact};
use crate::step::Step;
use crate::structured::{self, Mapped};

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
pub(crate) struct Loops {
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
        let count = parts.len() - usize::from(is_pair(self.device, tensor));
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
            if !is_pair(self.device, tensor) {
                operands.push((tensor, input.value));
                continue;
            }
            operands.push((tensor, structured::half(emit, input.value, 0)));
            if self.inputs.len() == 1 {
                operands.push((tensor, structured::half(emit, input.value, 1)));
            }
        }
        operands
    }

    /// Builds one element of the result for each of the loops. `numbers` are operands of 32 bits after the others.
    pub(crate) fn pointwise(
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

/// Returns the type of floats in 32 bits.
pub(crate) fn f32(context: &Context) -> Type<'_> {
    Type::float32(context)
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
