//! Rewrites the body of a kernel into the loop over its cores.
//!
//! Operations move to the new function one after the other, and keep their operands; views and tiles become indices,
//! and loads and stores code on buffers. A loop or a branch with stores carries the buffers that it stores to.

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Block, Region, RegionLike, Type, TypeLike as _, ValueLike};
use rustc_hash::FxHashMap;
use spyre_ktir_kernel::has_accesses;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, OpBuilder, Val, ValueKey};
use spyre_ods::{Arithmetic, arith, func, ktdp, scf};

use crate::fault::Faults;
use crate::program::{Kernel, Program};
use crate::range::Ranges;
use crate::tiles::Tile;
use crate::views::View;
use crate::{BaseUnit, error};

/// The rewrite of a kernel.
pub(crate) struct Rewrite<'a, 'p> {
    context: &'p Context,
    /// The program.
    pub program: &'a Program<'p>,
    /// The places where accesses are compared.
    pub faults: &'a mut Faults<'p>,
    /// The ranges of indices.
    pub ranges: Ranges,
    unit: BaseUnit,
    /// The body of the kernel.
    function: Blk<'p>,
    core: Val<'p>,
    views: FxHashMap<ValueKey, View<'p>>,
    tiles: FxHashMap<ValueKey, Tile<'p>>,
    /// Operations that are rewritten, in order: erased from the last one on.
    rewritten: Vec<Op<'p>>,
}

impl<'a, 'p> Rewrite<'a, 'p> {
    /// Starts the rewrite of a kernel on a core.
    pub(crate) fn new(
        program: &'a Program<'p>,
        kernel: &Kernel<'p>,
        faults: &'a mut Faults<'p>,
        unit: BaseUnit,
        (context, core): (&'p Context, Val<'p>),
    ) -> Self {
        faults.core = Some(core);
        faults.counters.clear();
        Self {
            context,
            program,
            faults,
            ranges: kernel.ranges.clone(),
            unit,
            function: ir::function_body(kernel.op).expect("a kernel has a body"),
            core,
            views: FxHashMap::default(),
            tiles: FxHashMap::default(),
            rewritten: Vec::new(),
        }
    }

    /// Moves the body of the kernel to the end of a block. `state` has the buffers, and then those after the kernel.
    ///
    /// # Errors
    /// An operation that does not run on the CPU.
    pub(crate) fn body(
        &mut self,
        to: Blk<'p>,
        state: &mut [Val<'p>],
    ) -> Result<(), Diagnostic<'p>> {
        self.block(self.function, to, state)
    }

    /// Erases the operations that are rewritten.
    pub(crate) fn finish(self) {
        self.rewritten.into_iter().rev().for_each(ir::erase);
    }

