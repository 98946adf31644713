//! `--spyre-scratchpad-planning`: gives every value a place.
//!
//! The pass plans a function as data and changes it in the end. A `Draft` is the function with the changes of a plan:
//! new copies and tensors, operands that are other values, and operations at other positions. Uses, operands, the
//! order of operations and live ranges are asked of the draft, so they are those of the planned function, while the IR
//! stays as it is. A refusal drops the draft. A trial decision is a change of a clone, which is kept or dropped. So
//! there is nothing to undo. `Planner::apply` is the one function that changes the IR: it lets loops count from 0,
//! carries out the draft and sets the places of the `Plan`.
//!
//! A plan is made in these steps, and the order of decisions is the order of addresses and copies:
//!
//! 1. `separate` plans the copies without which buffers would be overwritten too early: of windows that an operation
//!    cannot read (`reads`), of tensors that loops carry and insertions write into (`carried`), and of results of the
//!    function that are no separate buffer (`boundary`).
//! 2. `place_candidates` adds copies that may save traffic: of arguments that are read more than once (`cache`), and
//!    from scratchpad to scratchpad (`relayouts`). It finds addresses for all values (`lx`), tries copies for fewer
//!    readers (`shorten`), and drops the copies that have no address.
//! 3. `windows` decides which values are written straight into the tensor that they are inserted into, and which
//!    `spyre.empty` moves.
//! 4. `assign` gives every other value a place in the pool, and `copy_into_windows` plans copies for the insertions of
//!    values that are elsewhere.
//!
//! `--spyre-insert-tensor-copies` plans the copies of `reads` and `carried` alone, before work is divided. New
//! operations exist before they are in the function, in a block of the draft, because splits, slices and layouts are
//! asked of operations; their operands are only in the draft until then.
//!
//! * `boundary` gives results of the function their arguments.
//! * `bounds` finds the loops that do not count from 0 yet.
//! * `boxes` computes the windows of insertions as boxes of elements.
//! * `buffers` finds the buffers of values.
//! * `cache` copies arguments that are read more than once.
//! * `carried` gives each tensor that loops carry, or that is the destination of an insertion, one buffer, and copies
//!   inserted values that no operation writes in place.
//! * `draft` has the changes of a plan.
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
mod boxes;
mod buffers;
mod cache;
mod carried;
mod draft;
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
use spyre_dialects::function_plan::FunctionPlan;
use spyre_dialects::names::PLACE;
use spyre_layout::{Bytes, Elements};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, Val};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_ods::func;
use spyre_plan::{Buffer, Solver, Target, first_fit};

use self::boundary::Outputs;
use self::bounds::Shifted;
use self::cache::Cached;
use self::carried::Carried;
use self::draft::{Divide, Draft, result_of};
use self::explain::Obstacle;
use self::lx::Lx;
use self::relayouts::Relayouts;
use self::shorten::{Placed, Prepared, Trial};
use self::uses::Uses;
use crate::work_division;

pub use self::insert_copies::INSERT_TENSOR_COPIES;
pub(crate) use self::kept::{Kept, kept};
pub(crate) use self::lifetime::Timeline;

const NAME: &str = "spyre-scratchpad-planning";

/// `--spyre-scratchpad-planning`
pub static SCRATCHPAD_PLANNING: RustPass = RustPass {
    argument: NAME,
    summary: "Give every value a place: argument, scratchpad (LX) or pool",
    description: include_str!("scratchpad.md"),
    anchor: func::FUNC,
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
            .note(
                missing.op().location(),
                "the first operation without a place is here",
            )
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
    let plan = planner.plan(body)?;
    planner.apply(plan);
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
struct Plan<'p> {
    /// The function with its new operations.
    draft: Draft<'p>,
    /// The loops that are to count from 0.
    loops: Vec<Shifted<'p>>,
    /// The place of every result of an operation.
    places: Vec<(Op<'p>, Place)>,
}

fn error<'p>(op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(op.location(), format!("{NAME}: {message}"))
}

