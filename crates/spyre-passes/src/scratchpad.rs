//! `--spyre-scratchpad-planning`: a place for every value.
//!
//! * [`boundary`] checks that destinations are updated in place and gives results their arguments.
//! * [`lifetime`] says when each value is alive.
//! * [`slices`] decides whether two operations see the same slice of a value on each core.

mod boundary;
mod lifetime;
mod slices;

use melior::Context;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use spyre_dialects::attr::{Place, place_attribute};
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_dialects::spyre::CopyOperation;
use spyre_layout::Bytes;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, OpKind, Use, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_plan::{Buffer, Target, first_fit};

use self::lifetime::Timeline;
use crate::target::target_of;
use crate::tensor::TensorTypes;
use crate::work_division;

/// The attribute that says where a function argument lives.
pub const PLACE: &str = "spyre.place";

/// `--spyre-scratchpad-planning`
pub static SCRATCHPAD_PLANNING: RustPass = RustPass {
    argument: "spyre-scratchpad-planning",
    summary: "Give every value a place: argument, scratchpad (LX) or pool",
    description: r#"
Function arguments and results are kernel arguments, numbered inputs first. A
value that an operation makes and that only operations beside it read goes into
the scratchpad (LX), if it fits: every core keeps its own slice, so the
operations must cut the value over the cores in the same way. Addresses are
found first-fit over the lives of the values (middle-end specification, section
5.3), within what the target leaves to programs. Everything else goes into the
kernel's pool in device memory.

A value that is inserted into a larger tensor is written there directly,
`place window`; when it is also read nearby and lives in LX, a `spyre.copy`
writes it out. Argument and pool are in device memory (HBM).

```mlir
// before
%y = spyre.add %ta, %tb split [32, 1] : !tile
%z = spyre.mul %y, %tc split [32, 1] : !tile
%r = tensor.insert_slice %z into %acc[%i, %j] [512, 1024] [1, 1] : !tile into !t
// after: y in the scratchpad, z in place
%y = spyre.add %ta, %tb split [32, 1] place lx 0 : !tile
%z = spyre.mul %y, %tc split [32, 1] place window : !tile
%r = tensor.insert_slice %z into %acc[%i, %j] [512, 1024] [1, 1] : !tile into !t
```

Refused: a loop-carried tensor that is not updated in place (it is read in the
loop, or yields another tensor), because a bundle's loops carry nothing; a
function that is planned in part; a pool that is larger than the target allows.
"#,
    anchor: "func.func",
    options: &[],
    statistics: &[
        PassStatistic { name: "lx", description: "Values in the scratchpad" },
        PassStatistic { name: "pool", description: "Values in the pool" },
        PassStatistic { name: "copies", description: "Copies that were inserted" },
    ],
    dialects: || vec![spyre_dialects::spyre_dialect()],
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    let Some(body) = ir::function_body(function) else { return Ok(()) };
    let ops = crate::walk::device_ops(body);
    let planned = ops.iter().filter(|op| op.place().is_some()).count();
    if planned == ops.len() {
        return Ok(());
    }
    if planned > 0 {
        let placed = ops.iter().find(|op| op.place().is_some()).map_or(function, |op| op.op());
        let missing = ops.iter().find(|op| op.place().is_none()).map_or(function, |op| op.op());
        let message = format!("spyre-scratchpad-planning: {planned} of {} operations already have a place; the pass plans whole functions", ops.len());
        return Err(Diagnostic::error(placed.location(), message).note(missing.location(), "this one has none").into());
    }
    let target = target_of(function)?.target;
    let mut planner = Planner { run, types: TensorTypes::new(run.context()), target };
    boundary::check_destinations(body)?;
    let outputs = boundary::outputs(&planner, function, body)?;
    let ops = crate::walk::device_ops(body);
    let timeline = Timeline::new(body);
    planner.place_in_lx(&ops, &outputs, &timeline)?;
    planner.place_the_rest(body, &ops, &outputs, &timeline)?;
    for index in 0..body.argument_count() {
        let Ok(argument) = body.argument(index) else { continue };
        if ir::is_ranked_tensor(argument.r#type()) {
            let index_u32 = u32::try_from(index).unwrap_or(u32::MAX);
            let place = place_attribute(run.context(), Place::Arg(index_u32));
            ir::set_argument_attribute(function, index, PLACE, place);
        }
    }
    Ok(())
}

