//! `--spyre-plan`: tiles, divisions and places of a function, decided together.
//!
//! What tiles are worth depends on what is in the scratchpad then, and that on the tiles and on how cores share the work. So the
//! pass does not guess. It makes a few candidates, carries each of them out on a copy of the function with the passes that come
//! behind, and works out the modelled time of the planned copy (`measure`): every operation, loops multiplied out, with
//! what it reads and writes of device memory. `--spyre-verify-plan` checks each copy. The fastest is kept.
//!
//! Candidates are combinations of tiles (none, those of `spyre_plan::auto_tile` with broadcasts counted once, those with every
//! core's reads counted, those of long runs of operations), of copies of arguments in the scratchpad (none, where they pay), and of
//! divisions (each by itself, all together); and where none of those is near to the compulsory bytes, tiles along one dimension of all
//! operations; and where the cores do not divide a dimension, parts that they divide and a rest. Pieces of a function, such as
//! its layers, are planned as functions of their own, and their tiles are tried together (`pieces`). At last come the divisions that
//! are fastest within the bytes that a plan may move. The program as it is comes first and stays among equals, and nothing is taken
//! that is slower than it, by the model.
//! What the user has hinted stays: all candidates have these tiles and splits, and decide about the other operations.

mod buffers;
mod candidates;
mod dims;
pub(crate) mod measure;
mod pieces;
pub mod report;

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Module};
use rustc_hash::FxHashMap;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_mlir_rt::remark::{Kind, Remark, Remarks};
use spyre_mlir_rt::source::run_pipeline;
use spyre_plan::{Picoseconds, Target};

use self::candidates::{
    Amount, Candidate, Decided, Divisions, Tiles, along, candidates, parts_and_rest,
};
use self::dims::ArgumentDims;
use self::measure::Modelled;
use self::pieces::{OpTiles, PieceId, Pieces};
use crate::target::{TARGET, stated_target, target_of};
use crate::walk::{check_decided, check_reachable, device_ops};

const NAME: &str = "spyre-plan";

/// The mark of a copy of a function on which a plan is tried. Passes report nothing about it.
pub(crate) const TRIAL: &str = "spyre.trial";

/// The passes that carry a plan out.
const CARRY_OUT: &str = "builtin.module(func.func(coarse-tile,spyre-constants-to-arguments,spyre-insert-tensor-copies,spyre-work-division,\
                         spyre-scratchpad-planning,spyre-verify-plan))";

/// `--spyre-plan`
pub static PLAN: RustPass = RustPass {
    argument: NAME,
    summary: "Decide tiles, divisions and copies of arguments together, by the modelled time of the planned program",
    description: DESCRIPTION,
    anchor: "builtin.module",
    options: &[],
    statistics: &[
        PassStatistic {
            name: "functions",
            description: "Functions for which a plan was chosen",
        },
        PassStatistic {
            name: "candidates",
            description: "Plans that were tried",
        },
        PassStatistic {
            name: "pieces",
            description: "Pieces of functions that were planned by themselves, equal ones counted once",
        },
    ],
    dialects: || vec![spyre_dialects::spyre_dialect()],
    run,
};

