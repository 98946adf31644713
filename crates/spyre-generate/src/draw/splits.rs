//! Cores for the dimensions of single operations.

use super::Builder;
use crate::program::NodeKind;
use crate::vocabulary::SCALE_OF_ROWS;

/// A part of a dimension on a stick has whole sticks of every element type: a multiple of this, in elements.
const STICKS: u64 = 128;

/// A dimension of an iteration space.
#[derive(Clone, Copy)]
pub(super) struct Dim {
    extent: u64,
    is_on_stick: bool,
    is_reduced: bool,
}

impl Builder {
    /// Shares some operations among the cores of the card.
    pub(super) fn splits(&mut self) {
        for at in 0..self.program.nodes.len() {
            let dims = self.iteration_space(at);
            if dims.is_empty() || self.numbers.one_in(2) {
                continue;
            }
            self.program.nodes[at].split = self.cores_along(&dims);
        }
    }

    /// Draws the cores along each dimension: few or all of them, and along one reduced dimension at most.
    pub(super) fn cores_along(&mut self, dims: &[Dim]) -> Vec<u64> {
        let mut left = self.program.cores;
        let mut sums = self.numbers.one_in(2);
        let mut split = vec![1; dims.len()];
        // Reduced dimensions come first, so that cores are left for them.
        for (dim, cores) in dims.iter().zip(&mut split).rev() {
            if dim.is_reduced && !sums {
                continue;
            }
            let unit = if dim.is_on_stick { STICKS } else { 1 };
            let fitting = (1..=left).filter(|cores| dim.extent.is_multiple_of(cores * unit));
            let fitting: Vec<u64> = fitting.collect();
            if fitting.is_empty() {
                continue; // Its last stick is filled in part.
            }
            *cores = self.numbers.pick(&fitting);
            left /= *cores;
            sums &= !dim.is_reduced || *cores == 1;
        }
        split
    }

    /// Returns the iteration space of an operation, reduced dimensions last; empty for an operation
    /// that is not divided.
    pub(super) fn iteration_space(&self, at: usize) -> Vec<Dim> {
        let node = self.node(at);
        let kept = |shape: &[u64]| -> Vec<Dim> {
            let dims = shape.iter().enumerate().map(|(dim, extent)| Dim {
                extent: *extent,
                is_on_stick: may_be_on_stick(shape, dim),
                is_reduced: false,
            });
            dims.collect()
        };
        // A tensor that is inserted into or concatenated inside of sticks, or permuted, has another
        // dimension on the stick.
        let is_elsewhere = node.operands.iter().any(|operand| {
            let kind = &self.node(*operand).kind;
            matches!(
                kind,
                NodeKind::Insert(..) | NodeKind::Join { .. } | NodeKind::Permute(_)
            )
        });
        let operand = |operand: usize| self.shape(node.operands[operand]);
        let mut dims = kept(&node.tensor.shape);
        match &node.kind {
            // A normalised row stays on one core.
            NodeKind::Moments | NodeKind::Pointwise("layernormnorm", _) => {
                dims.last_mut().expect("rows have elements").extent = 1;
            }
            NodeKind::Pointwise(..) => {}
            NodeKind::Reduce(mnemonic, reduced, _) => {
                let shape = operand(0);
                // The result of a reduced stick has one element in each.
                let is_reduced = reduced.contains(&(shape.len() - 1));
                if let Some(last) = dims.last_mut().filter(|_| is_reduced) {
                    last.is_on_stick = false;
                }
                dims.extend(reduced.iter().map(|dim| Dim {
                    // The scale of a row is computed on one core.
                    extent: if *mnemonic == SCALE_OF_ROWS {
                        1
                    } else {
                        shape[*dim]
                    },
                    is_on_stick: may_be_on_stick(&shape, *dim),
                    is_reduced: true,
                }));
            }
            NodeKind::Matmul(_) => {
                let shape = operand(0);
                dims.push(Dim {
                    extent: shape[shape.len() - 1],
                    is_on_stick: true,
                    is_reduced: true,
                });
            }
            _ => dims.clear(),
        }
        dims.iter_mut()
            .for_each(|dim| dim.is_on_stick |= is_elsewhere);
        dims
    }
}

/// Returns whether a dimension is the last one, or the last of more than one element, which may be on the stick in its place.
fn may_be_on_stick(shape: &[u64], dim: usize) -> bool {
    shape[dim + 1..].iter().all(|extent| *extent == 1)
}
