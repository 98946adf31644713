//! Rewrites a planned group into loops.

use melior::Context;
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::r#type::DimSize;
use melior::ir::{Location, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::spyre::EmptyOperation;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, OpKind, Use, Val};

use crate::coarse_tile::build::constant;
use crate::coarse_tile::build::search::{Choice, Site};
use crate::coarse_tile::build::windows::{Iter, Scopes};
use crate::coarse_tile::plan::flow::{Flow, Holds, Sink};
use crate::coarse_tile::plan::nest::{Item, NodeId, ROOT};
use crate::coarse_tile::plan::once::Once;
use crate::coarse_tile::plan::region::Regions;
use crate::coarse_tile::plan::trips::Variant;
use crate::coarse_tile::plan::{GroupPlan, PlannedMember, internal};
use crate::dynamic::{DynamicDims, Source, SymbolId, resized};
use crate::tensor::TensorTypes;

/// The state of rewriting the groups of one function.
pub struct Rewriter<'r, 'p> {
    pub regions: &'r Regions,
    pub types: &'r TensorTypes<'p>,
    pub context: &'p Context,
    dynamic: &'r DynamicDims<'p>,
    entry: Blk<'p>,
    constants: FxHashMap<i64, Val<'p>>,
    /// The extents of dynamic dimensions, as index values at the start of the function.
    sizes: FxHashMap<SymbolId, Val<'p>>,
}

/// The size of the loops that a group was rewritten into.
#[derive(Debug, Default)]
pub struct Done {
    /// The number of loops that were made.
    pub loops: usize,
    /// The number of operations that are in loops now, or in the body of a single iteration for which no loop is built.
    pub operations: usize,
}

impl<'r, 'p> Rewriter<'r, 'p> {
    /// Returns a rewriter for a function with this entry block.
    pub fn new(
        context: &'p Context,
        entry: Blk<'p>,
        types: &'r TensorTypes<'p>,
        dynamic: &'r DynamicDims<'p>,
        regions: &'r Regions,
    ) -> Self {
        Self {
            regions,
            types,
            context,
            dynamic,
            entry,
            constants: FxHashMap::default(),
            sizes: FxHashMap::default(),
        }
    }

    /// Builds the loops of a group behind its last operation and moves its operations into them. The operations between them stay
    /// in front of the loops, except for those in `behind`, which go behind the loops.
    ///
    /// # Errors
    /// The IR breaks a rule that the verifier of its dialect checks.
    pub fn rewrite(
        &mut self,
        plan: &GroupPlan<'p>,
        behind: impl Iterator<Item = Op<'p>>,
    ) -> Result<Done, Diagnostic<'p>> {
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
            plan.members
                .iter()
                .for_each(|member| member.op.remove_hints());
            return Ok(Done::default());
        };
        let location = first.op.op().location();
        let done = Done {
            loops: 0,
            operations: in_loops.count(),
        };
        let views = copy_views(plan);
        let flow = Flow::new(plan)?;
        let mut group = GroupRewriter {
            tiles: vec![None; plan.members.len()],
            current: vec![None; flow.sinks.len()],
            complete: vec![None; flow.sinks.len()],
            choices: FxHashMap::default(),
            unused: None,
            scopes: Scopes::new(self.context, at, location),
            is_ragged: plan.trips.is_ragged(),
            variant: Variant::default(),
            behind_loops: false,
            replaced: Vec::new(),
            rewriter: self,
            plan,
            flow: &flow,
            once: Once::new(plan, &flow),
            location,
            done,
        };
        group.body(ROOT)?;
        for op in views.into_iter().chain(behind) {
            ir::move_to(op, at);
        }
        group.finish()
    }

    /// Returns a constant of type `index` at the start of the function, made once for each value.
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

    /// Returns the extent of a dynamic dimension, read once at the start of the function.
    fn size(&mut self, id: SymbolId) -> Result<Val<'p>, Diagnostic<'p>> {
        if let Some(known) = self.sizes.get(&id) {
            return Ok(*known);
        }
        let symbol = self.dynamic.symbol(id);
        let Some(Source { value, dim, .. }) = symbol.source else {
            let message = format!("\"{}\" is a dimension of no argument", symbol.name);
            return Err(Diagnostic::error(Location::unknown(self.context), message));
        };
        let position = self.constant(i64::try_from(dim).expect("a rank fits into 64 bits"));
        let location = value.location();
        let dim = OperationBuilder::new("tensor.dim", location)
            .add_operands(&[value, position])
            .add_results(&[Type::index(self.context)])
            .build()
            .map_err(|why| Diagnostic::error(location, why.to_string()))?;
        // The extent is read right behind the constant, in front of everything that could need it.
        let dim = match ir::defining_op(position) {
            Some(constant) => self.entry.insert_operation_after(constant, dim),
            None => self.entry.append_operation(dim),
        };
        let size: Val<'p> = dim.result(0).map_err(|why| internal(dim, &why))?.into();
        self.sizes.insert(id, size);
        Ok(size)
    }
}

