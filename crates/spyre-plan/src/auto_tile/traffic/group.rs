//! Steps in a row as one group: which of their dimensions are the same, and which of them can be cut.

use rustc_hash::FxHashMap;
use std::ops::Range;

use super::super::Tensor;
use super::super::counts::{combinations, divisors, spread};
use super::untiled::Untiled;
use super::{MAX_CLASSES, MAX_COMBINATIONS, MAX_OF_DIM, MAX_TILES};
use crate::DisjointSets;

/// A dimension that steps of a group share.
#[derive(Clone, Debug)]
struct Class {
    extent: u64,
    unit: u64,
    /// Steps that have it.
    steps: usize,
    is_blocked: bool,
}

/// Steps of one shape with the same dimensions.
#[derive(Debug, PartialEq, Eq, Hash, Clone)]
pub(super) struct StepKind {
    pub(super) shape: usize,
    /// The index of each dimension among the dimensions that can be cut; `None` for other dimensions.
    pub(super) dims: Vec<Option<usize>>,
}

/// Steps in a row that may become a group.
pub(super) struct Group {
    pub(super) steps: Range<usize>,
    /// The kinds of steps that there are.
    pub(super) kinds: Vec<StepKind>,
    /// The kind of each step.
    of_step: Vec<usize>,
    /// Tile counts for each dimension that can be cut; dimensions of more steps come first, as outer
    /// loops.
    options: Vec<Vec<u64>>,
}

/// Finds the classes of a growing group.
pub(super) struct Classes<'u, 'b> {
    untiled: &'u Untiled<'b>,
    first: usize,
    /// For each step the first of its dimensions.
    starts: Vec<usize>,
    dims: DisjointSets,
    /// Dimensions that a step cannot follow.
    blocked: Vec<usize>,
    /// The dimensions of values from outside, as the first reader has them.
    outside: FxHashMap<usize, (usize, usize)>,
}

impl<'u, 'b> Classes<'u, 'b> {
    pub(super) fn new(untiled: &'u Untiled<'b>, first: usize) -> Self {
        Self {
            untiled,
            first,
            starts: Vec::new(),
            dims: DisjointSets::default(),
            blocked: Vec::new(),
            outside: FxHashMap::default(),
        }
    }

    /// Adds the next step.
    pub(super) fn push(&mut self) {
        let at = self.first + self.starts.len();
        let (step, shape) = (self.untiled.step(at), self.untiled.shape(at));
        let start = self.dims.len();
        self.starts.push(start);
        for _ in &shape.space {
            self.dims.push();
        }
        self.blocked
            .extend(start + shape.parallel()..start + shape.space.len());
        for (operand, value) in step.operands.iter().enumerate() {
            // Only steps that may be tiled are added, and these have tensors.
            let read = &shape.tensors[operand];
            let maker = self.untiled.maker[*value].filter(|maker| (self.first..at).contains(maker));
            let is_made = maker.is_some();
            let (other, tensor) = match maker {
                Some(maker) => (maker, self.untiled.step(maker).operands.len()),
                None => *self.outside.entry(*value).or_insert((at, operand)),
            };
            if (other, tensor) == (at, operand) {
                continue;
            }
            let from = &self.untiled.shape(other).tensors[tensor];
            let from_start = self.starts[other - self.first];
            for (host, dim) in from.dims.iter().enumerate() {
                // No iteration dimension of the writer runs along a dimension that it broadcasts.
                let Some(dim) = dim else { continue };
                let reader = read.dims[host].filter(|reader| {
                    self.untiled.shape(other).space[*dim].extent == shape.space[*reader].extent
                });
                match reader {
                    Some(reader) => self.dims.unite(from_start + dim, start + reader),
                    // The reader needs the whole extent of a value that would be computed in tiles.
                    None if is_made => self.blocked.push(from_start + dim),
                    None => {}
                }
            }
        }
    }

