//! A program as the choice of tiles sees it.

use std::rc::Rc;

use super::Span;
use crate::work_division::{SplitDim, distribute};

/// One iteration dimension of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dim {
    /// Its extent in elements.
    pub extent: u64,
    /// The smallest part that may be cut off: the elements of a stick for a dimension on the stick of a tensor,
    /// else 1.
    pub unit: u64,
}

impl Dim {
    /// Sticks or positions, if these are whole.
    pub(crate) fn units(self) -> Option<u64> {
        let unit = self.unit.max(1);
        (self.extent.is_multiple_of(unit)).then_some(self.extent / unit)
    }
}

/// A tensor of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// The iteration dimension that indexes each of its dimensions; `None` where it is broadcast.
    pub dims: Vec<Option<usize>>,
    /// Its extents in elements.
    pub extents: Vec<u64>,
    /// What it takes in device memory, padding included.
    pub bytes: u64,
    /// How far apart its elements are.
    pub span: Span,
}

impl Tensor {
    /// Extents of the window that an iteration sees, when iteration dimension `d` is in `counts[d]` tiles.
    pub(crate) fn window<'a>(&'a self, counts: &'a [u64]) -> impl Iterator<Item = u64> + 'a {
        self.extents.iter().zip(&self.dims).map(|(extent, dim)| {
            let count = dim.and_then(|dim| counts.get(dim)).copied().unwrap_or(1);
            extent.div_ceil(count.max(1))
        })
    }

    /// How many cores read each element, under a work division: those of every slice of the dimensions that do not
    /// index it.
    pub(crate) fn readers(&self, split: &[u32]) -> u64 {
        let others = split
            .iter()
            .enumerate()
            .filter(|(dim, _)| !self.dims.contains(&Some(*dim)));
        others.fold(1, |product, (_, cores)| {
            product.saturating_mul(u64::from(*cores))
        })
    }

    /// How many windows there are.
    pub(crate) fn windows(&self, counts: &[u64]) -> u64 {
        let counts = self
            .dims
            .iter()
            .flatten()
            .filter_map(|dim| counts.get(*dim));
        counts.product::<u64>().max(1)
    }
}

/// What operations that index their tensors alike have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The iteration dimensions: those of the result, then those that are reduced.
    pub space: Vec<Dim>,
    /// How many of them are reduced.
    pub reduced: usize,
    /// The tensors, operands first, then the result.
    pub tensors: Vec<Tensor>,
    /// Whether the operation works in device memory alone, so that neither side can be in the scratchpad.
    pub in_memory: bool,
}

impl Shape {
    /// How many dimensions are not reduced; they come first.
    #[must_use]
    pub fn parallel(&self) -> usize {
        self.space.len().saturating_sub(self.reduced)
    }

    /// Whether every tensor is indexed by all dimensions in order.
    #[must_use]
    pub fn is_elementwise(&self) -> bool {
        let dims = || (0..self.space.len()).map(Some);
        self.tensors
            .iter()
            .all(|tensor| tensor.dims.iter().copied().eq(dims()))
    }

    /// Work division of a tile, when dimension `d` is in `counts[d]` tiles (middle-end specification, section 4.4).
    pub(crate) fn split(&self, counts: &[u64], cores: u32) -> Vec<u32> {
        let parallel = self.parallel();
        let dims = self.space.iter().zip(counts).enumerate();
        let dims: Vec<SplitDim> = dims
            .map(|(at, (dim, count))| {
                let extent = dim.extent / (*count).max(1);
                SplitDim {
                    units: extent.div_ceil(dim.unit.max(1)),
                    splittable: at < parallel && extent.is_multiple_of(dim.unit.max(1)),
                }
            })
            .collect();
        distribute(&dims, cores)
    }

    /// The widest window of any tensor, in bytes between its first and its last element, and whose it is.
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
    /// Its position in [`Block::shapes`].
    pub shape: usize,
    /// The values that it reads, by position in [`Block::values`].
    pub operands: Vec<usize>,
    /// The value that it makes.
    pub result: usize,
    /// Whether it may be tiled.
    pub is_free: bool,
    /// The first step with which it may be in one group. It needs something of the step before, by a way that
    /// does not go into loops.
    pub not_before: usize,
    /// Its work division, if that is given.
    pub split: Option<Rc<[u32]>>,
}

/// A value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// What it takes in device memory.
    pub bytes: u64,
    /// Whether it is in device memory whatever is tiled: arguments, results of the function, and what something
    /// other than a step uses.
    pub in_memory: bool,
}

/// Operations of one block, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// What operations have in common.
    pub shapes: Vec<Shape>,
    /// The values.
    pub values: Vec<Value>,
    /// The operations.
    pub steps: Vec<Step>,
}
