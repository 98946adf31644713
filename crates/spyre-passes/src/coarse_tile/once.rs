//! What a shorter last tile need not do again.
//!
//! An operation that lacks the dimension of a loop computes the same in every iteration. Where nothing reads its result in
//! the iteration, the whole tiles have left it behind the loop already, and the copy of the body for the shorter last tile goes
//! without: what it would overwrite, nobody has read.

use rustc_hash::FxHashSet;

use super::flow::Flow;
use super::nest::{Item, NodeId};
use super::plan::GroupPlan;
use super::trips::Variant;

/// The members that the copies of a group's bodies go without.
#[derive(Debug, Default)]
pub struct Once {
    /// A member, and a level whose shorter tile need not compute it.
    known: FxHashSet<(usize, usize)>,
}

impl Once {
    /// Finds them.
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
        // Readers before what they read.
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

    /// Whether a copy of the bodies goes without a member.
    pub fn skips(&self, plan: &GroupPlan<'_>, variant: Variant, member: usize) -> bool {
        !self.known.is_empty()
            && (0..plan.levels.len()).any(|level| {
                variant.is_rest(level)
                    && self.known.contains(&(member, level))
                    && plan.trips.get(level, variant).whole > 0
            })
    }

    /// Whether a copy of the bodies goes without all that a loop has.
    pub fn skips_loop(&self, plan: &GroupPlan<'_>, variant: Variant, node: NodeId) -> bool {
        !self.known.is_empty()
            && plan.nest.items(node).iter().all(|item| match item {
                Item::Member(member) => self.skips(plan, variant, *member),
                Item::Loop(inner) => self.skips_loop(plan, variant, *inner),
            })
    }
}
