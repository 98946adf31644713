//! The facts of planned functions.

use std::ops::Range;

use melior::Context;
use melior::ir::Type;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_analysis::kinds::is_restickify;
use spyre_analysis::target::target_of;
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::walk::{self, device_ops};
use spyre_dialects::attr::Place;
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::Bytes;
use spyre_mlir_rt::diagnostic::{Diagnostic, place as location};
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind};
use spyre_plan::{Picoseconds, Target as Machine};
use spyre_plan_view::{
    Function, Loop, Operation, Plan, Role, Space, Target, TensorTraffic, Totals, Value, ValueId,
};

use crate::executions::repeats;
use crate::measure::buffers::Root;
use crate::measure::{self, Cost};
use crate::scratchpad::{Kept, Timeline, kept};

/// Returns the facts of the planned functions of a module.
///
/// # Errors
/// A device operation has no place, or a dynamic extent; or no function has device operations.
pub fn facts<'p>(context: &'p Context, module: Op<'p>) -> Result<Plan, Diagnostic<'p>> {
    let mut functions = Vec::new();
    for function in ir::body(module).into_iter().flat_map(ir::operations) {
        if let Some(body) = ir::function_body(function)
            && !device_ops(body).is_empty()
        {
            functions.push(of(context, function, body)?);
        }
    }
    if functions.is_empty() {
        let message = "module has no function of device operations that is planned";
        return Err(Diagnostic::error(module.location(), message));
    }
    Ok(Plan::new(functions))
}

fn of<'p>(
    context: &'p Context,
    function: Op<'p>,
    body: Blk<'p>,
) -> Result<Function, Diagnostic<'p>> {
    let target = target_of(function)?.target;
    let timeline = Timeline::new(body);
    let kept = kept(&TensorTypes::new(context), body, &timeline)?;
    let no_costs = || {
        let message = "function has a dynamic extent, or an operation without a division";
        Diagnostic::error(function.location(), message)
    };
    let costs = measure::costs(context, body, target.rates).ok_or_else(no_costs)?;
    let compulsory = measure::compulsory(context, body).ok_or_else(no_costs)?;
    let steps = Steps {
        of_operations: costs
            .iter()
            .map(|cost| timeline.step(cost.op.op()))
            .collect(),
    };
    let numbers: FxHashMap<ir::OpKey, ValueId> = (0..)
        .zip(&kept)
        .map(|(number, kept)| (ir::op_key(kept.op), ValueId(number)))
        .collect();
    let name = walk::symbol(function);
    let values = values(&kept, &costs, &numbers, &steps);
    let in_memory = values.iter().filter(|value| value.space == Space::Pool);
    let totals = Totals {
        lx_bytes_taken: lx_bytes_taken(&values),
        values_in_memory: in_memory.count(),
        ..totals(&costs, measure::loops(body), compulsory, &target)
    };
    Ok(Function {
        name: name.expect("a function has a name"),
        target: Target {
            cores: target.cores,
            lx_bytes: target.usable_lx(),
        },
        totals,
        loops: loops(body, &timeline, &steps),
        operations: costs.iter().map(|cost| operation(cost, &numbers)).collect(),
        values,
    })
}

/// The steps of a page: the steps of the device operations on a timeline.
struct Steps {
    /// Ascending.
    of_operations: Vec<u32>,
}

impl Steps {
    /// Returns the steps of a page in some steps of the timeline.
    fn within(&self, steps: &Range<u32>) -> Range<usize> {
        let before = |step| {
            self.of_operations
                .partition_point(|candidate| *candidate < step)
        };
        before(steps.start)..before(steps.end)
    }
}