    /// Returns a view that was constructed before.
    pub(crate) fn view(&self, value: Val<'p>) -> &View<'p> {
        let view = self.views.get(&ir::value_key(value));
        view.expect("views are checked where tiles are read")
    }

    fn block(
        &mut self,
        from: Blk<'p>,
        to: Blk<'p>,
        state: &mut [Val<'p>],
    ) -> Result<(), Diagnostic<'p>> {
        let ops: Vec<_> = ir::operations(from).collect();
        for op in ops {
            self.operation(op, to, state)?;
        }
        Ok(())
    }

    fn operation(
        &mut self,
        op: Op<'p>,
        to: Blk<'p>,
        state: &mut [Val<'p>],
    ) -> Result<(), Diagnostic<'p>> {
        let build = OpBuilder::at_end(self.context, to, op.location());
        if let Some(view) = ktdp::ConstructMemoryView::cast(op) {
            self.add_view(build, view)?;
        } else if let Some(tile) = Tile::read(build, op) {
            let tile = self.checked(op, tile?)?;
            let value = ir::result(op, 0).expect("the operation has a tile");
            self.tiles.insert(ir::value_key(value), tile);
        } else if let Some(load) = ktdp::Load::cast(op) {
            let tile = self.tile(op, load.access_tile())?;
            let value = self.load(build, op, (&tile, load.result()), state)?;
            ir::replace_all_uses(load.result(), value);
        } else if let Some(store) = ktdp::Store::cast(op) {
            let tile = self.tile(op, store.access_tile())?;
            let (buffer, after) = self.store(build, op, (&tile, store.data_tile()), state)?;
            state[buffer] = after;
        } else if let Some(id) = ktdp::GetComputeTileId::cast(op) {
            self.tile_id(build, id);
        } else if let Some(extract) = ktdp::RuntimeArgExtract::cast(op) {
            self.runtime_argument(build, extract)?;
        } else {
            return self.other(op, to, state);
        }
        self.rewritten.push(op);
        Ok(())
    }

    fn other(
        &mut self,
        op: Op<'p>,
        to: Blk<'p>,
        state: &mut [Val<'p>],
    ) -> Result<(), Diagnostic<'p>> {
        let name = ir::name(op);
        if name == func::RETURN || name == scf::YIELD {
            return Ok(()); // built anew, with the buffers
        }
        if ktdp::OPERATIONS.iter().any(|it| it.name == name) {
            return Err(error(op, format!("'{name}' does not run on the CPU")));
        }
        if !ir::blocks(op).any(has_accesses) {
            ir::move_to_end(op, to);
            return Ok(());
        }
        self.rewritten.push(op);
        if let Some(for_) = scf::For::cast(op) {
            return self.counted(for_, to, state);
        }
        match scf::If::cast(op) {
            Some(branch) => self.branch(branch, to, state),
            None => Err(error(
                op,
                format!("accesses inside of '{name}' do not run on the CPU"),
            )),
        }
    }

    fn add_view(
        &mut self,
        build: OpBuilder<'p>,
        view: ktdp::ConstructMemoryView<'p>,
    ) -> Result<(), Diagnostic<'p>> {
        let argument = self.program.bases.get(&ir::op_key(view.op()));
        let argument = *argument.expect("all views are read before");
        let mut buffers = self.program.buffers.iter();
        let buffer = buffers.position(|buffer| buffer.number == argument);
        let buffer = buffer.expect("all arguments with views are buffers");
        let state = (&self.ranges, &mut *self.faults);
        let read = View::read(build, view, (buffer, argument), self.unit, state)?;
        self.views.insert(ir::value_key(view.view()), read);
        Ok(())
    }