struct Planner<'p> {
    run: &'p PassRun<'p>,
    types: TensorTypes<'p>,
    target: Target,
}

/// How the result of an operation is used.
struct Uses<'p> {
    /// Operations beside it that read it.
    readers: Vec<(DeviceOp<'p>, usize)>,
    /// Insertions into larger tensors.
    inserts: Vec<Use<'p>>,
    /// Whether anything else uses it: a loop, a slice, a return.
    elsewhere: bool,
}

fn error<'p>(op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(op.location(), format!("spyre-scratchpad-planning: {message}"))
}

fn result_of<'p>(op: Op<'p>) -> Result<Val<'p>, Diagnostic<'p>> {
    op.result(0).map(Val::from).map_err(|why| error(op, why))
}

fn uses_of<'p>(op: DeviceOp<'p>) -> Result<Uses<'p>, Diagnostic<'p>> {
    let mut uses = Uses { readers: Vec::new(), inserts: Vec::new(), elsewhere: false };
    for found in ir::uses(result_of(op.op())?) {
        let beside = found.owner.block() == op.op().block();
        if beside && let Some(reader) = DeviceOp::cast(found.owner) {
            uses.readers.push((reader, found.operand));
        } else if beside && ir::kind(found.owner) == OpKind::InsertSlice && found.operand == 0 {
            uses.inserts.push(found);
        } else {
            uses.elsewhere = true;
        }
    }
    Ok(uses)
}