const DESCRIPTION: &str = r#"
Tries a few plans for each function on copies of it, and keeps the one that is fastest by
the cost model ([Planning.md](Planning.md#all-decided-together)), among those that move few
bytes. A plan is `tile` hints, as `--spyre-choose-tiles` writes them; the mark
`spyre.cache_arguments`, with which `--spyre-scratchpad-planning` copies arguments into the
scratchpad where that saves reads; and the mark `spyre.model_divisions`, with which
`--spyre-work-division` chooses all splits together.
Where none of these is near to the compulsory bytes, tiles along one dimension of all
operations are tried as well, those that reduce it included. Where the cores do not divide a
dimension of an argument, as 32 do not divide 509 rows or 172 sticks, parts that they divide
and a rest are tried (`"rows" by 480`). Arguments without `spyre.dims` get names for that. Layers are
planned by themselves, equal ones once, and the function is tried with their tiles. Last, with the mark
`spyre.most_bytes`, come the divisions that are fastest within the bytes that a plan may move. The passes behind carry the
plan out: `--coarse-tile`, `--spyre-work-division`, `--spyre-scratchpad-planning`. They also do so
on the copies, so that the time is that of the program that comes out. The plan that decides
nothing is tried first, and none is taken that is slower. One that is faster may move up to a
tenth more than the compulsory bytes.

```mlir
// before: x is read twice
func.func @f(%x: !t) -> !t {
  %m = spyre.max %x dims [1] keepdim : (!t) -> !column
  %y = spyre.sub %x, %m : (!t, !column) -> !t
  return %y : !t
}
// after: it is read once, and is in the scratchpad from then on
func.func @f(%x: !t) -> !t attributes {spyre.cache_arguments} { ... }
```

What the author of a function decides stays: an operation with a hint or a `split` keeps it, and others are planned around it; with
`spyre.tile_scopes`, as in `spyre.tile_scopes = []` for none, no plan has tiles but those of hints; with
`spyre.cache_arguments` all plans copy arguments. Left alone: functions with a place on any operation, and those that cannot be
planned by themselves (dynamic extents, calls of other functions, a `divide` that `--spyre-assign-dim-hints` has not seen). Run
it when layouts are chosen, in front of `--coarse-tile`.

Remarks (`--remarks-filter=spyre-plan`):

| remark | kind | says |
|---|---|---|
| `Chosen` | passed | the plan, its modelled time, and the distinct bytes beside the compulsory ones |
| `NotChosen` | missed | for each other plan the same, which is what it would have cost |
| `NotPlanned` | missed | why a function is left alone |

Refused: layouts that are not chosen yet; an operation in a function of several blocks or in a
region other than a loop's.
"#;

impl Candidate {
    /// Carries the plan out on a copy of a function that has its tiles. Returns its modelled time; `None` if it cannot be carried
    /// out.
    fn try_on<'p>(&self, context: &'p Context, tiled: Op<'p>) -> Option<Modelled> {
        let module = copied(tiled);
        let copy = only(&module);
        self.mark(context, copy);
        run_pipeline(context, module.as_operation(), CARRY_OUT).ok()?;
        let rates = target_of(copy).ok()?.target.rates;
        measure::of(context, ir::function_body(copy)?, rates)
    }
}

/// Returns a copy of a function in a module of its own, for the same target, on which passes report nothing.
fn copied<'p>(function: Op<'p>) -> Module<'p> {
    let module = module_like_that_of(function);
    ir::build_clone(At::End(module.body()), function);
    module
}

/// Returns an empty module for the target of a function.
fn module_like_that_of<'p>(function: Op<'p>) -> Module<'p> {
    let module = Module::new(function.location());
    if let Some(target) = stated_target(function) {
        ir::set_discardable_attribute(module.as_operation(), TARGET, target);
    }
    module
}

/// Returns the function of a module that has one.
fn only<'a>(module: &'a Module<'_>) -> Op<'a> {
    let body = ir::body(module.as_operation()).expect("a module has a block");
    ir::operations(body).next().expect("the copy is in it")
}

/// Copies of a function with tiles, each made once.
#[derive(Default)]
struct Tiled<'p> {
    /// `None` for tiles that cannot be, or that are none.
    made: Vec<(Tiles, Option<Module<'p>>)>,
}

impl<'p> Tiled<'p> {
    /// Returns a copy of a function with tiles.
    fn with(
        &mut self,
        context: &'p Context,
        function: Op<'p>,
        tiles: &Tiles,
        dims: &ArgumentDims<'p>,
    ) -> Option<Op<'_>> {
        let known = self.made.iter().position(|(known, _)| known == tiles);
        let number = known.unwrap_or_else(|| {
            let module = copied(function);
            let is_tiled = write_on(context, &module, tiles, dims);
            self.made.push((tiles.clone(), is_tiled.then_some(module)));
            self.made.len() - 1
        });
        self.made[number].1.as_ref().map(only)
    }
}

