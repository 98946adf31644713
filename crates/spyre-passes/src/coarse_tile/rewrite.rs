//! Rewriting a planned group into loops.

use std::rc::Rc;

use melior::Context;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Location, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_dialects::spyre::EmptyOperation;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, Val};

use super::flow::{Flow, Sink};
use super::nest::{Item, NodeId, ROOT};
use super::plan::{GroupPlan, PlannedMember, internal};
use super::region::{RegionId, Regions, extents};
use super::scope::{Iter, Scopes, Slicing};
use super::trips::Variant;
use crate::tensor::{TensorType, TensorTypes};

/// Rewrites groups of one function.
pub struct Rewriter<'r, 'p> {
    regions: &'r Regions,
    types: &'r TensorTypes<'p>,
    context: &'p Context,
    entry: Blk<'p>,
    constants: FxHashMap<i64, Val<'p>>,
}

/// What was done to a group.
#[derive(Debug, Default)]
pub struct Done {
    /// Loops that were made.
    pub loops: usize,
    /// Operations that are in loops now, or in what a loop of one iteration would be.
    pub operations: usize,
}

impl<'r, 'p> Rewriter<'r, 'p> {
    /// A rewriter for a function with this entry block.
    pub fn new(
        context: &'p Context,
        entry: Blk<'p>,
        types: &'r TensorTypes<'p>,
        regions: &'r Regions,
    ) -> Self {
        Self {
            regions,
            types,
            context,
            entry,
            constants: FxHashMap::default(),
        }
    }

    /// Builds the loops of a group behind its last operation and moves its operations into them. What
    /// is between the operations uses nothing of the group, so it stays in front.
    ///
    /// # Errors
    /// The IR breaks a rule that the verifier of its dialect checks.
    pub fn rewrite(&mut self, plan: &GroupPlan<'p>) -> Result<Done, Diagnostic<'p>> {
        for member in &plan.members {
            member.op.remove_hints();
        }
        let Some(last) = plan.members.last() else {
            return Ok(Done::default());
        };
        let last = last.op.op();
        let at = match (last.next_in_block(), last.block()) {
            (Some(next), _) => At::Before(next),
            (None, Some(block)) => At::End(block),
            (None, None) => return Err(internal(last, &"operation is in no block")),
        };
        let in_loops = (0..plan.members.len()).filter(|member| plan.nest.home(*member) != ROOT);
        let mut in_loops = in_loops.peekable();
        let Some(first) = in_loops.peek().and_then(|first| plan.members.get(*first)) else {
            return Ok(Done::default());
        };
        let location = first.op.op().location();
        let done = Done {
            loops: 0,
            operations: in_loops.count(),
        };
        let flow = Flow::new(plan)?;
        let mut group = GroupRewriter {
            tiles: vec![None; plan.members.len()],
            current: vec![None; flow.sinks.len()],
            complete: vec![None; flow.sinks.len()],
            scopes: Scopes::new(self.context, at, location),
            is_ragged: plan.trips.is_ragged(),
            variant: Variant::default(),
            behind_loops: false,
            replaced: Vec::new(),
            rewriter: self,
            plan,
            flow: &flow,
            location,
            done,
        };
        group.body(ROOT)?;
        group.finish()
    }

    /// A constant at the start of the function, made once.
    fn constant(&mut self, value: i64) -> Val<'p> {
        if let Some(known) = self.constants.get(&value) {
            return *known;
        }
        let at = self
            .entry
            .first_operation()
            .map_or(At::End(self.entry), At::Before);
        let location = Location::unknown(self.context);
        let location = self
            .entry
            .parent_operation()
            .map_or(location, |function| function.location());
        let constant = ir::build_index_constant(at, location, value);
        self.constants.insert(value, constant);
        constant
    }
}

/// Rewrites one group.
struct GroupRewriter<'g, 'r, 'p> {
    rewriter: &'g mut Rewriter<'r, 'p>,
    plan: &'g GroupPlan<'p>,
    flow: &'g Flow<'p>,
    location: Location<'p>,
    scopes: Scopes<'p>,
    /// Whether bodies have copies. Operations are copied then, rather than moved.
    is_ragged: bool,
    /// The copy that is being built.
    variant: Variant,
    /// The result of each member, where it was built last.
    tiles: Vec<Option<Val<'p>>>,
    /// The tensor of each sink, as far as it is filled.
    current: Vec<Option<Val<'p>>>,
    /// The tensor of each sink, complete.
    complete: Vec<Option<Val<'p>>>,
    /// Whether a loop was built at the root.
    behind_loops: bool,
    /// Operations that others stand for now.
    replaced: Vec<Op<'p>>,
    done: Done,
}