    /// Returns the steps that were added as a group; `None` if no dimension can be cut.
    pub(super) fn group(&self) -> Option<Group> {
        let end = self.first + self.starts.len();
        let dims = 0..self.dims.len();
        let roots: Vec<usize> = dims.map(|dim| self.dims.first(dim)).collect();
        let mut classes: FxHashMap<usize, Class> = FxHashMap::default();
        for (at, start) in (self.first..end).zip(&self.starts) {
            let shape = self.untiled.shape(at);
            for (position, dim) in shape.space.iter().enumerate() {
                let root = roots[start + position];
                let class = classes.entry(root).or_insert(Class {
                    extent: dim.extent,
                    unit: 1,
                    steps: 0,
                    is_blocked: dim.extent <= 1,
                });
                class.unit = class.unit.max(dim.unit);
                class.steps += 1;
                // One loop cannot cut two dimensions of an operation.
                let before = &roots[*start..start + position];
                class.is_blocked |= class.extent != dim.extent || before.contains(&root);
            }
        }
        for dim in &self.blocked {
            let class = classes.get_mut(&roots[*dim]);
            class.expect("every dimension has a class").is_blocked = true;
        }
        let mut usable: Vec<(usize, Vec<u64>, usize)> = Vec::new();
        for (root, class) in &classes {
            if class.is_blocked || !class.extent.is_multiple_of(class.unit) {
                continue;
            }
            let counts = spread(&divisors(class.extent / class.unit, MAX_OF_DIM));
            if !counts.is_empty() {
                usable.push((*root, counts, class.steps));
            }
        }
        usable.sort_by_key(|(root, _, steps)| (std::cmp::Reverse(*steps), *root));
        usable.truncate(MAX_CLASSES);
        if usable.is_empty() {
            return None;
        }
        let places: FxHashMap<usize, usize> = usable
            .iter()
            .enumerate()
            .map(|(place, (root, _, _))| (*root, place))
            .collect();
        let mut positions: FxHashMap<StepKind, usize> = FxHashMap::default();
        let mut group = Group {
            steps: self.first..end,
            kinds: Vec::new(),
            of_step: Vec::with_capacity(self.starts.len()),
            options: usable.into_iter().map(|(_, counts, _)| counts).collect(),
        };
        for (at, start) in (self.first..end).zip(&self.starts) {
            let rank = self.untiled.shape(at).space.len();
            let dims = roots[*start..start + rank].iter();
            let kind = StepKind {
                shape: self.untiled.step(at).shape,
                dims: dims.map(|root| places.get(root).copied()).collect(),
            };
            let next = group.kinds.len();
            let number = *positions.entry(kind.clone()).or_insert(next);
            if number == next {
                group.kinds.push(kind);
            }
            group.of_step.push(number);
        }
        Some(group)
    }
}

impl Group {
    /// Returns the combinations of numbers of tiles, one number for each dimension that can be cut.
    pub(super) fn combinations(&self) -> Vec<Vec<u64>> {
        let candidates = combinations(&self.options, MAX_CLASSES, MAX_TILES, MAX_COMBINATIONS);
        let full = |combination: Vec<(usize, u64)>| {
            let mut counts = vec![1; self.options.len()];
            for (class, count) in combination {
                counts[class] = count;
            }
            counts
        };
        candidates.into_iter().map(full).collect()
    }

    /// Returns the kind of a step of the group.
    pub(super) fn kind_of(&self, step: usize) -> usize {
        self.of_step[step - self.steps.start]
    }
}

impl StepKind {
    /// Returns whether a loop of a combination cuts it.
    pub(super) fn is_cut(&self, counts: &[u64]) -> bool {
        self.dims.iter().flatten().any(|class| counts[*class] > 1)
    }

    /// Returns the number of tiles of each dimension.
    pub(super) fn counts(&self, counts: &[u64]) -> Vec<u64> {
        let dims = self.dims.iter();
        dims.map(|class| class.map_or(1, |class| counts[class]))
            .collect()
    }

    /// Returns how many windows of a tensor there are.
    pub(super) fn windows(&self, tensor: &Tensor, counts: &[u64]) -> u64 {
        let dims = tensor.dims.iter().flatten();
        let classes = dims.filter_map(|dim| self.dims[*dim]);
        classes.map(|class| counts[class]).product()
    }

    /// Returns how many loops are around it: up to the innermost one that cuts it.
    pub(super) fn depth(&self, counts: &[u64]) -> usize {
        let cut = self.dims.iter().flatten();
        let innermost = cut.filter(|class| counts[**class] > 1).max();
        innermost.map_or(0, |innermost| innermost + 1)
    }

    /// Returns the number of executions of a step: one for each iteration of the loops around it.
    pub(super) fn runs(&self, counts: &[u64]) -> u64 {
        counts[..self.depth(counts)].iter().product()
    }
}
