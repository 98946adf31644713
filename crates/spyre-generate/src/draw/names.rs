//! The names of dimensions, which hints refer to.
//!
//! Every dimension of an input has a name. Where a reshape splits a dimension, its name becomes the names of the parts, in
//! the whole program. Where operands call a dimension differently, one name takes the place of the other. So a name has
//! one extent everywhere, and a window of a dimension has another name.

use super::Builder;
use crate::program::{Dim, Node, NodeKind, Part};

/// The names of the dimensions of a node.
struct Names {
    /// The names, by the dimensions of the result.
    dims: Vec<Dim>,
    /// Whether the text of the node has names: they do not follow from the names of the operands.
    has_new: bool,
}

impl Names {
    fn of_operands(dims: Vec<Dim>) -> Self {
        Self {
            dims,
            has_new: false,
        }
    }

    fn with_new(dims: Vec<Dim>) -> Self {
        Self {
            dims,
            has_new: true,
        }
    }
}

impl Builder {
    fn fresh_dim(&mut self, extent: u64) -> Dim {
        if extent == 1 {
            return Vec::new();
        }
        self.next_name += 1;
        vec![Part {
            name: self.next_name,
            extent,
        }]
    }

    /// Replaces a name by parts, in all nodes.
    fn substitute(&mut self, name: usize, parts: &[Part]) {
        for dim in self
            .program
            .nodes
            .iter_mut()
            .flat_map(|node| &mut node.dims)
        {
            if let Some(at) = dim.iter().position(|part| part.name == name) {
                dim.splice(at..=at, parts.iter().copied());
            }
        }
    }

    /// Replaces two names by one, if no tensor has both.
    fn unify(&mut self, one: &Dim, other: &Dim) {
        if one == other || one.is_empty() || other.is_empty() {
            return;
        }
        let (kept, gone) = match (one.as_slice(), other.as_slice()) {
            (_, [gone]) => (one.clone(), *gone),
            ([gone], _) => (other.clone(), *gone),
            _ => return,
        };
        let product: u64 = kept.iter().map(|part| part.extent).product();
        let has = |dims: &[Dim], name: usize| dims.iter().flatten().any(|part| part.name == name);
        let clash =
            |dims: &[Dim]| has(dims, gone.name) && kept.iter().any(|part| has(dims, part.name));
        if product == gone.extent && !self.program.nodes.iter().any(|node| clash(&node.dims)) {
            self.substitute(gone.name, &kept);
        }
    }

    /// Divides the names of a dimension among the dimensions that it becomes. `None` if the first names cannot be grouped so that
    /// their extents multiply to each new extent.
    fn regroup(&mut self, dim: Dim, extents: &[u64]) -> Option<Vec<Dim>> {
        let mut left: std::collections::VecDeque<Part> = dim.into();
        let mut dims = Vec::new();
        for extent in extents {
            let mut rest = *extent;
            let mut parts = Vec::new();
            while rest > 1 {
                let part = left.pop_front()?;
                if rest.is_multiple_of(part.extent) {
                    rest /= part.extent;
                    parts.push(part);
                } else if part.extent.is_multiple_of(rest) {
                    let outer = self.fresh_dim(rest);
                    let inner = self.fresh_dim(part.extent / rest);
                    self.substitute(part.name, &[outer[0], inner[0]]);
                    // The names that `parts` already has differ from the substituted one.
                    parts.push(outer[0]);
                    left.push_front(inner[0]);
                    rest = 1;
                } else {
                    return None;
                }
            }
            dims.push(parts);
        }
        Some(dims)
    }

    /// Sets the names of the newest node.
    pub(super) fn name(&mut self, at: usize) {
        let node = self.program.nodes[at].clone();
        let names = self.names(&node);
        assert_eq!(
            names.dims.len(),
            node.tensor.shape.len(),
            "names for each dimension: {node:?}"
        );
        let node = &mut self.program.nodes[at];
        node.dims = names.dims;
        node.is_named = names.has_new;
    }

    /// Returns the names of the dimensions of a node.
    fn names(&mut self, node: &Node) -> Names {
        let shape = node.tensor.shape.as_slice();
        match &node.kind {
            NodeKind::Input(_) | NodeKind::Fill(_) => {
                Names::with_new(shape.iter().map(|extent| self.fresh_dim(*extent)).collect())
            }
            NodeKind::Loop(..) | NodeKind::Exchange(..) => Names::of_operands(self.dims(node, 0)),
            NodeKind::Join { dim, .. } => {
                let mut dims = self.dims(node, 0);
                dims[*dim] = self.fresh_dim(shape[*dim]);
                Names::with_new(dims)
            }
            NodeKind::Pointwise(..) => self.pointwise_names(node),
            NodeKind::Reduce(_, reduced, keep) => {
                let from = self.dims(node, 0).into_iter().enumerate();
                let dims = from.filter_map(|(at, dim)| match (reduced.contains(&at), keep) {
                    (false, _) => Some(dim),
                    (true, true) => Some(Vec::new()),
                    (true, false) => None,
                });
                Names::of_operands(dims.collect())
            }
            NodeKind::Moments => {
                // No operation iterates over the two moments of a pair.
                let mut dims = self.dims(node, 0);
                *dims.last_mut().expect("rows have elements") = Vec::new();
                Names::of_operands(dims)
            }
            NodeKind::Matmul(_) => Names::of_operands(self.product_names(node)),
            NodeKind::Windows(_) => Names::with_new(self.window_names(node)),
            NodeKind::TopK(_, dim, k) => {
                let mut dims = self.dims(node, 0);
                dims[*dim] = self.fresh_dim(*k);
                Names {
                    dims,
                    has_new: *k > 1,
                }
            }
            NodeKind::Gather(dim) => {
                let mut dims = self.dims(node, 1);
                dims.splice(*dim..=*dim, self.dims(node, 0));
                Names::of_operands(dims)
            }
            NodeKind::Permute(order) => {
                let from = self.dims(node, 0);
                Names::of_operands(order.iter().map(|dim| from[*dim].clone()).collect())
            }
            NodeKind::Collapse(groups) => {
                let from = self.dims(node, 0);
                let merged = groups
                    .iter()
                    .map(|group| group.iter().flat_map(|dim| from[*dim].clone()).collect());
                Names::of_operands(merged.collect())
            }
            NodeKind::Expand(groups) => self.expanded_names(node, groups),
            NodeKind::Extract(_, sizes) => Names::with_new(self.extracted_names(node, sizes)),
            NodeKind::Insert(..) => Names::with_new(self.dims(node, 1)),
        }
    }