/// Writes tiles on a copy of a function. Returns whether there are any.
fn write_on<'p>(
    context: &'p Context,
    module: &Module<'p>,
    tiles: &Tiles,
    dims: &ArgumentDims<'p>,
) -> bool {
    let copy = only(module);
    ir::set_discardable_attribute(copy, TRIAL, Attribute::unit(context));
    let remarks = Remarks::about(context, copy, TRIAL);
    let body = ir::function_body(copy).expect("the function has a body");
    // What cannot be tiled so is no plan.
    tiles
        .write(context, copy, body, dims, &remarks)
        .unwrap_or(false)
}

/// The operations of all plans that are tried for a function, so that the time to plan does not grow faster than the function; and the
/// fewest plans that are tried.
const TRIED_OPERATIONS: usize = 12_000;
const LEAST_TRIED: usize = 4;

/// The plans that are tried before any with tiles along one dimension of all operations: all tiles in two ways to divide the work.
const FIRST_TRIED: usize = 9;

/// The fewest plans of each piece of a function that are worth trying.
const LEAST_OF_PIECES: usize = 8;

/// The plans of one function that were tried.
type Tried = Vec<(Candidate, Modelled)>;

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let module = run.operation();
    let mut changed = false;
    for function in ir::body(module).into_iter().flat_map(ir::operations) {
        let Some(body) = ir::function_body(function) else {
            continue; // A declaration, or something that is no function.
        };
        if device_ops(body).is_empty() {
            continue; // Nothing runs on the card.
        }
        check_reachable(function, NAME, |_| true)?;
        check_decided(body, NAME)?;
        let remarks = Remarks::about(run.context(), function, NAME);
        let not_planned = |reason: &str| {
            remarks.emit(|| {
                Remark::new(Kind::Missed, function.location(), "NotPlanned").reason(reason)
            });
        };
        if device_ops(body).into_iter().any(|op| op.place().is_some()) {
            not_planned("it has places, so it is planned already");
            continue;
        }
        let planned = Planned::of(run.context(), function, body)?;
        // What goes wrong with a copy is no matter of the user's: the plan is not taken.
        let quiet = run.context().attach_diagnostic_handler(|_| true);
        let most = TRIED_OPERATIONS / device_ops(body).len();
        let mut tried = planned.try_all(run.context(), most.max(LEAST_TRIED));
        let pieces = planned.try_pieces(run.context(), &mut tried);
        if most > FIRST_TRIED {
            planned.try_within(run.context(), &mut tried);
        }
        run.context().detach_diagnostic_handler(quiet);
        run.count("candidates", tried.len());
        run.count("pieces", pieces);
        let Some(best) = best(&tried, planned.compulsory) else {
            not_planned(
                "it cannot be planned by itself: dynamic extents, calls, or values without room",
            );
            continue;
        };
        best.tiles
            .write(run.context(), function, body, &planned.dims, &remarks)?;
        best.mark(run.context(), function);
        changed |=
            !best.tiles.are_given() || best.cache_arguments || best.divisions != Divisions::Each;
        run.count("functions", 1);
        explain(&remarks, function, &best, &tried, planned.compulsory);
    }
    if !changed {
        run.preserve_analyses();
    }
    Ok(())
}

/// A function that is planned.
struct Planned<'p> {
    function: Op<'p>,
    body: Blk<'p>,
    target: Target,
    dims: ArgumentDims<'p>,
    /// The bytes that no plan avoids; `None` if they are not known.
    compulsory: Option<u128>,
}