impl<'g, 'r, 'p> GroupRewriter<'g, 'r, 'p> {
    /// Builds what a body has.
    fn body(&mut self, node: NodeId) -> Result<(), Diagnostic<'p>> {
        for item in self.plan.nest.items(node) {
            match item {
                Item::Member(member) if node == ROOT => self.root_member(member)?,
                Item::Member(member) => self.member(node, member)?,
                Item::Loop(inner) => {
                    for sink in self.flow.carried(inner) {
                        if self.flow.sinks[*sink].home == node {
                            self.current[*sink] = Some(self.start(&self.flow.sinks[*sink])?);
                        }
                    }
                    self.visit(inner)?;
                    self.behind_loops |= node == ROOT;
                    for sink in self.flow.carried(inner) {
                        if self.flow.sinks[*sink].home == node {
                            self.end(*sink)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Builds the tensor that a sink starts from.
    fn start(&self, sink: &Sink) -> Result<Val<'p>, Diagnostic<'p>> {
        let member = &self.plan.members[sink.member];
        let ty = self.type_in(member, sink.home)?;
        let at = self.scopes.at();
        if let Some(reduction) = &member.reduction
            && sink.accumulates
        {
            return reduction.start(self.rewriter.context, at, member.op.op().location(), &ty);
        }
        let empty = EmptyOperation::builder(self.rewriter.context, member.op.op().location())
            .result(ty.ty)
            .build();
        let empty = match at {
            At::Before(next) => match next.block() {
                Some(block) => block.insert_operation_before(next, empty.into()),
                None => return Err(internal(next, &"operation is in no block")),
            },
            At::End(block) => block.append_operation(empty.into()),
        };
        Ok(empty.result(0).map_err(|why| internal(empty, &why))?.into())
    }

    /// Completes a sink behind the loop that filled it.
    fn end(&mut self, index: usize) -> Result<(), Diagnostic<'p>> {
        let sink = &self.flow.sinks[index];
        let member = &self.plan.members[sink.member];
        let mut value = self.now(index)?;
        if let Some(reduction) = &member.reduction
            && sink.accumulates
        {
            let ty = self.type_in(member, sink.home)?;
            let at = self.scopes.at();
            value = reduction.finish(self.rewriter.context, at, member.op, value, &ty)?;
            self.insert(sink.member, sink.home, value)?;
        }
        self.complete[index] = Some(value);
        Ok(())
    }

    /// Builds a loop, and a copy of its body for a shorter last tile.
    fn visit(&mut self, node: NodeId) -> Result<(), Diagnostic<'p>> {
        let level = self.plan.nest.depth(node) - 1;
        let trip = self.plan.trips.get(level, self.variant);
        match trip.whole {
            0 => {}
            1 => self.inline(node, level, 0)?,
            count => self.repeat(node, level, count)?,
        }
        if trip.rest {
            let around = self.variant;
            self.variant = around.rest(level);
            self.inline(node, level, trip.whole)?;
            self.variant = around;
        }
        Ok(())
    }

    /// Builds one iteration.
    fn inline(&mut self, node: NodeId, level: usize, at: u64) -> Result<(), Diagnostic<'p>> {
        self.scopes.enter(None, level, Iter::At(at));
        self.body(node)?;
        self.scopes.leave(level);
        Ok(())
    }

    /// Builds a loop over whole tiles.
    fn repeat(&mut self, node: NodeId, level: usize, count: u64) -> Result<(), Diagnostic<'p>> {
        let (zero, one) = (self.rewriter.constant(0), self.rewriter.constant(1));
        let count = self.rewriter.constant(count.cast_signed());
        let carried = self.flow.carried(node);
        let inits = self.all_now(carried)?;
        let built = ir::build_for(self.scopes.at(), self.location, zero, count, one, &inits);
        self.done.loops += 1;
        for (index, sink) in carried.iter().enumerate() {
            self.current[*sink] = Some(built.carried(index));
        }
        self.scopes.enter(
            Some(built.body),
            level,
            Iter::Var(built.induction_variable()),
        );
        self.body(node)?;
        self.scopes.leave(level);
        let yielded = self.all_now(carried)?;
        ir::build_yield(built.body, self.location, &yielded);
        for (index, sink) in carried.iter().enumerate() {
            self.current[*sink] = Some(built.result(index));
        }
        Ok(())
    }

    /// Places an operation that is in no loop. In front of the loops it stays where it is.
    fn root_member(&mut self, index: usize) -> Result<(), Diagnostic<'p>> {
        let member = &self.plan.members[index];
        let op = member.op.op();
        if self.behind_loops {
            self.operands(ROOT, index, op)?;
            ir::move_to(op, self.scopes.at());
        }
        self.tiles[index] = Some(op.result(0).map_err(|why| internal(op, &why))?.into());
        Ok(())
    }

