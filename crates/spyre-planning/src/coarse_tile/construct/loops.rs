//! Builds the bodies of a group in the order of the plan, and the loops around them.
//!
//! A level of several whole tiles is a loop, and a single tile is built in place. A shorter last tile is built in place
//! after the loop. Where there are such tiles, bodies have copies, so operations are copied; otherwise they are moved.

use melior::ir::Location;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::DimSize;
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::dynamic::resized;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{self, At, Op, OpKind, Use, Val};
use spyre_ods::{OpBuilder, spyre};

use crate::coarse_tile::construct::Builder;
use crate::coarse_tile::construct::counts::BuiltNest;
use crate::coarse_tile::construct::parts::BuildSite;
use crate::coarse_tile::construct::search::ElementChoice;
use crate::coarse_tile::construct::windows::{Iteration, OpenLoops, erase_unused};
use crate::coarse_tile::ids::{IdVec, LevelId, MemberId, NodeId, SinkId};
use crate::coarse_tile::plan::flow::SinkContents;
use crate::coarse_tile::plan::nest::Item;
use crate::coarse_tile::plan::trips::Variant;
use crate::coarse_tile::plan::{TilePlan, TiledMember};

/// The state of building one group.
pub(crate) struct NestBuilder<'g, 'r, 'p> {
    pub(super) builder: &'g mut Builder<'r, 'p>,
    pub(super) plan: &'g TilePlan<'p>,
    location: Location<'p>,
    pub(super) open: OpenLoops<'g, 'p>,
    /// Whether bodies have copies. Operations are then copied, rather than moved.
    pub(super) is_ragged: bool,
    /// The copy of the bodies that is being built.
    pub(super) variant: Variant,
    /// The result of each member, where it was built last.
    pub(super) tiles: IdVec<MemberId, Option<Val<'p>>>,
    /// The tensor of each sink, with the windows that were inserted.
    pub(super) current: IdVec<SinkId, Option<Val<'p>>>,
    /// The tensor of each sink, complete.
    pub(super) complete: IdVec<SinkId, Option<Val<'p>>>,
    /// For each member that searches for elements, the choice where it was built last.
    pub(super) choices: FxHashMap<MemberId, ElementChoice<'p>>,
    /// Elements that are chosen in the last tile and that no loop carries on.
    pub(super) unused: Option<Val<'p>>,
    /// Whether a loop was built at the root, so that later operations at the root are after loops.
    pub(super) behind_loops: bool,
    /// The members in the bodies, of all copies.
    pub(super) built: Vec<Op<'p>>,
    /// Operations that copies have replaced.
    pub(super) replaced: Vec<Op<'p>>,
}

