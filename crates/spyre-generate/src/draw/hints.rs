//! Hints for runs of operations.

use super::Builder;
use crate::program::{Hint, NodeKind, Tiles};

/// The extent of tiles of the last dimension of a tensor is a multiple of this, in elements.
const LAST: u64 = 64;

/// Largest number of scopes of a group.
const MOST_SCOPES: u64 = 3;

/// A name that can be tiled.
#[derive(Clone, Copy)]
struct Cut {
    name: usize,
    extent: u64,
    /// The extent of tiles is a multiple of this, in elements.
    unit: u64,
    /// Whether a dimension has other names inside this one, so that only equal tiles are legal.
    is_merged: bool,
}

impl Builder {
    /// Adds hints to one or two sequences of operations.
    pub(super) fn hints(&mut self) {
        let computed = |builder: &Self, from: usize| {
            let nodes = builder.program.nodes.iter().enumerate().skip(from);
            let computed = nodes.filter(|(_, node)| node.kind.is_computed());
            computed.map(|(at, _)| at).collect::<Vec<usize>>()
        };
        let mut next = 0;
        for group in 0..2 {
            let run = computed(self, next);
            if run.is_empty() || (group > 0 && self.numbers.one_in(2)) {
                return;
            }
            let first = match group {
                0 => self.numbers.index(run.len()),
                _ => 0,
            };
            let last = first + self.numbers.index(run.len() - first);
            // Half of the time all of them.
            let run = match self.numbers.one_in(2) {
                true => &run[..],
                false => &run[first..=last],
            };
            let hints = self.scopes(run, group);
            for at in run {
                self.program.nodes[*at].hints.clone_from(&hints);
            }
            next = run.last().map_or(next, |last| last + 1);
        }
    }

    fn scopes(&mut self, run: &[usize], group: usize) -> Vec<Hint> {
        let mut cuts = self.cuts(run);
        let count = self.numbers.between(1, MOST_SCOPES);
        let mut hints = Vec::new();
        for scope in 0..count as usize {
            cuts.retain(|cut| cut.extent > cut.unit);
            if cuts.is_empty() {
                break;
            }
            let at = self.numbers.index(cuts.len());
            let cut = cuts[at];
            let tiles = self.tiles(cut);
            cuts[at].extent = match tiles {
                Tiles::Count(count) => cut.extent.div_ceil(count),
                Tiles::Size(size) => size,
            };
            hints.push(Hint {
                scope: group * 4 + scope,
                name: cut.name,
                tiles,
            });
        }
        hints
    }

    /// Returns the names that can be tiled: the outermost names of dimensions of the operations.
    fn cuts(&self, run: &[usize]) -> Vec<Cut> {
        let nodes = &self.program.nodes;
        let tensors = run.iter().flat_map(|at| {
            let operands = nodes[*at].operands.iter();
            operands.chain([at]).map(|at| &nodes[*at])
        });
        let mut cuts: Vec<Cut> = Vec::new();
        let mut inner = Vec::new();
        for dim in tensors.flat_map(|node| &node.dims) {
            let [first, rest @ ..] = dim.as_slice() else {
                continue;
            };
            inner.extend(rest.iter().map(|part| part.name));
            if !cuts.iter().any(|cut| cut.name == first.name) {
                cuts.push(Cut {
                    name: first.name,
                    extent: first.extent,
                    unit: 1,
                    is_merged: false,
                });
            }
        }
        // A search for several elements needs its whole dimension, and its results are one tile.
        for at in run {
            if let NodeKind::TopK(_, dim, 2..) = &nodes[*at].kind {
                for at in [nodes[*at].operands[0], *at] {
                    inner.extend(nodes[at].dims[*dim].iter().map(|part| part.name));
                }
            }
        }
        // Normalised rows are not tiled.
        for at in run {
            if let NodeKind::Moments | NodeKind::Pointwise("layernormnorm", _) = &nodes[*at].kind {
                let rows = nodes[nodes[*at].operands[0]].dims.last();
                inner.extend(rows.into_iter().flatten().map(|part| part.name));
            }
        }
        // A name of two dimensions of a tensor is ambiguous.
        for at in run {
            for tensor in nodes[*at].operands.iter().chain([at]) {
                let mut names: Vec<usize> = Vec::new();
                for part in nodes[*tensor].dims.iter().flatten() {
                    match names.contains(&part.name) {
                        true => inner.push(part.name),
                        false => names.push(part.name),
                    }
                }
            }
        }
        for at in run
            .iter()
            .filter(|at| matches!(nodes[**at].kind, NodeKind::Matmul(_)))
        {
            inner.extend(self.ambiguous(*at));
        }
        cuts.retain(|cut| !inner.contains(&cut.name));
        for node in nodes {
            for (at, dim) in node.dims.iter().enumerate() {
                let is_last = at + 1 == node.dims.len();
                for cut in &mut cuts {
                    let Some(at) = dim.iter().position(|part| part.name == cut.name) else {
                        continue;
                    };
                    let inner_extent: u64 = dim[at + 1..].iter().map(|part| part.extent).product();
                    cut.is_merged |= dim.len() > 1;
                    if is_last {
                        cut.unit = cut.unit.max(LAST / common(LAST, inner_extent));
                    }
                }
            }
        }
        cuts
    }

    /// Returns the ambiguous names of a product. Either the name is of rows and of columns, or one dimension of the
    /// product has different names in the two operands.
    fn ambiguous(&self, product: usize) -> Vec<usize> {
        let nodes = &self.program.nodes;
        let operands = &nodes[product].operands;
        let [left, right] = [0, 1].map(|at| &nodes[operands[at]].dims);
        let [left_batch @ .., rows, k] = left.as_slice() else {
            unreachable!("a left operand has rows and K");
        };
        let [right_batch @ .., other_k, columns] = right.as_slice() else {
            unreachable!("a right operand has K and columns");
        };
        let batches = left_batch.iter().rev().zip(right_batch.iter().rev());
        let same = batches.chain([(k, other_k)]);
        let differing = same.filter(|(one, other)| one != other);
        let clashing = [(rows, columns), (rows, other_k), (k, columns)].into_iter();
        let clashing = clashing.filter(|(one, other)| one.iter().any(|part| other.contains(part)));
        let parts = differing
            .chain(clashing)
            .flat_map(|(one, other)| one.iter().chain(other));
        parts.map(|part| part.name).collect()
    }

    fn tiles(&mut self, cut: Cut) -> Tiles {
        let Cut {
            extent,
            unit,
            is_merged,
            ..
        } = cut;
        let units = extent / unit;
        let even = (2..=units.min(16)).filter(|count| extent.is_multiple_of(count * unit));
        let even: Vec<u64> = even.collect();
        let size =
            |builder: &mut Self| Tiles::Size(unit * builder.numbers.between(1, units.min(9)));
        match self.numbers.below(if is_merged { 1 } else { 3 }) {
            0 if !even.is_empty() => Tiles::Count(self.numbers.pick(&even)),
            1 if unit == 1 => Tiles::Count(self.numbers.between(2, extent.min(8))),
            // A dimension with several names gets one tile.
            _ if is_merged => Tiles::Count(1),
            _ => size(self),
        }
    }
}

/// Returns the greatest common divisor.
fn common(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common(b, a % b) }
}
