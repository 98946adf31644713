//! The run of a tensor in memory, as files have it: the order of its dimensions, and no distances. Memory is dense up
//! to the gaps (SDSC bundle specification, section 5): sticks innermost, then the dimensions in their order, of which
//! that of the sticks counts sticks.

use super::operation::Dim;
use crate::address::{Run, Step};
use crate::memory::STICK;

/// A tensor of an operation.
#[derive(Debug)]
pub(super) struct Tensor {
    /// Its number.
    pub index: i64,
    /// Whether it is in device memory, and not in scratchpads.
    pub is_device: bool,
    /// Whether memory holds the part of a core by itself.
    pub is_part: bool,
    /// Bytes of an element.
    pub width: i64,
    /// The name of the format of its elements.
    pub format: String,
    /// Elements of a stick.
    pub per_stick: i64,
    /// The dimensions that it has in memory, innermost first.
    pub order: Vec<TensorDim>,
    /// For each core, the first byte in a scratchpad, or the number of a symbol.
    pub starts: Vec<i64>,
}

/// A dimension of a tensor in memory.
#[derive(Debug)]
pub(super) struct TensorDim {
    /// The position in [`Operation::dims`].
    pub dim: usize,
    /// Whether the elements of sticks run along it.
    pub is_stick: bool,
    /// Elements after the extent.
    pub gap: i64,
    /// Elements at the end of the extent that are not in memory.
    pub missing: i64,
    /// The windows along it.
    pub walk: Option<Walk>,
    /// Whether indices are the positions along it.
    pub is_gathered: bool,
}

/// Windows along a dimension.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    /// The dimension of the elements of a window.
    pub window: usize,
    /// Elements of a window.
    pub kernel: i64,
    /// Elements from one window to the next.
    pub stride: i64,
    /// Elements from one element of a window to the next.
    pub dilation: i64,
}

impl Walk {
    /// Returns the elements that a number of windows reach over.
    pub(super) fn span(self, windows: i64) -> Option<i64> {
        let last = windows.checked_sub(1)?.checked_mul(self.stride)?;
        let rest = self.kernel.checked_sub(1)?.checked_mul(self.dilation)?;
        last.checked_add(rest)?.checked_add(1)
    }
}

/// The run of a dimension of the iteration space in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    /// The position in [`Operation::dims`]; `None` for the dimension that indices select from.
    pub dim: Option<usize>,
    /// Bytes from one element to the next, or from one stick to the next.
    pub unit: i64,
    /// Whether it counts elements of sticks.
    pub is_stick: bool,
    /// The positions of a core's part that are in memory.
    pub held: i64,
}

/// Returns the distances of a tensor along its axes, which positions are numbered by.
pub(super) fn run(tensor: &Tensor, axes: &[Axis]) -> Run {
    let steps = axes.iter().enumerate().flat_map(|(at, axis)| {
        let step = |divisor, modulus, bytes| Step {
            dim: Some(at),
            divisor,
            modulus,
            bytes,
        };
        let per_stick = tensor.per_stick;
        match axis.is_stick {
            true => vec![
                step(per_stick, None, axis.unit),
                step(1, Some(per_stick), tensor.width),
            ],
            false => vec![step(1, None, axis.unit)],
        }
    });
    Run {
        steps: steps.collect(),
    }
}

impl Tensor {
    /// Returns the run of each dimension, and the bytes of the tensor. `rows` is the extent of a gathered dimension,
    /// which files do not have. `None` if a number does not fit.
    pub(super) fn axes(&self, dims: &[Dim], rows: i64) -> Option<(Vec<Axis>, i64)> {
        let mut unit = STICK;
        let mut axes = Vec::new();
        for tensor_dim in &self.order {
            let dim = &dims[tensor_dim.dim];
            let (part, whole) = match tensor_dim.is_gathered {
                true => (rows, rows),
                false => (dim.part(), dim.extent),
            };
            let positions = if self.is_part { part } else { whole };
            let covered = match tensor_dim.walk {
                Some(walk) => walk.span(positions)?,
                None => positions,
            };
            let stride = tensor_dim.walk.map_or(1, |walk| walk.stride);
            axes.push(Axis {
                dim: (!tensor_dim.is_gathered).then_some(tensor_dim.dim),
                unit: unit.checked_mul(stride)?,
                is_stick: tensor_dim.is_stick,
                held: part.min(covered - tensor_dim.missing),
            });
            if let Some(walk) = tensor_dim.walk {
                axes.push(Axis {
                    dim: Some(walk.window),
                    unit: unit.checked_mul(walk.dilation)?,
                    is_stick: tensor_dim.is_stick,
                    held: walk.kernel,
                });
            }
            let end = covered.checked_add(tensor_dim.gap)? - tensor_dim.missing;
            let steps = match tensor_dim.is_stick {
                true => end / self.per_stick + i64::from(end % self.per_stick != 0),
                false => end,
            };
            unit = unit.checked_mul(steps)?;
        }
        Some((axes, unit))
    }

    /// Returns whether an element's place depends on a dimension of the iteration space.
    pub(super) fn moves_along(&self, dim: usize) -> bool {
        self.order.iter().any(|tensor_dim| {
            let walks = tensor_dim.walk.is_some_and(|walk| walk.window == dim);
            walks || (tensor_dim.dim == dim && !tensor_dim.is_gathered)
        })
    }
}