impl<'p> Planner<'p> {
    fn context(&self) -> &'p Context {
        self.run.context()
    }

    fn bytes(&self, op: Op<'p>, ty: Type<'p>) -> Result<Bytes, Diagnostic<'p>> {
        Ok(self.types.get(ty).map_err(|why| error(op, why))?.device.bytes())
    }

    /// Puts into the scratchpad what may be there and fits.
    fn place_in_lx(
        &self,
        ops: &[DeviceOp<'p>],
        outputs: &boundary::Outputs,
        timeline: &Timeline,
    ) -> Result<(), Diagnostic<'p>> {
        let mut candidates = Vec::new();
        let mut buffers = Vec::new();
        for op in ops {
            let uses = uses_of(*op)?;
            if outputs.contains(op.op()) || uses.elsewhere || uses.readers.is_empty() {
                continue;
            }
            if !uses.readers.iter().all(|(reader, operand)| slices::agree(*op, *reader, *operand)) {
                continue;
            }
            let readers = uses.readers.iter().map(|(reader, _)| reader.op());
            let inserts = uses.inserts.iter().map(|insert| insert.owner);
            let Some(live) = timeline.life(op.op(), readers.chain(inserts)) else { continue };
            let bytes = self.bytes(op.op(), result_of(op.op())?.r#type())?;
            let size = slices::per_core(*op, bytes).round_up_to(self.target.stick_bytes).ok_or_else(|| {
                error(op.op(), format!("size of {bytes} is out of range"))
            })?;
            candidates.push(*op);
            buffers.push(Buffer::new(size, live));
        }
        let placements = first_fit(&buffers, self.target.usable_lx(), self.target.stick_bytes);
        for (op, placement) in candidates.into_iter().zip(placements) {
            let Some(address) = placement.address() else { continue };
            op.set_place(Place::Lx(address));
            self.run.count("lx", 1);
            for insert in uses_of(op)?.inserts {
                self.copy_out(op, insert)?;
            }
        }
        Ok(())
    }

    /// Writes a value that lives elsewhere into the tensor that it is inserted into.
    fn copy_out(&self, op: DeviceOp<'p>, insert: Use<'p>) -> Result<(), Diagnostic<'p>> {
        let value = result_of(op.op())?;
        let copy = self.copy(insert.owner, value)?;
        if let Some(split) = op.split() {
            let rank = copy.iteration_space().len();
            copy.set_split(&split[..rank.min(split.len())]);
        }
        copy.set_place(Place::Window);
        ir::set_operand(insert.owner, insert.operand, result_of(copy.op())?);
        Ok(())
    }

    /// Builds a copy of `value` before an operation.
    fn copy(&self, before: Op<'p>, value: Val<'p>) -> Result<DeviceOp<'p>, Diagnostic<'p>> {
        let copy = CopyOperation::builder(self.context(), before.location()).input(value).result(value.r#type()).build();
        let block = before.block().ok_or_else(|| error(before, "operation is not in a block"))?;
        let copy = block.insert_operation_before(before, copy.into());
        self.run.count("copies", 1);
        DeviceOp::cast(copy).ok_or_else(|| error(copy, "copy is not a device operation"))
    }

    /// Builds a copy of `value` before a return.
    fn copy_before_return(&self, before: Op<'p>, value: Val<'p>) -> Result<DeviceOp<'p>, Diagnostic<'p>> {
        let copy = self.copy(before, value)?;
        work_division::divide(&self.types, copy, self.target.cores)?;
        Ok(copy)
    }

    /// Arguments, windows and the pool.
    fn place_the_rest(
        &self,
        body: ir::Blk<'p>,
        ops: &[DeviceOp<'p>],
        outputs: &boundary::Outputs,
        timeline: &Timeline,
    ) -> Result<(), Diagnostic<'p>> {
        let mut pooled: Vec<(Op<'p>, Buffer)> = Vec::new();
        for op in ops {
            if op.place().is_some() {
                continue;
            }
            if let Some(place) = outputs.place(op.op()) {
                op.set_place(place);
                continue;
            }
            let mut inserts = uses_of(*op)?.inserts;
            // The order of uses is not that of the program.
            inserts.sort_by_key(|insert| timeline.step(insert.owner));
            if inserts.is_empty() {
                pooled.push((op.op(), self.pool_buffer(op.op(), timeline)?));
                continue;
            }
            op.set_place(Place::Window);
            for insert in inserts.into_iter().skip(1) {
                self.copy_out(*op, insert)?;
            }
        }
        for empty in boundary::empties(body) {
            match outputs.place(empty.op()) {
                Some(place) => empty.set_place(place),
                None => pooled.push((empty.op(), self.pool_buffer(empty.op(), timeline)?)),
            }
        }
        let buffers: Vec<Buffer> = pooled.iter().map(|(_, buffer)| buffer.clone()).collect();
        let placements = first_fit(&buffers, self.target.pool_bytes(), self.target.stick_bytes);
        for ((op, buffer), placement) in pooled.into_iter().zip(placements) {
            let Some(offset) = placement.address() else {
                return Err(error(
                    op,
                    format!("value of {} does not fit into the pool of {}", buffer.size, self.target.pool_bytes()),
                ));
            };
            self.run.count("pool", 1);
            if let Some(device) = DeviceOp::cast(op) {
                device.set_place(Place::Pool(offset));
            } else if let Some(empty) = EmptyOp::cast(op) {
                empty.set_place(Place::Pool(offset));
            }
        }
        Ok(())
    }

    fn pool_buffer(&self, op: Op<'p>, timeline: &Timeline) -> Result<Buffer, Diagnostic<'p>> {
        let value = result_of(op)?;
        let users = boundary::readers(value);
        let live = timeline
            .life(op, users.into_iter())
            .ok_or_else(|| error(op, "value is used outside the block that defines it"))?;
        Ok(Buffer::new(self.bytes(op, value.r#type())?, live))
    }
}
