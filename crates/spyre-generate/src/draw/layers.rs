//! Layers: a program that is repeated, with the result of one layer in the place of an input of the next.

use super::Builder;
use crate::program::{Element, NodeKind};

/// Largest number of nodes of a layer.
const MOST_NODES: usize = 16;

impl Builder {
    /// Repeats the program so far once to three times, with new inputs, if it makes a value that has the type of an input.
    pub(super) fn layers(&mut self) {
        let count = self.program.nodes.len();
        if count > MOST_NODES {
            return;
        }
        let pairs: Vec<(usize, usize)> = (0..count)
            .flat_map(|from| (from + 1..count).map(move |to| (from, to)))
            .filter(|(from, to)| self.may_follow(*from, *to))
            .collect();
        if pairs.is_empty() {
            return;
        }
        let (from, to) = self.numbers.pick(&pairs);
        let mut result = to;
        for _ in 0..self.numbers.between(1, 3) {
            // Numbers have the same bound in each layer, so results that are exact in one layer are
            // exact in all.
            let input = match self.node(from).bound {
                Some(bound) => self.tamed(result, bound),
                None => result,
            };
            result = self.layer(count, from, input, to);
        }
    }

    /// Returns whether a value can be in the place of an input.
    fn may_follow(&self, input: usize, value: usize) -> bool {
        let (input, value) = (self.node(input), self.node(value));
        matches!(input.kind, NodeKind::Input(None))
            && !matches!(value.kind, NodeKind::Input(_) | NodeKind::Fill(_))
            && input.tensor == value.tensor
            && match (input.bound, value.bound) {
                (Some(most), Some(bound)) if bound <= most => true,
                (Some(most), _) => most > 0 && input.tensor.element.is_float(),
                (None, _) => input.tensor.element != Element::Bool,
            }
    }

    /// Adds copies of the first nodes, with a value in place of an input. Returns the copy of the
    /// node `wanted`.
    fn layer(&mut self, count: usize, input: usize, value: usize, wanted: usize) -> usize {
        let mut again: Vec<usize> = Vec::with_capacity(count);
        for at in 0..count {
            let node = self.node(at).clone();
            let operands: Vec<usize> = node.operands.iter().map(|at| again[*at]).collect();
            let operand = match at == input {
                true => value,
                false => self.add(node.kind, &operands, node.tensor, node.bound),
            };
            if self.staggered.contains(&at) {
                self.staggered.insert(operand);
            }
            again.push(operand);
        }
        again[wanted]
    }
}