    /// Returns a tile, if its views are views of arguments.
    fn checked(&self, op: Op<'p>, tile: Tile<'p>) -> Result<Tile<'p>, Diagnostic<'p>> {
        let bases = op.operands().filter(|it| !it.r#type().is_index());
        for value in bases {
            if !self.views.contains_key(&ir::value_key(value)) {
                let message =
                    "a tile of a value that is no view of an argument does not run on the CPU";
                return Err(error(op, message));
            }
        }
        Ok(tile)
    }

    fn tile(&self, op: Op<'p>, value: Val<'p>) -> Result<Tile<'p>, Diagnostic<'p>> {
        let tile = self.tiles.get(&ir::value_key(value)).cloned();
        tile.ok_or_else(|| error(op, "a tile that is a block argument or a result of control flow does not run on the CPU"))
    }

    /// Replaces the numbers of the core: one number, or one for each dimension of the grid, the first one fastest.
    fn tile_id(&self, build: OpBuilder<'p>, id: ktdp::GetComputeTileId<'p>) {
        let ids: Vec<_> = id.ids().collect();
        if let [id] = ids[..] {
            ir::replace_all_uses(id, self.core);
            return;
        }
        let mut rest = self.core;
        for (place, id) in ids.into_iter().enumerate() {
            let cores = build.index(self.ranges.grid.get(place).copied().unwrap_or(1));
            ir::replace_all_uses(id, build.same(arith::remui(rest, cores)));
            rest = build.same(arith::divui(rest, cores));
        }
    }

    fn runtime_argument(
        &self,
        build: OpBuilder<'p>,
        extract: ktdp::RuntimeArgExtract<'p>,
    ) -> Result<(), Diagnostic<'p>> {
        let value = self.ranges.runtime_argument(extract);
        let value = value.ok_or_else(|| error(extract.op(), "an argument without a value"))?;
        if !extract.result().r#type().is_index() {
            return Err(error(
                extract.op(),
                "a runtime argument that is no index does not run on the CPU",
            ));
        }
        ir::replace_all_uses(extract.result(), build.index(value));
        Ok(())
    }

    /// Returns the buffers that stores in an operation write to.
    fn stored(&self, op: Op<'p>) -> Vec<usize> {
        let mut stored: Vec<usize> = ir::blocks(op)
            .flat_map(|block| self.program.stored(block))
            .collect();
        stored.sort_unstable();
        stored.dedup();
        stored
    }

    fn counted(
        &mut self,
        for_: scf::For<'p>,
        to: Blk<'p>,
        state: &mut [Val<'p>],
    ) -> Result<(), Diagnostic<'p>> {
        let op = for_.op();
        let stored = self.stored(op);
        let mut inits: Vec<_> = for_.init_args().collect();
        let carried = inits.len();
        inits.extend(stored.iter().map(|buffer| state[*buffer]));
        let built = ir::build_for(
            At::End(to),
            op.location(),
            for_.lower_bound(),
            for_.upper_bound(),
            for_.step(),
            &inits,
        );
        let old = ir::body(op).expect("a loop has a body");
        let new: Vec<_> = ir::arguments(built.body).collect();
        for (old, new) in ir::arguments(old).zip(&new) {
            ir::replace_all_uses(old, *new);
        }
        let mut inside = state.to_vec();
        for (place, buffer) in stored.iter().enumerate() {
            inside[*buffer] = built.carried(carried + place);
        }
        self.faults.counters.push(built.induction_variable());
        self.block(old, built.body, &mut inside)?;
        self.faults.counters.pop();
        let mut values = yielded(old);
        values.extend(stored.iter().map(|buffer| inside[*buffer]));
        ir::build_yield(built.body, op.location(), &values);
        self.replace(op, built.op, &stored, state);
        Ok(())
    }

    fn branch(
        &mut self,
        branch: scf::If<'p>,
        to: Blk<'p>,
        state: &mut [Val<'p>],
    ) -> Result<(), Diagnostic<'p>> {
        let op = branch.op();
        let stored = self.stored(op);
        let mut types: Vec<Type<'p>> = ir::results(op).map(|it| it.r#type()).collect();
        types.extend(stored.iter().map(|buffer| state[*buffer].r#type()));
        let old: Vec<_> = ir::blocks(op).collect();
        let has_else = old.len() > 1 || !types.is_empty();
        let regions = [true, has_else].map(|has_block| {
            let region = Region::new();
            if has_block {
                region.append_block(Block::new(&[]));
            }
            region
        });
        let [then, otherwise] = regions;
        let parts = scf::if_(branch.condition()).region(then).region(otherwise);
        let build = OpBuilder::at_end(self.context, to, op.location());
        let built = build.insert(parts, &types);
        for (number, new) in ir::blocks(built).enumerate() {
            let mut inside = state.to_vec();
            let mut values = Vec::new();
            if let Some(old) = old.get(number) {
                self.block(*old, new, &mut inside)?;
                values = yielded(*old);
            }
            values.extend(stored.iter().map(|buffer| inside[*buffer]));
            ir::build_yield(new, op.location(), &values);
        }
        self.replace(op, built, &stored, state);
        Ok(())
    }

    /// Replaces the results of a loop or a branch, and the buffers by the results after them.
    fn replace(&self, old: Op<'p>, new: Op<'p>, stored: &[usize], state: &mut [Val<'p>]) {
        let results: Vec<_> = ir::results(new).collect();
        for (old, new) in ir::results(old).zip(&results) {
            ir::replace_all_uses(old, *new);
        }
        let first = results.len() - stored.len();
        for (buffer, value) in stored.iter().zip(&results[first..]) {
            state[*buffer] = *value;
        }
    }
}

/// Returns the operands of the terminator of a block.
fn yielded(block: Blk<'_>) -> Vec<Val<'_>> {
    let last = ir::operations(block).last();
    let last = last.filter(|op| ir::name(*op) == scf::YIELD);
    last.map_or_else(Vec::new, |op| op.operands().collect())
}
