//! Decides whether buffers fit into a memory, all of them at once.
//!
//! Buffers that are written over each other are one block, with a size per step. In a packing every block can be pushed
//! down until it lies on another one or on the bottom. So it is enough to stack blocks by rising addresses, each on the
//! blocks below it in its live range: the packings that this leaves are few (Moffitt, "MiniMalloc", 2023). The search
//! skips a packing where another block would fit below the next one, and a state with the same tops and the same blocks
//! as a failed one.

use rustc_hash::FxHashSet;

/// A block: its size, bytes, in each section of time in which it lives, which follow each other.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// The first section.
    pub(super) first: usize,
    /// The size in it, and in the sections after it.
    pub(super) sizes: Vec<u64>,
}

/// The result of [`pack`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    /// The address of each block.
    At(Vec<u64>),
    /// No addresses are possible.
    Impossible,
    /// The budget has run out.
    Unknown,
}

/// Finds multiples of `align` for all blocks below `capacity`, such that none overlap in a section. Takes the nodes that it needs
/// from `budget`; a node is a block that is tried on top of others.
pub(super) fn pack(
    blocks: &[Block],
    sections: usize,
    capacity: u64,
    align: u64,
    budget: &mut u64,
) -> Packing {
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    // Large and long ones at the bottom, where the choice is free.
    let area = |id: usize| blocks[id].sizes.iter().map(|size| u128::from(*size)).sum();
    order.sort_by_cached_key(|&id| std::cmp::Reverse::<u128>(area(id)));
    let mut waiting = vec![0_u128; sections];
    for block in blocks {
        for (sum, size) in waiting[block.first..].iter_mut().zip(&block.sizes) {
            *sum += u128::from(*size);
        }
    }
    let mut search = Search {
        blocks,
        order,
        capacity,
        align,
        budget,
        addresses: vec![None; blocks.len()],
        tops: vec![0; sections],
        waiting,
        failed: FxHashSet::default(),
        is_cut: false,
    };
    if search.stack(0, blocks.len()) {
        let all = search.addresses.into_iter();
        return Packing::At(all.map(|at| at.expect("every block is stacked")).collect());
    }
    match search.is_cut {
        true => Packing::Unknown,
        false => Packing::Impossible,
    }
}

struct Search<'a> {
    blocks: &'a [Block],
    /// Blocks in the order in which they are tried.
    order: Vec<usize>,
    capacity: u64,
    align: u64,
    budget: &'a mut u64,
    addresses: Vec<Option<u64>>,
    /// The end of the stacked blocks, in each section.
    tops: Vec<u64>,
    /// The bytes of the blocks that are not stacked yet, in each section.
    waiting: Vec<u128>,
    /// Failed states: the tops in sections with waiting blocks, and the blocks themselves.
    failed: FxHashSet<(Vec<u64>, Vec<bool>)>,
    is_cut: bool,
}

/// The number of failed states that are kept; others may be searched again.
const KEPT: usize = 1 << 16;

impl Search<'_> {
    /// Stacks the `left` blocks that have no address at `floor` or above. Changes no address if that is not possible.
    fn stack(&mut self, floor: u64, left: usize) -> bool {
        if left == 0 {
            return true;
        }
        // Everything from here on starts at the floor or above.
        let is_full = self.tops.iter().zip(&self.waiting).any(|(top, waiting)| {
            let base = u128::from((*top).max(floor));
            *waiting > 0 && base + waiting > u128::from(self.capacity)
        });
        if is_full {
            return false;
        }
        let Some(mut candidates) = self.candidates(floor) else {
            return false;
        };
        // If a block ends at or below the start of another candidate, it is placed before that candidate: a placement
        // in the other order leads to the same packing.
        let least = candidates.iter().map(|next| next.end).min();
        let least = least.expect("a block is left");
        candidates.retain(|next| next.start < least);
        let key = self.key(floor);
        if self.failed.contains(&key) {
            return false;
        }
        candidates.sort_by_key(|next| next.start);
        for next in candidates {
            if *self.budget == 0 {
                self.is_cut = true;
                return false;
            }
            *self.budget -= 1;
            let undo = self.put(next);
            if self.stack(next.start, left - 1) {
                return true;
            }
            self.take_back(next.id, undo);
            if self.is_cut {
                return false;
            }
        }
        if self.failed.len() < KEPT {
            self.failed.insert(key);
        }
        false
    }

    /// Returns the lowest address of each block that is not stacked, and its end there; `None` if one does not fit any more.
    fn candidates(&self, floor: u64) -> Option<Vec<Next>> {
        let waiting = self
            .order
            .iter()
            .filter(|&&id| self.addresses[id].is_none());
        let next = waiting.map(|&id| {
            let block = &self.blocks[id];
            let tops = &self.tops[block.first..][..block.sizes.len()];
            let start = tops.iter().copied().fold(floor, u64::max);
            let start = start.checked_next_multiple_of(self.align)?;
            let largest = block.sizes.iter().copied().max();
            let end = start.checked_add(largest.expect("a block lives in a section"))?;
            (end <= self.capacity).then_some(Next { id, start, end })
        });
        next.collect()
    }

    fn key(&self, floor: u64) -> (Vec<u64>, Vec<bool>) {
        let tops = self.tops.iter().zip(&self.waiting);
        let tops = tops.map(|(top, waiting)| match waiting {
            0 => 0,
            _ => (*top).max(floor),
        });
        let stacked = self.addresses.iter().map(Option::is_some).collect();
        (tops.collect(), stacked)
    }

    /// Gives a block its address. Returns the tops that it covers.
    fn put(&mut self, next: Next) -> Vec<u64> {
        let block = &self.blocks[next.id];
        let span = block.first..block.first + block.sizes.len();
        let before = self.tops[span.clone()].to_vec();
        for (at, size) in span.zip(&block.sizes) {
            self.tops[at] = next.start + size;
            self.waiting[at] -= u128::from(*size);
        }
        self.addresses[next.id] = Some(next.start);
        before
    }

    fn take_back(&mut self, id: usize, before: Vec<u64>) {
        let block = &self.blocks[id];
        for ((at, size), top) in (block.first..).zip(&block.sizes).zip(before) {
            self.tops[at] = top;
            self.waiting[at] += u128::from(*size);
        }
        self.addresses[id] = None;
    }
}

/// A block that may be stacked next.
#[derive(Clone, Copy)]
struct Next {
    id: usize,
    start: u64,
    end: u64,
}
