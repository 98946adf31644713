//! Indices that have no coordinates.

use crate::{index::CoordExpr, units::Elements};

/// An index that has no coordinates in a storage.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// Sizes and strides of different lengths.
    #[error("the storage has {sizes} sizes and {strides} strides")]
    Length {
        /// Number of sizes.
        sizes: usize,
        /// Number of strides.
        strides: usize,
    },
    /// A variable without a range.
    #[error("the index uses p{var}, there are {vars} loop variables")]
    NoSuchVar {
        /// The variable.
        var: usize,
        /// Number of ranges.
        vars: usize,
    },
    /// A variable that takes no value, or a dimension that has no position.
    #[error("{what}{at} has extent 0")]
    Empty {
        /// `p` for a variable, `dimension ` for a dimension.
        what: &'static str,
        /// Its position.
        at: usize,
    },
    /// A variable that runs backwards.
    #[error(
        "the index moves by {coefficient} along p{var}: reversed dimensions have no coordinates"
    )]
    Flip {
        /// The variable.
        var: usize,
        /// Elements per step.
        coefficient: i64,
    },
    /// An index below the storage.
    #[error("the index starts at {offset}, before the storage")]
    NegativeOffset {
        /// The offset.
        offset: i64,
    },
    /// A variable that starts over at two places that do not fit together.
    #[error("p{var} is taken mod {first} and mod {second}: it can start over in one way only")]
    TwoModuli {
        /// The variable.
        var: usize,
        /// One modulus.
        first: u64,
        /// The other one.
        second: u64,
    },
    /// A variable taken as it is and with a modulus.
    #[error("p{var} is taken both mod {modulus} and as it is: it can start over in one way only")]
    ModulusAndNone {
        /// The variable.
        var: usize,
        /// The modulus.
        modulus: u64,
    },
    /// A variable that moves by no multiple of a stride.
    #[error(
        "the index moves by {step} along p{var}, which is no multiple of the stride {stride} of dimension {dim}"
    )]
    NoMultiple {
        /// The variable.
        var: usize,
        /// Elements per step.
        step: u64,
        /// The dimension with the largest stride not above the step.
        dim: usize,
        /// Its stride.
        stride: u64,
    },
    /// An offset or a variable that moves by less than every stride.
    #[error("nothing in the storage moves by {step}: its smallest stride is {least}")]
    BelowEveryStride {
        /// Elements.
        step: u64,
        /// The smallest stride of a dimension of several positions; 0 without any.
        least: u64,
    },
    /// A variable that crosses from one dimension into the next where that one does not continue it.
    #[error(
        "p{var} crosses from dimension {dim} of stride {stride} into one of stride {next}, which is \
         no multiple of it (remainder {})",
        .next % (*.stride).max(1)
    )]
    StridesDoNotChain {
        /// The variable.
        var: usize,
        /// The dimension.
        dim: usize,
        /// Its stride.
        stride: u64,
        /// The next larger stride.
        next: u64,
    },
    /// A modulus of zero.
    #[error("p{var} is taken mod 0")]
    ZeroModulus {
        /// The variable.
        var: usize,
    },
    /// Coefficients whose sum is not a 64-bit number.
    #[error("the coefficients of p{var} add up to more than 64 bits hold")]
    TooLarge {
        /// The variable.
        var: usize,
    },
    /// A dimension that runs backwards.
    #[error(
        "dimension {dim} of the storage has stride {stride}: reversed dimensions have no coordinates"
    )]
    Reversed {
        /// The dimension.
        dim: usize,
        /// Its stride.
        stride: i64,
    },
    /// Two dimensions that move alike.
    #[error(
        "dimensions {first} and {second} both have stride {stride}: the index does not tell them apart"
    )]
    SameStride {
        /// One dimension.
        first: usize,
        /// The other one.
        second: usize,
        /// Their stride.
        stride: u64,
    },
    /// A coordinate that leaves its dimension, so that it would have to carry into another.
    #[error("coordinate {coord} of dimension {dim} reaches {max}, its size is {size}")]
    LeavesDim {
        /// The dimension.
        dim: usize,
        /// Its coordinate.
        coord: CoordExpr,
        /// The largest value of the coordinate.
        max: u128,
        /// The size of the dimension.
        size: u64,
    },
    /// A coordinate that no stick can have.
    #[error(
        "the coordinate inside the stick is {coord}: it must be a variable, a variable mod \
         {elements_per_stick} or 0, plus a constant"
    )]
    Stick {
        /// The coordinate.
        coord: CoordExpr,
        /// Elements in a stick.
        elements_per_stick: Elements,
    },
}
