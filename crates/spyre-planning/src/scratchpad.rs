//! `--spyre-scratchpad-planning`: gives every value a place.
//!
//! * `boundary` gives results of the function their arguments.
//! * `bounds` lets loops count from 0.
//! * `buffers` finds the buffers of values.
//! * `cache` copies arguments that are read more than once.
//! * `carried` gives each tensor that loops carry, or that is the destination of an insertion, one buffer, and copies
//!   inserted values that no operation writes in place.
//! * `edits` inserts copies that can be removed again.
//! * `uses` finds the uses of a value, `lifetime` the steps in which it is alive.
//! * `insert_copies` inserts the copies of `reads` and `carried` before work is divided.
//! * `explain` reports the reason that keeps a value out of the scratchpad.
//! * `kept` lists the buffers of a planned function.
//! * `lx` decides which values may be in the scratchpad, and finds addresses there.
//! * `reads` copies windows that an operation cannot read where they are.
//! * `relayouts` moves values that their users read in other slices from scratchpad to scratchpad.
//! * `shorten` removes users from the ends of the live ranges of copies.
//! * `slices` decides whether two operations see the same slice of a value on each core.
//! * `windows` decides which values are written straight into the tensor they are inserted into.

mod boundary;
mod bounds;
mod buffers;
mod cache;
mod carried;
mod edits;
mod explain;
mod insert_copies;
mod kept;
mod lifetime;
mod lx;
mod reads;
mod relayouts;
mod shorten;
mod slices;
mod uses;
mod windows;

use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::kinds::is_restickify;
use spyre_analysis::spans::Insertions;
use spyre_analysis::target::target_of;
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::walk::{check_decided, check_reachable, device_ops, tensors};
use spyre_dialects::attr::{Place, place_attribute};
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_dialects::names::{CACHE_ARGUMENTS, PLACE, RELAYOUTS};
use spyre_layout::{Bytes, Elements};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, Use, Val};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_mlir_rt::remark::Remarks;
use spyre_plan::{Buffer, Solver, Target, first_fit};

use self::cache::Cached;
use self::carried::Carried;
use self::edits::{Edits, build_copy};
use self::explain::Obstacle;
use self::lx::Lx;
use self::relayouts::Relayouts;
use self::shorten::{Placed, Prepared};
use self::uses::{Uses, result_of};
use crate::work_division;

pub(crate) use self::cache::repeats;
pub(crate) use self::carried::reads_elementwise;
pub use self::insert_copies::INSERT_TENSOR_COPIES;
pub(crate) use self::kept::{Kept, kept};
pub(crate) use self::lifetime::Timeline;
pub(crate) use self::slices::{needs_device_memory, read_dims};

const NAME: &str = "spyre-scratchpad-planning";