impl<'p> Planned<'p> {
    fn of(context: &'p Context, function: Op<'p>, body: Blk<'p>) -> Result<Self, Diagnostic<'p>> {
        Ok(Self {
            function,
            body,
            target: target_of(function)?.target,
            dims: ArgumentDims::of(context, function, body),
            compulsory: measure::compulsory(context, body),
        })
    }

    /// Returns the plans to try, in order. Those with tiles of one dimension alternate with others, so that some are tried for large
    /// functions too.
    fn candidates(&self) -> impl Iterator<Item = Candidate> {
        let decided = Decided::of(self.function, self.body);
        let dims = match decided.all_tiles || decided.some_tiles {
            true => &[],
            false => self.dims.named.as_slice(),
        };
        let mut others = candidates(decided);
        let first: Vec<Candidate> = others.by_ref().take(FIRST_TRIED).collect();
        let others = alternate(others, along(dims));
        alternate(
            first.into_iter().chain(others),
            parts_and_rest(dims, self.target.cores),
        )
    }

    /// Tries so many plans, as long as one could be better. Nothing is tried if the program as it is cannot be planned.
    fn try_all(&self, context: &'p Context, most: usize) -> Tried {
        let (mut tried, mut tiled) = (Tried::new(), Tiled::default());
        let mut attempts = 0;
        for candidate in self.candidates() {
            if attempts == most {
                break;
            }
            if !self.is_worth_trying(&candidate, &tried) {
                continue;
            }
            attempts += 1;
            self.try_one(context, candidate, &mut tiled, &mut tried);
            if tried.is_empty() {
                break; // The program as it is cannot be planned.
            }
        }
        tried
    }

    /// Tries a plan, if its tiles can be.
    fn try_one(
        &self,
        context: &'p Context,
        candidate: Candidate,
        tiled: &mut Tiled<'p>,
        tried: &mut Tried,
    ) {
        let tiled = tiled.with(context, self.function, &candidate.tiles, &self.dims);
        if let Some(modelled) = tiled.and_then(|tiled| candidate.try_on(context, tiled)) {
            tried.push((candidate, modelled));
        }
    }

    /// Plans the pieces of the function one by one, those that are equal once, and tries the whole function with their tiles. Returns
    /// how many pieces were planned.
    fn try_pieces(&self, context: &'p Context, tried: &mut Tried) -> usize {
        let decided = Decided::of(self.function, self.body);
        if decided.all_tiles || decided.some_tiles || !self.is_more_to_save(tried) {
            return 0;
        }
        let module = copied(self.function);
        let copy = only(&module);
        self.dims.declare(copy);
        let body = ir::function_body(copy).expect("the function has a body");
        let Some(pieces) = Pieces::of(copy, body) else {
            return 0;
        };
        let operations = pieces.different().map(|id| pieces.operations(id));
        let most = TRIED_OPERATIONS / operations.sum::<usize>().max(1);
        if most < LEAST_OF_PIECES {
            return 0;
        }
        let mut tiles: FxHashMap<PieceId, Vec<OpTiles>> = FxHashMap::default();
        let mut ways: Vec<(bool, Divisions)> = Vec::new();
        for id in pieces.different() {
            let module = pieces.build(context, id);
            let Some((best, of_ops)) = plan_piece(context, only(&module), most) else {
                continue; // It cannot be planned by itself, and has no tiles.
            };
            let cache_arguments = best.cache_arguments || decided.cache_arguments;
            let way = (cache_arguments, best.divisions);
            if !ways.contains(&way) {
                ways.push(way);
            }
            tiles.insert(id, of_ops);
        }
        let count = tiles.len();
        if tiles.values().all(Vec::is_empty) {
            return count; // None of them has tiles.
        }
        let tiles = Tiles::Pieces(pieces.together(&tiles));
        let mut tiled = Tiled::default();
        for (cache_arguments, divisions) in ways {
            let candidate = Candidate {
                tiles: tiles.clone(),
                cache_arguments,
                divisions,
            };
            self.try_one(context, candidate, &mut tiled, tried);
        }
        count
    }

    /// Tries what is fastest within the bytes that a plan may move, with the tiles of the best plan and with those of the program as
    /// it is. No weight of bytes finds it where it is neither nearly the fastest nor nearly of the fewest bytes.
    fn try_within(&self, context: &'p Context, tried: &mut Tried) {
        if !self.is_more_to_save(tried) {
            return;
        }
        let best = best(tried, self.compulsory).expect("a plan was tried");
        let few = most_bytes(&admitted(tried), self.compulsory);
        let Some(most) = few.and_then(|few| i64::try_from(few / 10).ok()) else {
            return; // So many bytes are no limit.
        };
        let given = tried[0].0.tiles.clone();
        let mut all = vec![best.tiles];
        if all[0] != given {
            all.push(given);
        }
        let mut tiled = Tiled::default();
        for tiles in all {
            let candidate = Candidate {
                tiles,
                cache_arguments: true,
                divisions: Divisions::Within(most),
            };
            self.try_one(context, candidate, &mut tiled, tried);
        }
    }

    /// Returns whether a plan could be better than those that were tried.
    fn is_worth_trying(&self, candidate: &Candidate, tried: &Tried) -> bool {
        let Some(compulsory) = self.compulsory else {
            return true;
        };
        // Whether the bytes are at most so many thousandths of the compulsory ones.
        let is_near =
            |modelled: &Modelled, most: u128| modelled.distinct * 1000 <= compulsory * most;
        match &candidate.tiles {
            Tiles::None | Tiles::Hinted | Tiles::Pieces(_) => true,
            // Tiles save bytes, and there are none left to save.
            Tiles::Broadcast | Tiles::EveryCore | Tiles::LongRuns => !tried
                .iter()
                .any(|(other, modelled)| other.tiles.are_given() && is_near(modelled, 1001)),
            // What is left to save is not worth as many trials.
            Tiles::Along {
                amount: Amount::Count(_),
                ..
            } => !tried.iter().any(|(_, modelled)| is_near(modelled, 1100)),
            // Parts that the cores divide save computing time as well.
            Tiles::Along {
                amount: Amount::Size(_),
                ..
            } => {
                let least = self.least_time(compulsory, tried);
                let fastest = tried.iter().map(|(_, modelled)| modelled.time).min();
                fastest
                    .zip(least)
                    .is_some_and(|(fastest, least)| fastest.0 / 201 > least.0 / 200)
            }
        }
    }

    /// Returns whether a plan could be clearly better than all that were tried.
    fn is_more_to_save(&self, tried: &Tried) -> bool {
        let Some(compulsory) = self.compulsory else {
            return false;
        };
        let Some(least) = self.least_time(compulsory, tried) else {
            return false; // Nothing was tried: the function cannot be planned.
        };
        let is_least = |modelled: &Modelled| {
            modelled.distinct * 100 <= compulsory * 101 && modelled.time.0 / 101 <= least.0 / 100
        };
        !tried.iter().any(|(_, modelled)| is_least(modelled))
    }

    /// Returns the time in which all cores compute what the program as it is computes, and in which the compulsory bytes move.
    fn least_time(&self, compulsory: u128, tried: &Tried) -> Option<Picoseconds> {
        let (_, as_it_is) = tried.first()?;
        let mut least = Picoseconds(as_it_is.compute.0 / u64::from(self.target.cores.max(1)));
        least += measure::memory_time(compulsory, &self.target.rates);
        Some(least)
    }
}

/// Returns the items of one sequence and another in turn, and then those of the longer one.
fn alternate<T>(
    first: impl Iterator<Item = T>,
    second: impl Iterator<Item = T>,
) -> impl Iterator<Item = T> {
    let (mut first, mut second) = (first.fuse(), second.fuse());
    let mut is_second = true;
    std::iter::from_fn(move || {
        is_second = !is_second;
        match is_second {
            true => second.next().or_else(|| first.next()),
            false => first.next().or_else(|| second.next()),
        }
    })
}

/// Plans a piece of a function, trying so many plans. Returns the plan, and the tiles of the piece's operations; `None` if it cannot be
/// planned by itself.
fn plan_piece<'p>(
    context: &'p Context,
    function: Op<'p>,
    most: usize,
) -> Option<(Candidate, Vec<OpTiles>)> {
    ir::set_discardable_attribute(function, TRIAL, Attribute::unit(context));
    let body = ir::function_body(function)?;
    let planned = Planned::of(context, function, body).ok()?;
    let best = best(&planned.try_all(context, most), planned.compulsory)?;
    let remarks = Remarks::about(context, function, TRIAL);
    let written = best
        .tiles
        .write(context, function, body, &planned.dims, &remarks);
    written.ok()?;
    Some((best, OpTiles::of_function(body)))
}

