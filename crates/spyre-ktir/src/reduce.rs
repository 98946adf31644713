//! Builds reductions: sums and products of elements in 32 bits, and the other ones in the type of the elements.

use melior::ir::Type;
use spyre_mlir_rt::ir::{OpParts, Val};
use spyre_ods::arith;
use spyre_ops::Combiner;

use crate::computation::Computation;
use crate::emit::{Emitter, element, shape};
use crate::structured;

/// The dimensions of an operand that are reduced, and whether it has others.
pub(crate) struct Axes {
    reduced: Vec<usize>,
    keeps: bool,
}

impl Axes {
    /// Returns the axes of the operand of an operation.
    ///
    /// # Errors
    /// The result has the dimensions in another order.
    pub(crate) fn of(computation: &Computation<'_, '_>) -> Result<Self, String> {
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
            reduced,
            keeps: !kept.is_empty(),
        })
    }

    /// Returns whether no dimension is reduced: each result has one element.
    pub(crate) fn is_empty(&self) -> bool {
        self.reduced.is_empty()
    }

    /// Builds the combination of elements along the axes with those that `init` builds. A result of one element has one
    /// dimension.
    pub(crate) fn reduce<'p>(
        &self,
        emit: &Emitter<'p>,
        value: Val<'p>,
        init: impl FnOnce() -> Val<'p>,
        combiner: Combiner,
    ) -> Val<'p> {
        let (_, combine) = combiner.operations();
        if self.keeps {
            return structured::reduce(emit, value, init(), &self.reduced, combine);
        }
        let mut extents = shape(value);
        extents.insert(0, 1);
        let reduced: Vec<usize> = self.reduced.iter().map(|place| place + 1).collect();
        let value = emit.reshape(value, &extents);
        structured::reduce(emit, value, init(), &reduced, combine)
    }
}

/// Builds means of sums: their quotients by the number of elements that an operation reduces.
pub(crate) fn mean<'p>(
    emit: &Emitter<'p>,
    computation: &Computation<'_, 'p>,
    sums: Val<'p>,
) -> Val<'p> {
    let device = computation.device;
    let space = device.iteration_space();
    let parallel = space.len() - device.reduction_dims();
    let count: i64 = space.iter().skip(parallel).product();
    // Exact below 2^24, as on the CPU.
    let count = emit.splat(count as f64, &shape(sums), element(sums));
    emit.build().same(arith::divf(sums, count))
}

/// A reduction on the parts of a core, or on pieces of them.
pub(crate) struct Reduction {
    combiner: Combiner,
    axes: Axes,
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
        let axes = Axes::of(computation)?;
        Ok(Self { combiner, axes })
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
        if self.axes.is_empty() {
            return value; // one element for each sum
        }
        let init = || before.unwrap_or_else(|| self.init(emit, computation));
        self.axes.reduce(emit, value, init, self.combiner)
    }

    /// Builds the result: a mean is divided, and sums are rounded once.
    pub(crate) fn finish<'p>(
        &self,
        emit: &Emitter<'p>,
        computation: &Computation<'_, 'p>,
        value: Val<'p>,
    ) -> Val<'p> {
        let value = match computation.device.facts().is_average {
            true => mean(emit, computation, value),
            false => value,
        };
        emit.convert(value, computation.element())
    }
}