/// `--spyre-scratchpad-planning`
pub static SCRATCHPAD_PLANNING: RustPass = RustPass {
    argument: NAME,
    summary: "Give every value a place: argument, scratchpad (LX) or pool",
    description: r#"
Function arguments and results are kernel arguments, numbered inputs first. The result of an operation
with uses only in the same block goes into the scratchpad (LX), if it fits: every core keeps one
slice, so the operations must cut the value over the cores in the same way. Addresses within the part
that the target leaves to programs are assigned by a `solver` from the live ranges of the values
(middle-end specification, section 5.3). `exact` spills the least traffic that any addresses allow, or
reports in the remark `Placement` how far from it the result may be; its search is bounded by a number
of steps, so that results do not depend on the machine. Where `first-fit` spills as little, its
addresses are taken. The two sides of a `spyre.restickify` are never in LX. Everything else goes into
the kernel's pool in device memory (HBM), where arguments are as well.

A value is written over one that its operation reads element by element for the last
time, where that saves room. With `cache-arguments`, or the mark
`spyre.cache_arguments` on the function that `--spyre-plan` sets, an argument, or a window of one,
that several operations read in the same slices, or one operation in a loop that does not change
it, is copied into LX before the first of them, if there is room.

With `relayouts`, or the mark `spyre.relayouts` on the function that `--spyre-plan` sets, a value with users that read
other slices than its cores compute moves from scratchpad to scratchpad, in a `spyre.copy` with `from` and `to` that
becomes the OpFunc `shuffle` (SuperDSC-Bundle 1.0.0, K66 to K71). That is so where the modelled time of the moves is
less than that of device memory; no source publishes their speed ([Planning.md](../Planning.md#relayouts)). A core reads
from at most 8 cores, all of them from as many; no value moves so that is combined from partial sums, is carried by a
loop, is read through a view, or has a last stick that is filled in part; both buffers have to fit.

```mlir
// before: 32 cores make two rows each, and every four cores of the product read the same eight rows
%y = spyre.exp %x split [32, 1] : !t
%p = spyre.batchmatmul %y, %w split [8, 4, 1] : (!t, !w) -> !p
// after
%y = spyre.exp %x split [32, 1] place lx 0 : !t
%r = spyre.copy %y from [0] by [32] to [0, -1] by [8, 4] split [8, 1] place lx 512 : !t
%p = spyre.batchmatmul %r, %w split [8, 4, 1] place arg 2 : (!t, !w) -> !p
```

A value that is inserted into a larger tensor is written there directly, `place window`, when it is computed;
a `spyre.empty` moves before its producer. A `spyre.copy` writes it out where that is impossible: the value
lives in LX because it is also read nearby; it is inserted into several tensors; a change of layout could not
read or write it there; or the tensor is not ready yet, as where the same window is written first, or is
written again while the value is still read. A window for which no descriptor can give the place of the rows
that `spyre.restickify` puts on sticks (one that ends inside a stick of them, or that less than a stick
follows) is copied before the `spyre.restickify`; so is a table that is a window along the dimension that
`spyre.gather` indexes.

A tensor that a loop carries is one buffer, in which every iteration writes the next
value, because a bundle's loops have no iteration arguments. It starts as a copy, if
the initial value of the loop is an argument or has other uses. So does the destination
of an insertion, unless it is a `spyre.empty`. The operation that computes the next
value writes it in place, if it reads only the same elements of the previous one and
that has no later use; else a copy at the end of the body does. So an accumulator is in
the scratchpad under the conditions above; one that is a result of the function is
copied out after the loop. A `spyre.empty` with several loops or insertions as users
becomes a separate buffer for each of them.

```mlir
// before
%r = scf.for ... iter_args(%sum = %zero) -> (!t) {
  %next = spyre.add %sum, %part split [32, 1] : !t
  scf.yield %next : !t
}
// after
%start = spyre.copy %zero split [32, 1] place lx 512 : !t
%r = scf.for ... iter_args(%sum = %start) -> (!t) {
  %next = spyre.add %sum, %part split [32, 1] place lx 512 : !t
  scf.yield %next : !t
}
```

An inserted value without a producer in the block of the insertion (an argument, the
result of an inner loop) is copied into place. So is a result of the function that
is not a separate buffer: an argument, a value that is returned twice, one that is
also inserted into another tensor. A reshape or a permutation of a buffer is the
same buffer if its layout has every element at the address that it has in the
buffer.

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

A loop with constant bounds is changed to start from 0, as a bundle's loops do.

Remarks report the place of each value, and the reason that keeps it out of the
scratchpad (`--remarks-filter=spyre-scratchpad-planning`): `InScratchpad` passed;
`Spilled` and `InWindow` missed, with the first reason and a way out; `Argument`
analysis.

Refused, at the operation: a loop that yields
one of its tensors in the place of another; a function that is planned in part; an
operation in a function of several blocks or in a region other than a loop's; a
result that is no tensor; dynamic extents; values that do not fit into the pool.
"#,
    anchor: "func.func",
    options: &[
        PassOption {
            name: "lx",
            description: "keep values in the scratchpad (LX) where they fit; without, all are in device memory",
            kind: OptionKind::Bool(true),
        },
        PassOption {
            name: "cache-arguments",
            description: "copy arguments into the scratchpad that are read more than once there",
            kind: OptionKind::Bool(false),
        },
        PassOption {
            name: "relayouts",
            description: "move values from scratchpad to scratchpad that are read in other slices, where that takes less time",
            kind: OptionKind::Bool(false),
        },
        PassOption {
            name: "solver",
            description: "how addresses in the scratchpad are found: exact, greedy, first-fit or best-fit",
            kind: OptionKind::Str("exact"),
        },
    ],
    statistics: &[
        PassStatistic {
            name: "lx",
            description: "Values in the scratchpad",
        },
        PassStatistic {
            name: "pool",
            description: "Values in the pool",
        },
        PassStatistic {
            name: "copies",
            description: "Copies that were inserted",
        },
        PassStatistic {
            name: "relayouts",
            description: "Copies that move values from scratchpad to scratchpad",
        },
    ],
    dialects: || vec![spyre_dialects::spyre_dialect()],
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    check_reachable(function, NAME, |_| true)?;
    let Some(body) = ir::function_body(function) else {
        return Ok(());
    };
    check_decided(body, NAME)?;
    let ops = device_ops(body);
    let Some(missing) = ops.iter().find(|op| op.place().is_none()) else {
        run.preserve_analyses();
        return Ok(());
    };
    if let Some(placed) = ops.iter().find(|op| op.place().is_some()) {
        let planned = ops.iter().filter(|op| op.place().is_some()).count();
        let message = format!(
            "{planned} of {} operations already have a place; the pass plans whole functions",
            ops.len()
        );
        return Err(error(placed.op(), message)
            .note(missing.op().location(), "this one has none")
            .into());
    }
    let mut target = target_of(function)?.target;
    if !run.flag("lx") {
        target.lx_bytes = Bytes::ZERO;
    }
    let solver = run.text("solver").parse::<Solver>();
    let planner = Planner {
        run,
        solver: solver.map_err(|err| error(function, err))?,
        types: TensorTypes::new(run.context()),
        target,
    };
    boundary::check_results(function, body)?;
    planner.check_types(body, &ops)?;
    bounds::from_zero(body)?;
    let mut edits = Edits::new(NAME);
    let plan = match planner.plan(body, &mut edits) {
        Ok(plan) => plan,
        Err(err) => {
            edits.undo();
            return Err(err.into());
        }
    };
    run.count("copies", edits.copies());
    planner.apply(plan)?;
    ir::remove_discardable_attribute(function, CACHE_ARGUMENTS);
    ir::remove_discardable_attribute(function, RELAYOUTS);
    for index in 0..body.argument_count() {
        let argument = body.argument(index).map_err(|err| error(function, err))?;
        if ir::is_ranked_tensor(argument.r#type()) {
            let number = u32::try_from(index).expect("arguments and results were counted before");
            let place = place_attribute(run.context(), Place::Arg(number));
            ir::set_argument_attribute(function, index, PLACE, place);
        }
    }
    Ok(())
}

struct Planner<'p> {
    run: &'p PassRun<'p>,
    solver: Solver,
    types: TensorTypes<'p>,
    target: Target,
}

/// The decisions about a function, before they are carried out.
#[derive(Default)]
struct Plan<'p> {
    /// The place of every result of an operation.
    places: Vec<(Op<'p>, Place)>,
    /// Insertions that get their value from a copy.
    copies: Vec<(DeviceOp<'p>, Use<'p>)>,
}

fn error<'p>(op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(op.location(), format!("{NAME}: {message}"))
}

