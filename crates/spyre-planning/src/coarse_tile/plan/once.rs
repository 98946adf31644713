//! Finds the operations that a shorter last tile need not repeat.
//!
//! An operation that lacks the dimension of a loop computes the same in every iteration. If its result has no uses in
//! the iteration, the iterations of the whole tiles have computed it for the uses after the loop already. The copy of
//! the body for the shorter last tile then leaves the operation out: the result that it would overwrite has not been
//! read.

use std::hash::Hash;

use rustc_hash::FxHashSet;

use crate::coarse_tile::ids::{IdVec, LevelId, MemberId, NodeId};
use crate::coarse_tile::plan::flow::{DataFlow, FlowMember};
use crate::coarse_tile::plan::nest::{Item, LoopNest};
use crate::coarse_tile::plan::trips::{Trips, Variant};

/// The members that copies of a group's bodies leave out.
#[derive(Debug, Default)]
pub(crate) struct SkippedMembers {
    /// The levels with a shorter last tile that need not compute a member.
    levels: IdVec<MemberId, Vec<LevelId>>,
}

impl SkippedMembers {
    /// Finds the members that can be left out.
    pub(crate) fn new<V: Copy + Eq + Hash>(
        members: &IdVec<MemberId, FlowMember<'_, V>>,
        nest: &LoopNest,
        trips: &Trips,
        flow: &DataFlow,
    ) -> Self {
        let mut levels: IdVec<MemberId, Vec<LevelId>> =
            members.iter().map(|_| Vec::new()).collect();
        if !trips.is_ragged() {
            return Self { levels };
        }
        let mut readers: IdVec<MemberId, FxHashSet<MemberId>> =
            members.iter().map(|_| FxHashSet::default()).collect();
        for (reader, member) in members.pairs() {
            for maker in member.makers.iter().chain(flow.elements.get(&reader)) {
                readers[*maker].insert(reader);
            }
        }
        // Readers come before the operations that they read.
        for (index, member) in members.pairs().rev() {
            let home = nest.home(index);
            for level in LevelId::first(nest.depth(home)) {
                let is_same = member.dims.cut(level).is_none()
                    && member.reduction.is_none_or(|by| by.outer > level);
                let is_behind = |reader: &MemberId| {
                    let common = nest.common(home, nest.home(*reader));
                    !level.is_above(nest.depth(common)) || levels[*reader].contains(&level)
                };
                if is_same && readers[index].iter().all(is_behind) {
                    levels[index].push(level);
                }
            }
        }
        Self { levels }
    }

    /// Returns whether a copy of the bodies leaves a member out.
    pub(crate) fn skips(&self, trips: &Trips, variant: Variant, member: MemberId) -> bool {
        let mut levels = self.levels[member].iter();
        levels.any(|level| variant.is_rest(*level) && trips.get(*level, variant).whole > 0)
    }

    /// Returns whether a copy of the bodies leaves out all items of a loop.
    pub(crate) fn skips_loop(
        &self,
        nest: &LoopNest,
        trips: &Trips,
        variant: Variant,
        node: NodeId,
    ) -> bool {
        trips.is_ragged()
            && nest.items(node).into_iter().all(|item| match item {
                Item::Member(member) => self.skips(trips, variant, member),
                Item::Loop(inner) => self.skips_loop(nest, trips, variant, inner),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coarse_tile::find::LevelDim::{Cuts, Lacks};
    use crate::coarse_tile::find::LevelDims;
    use crate::coarse_tile::ids::{Id, IterDim};
    use crate::coarse_tile::plan::nest::NestMember;
    use crate::coarse_tile::plan::region::{Axis, Regions};
    use crate::coarse_tile::plan::trips::Trip;

    const OUTER: usize = 0;
    const INNER: usize = 1;

    /// Returns the members that are left out of two loops, the outer of which has `whole` tiles and a shorter one.
    /// Operations 0 and 1 lack the dimension of the outer loop, and operation 2 reads the result of operation 1 in the
    /// same iteration.
    fn skipped(whole: u64) -> (SkippedMembers, Trips) {
        let [outer, inner] = [OUTER, INNER].map(LevelId::new);
        let [rows, columns] = [0, 1].map(IterDim::new);
        let once: LevelDims = [Lacks, Cuts(columns)].into_iter().collect();
        let always: LevelDims = [Cuts(rows), Cuts(columns)].into_iter().collect();
        let mut regions = Regions::default();
        let axis = |level| Axis {
            movement: vec![(level, 64)],
            whole: 256,
            dynamic: None,
        };
        let row = regions.intern(vec![axis(inner)]);
        let tile = regions.intern(vec![axis(outer), axis(inner)]);
        let read = MemberId::new(1);
        let described = [
            (&once, row, None),
            (&once, row, None),
            (&always, tile, Some(read)),
        ];
        let nest = described.iter().map(|(dims, result, maker)| NestMember {
            dims,
            operands: maker.iter().map(|maker| (row, Some(*maker))).collect(),
            result: *result,
            complete_behind: None,
        });
        let nest = LoopNest::new(&nest.collect(), &regions);
        let members = described.iter().map(|(dims, _, maker)| FlowMember {
            dims,
            makers: maker.iter().copied().collect(),
            reduction: None,
            searched: None::<char>,
            is_used_outside: true,
        });
        let members = members.collect();
        let flow = DataFlow::new(&members, &nest);
        let mut trips = Trips::default();
        trips.set(outer, Variant::default(), Trip { whole, rest: true });
        for variant in [Variant::default(), Variant::default().rest(outer)] {
            trips.set(
                inner,
                variant,
                Trip {
                    whole: 4,
                    rest: false,
                },
            );
        }
        (SkippedMembers::new(&members, &nest, &trips, &flow), trips)
    }

    /// Returns which of the three are left out of a copy of the bodies.
    fn left_out(whole: u64, variant: Variant) -> [bool; 3] {
        let (skipped, trips) = skipped(whole);
        [0, 1, 2].map(|member| skipped.skips(&trips, variant, MemberId::new(member)))
    }

    #[test]
    fn the_shorter_tile_repeats_only_what_it_reads() {
        let shorter = Variant::default().rest(LevelId::new(OUTER));
        assert_eq!(left_out(3, shorter), [true, false, false]);
        assert_eq!(left_out(3, Variant::default()), [false; 3]);
    }

    #[test]
    fn nothing_is_left_out_where_no_whole_tile_has_run() {
        let shorter = Variant::default().rest(LevelId::new(OUTER));
        assert_eq!(left_out(0, shorter), [false; 3]);
    }
}
