//! Counts the operations that a plan has in the loops, for a comparison with the loops that were built.
//!
//! Each copy of a body has its members, without the ones that it leaves out. A level of several whole tiles, or of a
//! dynamic number, is a loop, which carries the sinks that end outside of it. A body has one window of each tensor for
//! each region in which members read it, unless the window is the whole tensor, and one for each accumulator that is
//! updated.

use std::fmt;

use melior::ir::operation::OperationLike;
use rustc_hash::FxHashSet;
use spyre_mlir_rt::ir;

use crate::coarse_tile::ids::{Id, MemberId, NodeId, RegionId, SinkId};
use crate::coarse_tile::plan::flow::SinkContents;
use crate::coarse_tile::plan::nest::Item;
use crate::coarse_tile::plan::region::{INNERMOST, Regions};
use crate::coarse_tile::plan::trips::Variant;
use crate::coarse_tile::plan::{OperandSource, TilePlan};

/// The numbers of loops, operations, tensors and windows in the loops of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct NestCounts {
    /// Loops.
    pub(crate) loops: usize,
    /// Members, in all copies of the bodies.
    pub(crate) members: usize,
    /// Tensors that loops carry, of all loops.
    pub(crate) carried: usize,
    /// Windows that are read, and constants in place of windows.
    pub(crate) windows: usize,
}

impl fmt::Display for NestCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            loops,
            members,
            carried,
            windows,
        } = self;
        write!(
            f,
            "{loops} loops that carry {carried} tensors, {members} operations and {windows} windows"
        )
    }
}

impl TilePlan<'_> {
    /// Returns the expected numbers for the loops.
    pub(crate) fn counts(&self, regions: &Regions) -> NestCounts {
        let mut counter = Counter {
            plan: self,
            regions,
            counts: NestCounts::default(),
        };
        counter.body(self.nest.root(), Variant::default());
        counter.counts
    }

    /// Returns the sinks that a loop carries in a copy of the bodies.
    pub(crate) fn carried(&self, node: NodeId, variant: Variant) -> Vec<SinkId> {
        let mut carried = self.flow.carried(node).to_vec();
        carried.retain(|sink| !self.skips(variant, self.flow.sinks[*sink].member));
        carried
    }

    /// Returns whether a copy of the bodies leaves a member out.
    pub(crate) fn skips(&self, variant: Variant, member: MemberId) -> bool {
        self.skipped.skips(&self.trips, variant, member)
    }

    /// Returns whether a copy of the bodies leaves out all items of a loop.
    pub(crate) fn skips_loop(&self, variant: Variant, node: NodeId) -> bool {
        self.skipped
            .skips_loop(&self.nest, &self.trips, variant, node)
    }
}

struct Counter<'g, 'p> {
    plan: &'g TilePlan<'p>,
    regions: &'g Regions,
    counts: NestCounts,
}

impl Counter<'_, '_> {
    fn body(&mut self, node: NodeId, variant: Variant) {
        let plan = self.plan;
        let mut windows = FxHashSet::default();
        for item in plan.nest.items(node) {
            match item {
                Item::Member(_) if node == plan.nest.root() => {}
                Item::Member(member) if plan.skips(variant, member) => {}
                Item::Member(member) => {
                    self.counts.members += 1;
                    self.member(member, variant, &mut windows);
                }
                Item::Loop(inner) if plan.skips_loop(variant, inner) => {}
                Item::Loop(inner) => self.nested(inner, variant),
            }
        }
        self.counts.windows += windows.len();
    }

    /// Counts a loop and its copies.
    fn nested(&mut self, node: NodeId, variant: Variant) {
        let level = self.plan.nest.level(node);
        let trip = self.plan.trips.get(level, variant);
        let is_dynamic = self.plan.levels[level].dynamic.is_some();
        if is_dynamic || trip.whole > 1 {
            self.counts.loops += 1;
            self.counts.carried += self.plan.carried(node, variant).len();
        }
        if is_dynamic || trip.whole > 0 {
            self.body(node, variant);
        }
        if !is_dynamic && trip.rest {
            self.body(node, variant.rest(level));
        }
    }

    fn member(
        &mut self,
        index: MemberId,
        variant: Variant,
        windows: &mut FxHashSet<(Option<ir::ValueKey>, OperandSource, RegionId, usize)>,
    ) {
        let plan = self.plan;
        let member = &plan.members[index];
        for operand in member.windows.operands.ids() {
            let (source, window) = plan.operand(index, operand, variant);
            if window.is_whole(self.regions, &plan.trips) {
                continue;
            }
            let outside = (source == OperandSource::Outside).then(|| {
                let value = member.op.op().operand(operand.index());
                ir::value_key(value.expect("a tensor is an operand"))
            });
            windows.insert((outside, source, window.region, window.depths.start));
        }
        let contents = [SinkContents::Parts, SinkContents::Elements];
        for sink in contents
            .iter()
            .filter_map(|it| plan.flow.holding(index, *it))
        {
            let home = plan.flow.sinks[sink].home;
            let window = plan.result_window(index, home, INNERMOST, variant);
            self.counts.windows += usize::from(!window.is_whole(self.regions, &plan.trips));
        }
    }
}
