//! Finds the operations that a shorter last tile need not repeat.
//!
//! An operation that lacks the dimension of a loop computes the same in every iteration. If nothing reads its result in the
//! iteration, the iterations of the whole tiles have computed it for the readers behind the loop already. The copy of the body
//! for the shorter last tile then leaves the operation out: nothing has read the result that it would overwrite.

use std::hash::Hash;

use rustc_hash::FxHashSet;

use crate::coarse_tile::ids::{IdVec, LevelId, MemberId, NodeId};
use crate::coarse_tile::plan::flow::{DataFlow, FlowMember};
use crate::coarse_tile::plan::nest::{Item, LoopNest};
use crate::coarse_tile::plan::trips::{Trips, Variant};

/// The members that copies of a group's bodies leave out.
#[derive(Debug, Default)]
pub(crate) struct SkippedMembers {
    /// The levels whose shorter last tile need not compute a member.
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