/// Returns the plans that are not slower than the program as it is.
fn admitted(tried: &Tried) -> Vec<&(Candidate, Modelled)> {
    let as_it_is = tried.first().map(|(_, modelled)| modelled.time);
    let tried = tried.iter();
    tried
        .filter(|(_, modelled)| Some(modelled.time) <= as_it_is)
        .collect()
}

/// Returns ten times the most bytes that a plan may move: a tenth more than the compulsory ones, or, where none of the plans moves so few,
/// than the fewest, but no more than the program as it is. `None` of no plans.
fn most_bytes(admitted: &[&(Candidate, Modelled)], compulsory: Option<u128>) -> Option<u128> {
    let (_, as_it_is) = admitted.first()?;
    let distinct = admitted.iter().map(|(_, modelled)| modelled.distinct);
    let fewest = distinct.min()?;
    Some(match compulsory {
        Some(compulsory) if fewest * 10 <= compulsory * 11 => compulsory * 11,
        _ => (fewest * 11).min(as_it_is.distinct * 10),
    })
}

/// Returns the fastest plan of those that move few bytes; of equals the one that decides least, and of those the first.
///
/// No plan is slower than the program as it is. Of the others, those are taken that move at most a tenth more than the compulsory
/// bytes. Where none does, those that move at most a tenth more than the fewest, but no more than the program as it is; and those that
/// save a larger part of the time of the fastest of these than they add to its bytes.
fn best(tried: &Tried, compulsory: Option<u128>) -> Option<Candidate> {
    let admitted = admitted(tried);
    let fastest = |admits: &dyn Fn(&Modelled) -> bool| {
        let few = admitted.iter().filter(|(_, modelled)| admits(modelled));
        few.min_by_key(|(candidate, modelled)| {
            let decided = (
                candidate.divisions != Divisions::Each,
                candidate.cache_arguments,
            );
            (modelled.time, decided)
        })
    };
    let most = most_bytes(&admitted, compulsory)?;
    let few = fastest(&|modelled| modelled.distinct * 10 <= most);
    let few = match compulsory {
        Some(compulsory) if most == compulsory * 11 => few,
        _ => {
            let (_, few) = few?;
            let product = |modelled: &Modelled| u128::from(modelled.time.0) * modelled.distinct;
            fastest(&|modelled| product(modelled) <= product(few))
        }
    };
    few.map(|(candidate, _)| candidate.clone())
}

/// Reports every plan that was tried, and what it costs.
fn explain<'p>(
    remarks: &Remarks,
    function: Op<'p>,
    best: &Candidate,
    tried: &Tried,
    compulsory: Option<u128>,
) {
    for (candidate, modelled) in tried {
        let is_chosen = candidate == best;
        let (kind, title) = if is_chosen {
            (Kind::Passed, "Chosen")
        } else {
            (Kind::Missed, "NotChosen")
        };
        remarks.emit(|| {
            let remark = Remark::new(kind, function.location(), title)
                .arg("Plan", candidate)
                .arg(
                    "Microseconds",
                    format!("{:.2}", modelled.time.microseconds()),
                )
                .arg("DistinctBytes", modelled.distinct);
            match compulsory {
                Some(compulsory) => remark.arg("CompulsoryBytes", compulsory),
                None => remark,
            }
        });
    }
}
