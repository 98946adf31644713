//! Converts the operations of a function: loops, windows and views of values in scratchpads, and device operations.
//!
//! A value in a scratchpad is a tensor of the core's part, under the value's name in `tiles`. A value in device memory
//! has no name: each operation loads its operands, and stores its result. So a loop carries the values in scratchpads,
//! and windows of device memory are addresses.

use melior::ir::operation::OperationLike;
use melior::ir::{Block, Region, RegionLike, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::view::{self, View};
use spyre_analysis::walk::carried;
use spyre_conversion::to_sdscbundle::window::{Loop, Resolver, inserted};
use spyre_dialects::attr::Place;
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Offset, Op, OpKind, Val, ValueKey};
use spyre_ods::{Arithmetic, CmpIPredicate, arith, scf};
use spyre_ops::Meaning;

use crate::computation::Computation;
use crate::compute;
use crate::division::Part;
use crate::emit::{Emitter, Tile, compact};
use crate::memory::{self, Frame};
use crate::parts;
use crate::pieces::{Built, Cuts};
use crate::plan::Plan;
use crate::step::{Step, Tensor, Trips};
use crate::{BaseUnit, PASS, error, gather};

/// The conversion of one launch.
pub(crate) struct Walk<'a, 'p> {
    /// The builder of the function.
    pub emit: Emitter<'p>,
    /// The plan of the program.
    pub plan: &'a Plan<'p>,
    /// The types of tensors.
    pub types: &'a TensorTypes<'p>,
    /// The memory and the enclosing loops.
    pub memory: Memory<'p>,
    /// The values in scratchpads.
    pub tiles: FxHashMap<ValueKey, Tile<'p>>,
    /// The enclosing loops of the program, outermost first.
    pub loops: Vec<Loop<'p>>,
    /// The operations that are converted in pieces.
    pub cuts: &'a Cuts,
    /// The operations that were built for each device operation.
    pub built: Built<'p>,
}

/// The arguments of a function, and the values of the enclosing loops.
pub(crate) struct Memory<'p> {
    /// The base address of each tensor that is an argument.
    pub arguments: Vec<Val<'p>>,
    /// The extent of each dynamic dimension.
    pub sizes: Vec<Val<'p>>,
    /// The base address of the pool for each element type.
    pub pools: Vec<(Type<'p>, Val<'p>)>,
    /// The unit of addresses.
    pub unit: BaseUnit,
    /// The iterations of the enclosing loops, outermost first.
    pub iterations: Vec<Val<'p>>,
    /// The number of them.
    pub trips: Vec<Trips>,
}

/// Returns what accesses of device memory depend on.
fn frame<'a, 'p>(plan: &'a Plan<'p>, memory: &'a Memory<'p>) -> Frame<'a, 'p> {
    Frame {
        arguments: &memory.arguments,
        pools: &memory.pools,
        iterations: &memory.iterations,
        trips: &memory.trips,
        unit: memory.unit,
        extents: &plan.extents,
        sizes: &memory.sizes,
    }
}

