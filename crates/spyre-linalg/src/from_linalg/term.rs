//! Terms of reductions, and how they become one.

use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use spyre_construct::build::is_truth;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::{arith, spyre};

use super::index;
use super::nest::Nest;

/// How the terms of a reduction become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Combiner {
    Sum,
    Product,
    Maximum,
    Minimum,
    /// The largest element that is a number.
    LargestNumber,
    /// The smallest element that is a number.
    SmallestNumber,
    /// Whether any is true.
    Any,
    /// Whether all are true.
    All,
}

impl Combiner {
    /// Returns the combiner that an operation on two elements is.
    pub(super) fn of(op: Op<'_>, element: Type<'_>) -> Option<Self> {
        let truth = is_truth(element);
        Some(match ir::name(op) {
            arith::ADDF => Self::Sum,
            arith::MULF => Self::Product,
            arith::MAXIMUMF => Self::Maximum,
            arith::MINIMUMF => Self::Minimum,
            arith::MAXNUMF => Self::LargestNumber,
            arith::MINNUMF => Self::SmallestNumber,
            arith::ADDI if is_word(element) => Self::Sum,
            arith::MULI if is_word(element) => Self::Product,
            arith::MAXSI if is_word(element) => Self::Maximum,
            arith::MINSI if is_word(element) => Self::Minimum,
            arith::ORI | arith::MAXUI if truth => Self::Any,
            arith::ANDI | arith::MINUI if truth => Self::All,
            _ => return None,
        })
    }

    /// Returns the device operation that combines two tensors of numbers.
    pub(super) fn pointwise(self) -> &'static str {
        match self {
            Self::Sum => spyre::ADD,
            Self::Product => spyre::MUL,
            Self::Maximum | Self::LargestNumber | Self::Any => spyre::MAXIMUM,
            Self::Minimum | Self::SmallestNumber | Self::All => spyre::MINIMUM,
        }
    }

    /// Returns the device operation that reduces a tensor of numbers.
    pub(super) fn reduction(self) -> &'static str {
        match self {
            Self::Sum => spyre::SUM,
            Self::Product => spyre::PROD,
            Self::Maximum | Self::LargestNumber | Self::Any => spyre::MAX,
            Self::Minimum | Self::SmallestNumber | Self::All => spyre::MIN,
        }
    }

    /// Returns the replacement of a NaN, where only numbers are combined.
    pub(super) fn instead_of_nan(self) -> Option<f64> {
        match self {
            Self::LargestNumber => Some(f64::NEG_INFINITY),
            Self::SmallestNumber => Some(f64::INFINITY),
            _ => None,
        }
    }

    /// Returns whether a number is the identity of the combination.
    pub(super) fn is_identity(self, value: f64, element: Type<'_>) -> bool {
        if is_word(element) && matches!(self, Self::Maximum | Self::Minimum) {
            // Identities of integer maxima and minima are not recognized here.
            return false;
        }
        match self {
            Self::Sum => value == 0.0,
            Self::Product => value == 1.0,
            Self::Maximum | Self::LargestNumber => value == f64::NEG_INFINITY,
            Self::Minimum | Self::SmallestNumber => value == f64::INFINITY,
            Self::Any => value == 0.0,
            Self::All => value != 0.0,
        }
    }
}

/// The term that a reduction combines in each iteration.
pub(super) struct Term<'p> {
    pub combiner: Combiner,
    /// The element of the body that is combined with the accumulator.
    pub value: Val<'p>,
    /// The type of the result's elements.
    pub element: Type<'p>,
}

impl<'p> Term<'p> {
    /// Returns the term of a result: the yielded value is the term combined with the accumulator.
    pub(super) fn of(nest: &Nest<'p>, number: usize, yielded: Val<'p>) -> Result<Self, String> {
        let output = &nest.outputs[number];
        let element = yielded.r#type();
        let op = ir::defining_op(yielded).filter(|op| op.block() == Some(nest.body));
        let op = op.ok_or_else(|| format!("result #{number} is no combination of the elements"))?;
        let combiner = Combiner::of(op, element).ok_or_else(|| {
            format!(
                "no device operation reduces by '{}' of {element}",
                ir::name(op)
            )
        })?;
        let (Ok(a), Ok(b)) = (op.operand(0), op.operand(1)) else {
            return Err(format!(
                "result #{number} is no combination of two elements"
            ));
        };
        let value = match (a == output.element, b == output.element) {
            (true, false) => b,
            (false, true) => a,
            _ => {
                return Err(format!(
                    "the accumulated value of result #{number} is no operand of the combination"
                ));
            }
        };
        Ok(Self {
            combiner,
            value,
            element,
        })
    }
}

/// Returns whether a type is that of integers with 32 bits in device memory.
pub(super) fn is_word(element: Type<'_>) -> bool {
    index::width(element).is_some_and(|width| width >= 32)
}
