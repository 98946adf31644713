//! Graphs of many operations. They are not run, so tensors may be large.

use super::Builder;
use crate::graph::Family;
use crate::program::{Element, NodeKind, Tensor};

/// Smallest and largest number of operations.
const OPERATIONS: (u64, u64) = (10, 100);

/// Extents of the dimensions of products.
const LARGE: [u64; 3] = [64, 128, 192];

/// Largest number of elements of a tensor, with two of its dimensions padded to [`PADDED`]. Graphs test layouts, and not the
/// limits of the addresses of a core.
const MOST_ELEMENTS: u64 = 1 << 25;

/// The extent, in elements, to which a layout may pad a short dimension.
const PADDED: u64 = 64;

impl Builder {
    /// Draws the operations of a graph.
    pub(super) fn graph(&mut self, family: Family) {
        let (fewest, most) = OPERATIONS;
        let count = self.numbers.between(fewest, most) as usize;
        let rank = self.numbers.between(2, 5) as usize;
        let mut shape: Vec<u64> = (0..rank)
            .map(|dim| match dim + 3 >= rank {
                true => self.numbers.pick(&LARGE),
                false => self.numbers.between(2, 4),
            })
            .collect();
        if family == Family::Permutes {
            while !is_addressable(&shape) {
                let most = shape.iter_mut().max().expect("a tensor has two dimensions");
                *most /= 2;
            }
            self.numbers.shuffle(&mut shape);
            for _ in 0..3 {
                self.input(Element::F16, &shape, 1);
            }
        }
        while self.program.operations() < count {
            match (family, self.numbers.below(8)) {
                (Family::Views, 0..=4) => self.view(),
                (Family::Views, 5) => {
                    let at = self.any(2, |_| true);
                    self.pointwise_on(at);
                }
                (Family::Views, _) => {
                    let at = self.any(2, |_| true);
                    let partner = self.partner(at);
                    self.sum(at, partner);
                }
                (Family::Permutes, 0..=2) => {
                    let at = self.any(2, |_| true);
                    self.permute(at);
                }
                (Family::Permutes, 3) => self.product(),
                (Family::Permutes, _) => {
                    let at = self.any(2, |_| true);
                    let alike = self.alike(at);
                    self.sum(at, alike);
                }
            }
        }
    }

    fn sum(&mut self, a: usize, b: usize) {
        let tensor = self.tensor(a).clone();
        self.add(NodeKind::Pointwise("add", ""), &[a, b], tensor, None);
    }

    /// Returns a value of the same shape: an existing one, a permutation of one, or a new input.
    fn alike(&mut self, at: usize) -> usize {
        let shape = self.shape(at);
        let sorted = |shape: &[u64]| {
            let mut sorted = shape.to_vec();
            sorted.sort_unstable();
            sorted
        };
        let wanted = sorted(&shape);
        let Some(operand) = self.value(|node| sorted(&node.tensor.shape) == wanted) else {
            return self.input(Element::F16, &shape, 1);
        };
        let from = self.shape(operand);
        if from == shape {
            return operand;
        }
        let mut left: Vec<usize> = (0..from.len()).collect();
        let order = shape.iter().map(|extent| {
            let at = left.iter().position(|dim| from[*dim] == *extent);
            left.remove(at.expect("the shapes have the same extents"))
        });
        let order = order.collect();
        let tensor = self.tensor(at).clone();
        self.add(NodeKind::Permute(order), &[operand], tensor, None)
    }

    fn product(&mut self) {
        let left = self.any(2, |_| true);
        let mut shape = self.shape(left);
        let k = shape.pop().expect("it has two dimensions");
        let operand = self.value(|node| {
            let node_shape = &node.tensor.shape;
            node_shape.len() == shape.len() + 1
                && node_shape[node_shape.len() - 2] == k
                && node_shape[..node_shape.len() - 2] == shape[..shape.len() - 1]
        });
        let mut widest = shape.clone();
        widest.push(*LARGE.iter().max().expect("there are extents"));
        let right = operand.unwrap_or_else(|| {
            let n = match is_addressable(&widest) {
                true => self.numbers.pick(&LARGE),
                false => k,
            };
            self.input(Element::F16, &[k, n], 1)
        });
        shape.extend(self.shape(right).last());
        let element = Element::F16;
        self.add(
            NodeKind::Matmul("batchmatmul"),
            &[left, right],
            Tensor { element, shape },
            None,
        );
    }
}

/// Returns whether a tensor is small enough in every layout, with two dimensions padded: one on the stick, and the K of a
/// product.
fn is_addressable(shape: &[u64]) -> bool {
    let mut extents = shape.to_vec();
    extents.sort_unstable();
    for extent in extents.iter_mut().take(2) {
        *extent = extent.next_multiple_of(PADDED);
    }
    extents.iter().product::<u64>() <= MOST_ELEMENTS
}