impl<'p> Walk<'_, 'p> {
    /// Converts operations.
    ///
    /// # Errors
    /// An operation has no form in KTIR.
    pub(crate) fn operations(&mut self, ops: &[Op<'p>]) -> Result<(), Diagnostic<'p>> {
        for &op in ops {
            self.emit.location = op.location();
            if let Some(device) = DeviceOp::cast(op) {
                self.device(device)?;
                continue;
            }
            match ir::kind(op) {
                OpKind::For => self.counted(op)?,
                OpKind::ExtractSlice => self.window(op)?,
                OpKind::InsertSlice => self.insertion(op)?,
                OpKind::Other if view::is_view(op) => self.view(op)?,
                OpKind::ExpandShape | OpKind::CollapseShape => self.view(op)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn resolver(&self) -> Resolver<'_, 'p> {
        Resolver {
            types: self.types,
            loops: &self.loops,
            pass: PASS,
        }
    }

    pub(crate) fn tile(&self, value: Val<'p>) -> Option<&Tile<'p>> {
        self.tiles.get(&ir::value_key(value))
    }

    pub(crate) fn set(&mut self, value: Val<'p>, tile: Tile<'p>) {
        self.tiles.insert(ir::value_key(value), tile);
    }

    /// Converts a device operation, in pieces where its part is too large for a scratchpad.
    fn device(&mut self, device: DeviceOp<'p>) -> Result<(), Diagnostic<'p>> {
        let op = device.op();
        let step = self.plan.step(op);
        let before = self.built.last(self.emit.block);
        match self.cuts.get(&ir::op_key(op)) {
            Some(cut) => self.in_pieces(device, step, cut)?,
            None => self.whole(device, step)?,
        }
        self.built.add(op, self.emit.block, before);
        Ok(())
    }

    /// Converts a device operation on the whole part of a core. One whose result is in device memory is under the branch of
    /// the cores that store it, so that the other ones load nothing: what they would load may be what another core stores. A
    /// value in scratchpads is a result of every core, since an interpreter of KTIR has no branch with results.
    fn whole(&mut self, device: DeviceOp<'p>, step: &Step<'p>) -> Result<(), Diagnostic<'p>> {
        let op = device.op();
        let tensor = step.tensors.last().expect("an operation has a result");
        if matches!(tensor.operand.place, Place::Lx(_)) {
            let value = self.value(device, step)?;
            self.set_result(op, step, value);
            return Ok(());
        }
        self.guarded(step, |walk| {
            let value = walk.value(device, step)?;
            walk.store(op, tensor, value)
        })
    }

    /// Sets the part of a result in scratchpads.
    pub(crate) fn set_result(&mut self, op: Op<'p>, step: &Step<'p>, value: Val<'p>) {
        let tensor = step.tensors.last().expect("an operation has a result");
        let tile = Tile {
            value,
            parts: tensor.parts.clone(),
            cores: step.division.cores,
        };
        let result = ir::result(op, 0).expect("a device operation has a result");
        self.set(result, tile);
    }

    /// Builds the store of a part of a result in device memory.
    pub(crate) fn store(
        &mut self,
        op: Op<'p>,
        tensor: &Tensor<'p>,
        value: Val<'p>,
    ) -> Result<(), Diagnostic<'p>> {
        let frame = frame(self.plan, &self.memory);
        memory::store(&mut self.emit, &frame, op, tensor, value)
    }

    /// Builds operations under the branch of the cores that store a result.
    pub(crate) fn guarded(
        &mut self,
        step: &Step<'p>,
        build: impl FnOnce(&mut Self) -> Result<(), Diagnostic<'p>>,
    ) -> Result<(), Diagnostic<'p>> {
        let around = self.emit.block;
        let guard = self.guard(step);
        if let Some(inside) = guard {
            self.emit.block = inside;
        }
        build(self)?;
        if guard.is_some() {
            self.emit.build().insert(scf::yield_(&[]), &[]);
            self.emit.block = around;
        }
        Ok(())
    }

    /// Builds the part of an operation's result that a core computes.
    pub(crate) fn value(
        &mut self,
        device: DeviceOp<'p>,
        step: &Step<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let op = device.op();
        if device.facts().meaning == Some(Meaning::Gather) {
            return self.gather(device, step);
        }
        let computation = Computation {
            device,
            step,
            inputs: self.inputs(op, step)?,
        };
        compute::compute(&mut self.emit, &computation).map_err(|reason| error(op, reason))
    }

    fn gather(&mut self, device: DeviceOp<'p>, step: &Step<'p>) -> Result<Val<'p>, Diagnostic<'p>> {
        let frame = frame(self.plan, &self.memory);
        gather::gather(&mut self.emit, &frame, device, step)
    }

    /// Returns the parts of the operands that a core needs.
    pub(crate) fn inputs(
        &mut self,
        op: Op<'p>,
        step: &Step<'p>,
    ) -> Result<Vec<Tile<'p>>, Diagnostic<'p>> {
        let mut inputs = Vec::with_capacity(step.tensors.len() - 1);
        for (number, value) in op.operands().enumerate() {
            inputs.push(self.operand(op, value, &step.tensors[number], step.division.cores)?);
        }
        Ok(inputs)
    }

    /// Returns the part of an operand that a core needs.
    fn operand(
        &mut self,
        op: Op<'p>,
        value: Val<'p>,
        tensor: &Tensor<'p>,
        cores: u32,
    ) -> Result<Tile<'p>, Diagnostic<'p>> {
        if !matches!(tensor.operand.place, Place::Lx(_)) {
            let frame = frame(self.plan, &self.memory);
            return memory::load(&mut self.emit, &frame, op, tensor, cores);
        }
        let Some(tile) = self.tile(value).cloned() else {
            return Err(elsewhere(op, value));
        };
        if tile.cores < cores {
            let message = format!(
                "{cores} cores read a value that the scratchpads of {} cores have",
                tile.cores
            );
            return Err(error(op, message).note(value.location(), "the value is defined here"));
        }
        parts::narrow(&mut self.emit, &tile, &tensor.parts, cores)
            .map_err(|reason| error(op, reason).note(value.location(), "the value is defined here"))
    }

    /// Builds the branch of the cores that store a result. Returns its block; `None` if all cores store.
    fn guard(&mut self, step: &Step<'p>) -> Option<Blk<'p>> {
        let division = &step.division;
        let mut condition: Option<Val<'p>> = None;
        let mut require = |emit: &Emitter<'p>, holds| {
            condition = Some(match condition {
                Some(others) => emit.build().same(arith::andi(others, holds)),
                None => holds,
            });
        };
        if division.cores < self.plan.cores {
            let count = self.emit.index(division.cores.into());
            let core = self.emit.core;
            let holds = self.emit.build().cmpi(CmpIPredicate::Ult, core, count);
            require(&self.emit, holds);
        }
        for &digit in &division.summed {
            let zero = self.emit.index(0);
            let value = self.emit.digit(digit);
            let holds = self.emit.build().cmpi(CmpIPredicate::Eq, value, zero);
            require(&self.emit, holds);
        }
        let condition = condition?;
        let then = Region::new();
        then.append_block(Block::new(&[]));
        let parts = scf::if_(condition).region(then).region(Region::new());
        let branch = self.emit.build().insert(parts, &[]);
        Some(ir::body(branch).expect("the branch was built with a block"))
    }

    fn counted(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let trips = self.plan.trips(op);
        let mut inits = Vec::new();
        let mut kept = Vec::new();
        for value in carried(op) {
            let place = self.resolver().resolve(op, value.init)?.place;
            if !matches!(place, Place::Lx(_)) {
                continue;
            }
            let mut tile = self.init(op, value.init, value.inside)?;
            // After the first iteration, the cores that yield the value have it.
            let yielded = parts::of_value(self.plan, self.types, value.yielded);
            tile.cores = yielded.map_or(tile.cores, |(_, cores)| tile.cores.min(cores));
            inits.push(tile);
            kept.push(value);
        }
        let end = match trips.symbol {
            None => self.emit.index(trips.most.cast_signed()),
            Some(symbol) => {
                let (number, _) = self.plan.extents.of(symbol);
                self.emit.quotient(self.memory.sizes[number], trips.step)
            }
        };
        let bounds = [self.emit.index(0), end, self.emit.index(1)];
        let values: Vec<_> = inits.iter().map(|tile| tile.value).collect();
        let at = At::End(self.emit.block);
        let built = ir::build_for(at, op.location(), bounds[0], bounds[1], bounds[2], &values);
        let around = std::mem::replace(&mut self.emit.block, built.body);
        for (number, (value, tile)) in kept.iter().zip(&inits).enumerate() {
            let inside = Tile {
                value: built.carried(number),
                ..tile.clone()
            };
            self.set(value.inside, inside);
        }
        self.loops.push(Loop {
            op,
            count: trips.most,
            step: trips.step,
        });
        self.memory.trips.push(trips);
        self.memory.iterations.push(built.induction_variable());
        let body = ir::body(op).expect("a loop has a body");
        let ops: Vec<_> = ir::operations(body).collect();
        self.operations(&ops)?;
        let mut yielded = Vec::with_capacity(kept.len());
        for (value, tile) in kept.iter().zip(&inits) {
            let after = self.tile(value.yielded).cloned();
            let after = after.ok_or_else(|| {
                error(
                    op,
                    "a loop must yield values in scratchpads, but yields one that is in none",
                )
            })?;
            if after.parts != tile.parts {
                return Err(error(
                    op,
                    "cores carry other parts of a value into the loop than they yield",
                )
                .note(
                    value.yielded.location(),
                    "the yielded value is defined here",
                ));
            }
            if after.cores < tile.cores {
                let message = format!(
                    "{} cores yield a value that a loop carries for {} cores",
                    after.cores, tile.cores
                );
                return Err(error(op, message).note(
                    value.yielded.location(),
                    "the yielded value is defined here",
                ));
            }
            yielded.push(after.value);
        }
        ir::build_yield(built.body, op.location(), &yielded);
        self.loops.pop();
        self.memory.iterations.pop();
        self.memory.trips.pop();
        self.emit.block = around;
        for (number, (value, tile)) in kept.iter().zip(inits).enumerate() {
            let after = Tile {
                value: built.result(number),
                ..tile
            };
            self.set(value.result, after);
        }
        Ok(())
    }

    /// Returns the value of a scratchpad that a loop starts from; without contents, for a `spyre.empty`.
    fn init(
        &mut self,
        op: Op<'p>,
        init: Val<'p>,
        inside: Val<'p>,
    ) -> Result<Tile<'p>, Diagnostic<'p>> {
        if let Some(tile) = self.tile(init) {
            return Ok(tile.clone());
        }
        if ir::defining_op(init).and_then(EmptyOp::cast).is_none() {
            return Err(elsewhere(op, init));
        }
        self.fresh(op, inside)
    }

    /// Builds a tensor without contents for a value of a scratchpad, with the parts that its writers give it.
    fn fresh(&mut self, op: Op<'p>, value: Val<'p>) -> Result<Tile<'p>, Diagnostic<'p>> {
        let Some((parts, cores)) = parts::of_value(self.plan, self.types, value) else {
            return Err(error(
                op,
                "no operation writes a value of a scratchpad, so its parts are not known",
            )
            .note(value.location(), "the value is defined here"));
        };
        let ty = self
            .types
            .get(value.r#type())
            .map_err(|err| error(op, err))?;
        Ok(Tile {
            value: self.emit.empty(&compact(&parts), ty.element),
            parts,
            cores,
        })
    }

    /// Returns the offsets of a window of a part, along its dimensions of more than one element.
    fn offsets(
        &mut self,
        op: Op<'p>,
        large: &[Part],
        small: &[Part],
    ) -> Result<Vec<Offset<'p>>, Diagnostic<'p>> {
        let linear = self.resolver().offsets(op)?;
        let mut offsets = Vec::new();
        for ((linear, large), small) in linear.iter().zip(large).zip(small) {
            if large.size == 1 {
                continue;
            }
            if small.size == large.size {
                offsets.push(Offset::Static(0));
                continue;
            }
            let terms: Vec<_> = self
                .memory
                .iterations
                .iter()
                .copied()
                .zip(&linear.steps)
                .collect();
            let moves = terms.iter().filter(|(_, step)| **step != 0);
            let moves: Vec<_> = moves
                .map(|(iteration, step)| (*iteration, step.unsigned_abs()))
                .collect();
            if linear.constant < 0 || linear.steps.iter().any(|step| *step < 0) {
                return Err(error(
                    op,
                    "a window of a value in a scratchpad moves backwards",
                ));
            }
            offsets.push(match moves.is_empty() {
                true => Offset::Static(linear.constant),
                false => Offset::Value(self.emit.sum(&moves, linear.constant.unsigned_abs())),
            });
        }
        if offsets.is_empty() {
            offsets.push(Offset::Static(0));
        }
        Ok(offsets)
    }

    fn window(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let source = ir::operand(op, 0).expect("a window has a source");
        let Some(tile) = self.tile(source).cloned() else {
            return Ok(());
        };
        let window = ir::window(op).ok_or_else(|| error(op, "a window has static sizes"))?;
        let ty = self
            .types
            .get(source.r#type())
            .map_err(|err| error(op, err))?;
        let small = parts::of_window(&tile.parts, &window.sizes, ty.shape())
            .map_err(|reason| error(op, reason))?;
        let offsets = self.offsets(op, &tile.parts, &small)?;
        let long = |part: &&Part| part.size != 1;
        let sizes: Vec<u64> = tile
            .parts
            .iter()
            .zip(&small)
            .filter(|(large, _)| long(large))
            .map(|(_, small)| small.size)
            .collect();
        let sizes = if sizes.is_empty() { vec![1] } else { sizes };
        let value = self.emit.slice(tile.value, offsets, &sizes);
        let value = self.emit.reshape(value, &compact(&small));
        let result = ir::result(op, 0).expect("a window has a result");
        self.set(
            result,
            Tile {
                value,
                parts: small,
                cores: tile.cores,
            },
        );
        Ok(())
    }

    fn insertion(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let [small, large] =
            [0, 1].map(|number| ir::operand(op, number).expect("it has two tensors"));
        let result = ir::result(op, 0).expect("an insertion has a result");
        if !matches!(self.resolver().resolve(op, large)?.place, Place::Lx(_)) {
            return self.check_stored(op, small);
        }
        let Some(tile) = self.tile(small).cloned() else {
            return Err(error(
                op,
                "a value in device memory is inserted into a value in scratchpads",
            )
            .note(small.location(), "the value is defined here"));
        };
        let into = match self.tile(large) {
            Some(into) => into.clone(),
            None if ir::defining_op(large).and_then(EmptyOp::cast).is_some() => {
                self.fresh(op, result)?
            }
            None => return Err(elsewhere(op, large)),
        };
        let window = ir::window(op).ok_or_else(|| error(op, "a window has static sizes"))?;
        let ty = self
            .types
            .get(result.r#type())
            .map_err(|err| error(op, err))?;
        let expected = parts::of_window(&into.parts, &window.sizes, ty.shape());
        let expected = expected.map_err(|reason| error(op, reason))?;
        if expected != tile.parts {
            return Err(
                error(op, "cores insert other parts than they have of the tensor")
                    .note(small.location(), "the value is defined here"),
            );
        }
        let offsets = self.offsets(op, &into.parts, &expected)?;
        let sizes = into
            .parts
            .iter()
            .zip(&expected)
            .filter(|(large, _)| large.size != 1);
        let sizes: Vec<u64> = sizes.map(|(_, small)| small.size).collect();
        let sizes = if sizes.is_empty() { vec![1] } else { sizes };
        let value = self.emit.reshape(tile.value, &sizes);
        let value = self.emit.insert(value, into.value, offsets, &sizes);
        self.set(
            result,
            Tile {
                value,
                parts: into.parts,
                cores: into.cores.min(tile.cores),
            },
        );
        Ok(())
    }

    /// Checks that the operation of a value that is inserted into device memory has stored it.
    fn check_stored(&self, op: Op<'p>, small: Val<'p>) -> Result<(), Diagnostic<'p>> {
        let maker = ir::defining_op(small).and_then(DeviceOp::cast);
        let is_window = |device: DeviceOp<'p>| device.place() == Some(Place::Window);
        if let Some(device) = maker
            && is_window(device)
        {
            inserted(device.op(), PASS)?;
            return Ok(());
        }
        // A loop over windows of windows yields the tensor that it was given.
        match self.tile(small) {
            None => Ok(()),
            Some(_) => Err(error(
                op,
                "a value in scratchpads is inserted into device memory, and no operation stores it",
            )
            .note(small.location(), "the value is defined here")),
        }
    }

    fn view(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let source = ir::operand(op, 0).expect("a view has a source");
        let Some(tile) = self.tile(source).cloned() else {
            return Ok(());
        };
        let result = ir::result(op, 0).expect("a view has a result");
        let ty = self
            .types
            .get(result.r#type())
            .map_err(|err| error(op, err))?;
        let from = self
            .types
            .get(source.r#type())
            .map_err(|err| error(op, err))?;
        let view = View::of(op).map_err(|reason| error(op, reason))?;
        let parts = parts::of_view(&tile.parts, &view, from.shape(), ty.shape())
            .map_err(|reason| error(op, reason))?;
        let value = match &view {
            View::Permute(permutation) => {
                let long: Vec<usize> = (0..tile.parts.len())
                    .filter(|dim| tile.parts[*dim].size != 1)
                    .collect();
                let moved = permutation
                    .iter()
                    .filter_map(|dim| long.iter().position(|other| other == dim));
                let moved: Vec<usize> = moved.collect();
                match moved.is_empty() {
                    true => tile.value,
                    false => self.emit.transpose(tile.value, &moved),
                }
            }
            View::Expand(_) | View::Collapse(_) => self.emit.reshape(tile.value, &compact(&parts)),
        };
        self.set(
            result,
            Tile {
                value,
                parts,
                cores: tile.cores,
            },
        );
        Ok(())
    }
}

/// Returns the error of an operation that reads a value of a scratchpad that no operation of its launch computes.
fn elsewhere<'p>(op: Op<'p>, value: Val<'p>) -> Diagnostic<'p> {
    let message = "the value is in a scratchpad, and another launch computes it: cores exchange values in between; plan with lx=false";
    error(op, message).note(value.location(), "the value is defined here")
}
