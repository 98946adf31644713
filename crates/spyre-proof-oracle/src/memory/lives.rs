//! Windows and lives of buffers as a whole: what a proof may refuse, though no element is lost.

use rustc_hash::{FxHashMap, FxHashSet};
use spyre_proof::program::{Def, ValueId};

use super::{Fault, Memory, Wrong};
use crate::machine::{Moment, for_each_point, linear, view_element, window_element};

/// One access to a buffer as a whole, for the lives of buffers.
pub(super) struct Touch {
    pub(super) time: usize,
    pub(super) buffer: ValueId,
    pub(super) counters: Vec<i64>,
    pub(super) is_write: bool,
    pub(super) is_scratchpad: bool,
    pub(super) start: i64,
    pub(super) end: i64,
}

impl Memory<'_> {
    /// Finds windows and views that reach outside of their tensors in some iteration, whether they are read or not.
    pub(super) fn find_windows(&mut self, params: &[i64]) {
        let mut moment = self.moment(params);
        for (at, value) in self.program.values.iter().enumerate() {
            let (of, window) = match &value.def {
                Def::Slice { source, .. } | Def::View { source, .. } => (*source, value),
                Def::Insert { tile, .. } => (ValueId::new(at), self.program.value(*tile)),
                _ => continue,
            };
            let shape = moment.shape(self.program, &self.program.value(of).shape);
            let size = moment.shape(self.program, &window.shape);
            let trips = value.loops.iter();
            let trips: Vec<_> = trips.map(|id| self.program.largest_trips(*id)).collect();
            let (mut is_outside, mut is_elsewhere) = (false, false);
            for_each_point(&trips, |counters| {
                for (id, counter) in value.loops.iter().zip(counters) {
                    moment.counters[id.index()] = *counter;
                }
                is_outside |= reaches_outside(&moment, &value.def, &size, &shape);
                is_elsewhere |= self.is_elsewhere(&moment, &value.def, &size);
            });
            if is_elsewhere {
                self.add(Fault {
                    wrong: Wrong::WindowElsewhere,
                    instance: None,
                    core: 0,
                    tensor: 0,
                    buffer: ValueId::new(at),
                    text: "the tile is in another place than the window".to_owned(),
                });
            }
            if is_outside {
                self.add(Fault {
                    wrong: Wrong::WindowOutside,
                    instance: None,
                    core: 0,
                    tensor: 0,
                    buffer: ValueId::new(at),
                    text: format!("{size:?} of a tensor of {shape:?}"),
                });
            }
        }
    }

    /// Returns whether an element of a tile is in another place than in the tensor that the tile is inserted into.
    fn is_elsewhere(&self, moment: &Moment, def: &Def, size: &[i64]) -> bool {
        let Def::Insert {
            tile,
            into,
            offsets,
            dims,
        } = def
        else {
            return false;
        };
        let first = offsets.iter().map(|offset| moment.eval(offset, |_| None));
        let first: Vec<_> = first.collect();
        let mut is_elsewhere = false;
        for_each_point(size, |element| {
            let of_tile = self.locate(moment, *tile, element);
            let of_window = self.locate(moment, *into, &window_element(&first, dims, element));
            let bytes = [of_tile, of_window].map(|located| {
                let located = located?;
                self.byte(moment, &located, 0).ok()
            });
            is_elsewhere |= bytes.iter().all(Option::is_some) && bytes[0] != bytes[1];
        });
        is_elsewhere
    }

    /// Finds buffers that are written during the life of another one with some of the same bytes.
    pub(super) fn find_overlaps(&mut self) {
        let mut lives: FxHashMap<(ValueId, &[i64]), (usize, usize)> = FxHashMap::default();
        for touch in &self.touches {
            let life = lives
                .entry((touch.buffer, &touch.counters))
                .or_insert((touch.time, touch.time));
            life.1 = touch.time;
        }
        let mut found = Vec::new();
        let mut pairs = FxHashSet::default();
        for write in self.touches.iter().filter(|touch| touch.is_write) {
            for live in &self.touches {
                let other = (live.buffer, &live.counters) != (write.buffer, &write.counters);
                let (first, last) = lives[&(live.buffer, &live.counters[..])];
                let meets = live.start < write.end && write.start < live.end;
                let during = first <= write.time && write.time < last
                    || first == write.time && first == last && write.buffer != live.buffer;
                let same_space = live.is_scratchpad == write.is_scratchpad;
                if other
                    && meets
                    && during
                    && same_space
                    && pairs.insert((live.buffer, write.buffer))
                {
                    found.push((write.buffer, live.buffer));
                }
            }
        }
        for (written, live) in found {
            self.add(Fault {
                wrong: Wrong::Overlap,
                instance: None,
                core: 0,
                tensor: 0,
                buffer: written,
                text: format!("written in the life of {live:?}"),
            });
        }
    }
}

/// Returns whether a window or view of some extents has an element outside of a tensor of a shape.
fn reaches_outside(moment: &Moment, def: &Def, size: &[i64], shape: &[i64]) -> bool {
    match def {
        Def::Slice { offsets, dims, .. } | Def::Insert { offsets, dims, .. } => {
            let mut offsets = offsets.iter().zip(dims).zip(shape);
            offsets.any(|((offset, dim), extent)| {
                let first = moment.eval(offset, |_| None);
                let size = dim.map_or(1, |dim| size[dim]);
                first < 0 || first + size > *extent
            })
        }
        Def::View { index, .. } => {
            let mut is_outside = false;
            for_each_point(size, |element| {
                let of_source = view_element(moment, index, element);
                is_outside |= linear(shape, &of_source).is_none();
            });
            is_outside
        }
        _ => false,
    }
}