/// Gives the operations that update a tensor of a loop the place of that tensor.
fn place_updates<'p>(
    ops: &[(DeviceOp<'p>, Uses<'p>)],
    carried: &Carried<'p>,
    places: &mut Vec<(Op<'p>, Place)>,
) -> Result<(), Diagnostic<'p>> {
    let of_starts: FxHashMap<ir::OpKey, Place> = places
        .iter()
        .map(|(op, place)| (ir::op_key(*op), *place))
        .collect();
    for (op, _) in ops {
        if let Some(start) = carried.buffer_of(op.op()) {
            let place = of_starts.get(&ir::op_key(start)).copied();
            let place =
                place.ok_or_else(|| error(start, "the tensor that a loop carries has no place"))?;
            places.push((op.op(), place));
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
        let draft = Draft::new(NAME);
        for empty in buffers::empties(&draft, body) {
            check(empty.op(), result_of(empty.op())?)?;
        }
        for insert in buffers::inserts(&draft, body) {
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

    /// Decides places and copies.
    fn plan(&self, body: Blk<'p>) -> Result<Plan<'p>, Diagnostic<'p>> {
        let loops = bounds::shifted(body)?;
        let mut draft = Draft::new(NAME);
        let (carried, outputs) = self.separate(&mut draft, body)?;
        let function = Prepared {
            body,
            outputs: &outputs,
            carried: &carried,
        };
        let (mut draft, placed) = self.place_candidates(draft, &function)?;
        let Placed {
            ops,
            mut timeline,
            lx,
        } = placed;
        let has_place = |draft: &Draft<'p>, op: DeviceOp<'p>| {
            outputs.contains(op.op())
                || lx.places.contains_key(&ir::op_key(op.op()))
                || carried.shares(op.op())
                || self.is_ragged_restickify(op)
                || reads::is_reshaped(draft, op)
                || reads::cannot_be_in_window(draft, &self.types, op)
        };
        if windows::make_room_early(&mut draft, &ops, has_place, &timeline)? {
            timeline = Timeline::of(&draft, body);
        }
        let direct = windows::direct(&draft, &ops, has_place, &timeline)?;
        let placed = Placed { ops, timeline, lx };
        let places = self.assign(&draft, &function, &placed, &direct)?;
        self.explain(&placed.ops, &placed.lx, &places);
        self.copy_into_windows(&mut draft, &placed.ops, &direct)?;
        Ok(Plan {
            draft,
            loops,
            places,
        })
    }

    /// Plans the copies that give every value of a loop, every destination of an insertion and every result of the
    /// function a buffer, and inserted values a producer in the block of the insertion.
    fn separate(
        &self,
        draft: &mut Draft<'p>,
        body: Blk<'p>,
    ) -> Result<(Carried<'p>, Outputs), Diagnostic<'p>> {
        let divide: &Divide<'_, 'p> = &|draft, copy, value| self.divide_copy(draft, copy, value);
        reads::copy_windows(draft, &self.types, &device_ops(body), divide)?;
        let carried = carried::separate(draft, &self.types, body, divide)?;
        carried::copy_sources(draft, body, divide)?;
        // A tensor that loops update many times is better kept in the scratchpad.
        let mut timeline = Timeline::of(draft, body);
        let better_copied = |draft: &Draft<'p>, op: Op<'p>, timeline: &Timeline<'p>| {
            let start = DeviceOp::cast(op).filter(|_| carried.shares(op));
            start.is_some_and(|op| self.fits_lx(draft, op, &carried, timeline))
        };
        let outputs = boundary::place_results(
            draft,
            &self.types,
            body,
            &mut timeline,
            &better_copied,
            divide,
        )?;
        Ok((carried, outputs))
    }

    /// Plans the copies that save traffic if they are in the scratchpad, and finds the values that are there. Copies
    /// without a place are not in the plan that is returned.
    fn place_candidates(
        &self,
        mut draft: Draft<'p>,
        function: &Prepared<'_, 'p>,
    ) -> Result<(Draft<'p>, Placed<'p>), Diagnostic<'p>> {
        let Prepared {
            body,
            outputs,
            carried,
        } = *function;
        let plan = FunctionPlan::of_function(self.run.operation()).unwrap_or_default();
        let cached = match plan.cache_arguments || self.run.flag("cache-arguments") {
            true => self.cache(&mut draft, body)?,
            false => Cached::default(),
        };
        let mut relayouts = match plan.relayouts || self.run.flag("relayouts") {
            true => self.plan_relayouts(&mut draft, body, outputs, carried)?,
            false => Relayouts::default(),
        };
        let mut trial = Trial { draft, cached };
        let placed = self.place(function, &trial)?;
        let mut placed = self.shorten(function, &mut trial, placed)?;
        // Each round has fewer relayouts, so the loop ends.
        while relayouts.drop_without_place(&mut trial.draft, &placed.lx)? {
            placed = self.place(function, &trial)?;
        }
        self.run.count("relayouts", relayouts.count());
        let Trial { mut draft, cached } = trial;
        let is_useless = |op: &DeviceOp<'p>| {
            let key = ir::op_key(op.op());
            cached.saved(op.op()).is_some() && !placed.lx.places.contains_key(&key)
        };
        for (copy, _) in placed.ops.extract_if(.., |(op, _)| is_useless(op)) {
            draft.drop_copy(copy.op())?;
        }
        Ok((draft, placed))
    }

    /// Returns the place of every result of an operation. The values in `direct` are written straight into a window.
    fn assign(
        &self,
        draft: &Draft<'p>,
        function: &Prepared<'_, 'p>,
        Placed { ops, timeline, lx }: &Placed<'p>,
        direct: &FxHashSet<ir::OpKey>,
    ) -> Result<Vec<(Op<'p>, Place)>, Diagnostic<'p>> {
        let Prepared {
            body,
            outputs,
            carried,
        } = *function;
        let mut places = Vec::new();
        let mut pooled: Vec<(Op<'p>, Buffer)> = Vec::new();
        let pool_buffer = |op| self.pool_buffer(draft, op, timeline, direct);
        for (op, _) in ops {
            let key = ir::op_key(op.op());
            let place = outputs.place(op.op());
            if let Some(place) = place.or_else(|| lx.places.get(&key).copied()) {
                places.push((op.op(), place));
            } else if direct.contains(&key) {
                places.push((op.op(), Place::Window));
            } else if carried.buffer_of(op.op()).is_none() {
                pooled.push((op.op(), pool_buffer(op.op())?));
            }
        }
        for empty in buffers::empties(draft, body) {
            match outputs.place(empty.op()) {
                Some(place) => places.push((empty.op(), place)),
                None => pooled.push((empty.op(), pool_buffer(empty.op())?)),
            }
        }
        self.fill_pool(pooled, &mut places)?;
        place_updates(ops, carried, &mut places)?;
        Ok(places)
    }

    /// Plans a copy for every insertion of a value that is not written straight into its window. The copies, divided
    /// like the producers of the values, write into the windows.
    fn copy_into_windows(
        &self,
        draft: &mut Draft<'p>,
        ops: &[(DeviceOp<'p>, Uses<'p>)],
        direct: &FxHashSet<ir::OpKey>,
    ) -> Result<(), Diagnostic<'p>> {
        for (op, uses) in ops {
            let is_direct = direct.contains(&ir::op_key(op.op()));
            let split = op.split();
            let divide: &Divide<'_, 'p> = &|_, copy, _| {
                if let Some(split) = &split {
                    // The dimensions of the result come first.
                    copy.set_split(&split[..copy.iteration_space().len()]);
                }
                copy.set_place(Place::Window);
                Ok(())
            };
            for insert in uses.inserts.iter().skip(usize::from(is_direct)) {
                draft.copy(insert.owner, insert.operand, divide)?;
            }
        }
        Ok(())
    }

    /// Reports in remarks where values are, and why.
    fn explain(&self, ops: &[(DeviceOp<'p>, Uses<'p>)], lx: &Lx, places: &[(Op<'p>, Place)]) {
        let remarks = self.run.remarks(self.run.operation(), NAME);
        if !remarks.is_enabled() {
            return;
        }
        explain::placement(&remarks, self.run.operation(), lx.spilled, lx.gap);
        let capacity = self.target.usable_lx();
        let places: FxHashMap<ir::OpKey, Place> = places
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
        places: &mut Vec<(Op<'p>, Place)>,
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
                    "value of {} does not fit into the pool of {capacity}: {others} values that are live at the same time, itself \
                     included, take {}",
                    buffer.size,
                    Bytes(bytes)
                );
                return Err(error(op, message));
            };
            places.push((op, Place::Pool(offset)));
        }
        Ok(())
    }

    fn pool_buffer(
        &self,
        draft: &Draft<'p>,
        op: Op<'p>,
        timeline: &Timeline<'p>,
        direct: &FxHashSet<ir::OpKey>,
    ) -> Result<Buffer, Diagnostic<'p>> {
        let is_direct = |op| direct.contains(&ir::op_key(op));
        let value = result_of(op)?;
        let live = timeline
            .life(op, uses::users(draft, value, is_direct).into_iter())
            .ok_or_else(|| error(op, "value is used outside the block that defines it"))?;
        let ty = self
            .types
            .get(value.r#type())
            .map_err(|err| error(op, err))?;
        Ok(Buffer::new(ty.device.bytes(), live))
    }

    /// Carries out a plan.
    fn apply(&self, plan: Plan<'p>) {
        self.run.count("copies", plan.draft.copies());
        // Loops first: constants and sums are before the copies at a loop and in its body.
        let replaced: Vec<_> = plan.loops.iter().map(Shifted::count_from_zero).collect();
        plan.draft.apply(&replaced);
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
                let empty =
                    empty.expect("an operation with a place is a device operation or an empty");
                empty.set_place(place);
            }
        }
    }

    /// Divides a new copy of `value` among the cores as the producer of the value is divided, so that the value may
    /// stay in the scratchpads until the copy reads it. Without such a producer, the copy is divided by the general
    /// rule.
    fn divide_copy(
        &self,
        draft: &Draft<'p>,
        copy: DeviceOp<'p>,
        value: Val<'p>,
    ) -> Result<(), Diagnostic<'p>> {
        let of_maker =
            buffers::root(draft, value).and_then(|maker| slices::of_result(DeviceOp::cast(maker)?));
        let split = match of_maker {
            Some(split) => split,
            // The copy is new and has no insertion as a user.
            None => {
                let operand = ir::operand(copy.op(), 0).expect("a copy has an operand");
                let spans = Insertions::of_window(operand, draft.whole(value));
                work_division::split_of(&self.types, &spans, copy, &self.target)?
            }
        };
        copy.set_split(&split);
        Ok(())
    }
}