impl<'g, 'r: 'g, 'p> NestBuilder<'g, 'r, 'p> {
    /// Returns the state before a plan is built.
    pub(crate) fn new(
        builder: &'g mut Builder<'r, 'p>,
        plan: &'g TilePlan<'p>,
        at: At<'p>,
        location: Location<'p>,
    ) -> Self {
        let (context, regions) = (builder.context, builder.regions);
        let levels = plan.levels.ids();
        Self {
            open: OpenLoops::new(context, regions, &plan.trips, levels, at, location),
            tiles: plan.members.iter().map(|_| None).collect(),
            current: plan.flow.sinks.iter().map(|_| None).collect(),
            complete: plan.flow.sinks.iter().map(|_| None).collect(),
            choices: FxHashMap::default(),
            unused: None,
            is_ragged: plan.trips.is_ragged(),
            variant: Variant::default(),
            behind_loops: false,
            built: Vec::new(),
            replaced: Vec::new(),
            builder,
            plan,
            location,
        }
    }

    /// Builds the items of a body.
    pub(crate) fn body(&mut self, node: NodeId) {
        let (plan, root) = (self.plan, self.plan.nest.root());
        for item in plan.nest.items(node) {
            match item {
                Item::Member(member) if node == root => self.root_member(member),
                Item::Member(member) if plan.skips(self.variant, member) => {}
                Item::Member(member) => self.member(node, member),
                Item::Loop(inner) if plan.skips_loop(self.variant, inner) => {}
                Item::Loop(inner) => self.inner_loop(node, inner),
            }
        }
    }

    /// Builds a loop of the body of `node`, and completes the sinks that are at home there.
    fn inner_loop(&mut self, node: NodeId, inner: NodeId) {
        let plan = self.plan;
        let mut ending = plan.carried(inner, self.variant);
        ending.retain(|sink| plan.flow.sinks[*sink].home == node);
        let starts: Vec<_> = ending.iter().map(|sink| self.start(*sink)).collect();
        for (sink, start) in ending.iter().zip(&starts) {
            self.current[*sink] = Some(*start);
        }
        self.level(inner);
        self.check_filled(&ending, &starts);
        self.behind_loops |= node == plan.nest.root();
        ending.into_iter().for_each(|sink| self.end(sink));
    }

    /// Builds the tiles of a loop: the loop itself, and a copy of its body for a shorter last tile.
    fn level(&mut self, node: NodeId) {
        let level = self.plan.nest.level(node);
        if let Some(symbol) = self.plan.levels[level].dynamic {
            let size = self.builder.size(symbol);
            let step = self.plan.steps[level].expect("a dynamic dimension is cut");
            return self.repeat(node, level, size, step.cast_signed(), Iteration::Start);
        }
        let trip = self.plan.trips.get(level, self.variant);
        match trip.whole {
            0 => {}
            1 => self.once(node, level, 0),
            count => {
                let count = self.builder.constant(count.cast_signed());
                self.repeat(node, level, count, 1, Iteration::Number);
            }
        }
        if trip.rest {
            let around = self.variant;
            self.variant = around.rest(level);
            self.once(node, level, trip.whole);
            self.variant = around;
        }
    }

    /// Builds the iteration with the number `at`, without a loop.
    fn once(&mut self, node: NodeId, level: LevelId, at: u64) {
        self.open.enter(None, level, Iteration::At(at));
        self.body(node);
        self.open.leave(level);
    }

    /// Builds a loop from 0 to a bound.
    fn repeat(
        &mut self,
        node: NodeId,
        level: LevelId,
        bound: Val<'p>,
        step: i64,
        iteration: impl Fn(Val<'p>) -> Iteration<'p>,
    ) {
        let step = self.builder.constant(step);
        let zero = self.builder.constant(0);
        let carried = self.plan.carried(node, self.variant);
        let inits = self.all_now(&carried);
        let built = ir::build_for(self.open.at(), self.location, zero, bound, step, &inits);
        for (index, sink) in carried.iter().enumerate() {
            self.current[*sink] = Some(built.carried(index));
        }
        let number = built.induction_variable();
        self.open.enter(Some(built.body), level, iteration(number));
        self.body(node);
        self.open.leave(level);
        let before: Vec<_> = (0..carried.len())
            .map(|index| built.carried(index))
            .collect();
        self.check_filled(&carried, &before);
        ir::build_yield(built.body, self.location, &self.all_now(&carried));
        for (index, sink) in carried.iter().enumerate() {
            self.current[*sink] = Some(built.result(index));
        }
    }

    /// Checks that each of the sinks has been filled further than `before`: the body of a loop writes all sinks that
    /// the loop carries. The elements of a search for positions are left out, since the last tile need not choose any.
    fn check_filled(&self, sinks: &[SinkId], before: &[Val<'p>]) {
        for (sink, before) in sinks.iter().zip(before) {
            let is_filled = ir::value_key(self.now(*sink)) != ir::value_key(*before);
            let may_stay = self.plan.flow.sinks[*sink].contents == SinkContents::Elements;
            assert!(
                is_filled || may_stay,
                "nothing is put into the tensor that a loop carries"
            );
        }
    }

    /// Builds the tensor that a sink starts from.
    fn start(&mut self, sink: SinkId) -> Val<'p> {
        let sink = &self.plan.flow.sinks[sink];
        let member = &self.plan.members[sink.member];
        let depth = self.plan.nest.depth(sink.home);
        let ty = self.result_type(member, depth);
        match (&member.reduction, sink.contents) {
            (Some(reduction), SinkContents::Parts) => self.site(member).start(reduction, &ty),
            (Some(_), SinkContents::Elements) => {
                let site = self.site(member);
                // Every element precedes -inf in the order of the search, for either element type.
                site.fill(&site.elements(&ty), f64::NEG_INFINITY)
            }
            _ => {
                let region = self
                    .builder
                    .regions
                    .get(member.windows.result.region)
                    .iter();
                let symbols: Vec<_> = region.map(|axis| axis.dynamic_inside(depth)).collect();
                let sizes = symbols.iter().flatten();
                let sizes: Vec<_> = sizes.map(|symbol| self.builder.size(*symbol)).collect();
                let ty = resized(ty.ty, &symbols, |_| DimSize::Dynamic);
                let build = OpBuilder {
                    context: self.builder.context,
                    at: self.open.at(),
                    location: member.op.op().location(),
                };
                build.op(spyre::empty(&sizes), ty)
            }
        }
    }

    /// Completes a sink after the loop that filled it.
    fn end(&mut self, id: SinkId) {
        let sink = &self.plan.flow.sinks[id];
        let member = &self.plan.members[sink.member];
        let mut value = self.now(id);
        match (&member.reduction, sink.contents) {
            (Some(reduction), SinkContents::Parts) => {
                let ty = self.result_type(member, self.plan.nest.depth(sink.home));
                value = self.site(member).finish(reduction, value, &ty);
                self.insert(sink.member, sink.home, value);
            }
            (_, SinkContents::Elements) => self.erase_unused(value),
            _ => {}
        }
        self.complete[id] = Some(value);
    }

    /// Removes the operations that compute a value without uses, such as the elements after the last tile, which are
    /// compared with no further tile.
    pub(super) fn erase_unused(&self, value: Val<'p>) {
        let mut pending = vec![value];
        let mut erased = FxHashSet::default();
        while let Some(value) = pending.pop() {
            // An erased operation is not visited again.
            if erased.contains(&ir::value_key(value)) {
                continue;
            }
            let Some(maker) = ir::defining_op(value) else {
                continue;
            };
            let is_pure = DeviceOp::cast(maker).is_some() || ir::kind(maker) == OpKind::InsertSlice;
            let is_no_member = !self.plan.positions.contains_key(&ir::op_key(maker));
            if is_pure && is_no_member && ir::uses(value).is_empty() {
                erased.insert(ir::value_key(value));
                pending.extend(maker.operands());
                ir::erase(maker);
            }
        }
    }

    /// Returns the site at which operations for a member are built.
    pub(super) fn site(&self, member: &TiledMember<'p>) -> BuildSite<'r, 'p> {
        BuildSite {
            context: self.builder.context,
            types: self.builder.types,
            at: self.open.at(),
            op: member.device(),
        }
    }

    /// Returns the tensor of a sink, with the windows that were inserted.
    pub(super) fn now(&self, sink: SinkId) -> Val<'p> {
        self.current[sink].expect("a sink starts before the loops that carry it")
    }

    fn all_now(&self, sinks: &[SinkId]) -> Vec<Val<'p>> {
        sinks.iter().map(|sink| self.now(*sink)).collect()
    }

    /// Sets the uses after the loops to the results of the loops, and removes the operations that were copied.
    pub(crate) fn finish(self, outside: IdVec<MemberId, Vec<Use<'p>>>) -> BuiltNest<'p> {
        let (flow, root) = (&self.plan.flow, self.plan.nest.root());
        for (member, uses) in outside.pairs() {
            // A tensor that is outside of the loops is read as it is.
            let Some(sink) = flow.complete_in(member, root) else {
                continue;
            };
            let value = self.complete[sink].expect("every sink is complete after the loops");
            for user in uses {
                ir::set_operand(user.owner, user.operand, value);
            }
        }
        self.replaced.into_iter().rev().for_each(ir::erase);
        let constants = self.open.constants;
        let built = BuiltNest {
            members: self.built,
            constants: constants.len(),
        };
        erase_unused(constants);
        built
    }
}
