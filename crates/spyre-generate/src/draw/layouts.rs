//! Layouts in the types of some values; passes choose the other layouts.

use super::Builder;
use crate::program::{Element, NodeKind};

/// The elements of a stick of `f16`, the one element type that gets layouts.
const STICK: u64 = 64;

impl Builder {
    /// Sets a layout with one of the dimensions on the stick in the type of one value.
    pub(super) fn layout(&mut self) {
        let nodes = 0..self.program.nodes.len();
        let free: Vec<(usize, usize)> = nodes
            .filter(|at| self.is_read_in_any_layout(*at))
            .flat_map(|at| self.sticks(at).into_iter().map(move |dim| (at, dim)))
            .collect();
        if !free.is_empty() {
            let (at, dim) = self.numbers.pick(&free);
            self.program.nodes[at].stick = Some(dim);
        }
    }

    /// Returns the dimensions that may be the stick dimension of a value, whatever the layouts of its operands: for an
    /// elementwise operation all dimensions of extent above 1, and for a window the dimensions along which its offset
    /// and its size are whole sticks.
    fn sticks(&self, at: usize) -> Vec<usize> {
        let node = self.node(at);
        let is_f16 = |at: &usize| self.tensor(*at).element == Element::F16;
        let shape = &node.tensor.shape;
        if shape.len() < 2 || !is_f16(&at) || !node.operands.iter().all(is_f16) {
            return Vec::new();
        }
        let is_right = |dim: &usize| match &node.kind {
            // A normalization walks along the last dimension of its operands, and its scale has one element in each stick.
            NodeKind::Pointwise("layernormnorm" | "layernormscale", _) => false,
            NodeKind::Pointwise(..) => shape[*dim] > 1,
            NodeKind::Extract(offsets, sizes) => {
                let edges = [offsets[*dim], sizes[*dim]];
                sizes.len() == shape.len() && edges.iter().all(|edge| edge.is_multiple_of(STICK))
            }
            _ => false,
        };
        (0..shape.len()).filter(is_right).collect()
    }

    /// Returns whether all users accept any layout of a value: elementwise operations, reductions, and views of any
    /// layout, or of a copy.
    fn is_read_in_any_layout(&self, at: usize) -> bool {
        let readers = self.program.nodes.iter();
        let mut readers = readers.filter(|reader| reader.operands.contains(&at));
        readers.all(|reader| match &reader.kind {
            NodeKind::Pointwise(..) | NodeKind::Reduce(..) => reader.tensor.element == Element::F16,
            NodeKind::Expand(_) | NodeKind::Collapse(_) | NodeKind::Extract(..) => true,
            _ => false,
        })
    }
}
