//! Finds the operations that a shorter last tile need not repeat.
//!
//! An operation that lacks the dimension of a loop computes the same in every iteration. If nothing reads its result in the
//! iteration, the iterations of the whole tiles have computed it for the readers behind the loop already. The copy of the body
//! for the shorter last tile then leaves the operation out: nothing has read the result that it would overwrite.

use rustc_hash::FxHashSet;

use crate::coarse_tile::plan::GroupPlan;
use crate::coarse_tile::plan::flow::Flow;
use crate::coarse_tile::plan::nest::{Item, NodeId};
use crate::coarse_tile::plan::trips::Variant;

/// The members that copies of a group's bodies leave out.
#[derive(Debug, Default)]
pub struct Once {
    /// Pairs of a member and a level: the level's shorter last tile need not compute the member.
    known: FxHashSet<(usize, usize)>,
}

impl Once {
    /// Finds the members that can be left out.
    pub fn new(plan: &GroupPlan<'_>, flow: &Flow<'_>) -> Self {
        let mut once = Self::default();
        if !plan.trips.is_ragged() {
            return once;
        }
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); plan.members.len()];
        for (reader, member) in plan.members.iter().enumerate() {
            let makers = (0..member.operands())
                .filter_map(|operand| plan.maker(reader, operand))
                .chain(flow.elements.get(&reader).copied());
            for maker in makers {
                readers[maker].push(reader);
            }
        }
        // Readers come before the operations that they read.
        for (index, member) in plan.members.iter().enumerate().rev() {
            let home = plan.nest.home(index);
            for level in 0..plan.nest.depth(home) {
                let is_same = member.dims.get(level).is_none_or(Option::is_none)
                    && member.reduction.is_none_or(|by| by.outer > level);
                let is_behind = |reader: &usize| {
                    let common = plan.nest.common(home, plan.nest.home(*reader));
                    plan.nest.depth(common) <= level || once.known.contains(&(*reader, level))
                };
                if is_same && readers[index].iter().all(is_behind) {
                    once.known.insert((index, level));
                }
            }
        }
        once
    }

    /// Returns whether a copy of the bodies leaves a member out.
    pub fn skips(&self, plan: &GroupPlan<'_>, variant: Variant, member: usize) -> bool {
        !self.known.is_empty()
            && (0..plan.levels.len()).any(|level| {
                variant.is_rest(level)
                    && self.known.contains(&(member, level))
                    && plan.trips.get(level, variant).whole > 0
            })
    }

    /// Returns whether a copy of the bodies leaves out all items of a loop.
    pub fn skips_loop(&self, plan: &GroupPlan<'_>, variant: Variant, node: NodeId) -> bool {
        !self.known.is_empty()
            && plan.nest.items(node).iter().all(|item| match item {
                Item::Member(member) => self.skips(plan, variant, *member),
                Item::Loop(inner) => self.skips_loop(plan, variant, *inner),
            })
    }
}
