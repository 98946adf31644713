//! A set of buffers, which finds the buffers that are live at the same time as a given one.

use std::{collections::BTreeSet, ops::Range};

/// A set of life ranges, found by overlap in time logarithmic in their number, plus the hits.
///
/// Ranges that contain a point are found in a segment tree; ranges that start later in a sorted
/// set.
#[derive(Debug)]
pub(crate) struct Lifetimes {
    /// Number of leaves: ticks, compressed to those at which a range starts or ends.
    leaves: usize,
    ticks: Vec<u32>,
    nodes: Vec<Vec<usize>>,
    starts: BTreeSet<(usize, usize)>,
}

impl Lifetimes {
    /// Returns an empty set that can hold the given ranges.
    pub(crate) fn new<'a>(ranges: impl Iterator<Item = &'a Range<u32>>) -> Self {
        let mut ticks: Vec<u32> = ranges.flat_map(|live| [live.start, live.end]).collect();
        ticks.sort_unstable();
        ticks.dedup();
        let leaves = ticks.len().next_power_of_two();
        Self {
            leaves,
            ticks,
            nodes: vec![Vec::new(); 2 * leaves],
            starts: BTreeSet::new(),
        }
    }

    fn tick(&self, at: u32) -> usize {
        self.ticks.partition_point(|&tick| tick < at)
    }

    /// Adds buffer `id`, alive during `live`. Buffers that are never alive are not added.
    pub(crate) fn insert(&mut self, id: usize, live: &Range<u32>) {
        if live.is_empty() {
            return;
        }
        let (start, end) = (self.tick(live.start), self.tick(live.end));
        self.starts.insert((start, id));
        let (mut low, mut high) = (start + self.leaves, end + self.leaves);
        while low < high {
            if low % 2 == 1 {
                self.nodes[low].push(id);
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                self.nodes[high].push(id);
            }
            low /= 2;
            high /= 2;
        }
    }

    /// Calls `visit` once for each buffer of the set that is alive during part of `live`.
    pub(crate) fn for_each_overlap(&self, live: &Range<u32>, mut visit: impl FnMut(usize)) {
        if live.is_empty() {
            return;
        }
        let (start, end) = (self.tick(live.start), self.tick(live.end));
        let mut node = start + self.leaves;
        while node > 0 {
            self.nodes[node].iter().copied().for_each(&mut visit);
            node /= 2;
        }
        self.starts
            .range((start + 1, 0)..(end, 0))
            .for_each(|&(_, id)| visit(id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_exactly_the_overlapping_ranges() {
        // All ranges over six ticks, added one after the other, against the definition.
        let ranges: Vec<Range<u32>> = (0..6)
            .flat_map(|start| (start..6).map(move |end| start * 10..end * 10))
            .collect();
        let mut lifetimes = Lifetimes::new(ranges.iter());
        for (id, live) in ranges.iter().enumerate() {
            let mut hits = Vec::new();
            lifetimes.for_each_overlap(live, |hit| hits.push(hit));
            hits.sort_unstable();
            let expected: Vec<usize> = (0..id)
                .filter(|&other| {
                    let other = &ranges[other];
                    other.start.max(live.start) < other.end.min(live.end)
                })
                .collect();
            assert_eq!(hits, expected, "{live:?}");
            lifetimes.insert(id, live);
        }
    }
}