    /// Returns the names of the dimensions of an operand.
    fn dims(&self, node: &Node, operand: usize) -> Vec<Dim> {
        self.program.nodes[node.operands[operand]].dims.clone()
    }

    fn pointwise_names(&mut self, node: &Node) -> Names {
        let shape = &node.tensor.shape;
        let mut dims = self.broadcast_names(&node.operands, shape.len());
        let mut has_new = false;
        // A copy may repeat its operand.
        for (dim, extent) in dims.iter_mut().zip(shape) {
            if dim.is_empty() && *extent > 1 {
                *dim = self.fresh_dim(*extent);
                has_new = true;
            }
        }
        Names { dims, has_new }
    }

    fn product_names(&mut self, node: &Node) -> Vec<Dim> {
        let [mut left, mut right] = [0, 1].map(|operand| self.dims(node, operand));
        let k = left.pop().expect("a left operand has K");
        let n = right.pop().expect("a right operand has N");
        let other = right.pop().expect("a right operand has K");
        self.unify(&k, &other);
        // Names may have changed.
        left = self.dims(node, 0);
        right = self.dims(node, 1);
        let n = match n.is_empty() {
            true => n,
            false => right[right.len() - 1].clone(),
        };
        left.pop();
        let m = left.pop().expect("a left operand has M");
        right.truncate(right.len() - 2);
        let batch = node.tensor.shape.len() - 2;
        let mut dims: Vec<Dim> = (0..batch)
            .map(|at| {
                let back = batch - at;
                let dim_at = |dims: &[Dim]| Some(dims[dims.len().checked_sub(back)?].clone());
                let chosen_dim = dim_at(&left).filter(|dim| !dim.is_empty());
                chosen_dim.or_else(|| dim_at(&right)).unwrap_or_default()
            })
            .collect();
        dims.extend([m, n]);
        dims
    }

    fn window_names(&mut self, node: &Node) -> Vec<Dim> {
        let has_weights = node.operands.len() == 2;
        if has_weights {
            let [image, weight] = [0, 1].map(|operand| self.dims(node, operand));
            self.unify(&image[3], &weight[2]);
        }
        let image = self.dims(node, 0);
        let filters = has_weights.then(|| self.dims(node, 1).get(3).cloned());
        let channels = filters.flatten().unwrap_or_else(|| image[3].clone());
        let [rows, columns] = [1, 2].map(|dim| self.fresh_dim(node.tensor.shape[dim]));
        vec![image[0].clone(), rows, columns, channels]
    }

    fn expanded_names(&mut self, node: &Node, groups: &[Vec<usize>]) -> Names {
        let mut dims = Vec::new();
        let mut has_new = false;
        for (from, group) in groups.iter().enumerate() {
            let extents: Vec<u64> = group.iter().map(|dim| node.tensor.shape[*dim]).collect();
            let dims_of_value = self.dims(node, 0)[from].clone();
            match self.regroup(dims_of_value, &extents) {
                Some(dims_of_value) => dims.extend(dims_of_value),
                None => {
                    has_new = true;
                    dims.extend(extents.iter().map(|extent| self.fresh_dim(*extent)));
                }
            }
        }
        Names { dims, has_new }
    }

    fn extracted_names(&mut self, node: &Node, sizes: &[u64]) -> Vec<Dim> {
        let from = &self.program.nodes[node.operands[0]];
        let (from, extents) = (from.dims.clone(), from.tensor.shape.clone());
        let mut dims = Vec::new();
        let mut left = node.tensor.shape.as_slice();
        for ((dim, size), extent) in from.into_iter().zip(sizes).zip(extents) {
            // The result may lack dimensions of one element.
            let [first, rest @ ..] = left else { break };
            if first != size {
                continue;
            }
            left = rest;
            dims.push(if *size == extent {
                dim
            } else {
                self.fresh_dim(*size)
            });
        }
        dims
    }

    fn broadcast_names(&mut self, operands: &[usize], rank: usize) -> Vec<Dim> {
        let at_back = |builder: &Self, operand: usize, back: usize| {
            let dims = &builder.program.nodes[operand].dims;
            let at = dims.len().checked_sub(back)?;
            Some(dims[at].clone()).filter(|dim| !dim.is_empty())
        };
        let mut dims = Vec::new();
        for back in (1..=rank).rev() {
            let mut named = operands
                .iter()
                .filter(|at| at_back(self, **at, back).is_some());
            if let Some(first) = named.next().copied() {
                for other in named.copied().collect::<Vec<_>>() {
                    let pair = (at_back(self, first, back), at_back(self, other, back));
                    if let (Some(one), Some(other)) = pair {
                        self.unify(&one, &other);
                    }
                }
            }
        }
        for back in (1..=rank).rev() {
            let mut names = operands.iter().filter_map(|at| at_back(self, *at, back));
            dims.push(names.next().unwrap_or_default());
        }
        dims
    }
}
