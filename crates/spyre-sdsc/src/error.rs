//! Errors of the generator.

use std::fmt;

use thiserror::Error;

use crate::Bytes;
use crate::addresses::{AddressMode, SegmentError};
use crate::expr::{ExprError, Symbol};
use crate::model::{DimBounds, DimSource};
use crate::revision::Revision;
use crate::rule::Finding;
use crate::validate::ValidationError;

/// Names an operation in a message: its name and its position in file order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpRef {
    /// The operation's name.
    pub name: String,
    /// The position among the operations of the tree, depth first.
    pub index: usize,
}

impl fmt::Display for OpRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "op '{}' (number {})", self.name, self.index)
    }
}

/// The reason why no bundle was generated. No file is written then.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Error {
    /// The specification breaks a rule.
    #[error(transparent)]
    Validation(#[from] Box<ValidationError>),
    /// An operation breaks a rule of the published contract.
    #[error(transparent)]
    Contract(#[from] Box<Finding>),
    /// The specification is legal, but this generator cannot express it.
    #[error("{op}: not supported: {reason}")]
    Unsupported {
        /// The operation.
        op: OpRef,
        /// The missing part.
        reason: String,
    },
    /// The specification is legal, but the description of the file format does not define its form.
    #[error("{op}: {field}: the SDSC bundle specification leaves this open: {rule}")]
    Unspecified {
        /// The operation.
        op: OpRef,
        /// The field that cannot be written, or that needs a field that cannot be written.
        field: String,
        /// The rule, and its gap.
        rule: &'static str,
    },
    /// The specification contradicts itself in a way that only shows while it is planned.
    #[error("{op}: {problem}")]
    Inconsistent {
        /// The operation.
        op: OpRef,
        /// The contradiction, with the numbers.
        problem: String,
    },
    /// An expression has no value.
    #[error("{op}: {source}")]
    Expr {
        /// The operation.
        op: OpRef,
        /// The reason.
        source: ExprError,
    },
    /// A size or an address does not fit.
    #[error("{op}: {what} does not fit 63 bits")]
    Overflow {
        /// The operation.
        op: OpRef,
        /// The number that was computed.
        what: String,
    },
    /// A tensor cannot advance as requested.
    #[error("{op}: {source}")]
    Tiling {
        /// The operation.
        op: OpRef,
        /// The reason.
        source: TilingError,
    },
    /// A loop's count cannot be printed.
    #[error(transparent)]
    Loop(#[from] LoopError),
    /// A place has no address as a number.
    #[error("{op}: {source}")]
    Segment {
        /// The operation.
        op: OpRef,
        /// The reason.
        source: SegmentError,
    },
    /// Addresses of a form that the files of a revision do not have.
    #[error("files of revision {revision} do not have {addresses:?} addresses")]
    AddressMode {
        /// The requested form.
        addresses: AddressMode,
        /// The revision.
        revision: Revision,
    },
    /// The pool that the bundle allocates has an impossible size.
    #[error("pool size {} is out of range (0, {}] for a bundle with pool tensors", .size.get(), .limit.get())]
    PoolSize {
        /// The requested size.
        size: Bytes,
        /// The largest size.
        limit: Bytes,
    },
    /// The function that a pass or a user wrote for a bundle disagrees with the operations that it executes, for
    /// example in an address.
    #[error("{problem}")]
    Contradiction {
        /// The operation, if it is a single one.
        op: Option<OpRef>,
        /// The contradiction, with the numbers.
        problem: String,
    },
    /// The bundle lacks a part of the tree. No input is to blame.
    #[error("this is a bug of ours: {problem}")]
    Internal {
        /// The contradiction, with the counts.
        problem: String,
    },
}

/// Why a tensor cannot advance with the loops around it.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum TilingError {
    /// A scratchpad tensor with an advance.
    #[error(
        "operand {operand} is in LX and advances by `{advance}`: advancing LX tensors are not supported"
    )]
    AdvancingLx {
        /// Position of the operand.
        operand: usize,
        /// The advance.
        advance: String,
    },
    /// A step that is not a whole number of elements.
    #[error(
        "operand {operand} advances by {coefficient} elements per step of {symbol}, which is not an integer"
    )]
    FractionalStep {
        /// Position of the operand.
        operand: usize,
        /// The level symbol.
        symbol: Symbol,
        /// The step.
        coefficient: String,
    },
    /// A step that moves backwards or beyond 63 bits.
    #[error(
        "operand {operand} advances by {coefficient} elements per step of {symbol}, which is out of range"
    )]
    StepRange {
        /// Position of the operand.
        operand: usize,
        /// The level symbol.
        symbol: Symbol,
        /// The step.
        coefficient: String,
    },
    /// The number of level entries differs from the number of loops.
    #[error(
        "{levels} tiled levels inside {loops} loops: there must be one entry per enclosing loop"
    )]
    LevelCount {
        /// Entries of `tiled_levels`.
        levels: usize,
        /// Enclosing loops.
        loops: usize,
    },
    /// An advance names a symbol of no enclosing loop.
    #[error(
        "operand {operand} advances by `{advance}`, whose symbol {symbol} belongs to no tiled level"
    )]
    UnknownLevel {
        /// Position of the operand.
        operand: usize,
        /// The advance.
        advance: String,
        /// The symbol.
        symbol: Symbol,
    },
    /// An advance names an iteration symbol.
    #[error(
        "operand {operand} advances by `{advance}`, whose symbol {symbol} is an iteration symbol; \
         give the level a separate symbol"
    )]
    IterationSymbol {
        /// Position of the operand.
        operand: usize,
        /// The advance.
        advance: String,
        /// The symbol.
        symbol: Symbol,
    },
    /// A tensor that is divided over cores along a runtime size and moves along it as well.
    #[error(
        "operand {operand} is divided over cores along {dim}, whose size is only known at run time, and tiled along it"
    )]
    RuntimeSplit {
        /// Position of the operand.
        operand: usize,
        /// The dimension.
        dim: String,
    },
    /// A byte stride that the step of a runtime loop does not divide.
    #[error("stride of {stride} bytes is not divisible by the loop step {step} at level {level}")]
    StrideNotDivisible {
        /// Bytes per tile.
        stride: u64,
        /// Elements per iteration.
        step: u64,
        /// Loop level, outermost 0.
        level: usize,
    },
}