/// Returns the most bytes of a scratchpad that values take at once. A value that is written over another one takes no
/// bytes until the other one ends.
fn lx_bytes_taken(values: &[Value]) -> Bytes {
    let in_lx = values.iter().filter(|value| value.space == Space::Lx);
    let mut changes = Vec::new();
    for value in in_lx {
        let from = value.from + usize::from(value.in_place_of.is_some());
        let bytes = i128::from(value.bytes.get());
        changes.extend([(from.min(value.to), bytes), (value.to, -bytes)]);
    }
    // At the same step, ends of live ranges are sorted before beginnings, since a value may take the bytes of a value
    // that ends.
    changes.sort_unstable();
    let mut taken = 0;
    let taken = changes.into_iter().map(|(_, bytes)| {
        taken += bytes;
        taken
    });
    let most = taken.max().unwrap_or_default();
    Bytes(u64::try_from(most).expect("what ends has begun"))
}

fn totals(costs: &[Cost<'_>], iterations: u64, compulsory: u128, machine: &Machine) -> Totals {
    let rates = &machine.rates;
    let mut totals = Totals {
        compulsory_bytes: compulsory,
        unavoidable_bytes: compulsory,
        memory_picoseconds: measure::memory_time(compulsory, rates).0,
        ..Totals::default()
    };
    let mut time = rates.per_iteration.times(iterations);
    let mut compute = Picoseconds::default();
    let changes = LayoutChanges::new(costs);
    for cost in costs {
        time += cost.time();
        compute += cost.compute();
        totals.distinct_bytes += cost.distinct();
        totals.all_bytes += cost.all();
        totals.executions += cost.executions;
        totals.unavoidable_bytes += changes.bytes_of(cost);
    }
    totals.picoseconds = time.0;
    totals.compute_picoseconds = compute.0 / u64::from(machine.cores.max(1));
    totals
}

/// The bytes that changes of layout move in any plan with the same layouts, in addition to arguments and results. A
/// change of layout reads and writes device memory, so its operand has been written there, and its result is read
/// there.
struct LayoutChanges {
    /// The most bytes of an operation's result that an operation other than a change of layout reads at once, by its
    /// key.
    reads: FxHashMap<ir::OpKey, u64>,
}

impl LayoutChanges {
    fn new(costs: &[Cost<'_>]) -> Self {
        let mut reads: FxHashMap<ir::OpKey, u64> = FxHashMap::default();
        for cost in costs.iter().filter(|cost| !is_restickify(cost.op)) {
            let (_, operands) = cost.tensors.split_last().expect("there is a result");
            for tensor in operands {
                if let Root::Made(maker, _) = tensor.root {
                    let most = reads.entry(ir::op_key(maker)).or_default();
                    *most = (*most).max(tensor.bytes.get());
                }
            }
        }
        Self { reads }
    }

    /// Returns the bytes that an operation adds to the compulsory ones; 0 for one that is no change of layout.
    fn bytes_of(&self, cost: &Cost<'_>) -> u128 {
        if !is_restickify(cost.op) {
            return 0;
        }
        let (result, operands) = cost.tensors.split_last().expect("there is a result");
        let mut bytes = 0;
        for tensor in operands {
            if let Root::Made(maker, _) = tensor.root {
                // The writing by another change of layout is counted there.
                let has_written = DeviceOp::cast(maker).is_some_and(|maker| !is_restickify(maker));
                bytes += tensor.bytes.get() * if has_written { 2 } else { 1 };
            }
        }
        if let Root::Made(maker, _) = result.root {
            let read = self.reads.get(&ir::op_key(maker)).copied().unwrap_or(0);
            bytes += result.bytes.get() + read.min(result.bytes.get());
        }
        u128::from(bytes) * u128::from(cost.executions)
    }
}

fn operation(cost: &Cost<'_>, numbers: &FxHashMap<ir::OpKey, ValueId>) -> Operation {
    let result = cost.tensors.len() - 1;
    let types: Vec<Type<'_>> = cost.op.tensor_types().iter().collect();
    let tensors = cost.tensors.iter().enumerate();
    let tensors = tensors.map(|(number, tensor)| {
        let (space, value) = match tensor.root {
            Root::Argument => (Space::Argument, None),
            Root::Made(op, place) => (space(place), numbers.get(&ir::op_key(op)).copied()),
        };
        TensorTraffic {
            ty: types[number].to_string(),
            role: if number == result {
                Role::Write
            } else {
                Role::Read
            },
            space,
            value,
            bytes: tensor.bytes,
            fan_out: tensor.fan_out,
        }
    });
    Operation {
        name: ir::name(cost.op.op()).to_owned(),
        location: location(cost.op.op().location()),
        executions: cost.executions,
        iteration_space: cost.op.iteration_space(),
        split: cost.op.split().expect("what has a cost is divided"),
        tensors: tensors.collect(),
        picoseconds: cost.time().0,
        distinct_bytes: cost.distinct(),
        all_bytes: cost.all(),
    }
}

const fn space(place: Place) -> Space {
    match place {
        Place::Lx(_) => Space::Lx,
        Place::Pool(_) => Space::Pool,
        Place::Arg(_) | Place::Window => Space::Argument,
    }
}

fn loops(body: Blk<'_>, timeline: &Timeline<'_>, steps: &Steps) -> Vec<Loop> {
    let mut loops = Vec::new();
    collect(body, 0, timeline, steps, &mut loops);
    loops
}

fn collect(
    block: Blk<'_>,
    depth: usize,
    timeline: &Timeline<'_>,
    steps: &Steps,
    loops: &mut Vec<Loop>,
) {
    for op in ir::operations(block).filter(|op| ir::kind(*op) == OpKind::For) {
        let inner = ir::body(op).expect("a loop has a body");
        let Range { start, end } = steps.within(&(timeline.step(op)..timeline.end(op)));
        let last = ir::operations(inner).last();
        let last = last.expect("a loop's body has a terminator");
        loops.push(Loop {
            from: start,
            to: end,
            depth,
            iterations: u64::from(repeats(last, op.block())),
            location: location(op.location()),
        });
        collect(inner, depth + 1, timeline, steps, loops);
    }
}

fn values(
    kept: &[Kept<'_>],
    costs: &[Cost<'_>],
    numbers: &FxHashMap<ir::OpKey, ValueId>,
    steps: &Steps,
) -> Vec<Value> {
    let mut moved = vec![0_u128; kept.len()];
    for cost in costs {
        for tensor in &cost.tensors {
            if let Root::Made(op, Place::Pool(_)) = tensor.root
                && let Some(ValueId(number)) = numbers.get(&ir::op_key(op))
            {
                moved[*number] += u128::from(tensor.bytes.get()) * u128::from(cost.executions);
            }
        }
    }
    let mut values: Vec<Value> = Vec::new();
    // The values in LX that are alive.
    let mut alive: Vec<ValueId> = Vec::new();
    for (kept, distinct_bytes) in kept.iter().zip(moved) {
        let life = steps.within(&kept.life);
        let address = match kept.place {
            Place::Lx(address) | Place::Pool(address) => address,
            Place::Arg(_) | Place::Window => Bytes::ZERO,
        };
        let mut value = Value {
            made_by: ir::name(kept.op).to_owned(),
            location: location(kept.op.location()),
            space: space(kept.place),
            address,
            bytes: kept.bytes,
            cores: kept.cores,
            from: life.start,
            to: life.end,
            in_place_of: None,
            reason: kept.reason.clone(),
            distinct_bytes,
        };
        if value.space == Space::Lx {
            alive.retain(|old| values[old.0].to > value.from);
            let is_under = |old: &&ValueId| is_written_over(&values[old.0], &value);
            value.in_place_of = alive.iter().find(is_under).copied();
            alive.push(ValueId(values.len()));
        }
        values.push(value);
    }
    values
}

/// Returns whether a value in LX is written over one that is alive, by its producer.
fn is_written_over(old: &Value, value: &Value) -> bool {
    let end = |value: &Value| value.address.get() + value.bytes.get();
    old.from < value.from && old.address.get() < end(value) && value.address.get() < end(old)
}