/// Copies the views of a group that are used outside of it as well. The uses outside then read the copies, which view the full
/// tensor. Returns the copies.
fn copy_views<'p>(plan: &GroupPlan<'p>) -> Vec<Op<'p>> {
    let mut copies = Vec::new();
    // Readers come before the views that they read, because a copy is a use outside as well.
    for (index, member) in plan.members.iter().enumerate().rev() {
        let op = member.op.op();
        if !member.op.is_view() || plan.nest.home(index) == ROOT {
            continue;
        }
        let uses: Vec<_> = op
            .results()
            .flat_map(|result| ir::uses(result.into()))
            .collect();
        let is_outside = |found: &&Use<'p>| !plan.positions.contains_key(&ir::op_key(found.owner));
        let outside: Vec<_> = uses.iter().filter(is_outside).collect();
        if outside.is_empty() {
            continue;
        }
        let copy = ir::build_copy(At::Before(op), op);
        for found in outside {
            let result = copy.result(0).expect("a view has a result");
            ir::set_operand(found.owner, found.operand, result.into());
        }
        copies.push(copy);
    }
    copies.reverse();
    copies
}

/// The state of rewriting one group.
pub(crate) struct GroupRewriter<'g, 'r, 'p> {
    pub rewriter: &'g mut Rewriter<'r, 'p>,
    pub plan: &'g GroupPlan<'p>,
    pub flow: &'g Flow<'p>,
    once: Once,
    location: Location<'p>,
    pub scopes: Scopes<'p>,
    /// Whether bodies have copies. Operations are then copied, rather than moved.
    pub is_ragged: bool,
    /// The copy of the bodies that is being built.
    pub variant: Variant,
    /// The result of each member, where it was built last.
    pub tiles: Vec<Option<Val<'p>>>,
    /// The tensor of each sink, as far as it is filled.
    pub current: Vec<Option<Val<'p>>>,
    /// The tensor of each sink, complete.
    pub complete: Vec<Option<Val<'p>>>,
    /// For each member that searches for elements, the choice where it was built last.
    pub choices: FxHashMap<usize, Choice<'p>>,
    /// Elements that are chosen in the last tile and that no loop carries on.
    pub unused: Option<Val<'p>>,
    /// Whether a loop was built at the root, so that later operations at the root are behind loops.
    pub behind_loops: bool,
    /// Operations that copies have replaced.
    pub replaced: Vec<Op<'p>>,
    done: Done,
}

