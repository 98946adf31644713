//! The contents of a picture, before they have coordinates on a page.
//!
//! The host side shows *blocks*: neighbouring elements of one matrix that share a stick. The device side shows sticks, in the
//! order of their addresses. Each block has a number, the position of its stick in memory. Long rows of blocks or sticks are cut
//! short in the middle.

mod axes;
mod sticks;
#[cfg(test)]
mod tests;

use std::ops::Range;

use spyre_layout::{Arrangement, DeviceTensor, STICK_BYTES};
use thiserror::Error;

use axes::{Axes, Limits, selection};
use sticks::with_gaps;

/// Largest number of device elements of a picture that shows each one as a cell.
const MAX_CELLS: u64 = 1024;
/// Largest number of cells in a row of the host's matrix, in such a picture.
const MAX_CELLS_IN_ROW: u64 = 80;
/// Largest number of cells in a column of all matrices together, in such a picture, where sticks run down.
const MAX_CELLS_IN_COLUMN: u64 = 160;
/// Largest number of sticks of a picture that shows each one.
pub(crate) const MAX_STICKS: u64 = 24;

/// A tensor that no picture of this kind can show.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PictureError {
    /// The order of the elements inside a stick is not published.
    #[error(
        "cannot draw the arrangement {0}: its order of elements within a stick is not published"
    )]
    Arrangement(Arrangement),
    /// A stick that runs along more dimensions than a matrix has.
    #[error(
        "cannot draw sticks along {dims}: a picture shows the last dimension and one other, and all dimensions of a \
         stick must be among them"
    )]
    StickDims {
        /// The dimensions, such as `d0, d1`.
        dims: String,
    },
}

/// One item that is shown, or a gap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shown<T> {
    /// An item that is shown.
    Item(T),
    /// A gap: items that are left out.
    Gap {
        /// Number of items that are left out.
        count: u64,
        /// Number of items with only padding; `None` if there were too many items to count.
        padding: Option<u64>,
    },
}

impl<T> Shown<T> {
    /// Returns the item that is shown; `None` for a gap.
    pub(crate) fn item(&self) -> Option<&T> {
        match self {
            Self::Item(item) => Some(item),
            Self::Gap { .. } => None,
        }
    }

    /// Returns a gap as it is, and an item changed by `change`.
    fn map<U>(&self, change: impl FnOnce(&T) -> U) -> Shown<U> {
        match self {
            Self::Item(item) => Shown::Item(change(item)),
            Self::Gap { count, padding } => Shown::Gap {
                count: *count,
                padding: *padding,
            },
        }
    }
}

/// A picture of a tensor in host memory and in device memory.
#[derive(Debug, Clone)]
pub(crate) struct Picture {
    /// Whether each element is shown as a cell. Otherwise blocks and sticks are shown as a whole.
    pub cells: bool,
    /// The host dimension that runs down a matrix; `None` for rank 0 and 1.
    pub row_dim: Option<usize>,
    /// The host dimension that runs along the rows of a matrix; `None` for rank 0.
    pub column_dim: Option<usize>,
    /// Ranges of positions along `row_dim`, one per row of blocks.
    pub rows: Vec<Shown<Range<u64>>>,
    /// Ranges of positions along `column_dim`, one per column of blocks.
    pub columns: Vec<Shown<Range<u64>>>,
    /// The matrices: one for each position along the other dimensions.
    pub matrices: Vec<Shown<Matrix>>,
    /// The sticks, in the order of their addresses.
    pub sticks: Vec<Shown<Stick>>,
}

/// One matrix of the host tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Matrix {
    /// The host coordinates of its first element.
    pub origin: Vec<u64>,
    /// The blocks, row by row.
    pub blocks: Vec<Block>,
}

/// Neighbouring elements of a matrix that share a stick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// The row of blocks that it is in.
    pub row: usize,
    /// The column of blocks that it is in.
    pub column: usize,
    /// The position of the stick in memory; the first one if the block is stored several times.
    pub stick: u64,
    /// The tile that its stick is in.
    pub tile: u64,
}

/// One stick of device memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stick {
    /// The position in memory, counted in sticks.
    pub number: u64,
    /// The tile that it is in. Sticks are in one tile if they differ only in the device coordinate right before the stick.
    pub tile: u64,
    /// The parts, from its first byte to its last.
    pub pieces: Vec<Piece>,
    /// The host positions it holds, one range per host dimension; `None` for padding.
    pub holds: Option<Vec<Range<u64>>>,
    /// Whether a stick before this one holds the same elements (expanded dimensions).
    pub repeats: bool,
}

/// A part of a stick: neighbouring elements that are all data or all padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The number of its elements.
    pub elements: u64,
    /// Whether they are elements of the tensor; otherwise they are padding.
    pub data: bool,
}

impl Picture {
    /// Returns the picture of a tensor.
    ///
    /// Each element is a cell in tensors of up to 1024 device elements, with rows of up to 80 and columns of up to 160. All
    /// sticks are shown if there are up to 24, and otherwise the first blocks and the last one along each axis.
    ///
    /// # Errors
    /// The sticks run along too many dimensions, or in an unknown order.
    pub(crate) fn new(tensor: &DeviceTensor) -> Result<Self, PictureError> {
        let layout = tensor.layout();
        if !matches!(
            layout.arrangement(),
            Arrangement::Standard | Arrangement::Qfp8Wt
        ) {
            return Err(PictureError::Arrangement(layout.arrangement()));
        }
        let axes = Axes::new(tensor)?;
        let per_stick = tensor.format().elements_per_stick().get();
        let count = tensor.bytes().get() / STICK_BYTES.get();
        let limits = if count <= MAX_STICKS {
            Limits::NONE
        } else {
            Limits::for_counts(&axes)
        };
        let (rows, columns) = (axes.rows(limits.rows), axes.columns(limits.columns));
        let matrices: Vec<Shown<Matrix>> = selection(axes.matrices(), limits.matrices)
            .iter()
            .map(|index| index.map(|&index| axes.matrix(index, &rows, &columns)))
            .collect();
        let mut numbers: Vec<u64> = if count <= MAX_STICKS {
            (0..count).collect()
        } else {
            let shown = matrices.iter().filter_map(Shown::item);
            let blocks = shown.flat_map(|matrix| &matrix.blocks);
            let last = count.checked_sub(1);
            blocks.map(|block| block.stick).chain(last).collect()
        };
        numbers.sort_unstable();
        numbers.dedup();
        let cells = count <= MAX_STICKS
            && count.saturating_mul(per_stick) <= MAX_CELLS
            && axes.row_cells() <= MAX_CELLS_IN_ROW
            && axes.column_cells() <= MAX_CELLS_IN_COLUMN;
        Ok(Self {
            cells,
            row_dim: axes.row_dim,
            column_dim: axes.column_dim,
            rows,
            columns,
            matrices,
            sticks: with_gaps(tensor, &numbers),
        })
    }
}
