//! Views that no layout describes.

use crate::{
    error::{LayoutError, PlaceError},
    units::Elements,
    window::WindowError,
};

/// A view that does not fit the tensor, or that no layout describes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// Not every dimension exactly once.
    #[error("{permutation:?} is not a permutation of the {rank} dimensions")]
    NotAPermutation {
        /// The permutation given.
        permutation: Vec<usize>,
        /// Rank of the tensor.
        rank: usize,
    },
    /// Groups that leave out, repeat or reorder dimensions.
    #[error(
        "the reassociation {groups:?} does not list dimensions 0 to {rank} (exclusive) in order"
    )]
    Reassociation {
        /// The groups given.
        groups: Vec<Vec<usize>>,
        /// Rank of the shape of the groups.
        rank: usize,
    },
    /// A reassociation with one group too many or too few.
    #[error("the reassociation has {actual} groups for {expected} dimensions")]
    GroupCount {
        /// Groups given.
        actual: usize,
        /// Rank of the collapsed shape.
        expected: usize,
    },
    /// A dimension and its parts that do not have the same number of positions.
    #[error("extent {extent} of d{dim} is not the product of the extents {parts:?}")]
    GroupExtent {
        /// The dimension of the collapsed shape.
        dim: usize,
        /// The extent.
        extent: u64,
        /// Extents of the dimensions that it is the product of.
        parts: Vec<u64>,
    },
    /// A dimension that would be continued by the next one in the middle of a block.
    #[error(
        "the layout cuts d{dim} into blocks of {block}, but d{dim} ends after {extent}, inside a \
         block (remainder {}): the dimensions before it cannot be collapsed with it",
        .extent.get() % .block.get().max(1)
    )]
    EndsInsideBlock {
        /// The source dimension.
        dim: usize,
        /// Positions of the dimension that share the digit.
        block: Elements,
        /// Extent of the dimension.
        extent: Elements,
    },
    /// A new dimension that starts inside a block of the layout.
    #[error(
        "the layout breaks d{dim} every {block}, and the view every {unit}: neither is a whole \
         number of the other"
    )]
    BreaksDisagree {
        /// The source dimension.
        dim: usize,
        /// The distance of the blocks of the layout, in positions of the group of dimensions.
        block: Elements,
        /// The distance of the blocks of the view.
        unit: Elements,
    },
    /// A stick that would hold parts of two dimensions.
    #[error(
        "the view cuts d{dim} every {unit}, inside the stick of {elements_per_stick}: a stick holds \
         one dimension"
    )]
    SplitsStick {
        /// The source dimension on the stick.
        dim: usize,
        /// The distance of the cuts.
        unit: Elements,
        /// Elements of the stick coordinate.
        elements_per_stick: Elements,
    },
    /// A padded device dimension that is no multiple of the part to split off.
    #[error(
        "device coordinate {coord} of size {size} cannot be split in parts of {part}: its padding \
         is not a whole number of them"
    )]
    SplitsPadding {
        /// Position of the coordinate.
        coord: usize,
        /// The size.
        size: u64,
        /// Size of the inner part.
        part: u64,
    },
    /// A slice with one stick of a pair over which a cast has staggered the elements.
    #[error(
        "the window covers [{start}, {end}) of dimension {dim}, which is in the staggered order that a cast leaves, \
         {unit} at a time over two sticks; take the window before the cast, or whole pairs of sticks"
    )]
    SplitsPair {
        /// The dimension on the stick.
        dim: usize,
        /// The first position of the slice.
        start: u64,
        /// The position after its last.
        end: u64,
        /// Elements of a pair of sticks.
        unit: Elements,
    },
    /// A dimension of several positions where one is needed.
    #[error("d{dim} has extent {extent}; only a dimension of extent 1 can be {action}")]
    NotUnit {
        /// The dimension.
        dim: usize,
        /// The extent.
        extent: u64,
        /// The attempted action.
        action: &'static str,
    },
    /// A dimension that repeats values, in a group with others.
    #[error(
        "d{dim} repeats the same elements {extent} times; it cannot be collapsed with another \
         dimension"
    )]
    Repeated {
        /// The dimension.
        dim: usize,
        /// The extent.
        extent: u64,
    },
    /// A step of zero.
    #[error("the slice has step 0 along d{dim}")]
    ZeroStep {
        /// The dimension.
        dim: usize,
    },
    /// An address that starts inside a stick.
    #[error(
        "the view starts {offset} into d{dim}, inside a stick of {elements_per_stick} \
         (remainder {})",
        .offset.get() % .elements_per_stick.get().max(1)
    )]
    StartsInsideStick {
        /// The dimension on the stick.
        dim: usize,
        /// The position at which the view starts.
        offset: Elements,
        /// Elements of this dimension in each stick.
        elements_per_stick: Elements,
    },
    /// Extents with a product above 2^64 - 1.
    #[error("the extents {shape:?} have more than 2^64 - 1 positions")]
    TooLarge {
        /// The extents.
        shape: Vec<u64>,
    },
    /// The coordinates of the view do not form a layout.
    #[error("the view has no layout: {0}")]
    Layout(#[from] LayoutError),
    /// The layout does not fit the tensor.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// The slice is no window.
    #[error(transparent)]
    Window(#[from] WindowError),
}