impl<'g, 'r, 'p> GroupRewriter<'g, 'r, 'p> {
    /// Builds the items of a body.
    fn body(&mut self, node: NodeId) -> Result<(), Diagnostic<'p>> {
        for item in self.plan.nest.items(node) {
            match item {
                Item::Member(member) if node == ROOT => self.root_member(member)?,
                Item::Member(member) if self.once.skips(self.plan, self.variant, member) => {}
                Item::Member(member) => self.member(node, member)?,
                Item::Loop(inner) if self.once.skips_loop(self.plan, self.variant, inner) => {}
                Item::Loop(inner) => {
                    let carried = self.carried(inner);
                    for sink in &carried {
                        if self.flow.sinks[*sink].home == node {
                            self.current[*sink] = Some(self.start(&self.flow.sinks[*sink])?);
                        }
                    }
                    self.visit(inner)?;
                    self.behind_loops |= node == ROOT;
                    for sink in &carried {
                        if self.flow.sinks[*sink].home == node {
                            self.end(*sink)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the indices of the sinks that a loop carries in the copy that is being built.
    fn carried(&self, node: NodeId) -> Vec<usize> {
        let is_built = |sink: &usize| {
            !self
                .once
                .skips(self.plan, self.variant, self.flow.sinks[*sink].member)
        };
        self.flow
            .carried(node)
            .iter()
            .copied()
            .filter(is_built)
            .collect()
    }

    /// Builds the tensor that a sink starts from.
    fn start(&mut self, sink: &Sink) -> Result<Val<'p>, Diagnostic<'p>> {
        let member = &self.plan.members[sink.member];
        let ty = self.type_in(member, sink.home)?;
        let symbols = self.symbols_in(member, sink.home)?;
        let at = self.scopes.at();
        if let Some(reduction) = &member.reduction
            && sink.holds != Holds::Tiles
        {
            let ty = match reduction.search() {
                Some(search) if sink.holds == Holds::Elements => {
                    let elements = search.elements(self.site(member), &ty)?;
                    let elements = self.rewriter.types.get(elements);
                    elements.map_err(|why| internal(member.op.op(), &why))?
                }
                _ => ty,
            };
            return reduction.start(self.rewriter.context, at, member.device(), &ty);
        }
        let sizes = symbols.iter().flatten();
        let sizes = sizes
            .map(|symbol| self.rewriter.size(*symbol))
            .collect::<Result<Vec<_>, _>>()?;
        let ty = resized(ty.ty, &symbols, |_| DimSize::Dynamic);
        let empty = EmptyOperation::builder(self.rewriter.context, member.op.op().location())
            .result(ty)
            .sizes(&sizes)
            .build();
        let empty = ir::insert(at, empty.into())
            .ok_or_else(|| internal(member.op.op(), &"operation is in no block"))?;
        Ok(empty.result(0).map_err(|why| internal(empty, &why))?.into())
    }

    /// Completes a sink behind the loop that filled it.
    fn end(&mut self, index: usize) -> Result<(), Diagnostic<'p>> {
        let sink = &self.flow.sinks[index];
        let member = &self.plan.members[sink.member];
        let mut value = self.now(index)?;
        if let Some(reduction) = &member.reduction
            && sink.holds == Holds::Parts
        {
            let ty = self.type_in(member, sink.home)?;
            value = reduction.finish(self.site(member), value, &ty)?;
            self.insert(sink.member, sink.home, value)?;
        }
        if sink.holds == Holds::Elements {
            self.erase_unused(value);
        }
        self.complete[index] = Some(value);
        Ok(())
    }

    /// Removes the operations that compute a value that nobody reads, such as elements behind the last tile, with which no tile
    /// is compared.
    pub fn erase_unused(&self, value: Val<'p>) {
        let mut pending = vec![value];
        let mut erased = rustc_hash::FxHashSet::default();
        while let Some(value) = pending.pop() {
            if erased.contains(&ir::value_key(value)) {
                continue;
            }
            let Some(maker) = ir::defining_op(value) else {
                continue;
            };
            let is_pure = DeviceOp::cast(maker).is_some() || ir::kind(maker) == OpKind::InsertSlice;
            let is_own = !self.plan.positions.contains_key(&ir::op_key(maker));
            if is_pure && is_own && ir::uses(value).is_empty() {
                erased.insert(ir::value_key(value));
                pending.extend(maker.operands());
                ir::erase(maker);
            }
        }
    }

    /// Builds a loop, and a copy of its body for a shorter last tile.
    fn visit(&mut self, node: NodeId) -> Result<(), Diagnostic<'p>> {
        let level = self.plan.nest.depth(node) - 1;
        let trip = self.plan.trips.get(level, self.variant);
        if let Some(symbol) = self.plan.levels[level].dynamic {
            return self.repeat_dynamic(node, level, symbol);
        }
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

    /// Builds the iteration with the number `at`, without a loop.
    fn inline(&mut self, node: NodeId, level: usize, at: u64) -> Result<(), Diagnostic<'p>> {
        self.scopes.enter(None, level, Iter::At(at));
        self.body(node)?;
        self.scopes.leave(level);
        Ok(())
    }

    /// Builds a loop over whole tiles.
    fn repeat(&mut self, node: NodeId, level: usize, count: u64) -> Result<(), Diagnostic<'p>> {
        let count = self.rewriter.constant(count.cast_signed());
        let step = self.rewriter.constant(1);
        self.build_loop(node, level, count, step, Iter::Number)
    }

    /// Builds a loop over the tiles of a dynamic dimension.
    fn repeat_dynamic(
        &mut self,
        node: NodeId,
        level: usize,
        symbol: SymbolId,
    ) -> Result<(), Diagnostic<'p>> {
        let size = self.rewriter.size(symbol)?;
        let step = self.plan.steps[level].cast_signed();
        let step = self.rewriter.constant(step);
        self.build_loop(node, level, size, step, Iter::Start)
    }

    /// Builds a loop from 0 to a bound.
    fn build_loop(
        &mut self,
        node: NodeId,
        level: usize,
        bound: Val<'p>,
        step: Val<'p>,
        iteration: impl Fn(Val<'p>) -> Iter<'p>,
    ) -> Result<(), Diagnostic<'p>> {
        let zero = self.rewriter.constant(0);
        let carried = self.carried(node);
        let inits = self.all_now(&carried)?;
        let built = ir::build_for(self.scopes.at(), self.location, zero, bound, step, &inits);
        self.done.loops += 1;
        for (index, sink) in carried.iter().enumerate() {
            self.current[*sink] = Some(built.carried(index));
        }
        self.scopes.enter(
            Some(built.body),
            level,
            iteration(built.induction_variable()),
        );
        self.body(node)?;
        self.scopes.leave(level);
        let yielded = self.all_now(&carried)?;
        ir::build_yield(built.body, self.location, &yielded);
        for (index, sink) in carried.iter().enumerate() {
            self.current[*sink] = Some(built.result(index));
        }
        Ok(())
    }

    /// Returns the site at which operations for a member are built.
    pub fn site(&self, member: &PlannedMember<'p>) -> Site<'r, 'p> {
        Site {
            context: self.rewriter.context,
            types: self.rewriter.types,
            at: self.scopes.at(),
            op: member.device(),
        }
    }

    pub fn now(&self, sink: usize) -> Result<Val<'p>, Diagnostic<'p>> {
        self.current[sink].ok_or_else(|| {
            let member = &self.plan.members[self.flow.sinks[sink].member];
            internal(member.op.op(), &"its tensor is not there yet")
        })
    }

    fn all_now(&self, sinks: &[usize]) -> Result<Vec<Val<'p>>, Diagnostic<'p>> {
        sinks.iter().map(|sink| self.now(*sink)).collect()
    }

    /// Sets the uses behind the loops to the tensors that the loops have made, and removes the operations that were copied.
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
        constant::erase_unused(self.scopes.constants);
        Ok(self.done)
    }
}
