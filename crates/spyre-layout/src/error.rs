//! The errors of a layout, and of a layout for a given tensor.

use crate::units::Elements;

/// A layout that is invalid for every tensor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// There is no coordinate for the stick.
    #[error("{actual} device coordinates cannot hold a stick of {needed}")]
    TooFewCoords {
        /// Coordinates given.
        actual: usize,
        /// Coordinates that make up one stick.
        needed: usize,
    },
    /// A coordinate names a host dimension that does not exist.
    #[error("device coordinate {coord} uses d{dim}, but the tensor has rank {rank}")]
    DimOutOfRank {
        /// Position of the coordinate.
        coord: usize,
        /// The host dimension it names.
        dim: usize,
        /// Number of host dimensions.
        rank: usize,
    },
    /// A coordinate divides by zero.
    #[error("device coordinate {coord} divides d{dim} by 0")]
    ZeroDivisor {
        /// Position of the coordinate.
        coord: usize,
        /// The host dimension it divides.
        dim: usize,
    },
    /// A coordinate that could only ever be zero.
    #[error(
        "device coordinate {coord} takes d{dim} mod {modulus}; a modulus is at least 2 (write 0 \
         for a coordinate that is always zero)"
    )]
    SmallModulus {
        /// Position of the coordinate.
        coord: usize,
        /// The host dimension.
        dim: usize,
        /// The modulus given.
        modulus: u64,
    },
    /// No digit distinguishes neighbouring positions of a host dimension.
    #[error(
        "the lowest digit of d{dim} is d{dim} floordiv {divisor}: {divisor} neighbouring positions \
         would share one address"
    )]
    NoUnitDigit {
        /// The host dimension.
        dim: usize,
        /// The smallest divisor among its digits.
        divisor: u64,
    },
    /// Two digits of one host dimension do not continue each other.
    #[error(
        "the digit of d{dim} with divisor {divisor} and modulus {modulus} must be followed by \
         divisor {divisor} * {modulus}, found {next}"
    )]
    DigitsDoNotChain {
        /// The host dimension.
        dim: usize,
        /// Divisor of the lower digit.
        divisor: u64,
        /// Modulus of the lower digit.
        modulus: u64,
        /// Divisor of the next higher digit.
        next: u64,
    },
    /// A digit without modulus below another digit of the same host dimension.
    #[error(
        "the digit of d{dim} with divisor {divisor} has no modulus, but d{dim} has another digit \
         with divisor {next}: only the most significant digit may be unbounded"
    )]
    UnboundedLowDigit {
        /// The host dimension.
        dim: usize,
        /// Divisor of the unbounded digit.
        divisor: u64,
        /// Divisor of the digit above it.
        next: u64,
    },
    /// A digit inside the stick that is not a low digit of its dimension.
    #[error(
        "device coordinate {coord} lies inside the stick but is a digit of d{dim} with divisor \
         {divisor}; a stick holds consecutive positions"
    )]
    HighDigitInStick {
        /// Position of the coordinate.
        coord: usize,
        /// The host dimension.
        dim: usize,
        /// The divisor of the digit.
        divisor: u64,
    },
    /// An explicit device size of the wrong length.
    #[error("the device size has {actual} entries for {coords} device coordinates")]
    DeviceSizeRank {
        /// Entries given.
        actual: usize,
        /// Number of device coordinates.
        coords: usize,
    },
    /// An explicit device size that is too small for every tensor.
    #[error("entry {coord} of the device size is {size}; its coordinate takes {least} values")]
    DeviceSizeTooSmall {
        /// Position of the entry.
        coord: usize,
        /// The size given.
        size: u64,
        /// The least size that holds the coordinate.
        least: u64,
    },
    /// A coordinate marked as expanded that is not constantly zero.
    #[error("device coordinate {coord} cannot be expanded: only a coordinate that is 0 can")]
    ExpandedNotZero {
        /// The position marked as expanded.
        coord: usize,
    },
}

/// A layout that does not fit a tensor, or a point outside that tensor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// Shape (or strides, or a point) of another rank.
    #[error("the layout is for rank {rank}, the {what} has {actual} entries")]
    Rank {
        /// The list that was given.
        what: &'static str,
        /// Rank of the layout.
        rank: usize,
        /// Entries given.
        actual: usize,
    },
    /// A host dimension of extent zero.
    #[error("d{dim} has extent 0: an empty tensor has no place in device memory")]
    EmptyDim {
        /// The host dimension.
        dim: usize,
    },
    /// A host dimension that the layout ignores.
    #[error(
        "d{dim} has extent {extent} but no device coordinate depends on it: its elements would \
         share one address"
    )]
    DimNotLaidOut {
        /// The host dimension.
        dim: usize,
        /// The extent.
        extent: u64,
    },
    /// Digits that run out before the extent does.
    #[error("the digits of d{dim} count to {covered}, but its extent is {extent}")]
    DigitsTooFew {
        /// The host dimension.
        dim: usize,
        /// The extent.
        extent: u64,
        /// Number of positions that the digits distinguish.
        covered: u64,
    },
    /// A stick of the wrong size.
    #[error("the stick of the layout holds {actual}, a stick of this format holds {expected}")]
    StickSize {
        /// Elements in a stick of the layout.
        actual: Elements,
        /// Elements in a stick of the format.
        expected: Elements,
    },
    /// An explicit device size that is too small for this tensor.
    #[error("entry {coord} of the device size is {size}; this tensor needs at least {needed}")]
    DeviceSizeTooSmall {
        /// Position of the entry.
        coord: usize,
        /// The explicit size.
        size: u64,
        /// The size that the tensor needs.
        needed: u64,
    },
    /// A tensor with a size in bytes above 2^64 - 1.
    #[error("device size {device_size:?} is more than 2^64 - 1 bytes")]
    TooLarge {
        /// The device size.
        device_size: Vec<u64>,
    },
    /// A point outside the tensor.
    #[error("position {position} is outside d{dim}, which has extent {extent}")]
    PointOutside {
        /// The host dimension.
        dim: usize,
        /// The requested position.
        position: u64,
        /// The extent of the dimension.
        extent: u64,
    },
}