/// Returns an operand of an operation that has it, and an error for an operation that does not.
fn operand<'p>(op: Op<'p>, index: usize) -> Result<Val<'p>, Diagnostic<'p>> {
    op.operand(index).map_err(|err| error(op, err))
}

/// Gives the operations that update a tensor of a loop the place of that tensor.
fn place_updates<'p>(
    ops: &[(DeviceOp<'p>, Uses<'p>)],
    carried: &Carried<'p>,
    plan: &mut Plan<'p>,
) -> Result<(), Diagnostic<'p>> {
    let places: FxHashMap<ir::OpKey, Place> = plan
        .places
        .iter()
        .map(|(op, place)| (ir::op_key(*op), *place))
        .collect();
    for (op, _) in ops {
        if let Some(start) = carried.buffer_of(op.op()) {
            let place = places.get(&ir::op_key(start)).copied();
            let place = place.ok_or_else(|| error(start, "tensor of a loop has no place"))?;
            plan.places.push((op.op(), place));
        }
    }
    Ok(())
}

impl<'p> Planner<'p> {
    /// Checks that the pass can place every tensor.
    fn check_types(&self, body: Blk<'p>, ops: &[DeviceOp<'p>]) -> Result<(), Diagnostic<'p>> {
        let check = |op: Op<'p>, value: Val<'p>| {
            self.types
                .get(value.r#type())
                .map(drop)
                .map_err(|err| error(op, err))
        };
        for op in ops {
            tensors(*op)
                .into_iter()
                .try_for_each(|value| check(op.op(), value))?;
        }
        for empty in buffers::empties(body) {
            check(empty.op(), result_of(empty.op())?)?;
        }
        for insert in buffers::inserts(body) {
            insert
                .operand(0)
                .map_err(|err| error(insert, err))
                .and_then(|value| check(insert, value))?;
        }
        let terminator = body.terminator();
        let terminator = terminator.expect("a function with checked results has a terminator");
        terminator
            .operands()
            .try_for_each(|value| check(terminator, value))
    }

    /// Decides places and copies. All changes can be undone by `edits`.
    fn plan(&self, body: Blk<'p>, edits: &mut Edits<'p>) -> Result<Plan<'p>, Diagnostic<'p>> {
        let copy_before = |before, value| self.divided_copy(before, value);
        reads::copy_windows(edits, &self.types, &device_ops(body), &copy_before)?;
        let carried = carried::separate(edits, &self.types, body, &copy_before)?;
        carried::copy_sources(edits, body, &copy_before)?;
        // A tensor that loops update many times is better kept in the scratchpad.
        let mut timeline = Timeline::new(body);
        let better_copied = |op: Op<'p>, timeline: &Timeline| {
            let start = DeviceOp::cast(op).filter(|_| carried.shares(op));
            start.is_some_and(|op| self.fits_lx(op, &carried, timeline))
        };
        let outputs = boundary::place_results(
            edits,
            &self.types,
            body,
            &mut timeline,
            &better_copied,
            &copy_before,
        )?;
        let planned = self.run.operation().has_attribute(CACHE_ARGUMENTS);
        let mut cached = if planned || self.run.flag("cache-arguments") {
            self.cache(edits, body)?
        } else {
            Cached::default()
        };
        let moves = self.run.operation().has_attribute(RELAYOUTS) || self.run.flag("relayouts");
        let mut relayouts = match moves {
            true => self.insert_relayouts(edits, body, &outputs, &carried)?,
            false => Relayouts::default(),
        };
        let prepared = Prepared {
            body,
            edits,
            outputs: &outputs,
            carried: &carried,
        };
        let placed = self.place(&prepared, &cached)?;
        let mut placed = self.shorten(&prepared, &mut cached, placed)?;
        // Each round has fewer of them.
        while relayouts.take_back_without_place(edits, &placed.lx)? {
            let prepared = Prepared {
                body,
                edits,
                outputs: &outputs,
                carried: &carried,
            };
            placed = self.place(&prepared, &cached)?;
        }
        self.run.count("relayouts", relayouts.count());
        let Placed {
            mut ops,
            mut timeline,
            lx,
        } = placed;
        let useless = |op: &DeviceOp<'p>| {
            let key = ir::op_key(op.op());
            cached.saved(op.op()).is_some() && !lx.places.contains_key(&key)
        };
        for (copy, _) in ops.extract_if(.., |(op, _)| useless(op)) {
            edits.take_back(copy.op())?;
        }
        let has_place = |op: DeviceOp<'p>| {
            outputs.contains(op.op())
                || lx.places.contains_key(&ir::op_key(op.op()))
                || carried.shares(op.op())
                || self.is_ragged_restickify(op)
                || reads::is_reshaped(op)
                || reads::cannot_be_in_window(&self.types, op)
        };
        if windows::make_room_early(&ops, has_place, &timeline)? {
            timeline = Timeline::new(body);
        }
        let direct = windows::direct(&ops, has_place, &timeline)?;

        let mut plan = Plan::default();
        let mut pooled: Vec<(Op<'p>, Buffer)> = Vec::new();
        for (op, uses) in &ops {
            let key = ir::op_key(op.op());
            let is_direct = direct.contains(&key);
            for insert in uses.inserts.iter().skip(usize::from(is_direct)) {
                plan.copies.push((*op, *insert));
            }
            let place = outputs.place(op.op());
            if let Some(place) = place.or_else(|| lx.places.get(&key).copied()) {
                plan.places.push((op.op(), place));
            } else if is_direct {
                plan.places.push((op.op(), Place::Window));
            } else if carried.buffer_of(op.op()).is_none() {
                pooled.push((op.op(), self.pool_buffer(op.op(), &timeline, &direct)?));
            }
        }
        for empty in buffers::empties(body) {
            match outputs.place(empty.op()) {
                Some(place) => plan.places.push((empty.op(), place)),
                None => pooled.push((
                    empty.op(),
                    self.pool_buffer(empty.op(), &timeline, &direct)?,
                )),
            }
        }
        self.fill_pool(pooled, &mut plan)?;
        place_updates(&ops, &carried, &mut plan)?;
        self.explain(&ops, &lx, &plan);
        Ok(plan)
    }

    /// Reports in remarks where values are, and why.
    fn explain(&self, ops: &[(DeviceOp<'p>, Uses<'p>)], lx: &Lx, plan: &Plan<'p>) {
        let remarks = Remarks::about(self.run.context(), self.run.operation(), NAME);
        if !remarks.is_enabled() || self.run.is_trial() {
            return;
        }
        explain::placement(&remarks, self.run.operation(), lx.spilled, lx.gap);
        let capacity = self.target.usable_lx();
        let places: FxHashMap<ir::OpKey, Place> = plan
            .places
            .iter()
            .map(|(op, place)| (ir::op_key(*op), *place))
            .collect();
        for (op, uses) in ops {
            let key = ir::op_key(op.op());
            let without_room = lx.without_room.get(&key);
            let obstacle = explain::obstacle(*op, uses).or_else(|| {
                without_room.map(|size| Obstacle::Full {
                    size: *size,
                    capacity,
                })
            });
            if let Some(place) = places.get(&key) {
                explain::remark(&remarks, *op, *place, obstacle);
            }
        }
    }

    /// Returns whether an operation is a change of layout that ends inside a stick. It runs over whole sticks, so its descriptor
    /// cannot describe the rows of a window.
    fn is_ragged_restickify(&self, op: DeviceOp<'p>) -> bool {
        let is_ragged = |value: Val<'p>| {
            let ty = self.types.get(value.r#type()).ok()?;
            let extent = ty.shape().get(ty.device.layout().stick_dim()?)?;
            Some(!Elements(*extent).is_multiple_of(ty.device.format().elements_per_stick()))
        };
        is_restickify(op)
            && tensors(op)
                .into_iter()
                .any(|value| is_ragged(value).unwrap_or(false))
    }

    fn fill_pool(
        &self,
        pooled: Vec<(Op<'p>, Buffer)>,
        plan: &mut Plan<'p>,
    ) -> Result<(), Diagnostic<'p>> {
        let (ops, buffers): (Vec<_>, Vec<_>) = pooled.into_iter().unzip();
        let capacity = self.target.pool_bytes();
        let placements = first_fit(&buffers, capacity, self.target.stick_bytes);
        for ((op, buffer), placement) in ops.into_iter().zip(&buffers).zip(placements) {
            let Some(offset) = placement.address() else {
                let (mut others, mut bytes) = (0_usize, 0_u64);
                for other in &buffers {
                    if other.live.start < buffer.live.end && buffer.live.start < other.live.end {
                        others += 1;
                        bytes = bytes.saturating_add(other.size.get()); // For the message alone.
                    }
                }
                let message = format!(
                    "value of {} does not fit into the pool of {capacity}: {others} values that are alive at one time with it, \
                     itself included, take {}",
                    buffer.size,
                    Bytes(bytes)
                );
                return Err(error(op, message));
            };
            plan.places.push((op, Place::Pool(offset)));
        }
        Ok(())
    }

    fn pool_buffer(
        &self,
        op: Op<'p>,
        timeline: &Timeline,
        direct: &FxHashSet<ir::OpKey>,
    ) -> Result<Buffer, Diagnostic<'p>> {
        let is_direct = |op| direct.contains(&ir::op_key(op));
        let value = result_of(op)?;
        let live = timeline
            .life(op, uses::users(value, is_direct).into_iter())
            .ok_or_else(|| error(op, "value is used outside the block that defines it"))?;
        let ty = self
            .types
            .get(value.r#type())
            .map_err(|err| error(op, err))?;
        Ok(Buffer::new(ty.device.bytes(), live))
    }

    /// Sets places and builds copies.
    fn apply(&self, plan: Plan<'p>) -> Result<(), Diagnostic<'p>> {
        for (op, place) in plan.places {
            match place {
                Place::Lx(_) => self.run.count("lx", 1),
                Place::Pool(_) => self.run.count("pool", 1),
                Place::Arg(_) | Place::Window => {}
            }
            if let Some(device) = DeviceOp::cast(op) {
                device.set_place(place);
            } else {
                let empty = EmptyOp::cast(op);
                let empty = empty.expect("what has a place is a device operation or an empty");
                empty.set_place(place);
            }
        }
        for (op, insert) in plan.copies {
            let context = self.run.context();
            let copy = build_copy(context, insert.owner, result_of(op.op())?)?;
            if let Some(split) = op.split() {
                // The dimensions of the result come first.
                let rank = copy.iteration_space().len();
                copy.set_split(&split[..rank]);
            }
            copy.set_place(Place::Window);
            ir::set_operand(insert.owner, insert.operand, result_of(copy.op())?);
            self.run.count("copies", 1);
        }
        Ok(())
    }

    /// Builds a copy of `value` before an operation and divides it over the cores: like the producer of the value, so
    /// that the value may be in the scratchpad until then, or like any copy.
    fn divided_copy(&self, before: Op<'p>, value: Val<'p>) -> Result<DeviceOp<'p>, Diagnostic<'p>> {
        let copy = build_copy(self.run.context(), before, value)?;
        let of_maker =
            buffers::root(value).and_then(|maker| slices::of_result(DeviceOp::cast(maker)?));
        let split = match of_maker {
            Some(split) => split,
            // The copy is new and has no insertion as a user.
            None => {
                work_division::split_of(&self.types, &Insertions::default(), copy, &self.target)?
            }
        };
        copy.set_split(&split);
        Ok(copy)
    }
}
