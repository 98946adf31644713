//! First fit and best fit: places buffers by decreasing worth, each in a gap that is free during its live range.

use std::cmp::Ordering;

use spyre_layout::Bytes;

use super::{Buffer, Placement};
use crate::overlap::Lifetimes;

/// Places buffers in a memory of `capacity` bytes at addresses that are multiples of `align`
/// (0 counts as 1). One placement per buffer, in the order given.
///
/// Buffers are taken by increasing steps of life per use, then by life, then in the order given,
/// but each after the buffers that it may overwrite. Each takes the place of one that it may overwrite, if that is free
/// after it; else the lowest gap that is large enough for as long as it lives; else it is spilled (middle-end
/// specification, section 5.3, first fit). A place is taken over at most once.
///
/// Deterministic. Time is `n log n` plus the number of pairs of buffers that are alive at the same time.
#[must_use]
pub fn first_fit(buffers: &[Buffer], capacity: Bytes, align: Bytes) -> Vec<Placement> {
    fit(buffers, capacity, align, Gap::Lowest)
}

/// Places buffers as [`first_fit`] does, but each in the smallest gap that is large enough, and in the lowest of gaps
/// of the same size (middle-end specification, section 5.3, best fit).
#[must_use]
pub fn best_fit(buffers: &[Buffer], capacity: Bytes, align: Bytes) -> Vec<Placement> {
    fit(buffers, capacity, align, Gap::Tightest)
}

/// Which of the gaps that are large enough a buffer gets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    Lowest,
    Tightest,
}

fn fit(buffers: &[Buffer], capacity: Bytes, align: Bytes, gap: Gap) -> Vec<Placement> {
    let mut packer = Packer {
        buffers,
        capacity: capacity.get(),
        align: align.get().max(1),
        gap,
        placements: vec![Placement::Spilled; buffers.len()],
        lifetimes: Lifetimes::new(buffers.iter().map(|buffer| &buffer.live)),
        busy: Vec::new(),
    };
    for id in placement_order(buffers) {
        packer.place(id);
    }
    packer.placements
}

/// Buffers by decreasing worth, each after the buffers that it may overwrite.
fn placement_order(buffers: &[Buffer]) -> Vec<usize> {
    let parents = |id: usize| {
        let child = &buffers[id];
        child.may_overwrite.iter().copied().filter(move |&parent| {
            let old = buffers.get(parent);
            old.is_some_and(|old| child.can_overwrite(old))
        })
    };
    let mut overwritten = vec![false; buffers.len()];
    for id in 0..buffers.len() {
        parents(id).for_each(|parent| overwritten[parent] = true);
    }
    let mut by_worth: Vec<_> = buffers
        .iter()
        .enumerate()
        .map(|(id, buffer)| {
            let cost = buffer.cost(parents(id).next().is_some(), overwritten[id]);
            (cost, buffer.life(), id)
        })
        .collect();
    by_worth.sort_unstable_by(|a, b| compare_fractions(a.0, b.0).then((a.1, a.2).cmp(&(b.1, b.2))));

    // A parent starts before its child, so this ends.
    let mut order = Vec::with_capacity(buffers.len());
    let mut done = vec![false; buffers.len()];
    let mut stack = Vec::new();
    for (_, _, id) in by_worth {
        stack.push(id);
        while let Some(&top) = stack.last() {
            let before = stack.len();
            if !done[top] {
                stack.extend(parents(top).filter(|&parent| !done[parent]));
            }
            if stack.len() == before {
                stack.pop();
                if !std::mem::replace(&mut done[top], true) {
                    order.push(top);
                }
            }
        }
    }
    order
}

/// Compares `a.0 / a.1` with `b.0 / b.1`; a fraction with the denominator 0 is larger than every number.
fn compare_fractions(a: (u64, u64), b: (u64, u64)) -> Ordering {
    match (a.1, b.1) {
        (0, 0) => Ordering::Equal,
        (0, _) => Ordering::Greater,
        (_, 0) => Ordering::Less,
        _ => (u128::from(a.0) * u128::from(b.1)).cmp(&(u128::from(b.0) * u128::from(a.1))),
    }
}

struct Packer<'a> {
    buffers: &'a [Buffer],
    capacity: u64,
    align: u64,
    gap: Gap,
    placements: Vec<Placement>,
    /// Buffers that have a place.
    lifetimes: Lifetimes,
    /// Address ranges taken during the life of the current buffer, with the buffer in them.
    busy: Vec<(u64, u64, usize)>,
}

impl Packer<'_> {
    fn place(&mut self, id: usize) {
        let buffer = &self.buffers[id];
        self.busy.clear();
        self.lifetimes.for_each_overlap(&buffer.live, |other| {
            let address = self.placements[other].address();
            let start = address.expect("only what has a place is added").get();
            // The end was checked against the capacity when it was placed.
            let end = start + self.buffers[other].size.get();
            self.busy.push((start, end, other));
        });
        self.busy.sort_unstable();
        let address = self
            .overwrite(buffer)
            .or_else(|| self.free_gap(buffer.size.get()));
        if let Some(address) = address {
            self.placements[id] = Placement::At(Bytes(address));
            self.lifetimes.insert(id, &buffer.live);
        }
    }

    /// Returns the address of a buffer that the given one can overwrite.
    fn overwrite(&self, buffer: &Buffer) -> Option<u64> {
        buffer.may_overwrite.iter().find_map(|&old| {
            if !buffer.can_overwrite(self.buffers.get(old)?) {
                return None;
            }
            let start = self.placements[old].address()?.get();
            let end = start + buffer.size.get();
            // Another one that took the place lives in this step too, so it is among the busy.
            let free = self
                .busy
                .iter()
                .all(|&(low, high, other)| other == old || high <= start || end <= low);
            free.then_some(start)
        })
    }

    /// Returns the aligned start of a gap with `size` free bytes.
    fn free_gap(&self, size: u64) -> Option<u64> {
        let mut best: Option<(u64, u64)> = None;
        let mut address: u64 = 0;
        let ends = self.busy.iter().map(|&(low, high, _)| (low, high));
        for (low, high) in ends.chain([(self.capacity, self.capacity)]) {
            let end = address.checked_add(size)?;
            if end <= low {
                if self.gap == Gap::Lowest {
                    return Some(address);
                }
                let waste = low - end;
                if best.is_none_or(|(least, _)| waste < least) {
                    best = Some((waste, address));
                }
            }
            let Some(above) = high.checked_next_multiple_of(self.align) else {
                break; // No aligned address is above.
            };
            address = address.max(above);
        }
        best.map(|(_, address)| address)
    }
}
