//! The histories of the bytes of all memories, as intervals with one history each.

use std::collections::BTreeMap;
use std::ops::Range;

use super::chains::ChainId;
use crate::memory::Space;

/// The history of an interval: the chain of the tensor that was written last, and chains of other tensors of which only
/// windows have been written over, the latest one first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layers {
    pub(super) top: ChainId,
    pub(super) below: Vec<ChainId>,
    /// Whether earlier windows, of a tensor that an iteration of a loop computes anew, are in no chain.
    pub(super) is_cut: bool,
}

impl Layers {
    pub(super) const fn new(top: ChainId) -> Self {
        Self {
            top,
            below: Vec::new(),
            is_cut: false,
        }
    }
}

/// Intervals that do not overlap, by space and first byte, with the byte after the last one.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    cells: BTreeMap<(Space, i64), (i64, Layers)>,
}

impl Cells {
    /// Sets the history of a region.
    pub(super) fn set(&mut self, space: Space, bytes: &Range<i64>, top: ChainId) {
        if bytes.is_empty() {
            return;
        }
        self.split(space, bytes.start);
        self.split(space, bytes.end);
        let old: Vec<i64> = self
            .of(space, bytes)
            .map(|(bytes, _)| bytes.start)
            .collect();
        for start in old {
            self.cells.remove(&(space, start));
        }
        let cell = (bytes.end, Layers::new(top));
        self.cells.insert((space, bytes.start), cell);
    }

    /// Changes the histories in a region; bytes without history get that of `absent`.
    pub(super) fn change(
        &mut self,
        space: Space,
        bytes: &Range<i64>,
        absent: &Layers,
        mut change: impl FnMut(&mut Layers),
    ) {
        if bytes.is_empty() {
            return;
        }
        self.split(space, bytes.start);
        self.split(space, bytes.end);
        let mut gaps = Vec::new();
        let mut at = bytes.start;
        for (range, _) in self.of(space, bytes) {
            if at < range.start {
                gaps.push(at..range.start);
            }
            at = range.end;
        }
        if at < bytes.end {
            gaps.push(at..bytes.end);
        }
        for gap in gaps {
            self.cells
                .insert((space, gap.start), (gap.end, absent.clone()));
        }
        let range = (space, bytes.start)..(space, bytes.end);
        for (_, (_, layers)) in self.cells.range_mut(range) {
            change(layers);
        }
    }

    /// Changes the histories of the intervals that begin in a region.
    pub(super) fn update(
        &mut self,
        space: Space,
        bytes: &Range<i64>,
        mut change: impl FnMut(Range<i64>, &mut Layers),
    ) {
        let range = (space, bytes.start)..(space, bytes.end);
        for ((_, start), (end, layers)) in self.cells.range_mut(range) {
            change(*start..*end, layers);
        }
    }

    /// Returns the histories in a region, in order. Intervals at its ends may reach out of it.
    pub(super) fn of(
        &self,
        space: Space,
        bytes: &Range<i64>,
    ) -> impl Iterator<Item = (Range<i64>, &Layers)> {
        let first = self.cells.range(..=(space, bytes.start)).next_back();
        let first = first
            .filter(|((of, _), (end, _))| *of == space && *end > bytes.start)
            .map_or(bytes.start, |((_, start), _)| *start);
        let cells = self
            .cells
            .range((space, first)..(space, bytes.end.max(first)));
        cells.map(|((_, start), (end, layers))| (*start..*end, layers))
    }

    /// Cuts the interval around a byte before the byte.
    fn split(&mut self, space: Space, at: i64) {
        let Some((&key, (end, layers))) = self.cells.range(..(space, at)).next_back() else {
            return;
        };
        if key.0 != space || *end <= at {
            return;
        }
        let (end, layers) = (*end, layers.clone());
        self.cells.insert((space, at), (end, layers.clone()));
        self.cells.insert(key, (at, layers));
    }
}
