//! A program as the choice of tiles sees it.

use std::rc::Rc;

use super::Span;
use crate::work_division::{SplitDim, distribute};

/// One iteration dimension of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dim {
    /// The extent in elements.
    pub extent: u64,
    /// The smallest part that may be cut off, at least 1: the elements of a stick for a dimension on the stick of a
    /// tensor, else 1.
    pub unit: u64,
}

impl Dim {
    /// Returns the number of sticks or positions, if these are whole.
    pub(crate) fn units(self) -> Option<u64> {
        (self.extent.is_multiple_of(self.unit)).then_some(self.extent / self.unit)
    }
}

/// A tensor of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// The iteration dimension that indexes each of its dimensions; `None` where it is broadcast.
    pub dims: Vec<Option<usize>>,
    /// The extents in elements.
    pub extents: Vec<u64>,
    /// The bytes in device memory, padding included.
    pub bytes: u64,
    /// The distances of its elements.
    pub span: Span,
}

impl Tensor {
    /// Returns the extents of the window that an iteration sees, when iteration dimension `d` is in `counts[d]` tiles.
    pub(crate) fn window<'a>(&'a self, counts: &'a [u64]) -> impl Iterator<Item = u64> + 'a {
        let dims = self.extents.iter().zip(&self.dims);
        dims.map(|(extent, dim)| extent.div_ceil(dim.map_or(1, |dim| counts[dim])))
    }

    /// Returns how many cores read each element, under a work division: the cores of every slice of the dimensions that
    /// do not index it.
    pub(crate) fn readers(&self, split: &[u32]) -> u64 {
        let others = split
            .iter()
            .enumerate()
            .filter(|(dim, _)| !self.dims.contains(&Some(*dim)));
        // Programs may request more cores than the target has, which is an error later. The product saturates, since a
        // larger one is only worse.
        others.fold(1, |product, (_, cores)| {
            product.saturating_mul(u64::from(*cores))
        })
    }

    /// Returns how many windows there are.
    pub(crate) fn windows(&self, counts: &[u64]) -> u64 {
        let dims = self.dims.iter().flatten();
        dims.map(|dim| counts[*dim]).product()
    }
}

/// The common part of operations that index their tensors alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The iteration dimensions: the dimensions of the result, then the reduced ones.
    pub space: Vec<Dim>,
    /// The number of reduced dimensions.
    pub reduced: usize,
    /// The tensors, operands first, then the result.
    pub tensors: Vec<Tensor>,
    /// Whether the operation works in device memory alone, so that neither side can be in the scratchpad.
    pub in_memory: bool,
}

impl Shape {
    /// Returns how many dimensions are not reduced; they come first.
    #[must_use]
    pub fn parallel(&self) -> usize {
        self.space.len() - self.reduced
    }

    /// Returns whether every tensor is indexed by all dimensions in order.
    #[must_use]
    pub fn is_elementwise(&self) -> bool {
        let dims = || (0..self.space.len()).map(Some);
        self.tensors
            .iter()
            .all(|tensor| tensor.dims.iter().copied().eq(dims()))
    }

    /// Returns the work division of a tile, when dimension `d` is in `counts[d]` tiles (middle-end specification, section 4.4).
    pub(crate) fn split(&self, counts: &[u64], cores: u32) -> Vec<u32> {
        let parallel = self.parallel();
        let dims = self.space.iter().zip(counts).enumerate();
        let dims: Vec<SplitDim> = dims
            .map(|(at, (dim, count))| {
                let extent = dim.extent / count;
                SplitDim {
                    units: extent.div_ceil(dim.unit),
                    splittable: at < parallel && extent.is_multiple_of(dim.unit),
                }
            })
            .collect();
        distribute(&dims, cores)
    }

    /// Returns the widest window of any tensor: the tensor, and bytes between its first and its last element.
    #[must_use]
    pub fn widest(&self, counts: &[u64]) -> Option<(usize, u64)> {
        let spans = self.tensors.iter().enumerate();
        let spans = spans.map(|(at, tensor)| (at, tensor.span.of_window(tensor.window(counts))));
        // The first of equals.
        spans.rev().max_by_key(|(_, span)| *span)
    }
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The position in [`Block::shapes`].
    pub shape: usize,
    /// The values that it reads, by position in [`Block::values`].
    pub operands: Vec<usize>,
    /// The value that it makes.
    pub result: usize,
    /// Whether it may be tiled.
    pub is_free: bool,
    /// The first step that may be in one group with this one. This step needs a value of an earlier one, through
    /// operations that cannot be in loops.
    pub not_before: usize,
    /// The work division, if that is given.
    pub split: Option<Rc<[u32]>>,
}

/// A value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// The bytes in device memory.
    pub bytes: u64,
    /// Whether it is in device memory whatever is tiled: arguments, results of the function, and values with users
    /// other than steps.
    pub in_memory: bool,
}

/// Operations of one block, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The common parts of operations.
    pub shapes: Vec<Shape>,
    /// The values.
    pub values: Vec<Value>,
    /// The operations.
    pub steps: Vec<Step>,
}