    /// Builds an operation on tiles, and puts its result where it is needed.
    fn member(&mut self, node: NodeId, index: usize) -> Result<(), Diagnostic<'p>> {
        let member = &self.plan.members[index];
        let op = member.op.op();
        let operands = op.operand_count();
        let tile = self.tile(member, operands)?;
        let own_parts = member
            .reduction
            .as_ref()
            .filter(|reduction| reduction.has_own_parts());
        let built = if let Some(reduction) = own_parts {
            let operand = self.operand(node, index, 0)?;
            let at = self.scopes.at();
            reduction
                .part(self.rewriter.context, at, member.op, operand, tile)?
                .op()
        } else if self.is_ragged {
            // The windows come first, so that they are in front of what reads them.
            let windows = (0..operands)
                .map(|operand| self.operand(node, index, operand))
                .collect::<Result<Vec<_>, _>>()?;
            let copy = ir::build_copy(self.scopes.at(), op);
            for (operand, window) in windows.into_iter().enumerate() {
                ir::set_operand(copy, operand, window);
            }
            copy
        } else {
            self.operands(node, index, op)?;
            ir::move_to(op, self.scopes.at());
            op
        };
        if built != op && self.tiles[index].is_none() {
            self.replaced.push(op);
        }
        let result: Val<'p> = built.result(0).map_err(|why| internal(op, &why))?.into();
        result.set_type(tile);
        self.tiles[index] = Some(result);
        for sink in self.flow.of_member(index) {
            if self.flow.sinks[sink].accumulates {
                self.accumulate(sink, result)?;
            }
        }
        self.insert(index, node, result)
    }

    /// Lets an operation read what each operand is in a body.
    fn operands(&mut self, node: NodeId, index: usize, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        for operand in 0..op.operand_count() {
            let before = op.operand(operand).map_err(|why| internal(op, &why))?;
            let value = self.operand(node, index, operand)?;
            if value != before {
                ir::set_operand(op, operand, value);
            }
        }
        Ok(())
    }

    /// What an operand of a member is in the member's body.
    fn operand(
        &mut self,
        node: NodeId,
        index: usize,
        operand: usize,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let member = &self.plan.members[index];
        let op = member.op.op();
        let nest = &self.plan.nest;
        let (value, base) = match self.plan.maker(index, operand) {
            None => (op.operand(operand).map_err(|why| internal(op, &why))?, 0),
            Some(maker) => {
                let source = nest.home(maker);
                let common = nest.common(source, node);
                let value = match self.flow.complete_in(maker, common) {
                    Some(sink) => self.complete[sink],
                    None => self.tiles[maker],
                };
                let value = value.ok_or_else(|| internal(op, &"operand is not computed yet"))?;
                (value, nest.depth(common))
            }
        };
        if node == ROOT {
            return Ok(value);
        }
        let region = member.windows.regions[operand];
        let tile = self.tile(member, operand)?;
        let slicing = self.slicing(region, base, usize::MAX);
        Ok(self.scopes.slice(value, &slicing, tile))
    }

    /// Inserts a value that is ready in `source` into the tensors that need it further out.
    fn insert(
        &mut self,
        index: usize,
        source: NodeId,
        value: Val<'p>,
    ) -> Result<(), Diagnostic<'p>> {
        let member = &self.plan.members[index];
        let region = result_region(member)?;
        for at in self.flow.of_member(index) {
            let sink = &self.flow.sinks[at];
            if sink.accumulates || sink.source != source {
                continue;
            }
            let depth = self.plan.nest.depth(source);
            let base = self.plan.nest.depth(sink.home);
            let slicing = self.slicing(region, base, depth);
            let into = self.now(at)?;
            let location = member.op.op().location();
            self.current[at] = Some(self.scopes.insert(value, into, &slicing, location));
        }
        Ok(())
    }

    /// Combines a part with the accumulator of a reduction.
    fn accumulate(&mut self, index: usize, part: Val<'p>) -> Result<(), Diagnostic<'p>> {
        let sink = &self.flow.sinks[index];
        let member = &self.plan.members[sink.member];
        let Some(reduction) = &member.reduction else {
            return Ok(());
        };
        let base = self.plan.nest.depth(sink.home);
        let slicing = self.slicing(result_region(member)?, base, usize::MAX);
        let whole = self.now(index)?;
        let before = self.scopes.fresh_slice(whole, &slicing, part.r#type());
        let at = self.scopes.at();
        let after = reduction.combine(self.rewriter.context, at, member.op, before, part)?;
        let location = member.op.op().location();
        self.current[index] = Some(if before == whole {
            after
        } else {
            self.scopes.insert(after, whole, &slicing, location)
        });
        Ok(())
    }

    /// The window that the levels from `base` to `depth` leave of a region.
    fn slicing(&self, region: RegionId, base: usize, depth: usize) -> Slicing<'g>
    where
        'r: 'g,
    {
        Slicing::new(
            self.rewriter.regions.get(region),
            region,
            &self.plan.trips,
            self.variant,
            base..depth,
        )
    }

    /// The type of one of a member's tensors in its body.
    fn tile(&self, member: &PlannedMember<'p>, tensor: usize) -> Result<Type<'p>, Diagnostic<'p>> {
        if self.variant == Variant::default() {
            return Ok(member.windows.tiles[tensor]);
        }
        let whole = self.original_type(member, tensor)?;
        let region = self.rewriter.regions.get(member.windows.regions[tensor]);
        let extents = extents(region, &self.plan.trips, self.variant, usize::MAX);
        self.rewriter
            .types
            .tile(&whole, &extents)
            .map_err(|why| internal(member.op.op(), &why))
    }

    /// The type of what a member has computed in a body that is around it.
    fn type_in(
        &self,
        member: &PlannedMember<'p>,
        home: NodeId,
    ) -> Result<Rc<TensorType<'p>>, Diagnostic<'p>> {
        let fail = |why: String| internal(member.op.op(), &why);
        let whole = self.original_type(member, member.op.op().operand_count())?;
        let region = self.rewriter.regions.get(result_region(member)?);
        let depth = self.plan.nest.depth(home);
        let extents = extents(region, &self.plan.trips, self.variant, depth);
        let ty = self.rewriter.types.tile(&whole, &extents).map_err(fail)?;
        self.rewriter.types.get(ty).map_err(fail)
    }

    /// The type of one of a member's tensors before the rewriting.
    fn original_type(
        &self,
        member: &PlannedMember<'p>,
        tensor: usize,
    ) -> Result<Rc<TensorType<'p>>, Diagnostic<'p>> {
        let ty = member.windows.types[tensor];
        self.rewriter
            .types
            .get(ty)
            .map_err(|why| internal(member.op.op(), &why))
    }

    fn now(&self, sink: usize) -> Result<Val<'p>, Diagnostic<'p>> {
        self.current[sink].ok_or_else(|| {
            let member = &self.plan.members[self.flow.sinks[sink].member];
            internal(member.op.op(), &"its tensor is not there yet")
        })
    }

    fn all_now(&self, sinks: &[usize]) -> Result<Vec<Val<'p>>, Diagnostic<'p>> {
        sinks.iter().map(|sink| self.now(*sink)).collect()
    }

    /// Lets what is behind the loops use what they have made, and removes what was copied.
    fn finish(self) -> Result<Done, Diagnostic<'p>> {
        for (index, uses) in self.flow.outside.iter().enumerate() {
            let value = match self.flow.complete_in(index, ROOT) {
                Some(sink) => self.complete[sink],
                None => continue,
            };
            let Some(value) = value else { continue };
            for found in uses {
                ir::set_operand(found.owner, found.operand, value);
            }
        }
        for op in self.replaced.into_iter().rev() {
            ir::erase(op);
        }
        Ok(self.done)
    }
}

/// The region of a member's result.
fn result_region<'p>(member: &PlannedMember<'p>) -> Result<RegionId, Diagnostic<'p>> {
    let region = member.windows.regions.last().copied();
    region.ok_or_else(|| internal(member.op.op(), &"operation has no result"))
}
