//! The axes of a picture: the host dimension that runs along each, and the positions that are shown.

use std::ops::Range;

use spyre_layout::{Coord, DeviceTensor, STICK_BYTES};

use super::sticks::tile;
use super::{Block, Matrix, PictureError, Shown};

/// Largest number of blocks shown along an axis when not all sticks are: the first ones and the last one.
const MAX_ALONG_AXIS: u64 = 4;
/// Largest number of blocks shown when not all sticks are.
const MAX_BLOCKS: u64 = 24;

/// The most blocks that may be shown along each axis.
pub(crate) struct Limits {
    /// Largest number of blocks along the rows' dimension.
    pub rows: u64,
    /// Largest number of blocks along the columns' dimension.
    pub columns: u64,
    /// Largest number of matrices.
    pub matrices: u64,
}

impl Limits {
    /// No limits: all elements are shown.
    pub(crate) const NONE: Self = Self {
        rows: u64::MAX,
        columns: u64::MAX,
        matrices: u64::MAX,
    };

    /// Limits that keep the number of blocks small, taken from the longest axis first.
    pub(crate) fn for_counts(axes: &Axes<'_>) -> Self {
        let shown = |units: u64| units.min(MAX_ALONG_AXIS);
        let mut limits = Self {
            rows: shown(axes.blocks(axes.row_dim)),
            columns: shown(axes.blocks(axes.column_dim)),
            matrices: shown(axes.matrices()),
        };
        while limits.rows * limits.columns * limits.matrices > MAX_BLOCKS {
            let Self {
                rows,
                columns,
                matrices,
            } = &mut limits;
            // The last one of several.
            let longest = [columns, rows, matrices]
                .into_iter()
                .max_by_key(|limit| **limit);
            let Some(longest) = longest.filter(|limit| **limit > 2) else {
                break;
            };
            *longest -= 1;
        }
        limits
    }
}

/// The host dimensions that run along the axes of a picture.
pub(crate) struct Axes<'a> {
    tensor: &'a DeviceTensor,
    /// The dimension that runs down a matrix; `None` for rank 0 and 1.
    pub row_dim: Option<usize>,
    /// The dimension that runs along the rows of a matrix; `None` for rank 0.
    pub column_dim: Option<usize>,
}

impl<'a> Axes<'a> {
    /// Chooses the axes. The last dimension runs along the rows. Another dimension that is on the stick runs down the columns, or
    /// the one before the last if there is none.
    ///
    /// # Errors
    /// More than one other dimension is on the stick.
    pub(crate) fn new(tensor: &'a DeviceTensor) -> Result<Self, PictureError> {
        let rank = tensor.shape().len();
        let column_dim = rank.checked_sub(1);
        let on_stick: Vec<usize> = (0..rank)
            .filter(|&dim| block_extent(tensor, dim) > 1)
            .collect();
        let mut others = on_stick
            .iter()
            .copied()
            .filter(|&dim| Some(dim) != column_dim);
        let row_dim = others.next().or_else(|| rank.checked_sub(2));
        if others.next().is_some() {
            let dims: Vec<String> = on_stick.iter().map(|dim| format!("d{dim}")).collect();
            return Err(PictureError::StickDims {
                dims: dims.join(", "),
            });
        }
        Ok(Self {
            tensor,
            row_dim,
            column_dim,
        })
    }

    /// Returns the extent of a dimension, in elements; 1 for `None`.
    fn extent(&self, dim: Option<usize>) -> u64 {
        dim.and_then(|dim| self.tensor.shape().get(dim))
            .copied()
            .unwrap_or(1)
    }

    /// Returns how many neighbouring positions along a dimension share a stick; 1 for `None`.
    fn block(&self, dim: Option<usize>) -> u64 {
        dim.map_or(1, |dim| block_extent(self.tensor, dim))
    }

    /// Returns the number of blocks along a dimension.
    fn blocks(&self, dim: Option<usize>) -> u64 {
        self.extent(dim).div_ceil(self.block(dim))
    }

    /// Returns the number of cells in a row of a matrix.
    pub(crate) fn row_cells(&self) -> u64 {
        self.extent(self.column_dim)
    }

    /// Returns the number of cells in a column, over all matrices. A block that is one position high has one row of cells.
    pub(crate) fn column_cells(&self) -> u64 {
        if self.block(self.row_dim) > 1 {
            self.extent(self.row_dim).saturating_mul(self.matrices())
        } else {
            1
        }
    }

