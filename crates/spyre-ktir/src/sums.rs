//! Builds operations that combine elements along reduced dimensions: products, reductions and pairs of moments.
//!
//! What they accumulate is a tensor or two, in 32 bits for sums. All reduced elements are combined at once, or in pieces,
//! where a loop carries what is accumulated: the first piece begins with a tensor of the neutral number, each other one
//! with the result of the piece before, and the result is rounded once, after the last one.

use melior::Context;
use spyre_mlir_rt::ir::Val;
use spyre_ops::Meaning;

use crate::computation::{Computation, check_floats};
use crate::contract::Product;
use crate::emit::Emitter;
use crate::moments::Moments;
use crate::reduce::Reduction;

/// An operation that combines elements along reduced dimensions.
pub(crate) enum Sums {
    /// A product of matrices.
    Product(Product),
    /// A reduction.
    Reduction(Reduction),
    /// Pairs of moments.
    Moments(Moments),
}

/// Returns whether an operation combines elements along reduced dimensions.
pub(crate) fn combines(meaning: Option<Meaning>) -> bool {
    matches!(
        meaning,
        Some(Meaning::Reduce | Meaning::Contract | Meaning::Moments)
    )
}

impl Sums {
    /// Returns what an operation accumulates.
    ///
    /// # Errors
    /// Dimensions or elements that have no form in KTIR.
    pub(crate) fn of(context: &Context, computation: &Computation<'_, '_>) -> Result<Self, String> {
        check_floats(context, computation)?;
        let facts = computation.device.facts();
        match facts.meaning {
            Some(Meaning::Contract) => Product::of(computation).map(Self::Product),
            Some(Meaning::Reduce) => {
                let combiner = facts.combiner.expect("a reduction combines");
                Reduction::of(computation, combiner).map(Self::Reduction)
            }
            Some(Meaning::Moments) => Moments::of(computation).map(Self::Moments),
            _ => unreachable!("the operation combines elements"),
        }
    }

    /// Builds the tensors to begin with, before the first piece.
    pub(crate) fn init<'p>(
        &self,
        emit: &Emitter<'p>,
        computation: &Computation<'_, 'p>,
    ) -> Vec<Val<'p>> {
        match self {
            Self::Product(product) => vec![product.init(emit, computation)],
            Self::Reduction(reduction) => vec![reduction.init(emit, computation)],
            Self::Moments(moments) => moments.init(emit, computation),
        }
    }

    /// Builds the combination of the elements of a piece with the pieces before it.
    pub(crate) fn add<'p>(
        &self,
        emit: &Emitter<'p>,
        computation: &Computation<'_, 'p>,
        before: &[Val<'p>],
    ) -> Vec<Val<'p>> {
        match self {
            Self::Product(product) => vec![product.add(emit, computation, Some(before[0]))],
            Self::Reduction(reduction) => vec![reduction.add(emit, computation, Some(before[0]))],
            Self::Moments(moments) => moments.add(emit, computation, before),
        }
    }

    /// Builds the result of all elements at once.
    ///
    /// # Errors
    /// The result has a dimension that no operand has.
    pub(crate) fn whole<'p>(
        &self,
        emit: &Emitter<'p>,
        computation: &Computation<'_, 'p>,
    ) -> Result<Val<'p>, String> {
        match self {
            Self::Product(product) => {
                let sums = product.add(emit, computation, None);
                product.finish(emit, computation, sums)
            }
            Self::Reduction(reduction) => {
                let value = reduction.add(emit, computation, None);
                Ok(reduction.finish(emit, computation, value))
            }
            Self::Moments(moments) => Ok(moments.whole(emit, computation)),
        }
    }

    /// Builds the result from what was accumulated.
    ///
    /// # Errors
    /// The result has a dimension that no operand has.
    pub(crate) fn finish<'p>(
        &self,
        emit: &Emitter<'p>,
        computation: &Computation<'_, 'p>,
        values: &[Val<'p>],
    ) -> Result<Val<'p>, String> {
        match self {
            Self::Product(product) => product.finish(emit, computation, values[0]),
            Self::Reduction(reduction) => Ok(reduction.finish(emit, computation, values[0])),
            Self::Moments(moments) => Ok(moments.finish(emit, computation, values)),
        }
    }
}
