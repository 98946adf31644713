//! Builds reductions: sums and products of elements in 32 bits, and the other ones in the type of the elements.

use melior::ir::Type;
use spyre_mlir_rt::ir::{OpParts, Val};
use spyre_ods::arith;
use spyre_ops::Combiner;

use crate::compute::Computation;
use crate::emit::{Emitter, element, shape};
use crate::structured;

/// A reduction on the parts of a core, or on pieces of them.
pub(crate) struct Reduction {
    combiner: Combiner,
    /// The dimensions of the operand that are reduced.
    reduced: Vec<usize>,
    /// Whether the operand has dimensions that are not.
    keeps: bool,
}

impl Reduction {
    /// Returns the reduction of an operation.
    ///
    /// # Errors
    /// The result has the dimensions in another order.
    pub(crate) fn of(
        computation: &Computation<'_, '_>,
        combiner: Combiner,
    ) -> Result<Self, String> {
        let device = computation.device;
        let parallel = device.iteration_space().len() - device.reduction_dims();
        let dims = computation.dims(0)?;
        let (kept, reduced): (Vec<usize>, Vec<usize>) =
            (0..dims.len()).partition(|place| dims[*place] < parallel);
        let kept: Vec<usize> = kept.into_iter().map(|place| dims[place]).collect();
        if kept != computation.dims(1)? {
            return Err("it reorders the dimensions that it keeps".to_owned());
        }
        Ok(Self {
            combiner,
            reduced,
            keeps: !kept.is_empty(),
        })
    }

    fn is_rounded(&self) -> bool {
        matches!(self.combiner, Combiner::Add | Combiner::Mul)
    }

    /// Builds the neutral number for each element of the result.
    pub(crate) fn init<'p>(
        &self,
        emit: &Emitter<'p>,
        computation: &Computation<'_, 'p>,
    ) -> Val<'p> {
        let element = match self.is_rounded() {
            true => Type::float32(emit.context),
            false => computation.step.tensors[0].operand.buffer.element,
        };
        // A result of one element has one dimension.
        emit.splat(
            self.combiner.identity(),
            &computation.result_shape(),
            element,
        )
    }

    /// Builds the combination of the elements of the operand, with `before` or alone.
    pub(crate) fn add<'p>(
        &self,
        emit: &Emitter<'p>,
        computation: &Computation<'_, 'p>,
        before: Option<Val<'p>>,
    ) -> Val<'p> {
        let mut value = computation.inputs[0].value;
        if self.is_rounded() {
            value = emit.convert(value, Type::float32(emit.context));
        }
        if let Some(name) = self.combiner.of_element() {
            value = emit.build().same(OpParts::named(name, &[value]));
        }
        if self.reduced.is_empty() {
            return value; // one element for each sum
        }
        let mut reduced = self.reduced.clone();
        if !self.keeps {
            let mut extents = shape(value);
            extents.insert(0, 1);
            reduced.iter_mut().for_each(|place| *place += 1);
            value = emit.reshape(value, &extents);
        }
        let init = before.unwrap_or_else(|| self.init(emit, computation));
        let (_, combine) = self.combiner.operations();
        structured::reduce(emit, value, init, &reduced, combine)
    }

    /// Builds the result: a mean is divided, and sums are rounded once.
    pub(crate) fn finish<'p>(
        &self,
        emit: &Emitter<'p>,
        computation: &Computation<'_, 'p>,
        value: Val<'p>,
    ) -> Val<'p> {
        let device = computation.device;
        let mut value = value;
        if device.facts().is_average {
            let space = device.iteration_space();
            let reduced = space.len() - device.reduction_dims();
            let count: i64 = space.iter().skip(reduced).product();
            // Exact below 2^24, as on the CPU.
            let count = emit.splat(count as f64, &shape(value), element(value));
            value = emit.build().same(arith::divf(value, count));
        }
        emit.convert(value, computation.element())
    }
}