    /// Returns the rows of blocks that are shown when at most `limit` are.
    pub(crate) fn rows(&self, limit: u64) -> Vec<Shown<Range<u64>>> {
        self.ranges(self.row_dim, limit)
    }

    /// Returns the columns of blocks that are shown when at most `limit` are.
    pub(crate) fn columns(&self, limit: u64) -> Vec<Shown<Range<u64>>> {
        self.ranges(self.column_dim, limit)
    }

    /// Returns the positions of the blocks along a dimension that are shown when at most `limit` are.
    fn ranges(&self, dim: Option<usize>, limit: u64) -> Vec<Shown<Range<u64>>> {
        let (block, extent) = (self.block(dim), self.extent(dim));
        // Blocks that are shown begin inside the tensor.
        let range = |&at: &u64| at * block..(at * block).saturating_add(block).min(extent);
        let blocks = selection(self.blocks(dim), limit);
        blocks.iter().map(|shown| shown.map(range)).collect()
    }

    /// Returns whether a dimension runs along neither the rows nor the columns.
    fn is_outside(&self, dim: usize) -> bool {
        Some(dim) != self.row_dim && Some(dim) != self.column_dim
    }

    /// Returns the number of matrices.
    pub(crate) fn matrices(&self) -> u64 {
        let extents = self.tensor.shape().iter().enumerate();
        extents
            .filter(|(dim, _)| self.is_outside(*dim))
            .map(|(_, extent)| *extent)
            .product()
    }

    /// Returns matrix `index`, counted as the host counts them.
    pub(crate) fn matrix(
        &self,
        index: u64,
        rows: &[Shown<Range<u64>>],
        columns: &[Shown<Range<u64>>],
    ) -> Matrix {
        let mut origin = vec![0; self.tensor.shape().len()];
        let mut rest = index;
        let positions = origin.iter_mut().zip(self.tensor.shape()).enumerate().rev();
        for (_, (position, extent)) in positions.filter(|(dim, _)| self.is_outside(*dim)) {
            *position = rest.checked_rem(*extent).unwrap_or(0);
            rest = rest.checked_div(*extent).unwrap_or(0);
        }
        let items = |ranges: &[Shown<Range<u64>>]| -> Vec<(usize, u64)> {
            let starts = ranges.iter().enumerate();
            starts
                .filter_map(|(at, shown)| shown.item().map(|range| (at, range.start)))
                .collect()
        };
        let columns = items(columns);
        let mut blocks = Vec::new();
        for (row, row_start) in items(rows) {
            for &(column, column_start) in &columns {
                let mut point = origin.clone();
                for (dim, start) in [(self.row_dim, row_start), (self.column_dim, column_start)] {
                    if let Some(position) = dim.and_then(|dim| point.get_mut(dim)) {
                        *position = start;
                    }
                }
                // Every point of a shown range is inside the tensor.
                if let Ok(address) = self.tensor.address(&point) {
                    let stick = address.get() / STICK_BYTES.get();
                    blocks.push(Block {
                        row,
                        column,
                        stick,
                        tile: tile(self.tensor, stick),
                    });
                }
            }
        }
        Matrix { origin, blocks }
    }
}

/// Returns how many positions of a host dimension share one stick: the product of its digits inside the stick.
fn block_extent(tensor: &DeviceTensor, dim: usize) -> u64 {
    let extent = tensor.shape().get(dim).copied().unwrap_or(1).max(1);
    let layout = tensor.layout();
    let in_stick = layout
        .coords()
        .iter()
        .rev()
        .take(layout.arrangement().stick_coords());
    in_stick
        .filter_map(|coord| match *coord {
            Coord::Digit {
                dim: of, modulus, ..
            } if of == dim => Some(modulus.unwrap_or(extent)),
            _ => None,
        })
        .fold(1, u64::saturating_mul)
}

/// Returns the items of `count` that are shown when at most `limit` are: the first ones and the last one.
pub(crate) fn selection(count: u64, limit: u64) -> Vec<Shown<u64>> {
    if count <= limit {
        return (0..count).map(Shown::Item).collect();
    }
    let first = limit.saturating_sub(1);
    let mut shown: Vec<Shown<u64>> = (0..first).map(Shown::Item).collect();
    shown.push(Shown::Gap {
        count: count - first - 1,
        padding: None,
    });
    shown.push(Shown::Item(count - 1));
    shown
}