/// Why a loop cannot be printed (SDSC bundle specification, sections 2.7 and 6).
#[derive(Clone, Debug, PartialEq, Error)]
pub enum LoopError {
    /// A loop that cannot be unrolled.
    #[error("loop count `{count}` is not a fixed number, so the loop cannot be unrolled")]
    NotUnrollable {
        /// The count.
        count: String,
    },
    /// Loops that run too often to be unrolled.
    #[error("the loops unroll to more than {limit} operations")]
    TooManyIterations {
        /// The most operations.
        limit: u64,
    },
    /// A count of an unknown form.
    #[error(
        "loop count `{count}` is neither an integer, a runtime size nor the floor of one over a positive integer"
    )]
    UnknownCount {
        /// The count.
        count: String,
    },
    /// A runtime size without bounds.
    #[error("loop count `{count}` uses {symbol}, for which no bounds are given")]
    NoBounds {
        /// The count.
        count: String,
        /// The runtime size.
        symbol: Symbol,
    },
    /// A runtime size that the launcher could not find.
    #[error("runtime size {symbol} of a loop count has bounds but no source argument")]
    NoSource {
        /// The runtime size.
        symbol: Symbol,
    },
    /// Two loops that disagree about the bounds of a size.
    #[error(
        "loops disagree about runtime size {symbol}: max {} granularity {} against max {} granularity {}",
        .first.max, .first.granularity, .second.max, .second.granularity
    )]
    ConflictingBounds {
        /// The runtime size.
        symbol: Symbol,
        /// As first seen.
        first: DimBounds,
        /// As seen later.
        second: DimBounds,
    },
    /// Two loops that disagree about the source of a size.
    #[error(
        "loops disagree about runtime size {symbol}: dimension {} of argument {} against dimension {} of argument {}",
        .first.dim, .first.arg, .second.dim, .second.arg
    )]
    ConflictingSources {
        /// The runtime size.
        symbol: Symbol,
        /// As first seen.
        first: DimSource,
        /// As seen later.
        second: DimSource,
    },
    /// A size that is not a whole number of iterations.
    #[error(
        "runtime size {symbol} has granularity {granularity}, which the loop step {step} does not divide"
    )]
    Granularity {
        /// The runtime size.
        symbol: Symbol,
        /// The divisor of every value of the size.
        granularity: u64,
        /// The loop step.
        step: u64,
    },
}

impl Error {
    /// Makes a contradiction of a function as a whole.
    pub(crate) const fn contradiction(problem: String) -> Self {
        Self::Contradiction { op: None, problem }
    }

    /// Makes a contradiction between an execute and its operation.
    pub(crate) fn contradiction_at(op: &OpRef, problem: String) -> Self {
        let op = Some(op.clone());
        Self::Contradiction { op, problem }
    }

    /// The operation that is to blame, if it is a single one.
    pub fn op(&self) -> Option<&OpRef> {
        match self {
            Self::Unsupported { op, .. }
            | Self::Unspecified { op, .. }
            | Self::Inconsistent { op, .. }
            | Self::Expr { op, .. }
            | Self::Overflow { op, .. }
            | Self::Segment { op, .. }
            | Self::Tiling { op, .. } => Some(op),
            Self::Contract(finding) => Some(&finding.op),
            Self::Contradiction { op, .. } => op.as_ref(),
            Self::Validation(_)
            | Self::Loop(_)
            | Self::AddressMode { .. }
            | Self::PoolSize { .. }
            | Self::Internal { .. } => None,
        }
    }
}
