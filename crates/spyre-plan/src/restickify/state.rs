//! Maps from slots to numbers that are shared between states, and are the same map exactly when they
//! have the same name.
//!
//! A map is a tree of blocks, all of one height, and no two blocks have the same content. So a
//! changed map is new only along the path to the change, two maps are compared by the names of their
//! roots, and neither takes time in the number of slots.

use rustc_hash::FxHashMap;

/// Bits of a slot that one level of the tree decides on.
const BITS: u32 = 3;
const FANOUT: usize = 1 << BITS;

/// Entries of one block: names of blocks, or numbers on the lowest level.
type Block = [usize; FANOUT];

/// A map. [`Map::EMPTY`] has the number 0 in every slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Map(usize);

impl Map {
    /// 0 in every slot. Its block has only zeros at every height, so it is its child, too.
    pub(super) const EMPTY: Self = Self(0);
}

/// All blocks of a set of maps.
#[derive(Debug)]
pub(super) struct Maps {
    height: u32,
    blocks: Vec<Block>,
    names: FxHashMap<Block, usize>,
    /// Number of blocks at which those not in use are dropped.
    full: usize,
}

impl Maps {
    /// Returns maps with this many slots.
    pub(super) fn new(slots: usize) -> Self {
        let mut height = 1;
        while slots > 1 << (BITS * height) {
            height += 1;
        }
        let empty = [0; FANOUT];
        Self {
            height,
            blocks: vec![empty],
            names: FxHashMap::from_iter([(empty, 0)]),
            full: 1 << 16,
        }
    }

    /// Returns the number in a slot.
    pub(super) fn get(&self, map: Map, slot: usize) -> usize {
        let levels = (0..self.height).rev();
        levels.fold(map.0, |name, level| self.blocks[name][digit(slot, level)])
    }

    /// Returns the map with some slots changed. `changes` are pairs of slot and number; the last one of a
    /// slot counts. They are sorted.
    pub(super) fn with(&mut self, map: Map, changes: &mut [(usize, usize)]) -> Map {
        if changes.is_empty() {
            return map;
        }
        changes.sort_by_key(|&(slot, _)| slot);
        Map(self.change(map.0, self.height - 1, changes))
    }

    fn change(&mut self, name: usize, level: u32, changes: &[(usize, usize)]) -> usize {
        let mut block = self.blocks[name];
        for part in changes.chunk_by(|a, b| digit(a.0, level) == digit(b.0, level)) {
            let (slot, number) = part[part.len() - 1];
            let entry = &mut block[digit(slot, level)];
            *entry = match level.checked_sub(1) {
                None => number,
                Some(below) => self.change(*entry, below, part),
            };
        }
        self.name(block)
    }

    fn name(&mut self, block: Block) -> usize {
        let next = self.blocks.len();
        let name = *self.names.entry(block).or_insert(next);
        if name == next {
            self.blocks.push(block);
        }
        name
    }

    /// Drops the blocks of all maps but the given ones, when there are many. The given ones get new
    /// names. Takes time in the number of blocks that were added since the last time.
    pub(super) fn keep<'a>(&mut self, maps: impl Iterator<Item = &'a mut Map>) {
        if self.blocks.len() < self.full {
            return;
        }
        let mut kept = Self::new(0);
        kept.height = self.height;
        let mut moved = FxHashMap::default();
        for map in maps {
            map.0 = self.move_to(&mut kept, &mut moved, map.0, self.height - 1);
        }
        kept.full = self.full.max(2 * kept.blocks.len());
        *self = kept;
    }

    fn move_to(
        &self,
        kept: &mut Self,
        moved: &mut FxHashMap<(usize, u32), usize>,
        name: usize,
        level: u32,
    ) -> usize {
        if let Some(&new) = moved.get(&(name, level)) {
            return new;
        }
        let mut block = self.blocks[name];
        if let Some(below) = level.checked_sub(1) {
            for entry in &mut block {
                *entry = self.move_to(kept, moved, *entry, below);
            }
        }
        let new = kept.name(block);
        moved.insert((name, level), new);
        new
    }
}

/// Returns the entry of a block at `level` that leads to `slot`.
fn digit(slot: usize, level: u32) -> usize {
    (slot >> (BITS * level)) % FANOUT
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_height_fits_the_slots() {
        for (slots, height) in [(0, 1), (1, 1), (8, 1), (9, 2), (64, 2), (65, 3), (513, 4)] {
            assert_eq!(Maps::new(slots).height, height, "{slots} slots");
        }
    }

    #[test]
    fn blocks_out_of_use_are_dropped() {
        let mut maps = Maps::new(64);
        maps.full = 100;
        let mut map = Map::EMPTY;
        for number in 1..10_000 {
            map = maps.with(map, &mut [(number % 64, number)]);
            maps.keep([&mut map].into_iter());
            assert!(maps.blocks.len() < 100 + 2);
        }
        assert_eq!(maps.get(map, 9_999 % 64), 9_999);
        assert_eq!(maps.get(map, 10_000 % 64), 10_000 - 64);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn maps_are_the_same_exactly_if_their_content_is(
            // Few numbers, so that many maps become equal again.
            changes in prop::collection::vec(
                (0usize..1000, prop::collection::vec((0usize..100, 0usize..2), 0..4)), 0..60,
            ),
            keep_at in 0usize..60,
        ) {
            let mut maps = Maps::new(100);
            let mut all = vec![(Map::EMPTY, BTreeMap::new())];
            for (index, (from, mut changes)) in changes.into_iter().enumerate() {
                let (map, mut content) = all[from % all.len()].clone();
                for &(slot, number) in &changes {
                    content.insert(slot, number);
                }
                content.retain(|_, number| *number != 0);
                all.push((maps.with(map, &mut changes), content));
                if index == keep_at {
                    maps.full = 0;
                    maps.keep(all.iter_mut().map(|(map, _)| map));
                }
            }
            for (a, content) in &all {
                for slot in 0..100 {
                    let expected = content.get(&slot).copied().unwrap_or(0);
                    prop_assert_eq!(maps.get(*a, slot), expected);
                }
                for (b, other) in &all {
                    prop_assert_eq!(a == b, content == other);
                }
            }
        }
    }
}
