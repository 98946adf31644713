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
//! operations. The program as it is comes first and stays among equals, and nothing is taken that is slower than it, by the model.
//! What the user has hinted stays: all candidates have these tiles and splits, and decide about the other operations.

mod buffers;
pub(crate) mod measure;
pub mod report;

use std::collections::BTreeMap;

use melior::Context;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, IntegerType, RankedTensorType};
use melior::ir::{Attribute, Module, ShapedTypeLike, ValueLike};
use spyre_dialects::attr;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_mlir_rt::remark::{Kind, Remark, Remarks};
use spyre_mlir_rt::source::run_pipeline;
use spyre_plan::auto_tile::traffic;

use self::measure::Modelled;
use crate::assign_hints::{SCOPES, assign_tiles};
use crate::choose_tiles::{self, Goals, Search};
use crate::names::DIMS;
use crate::scratchpad::CACHE_ARGUMENTS;
use crate::target::{TARGET, stated_target, target_of};
use crate::walk::{check_decided, check_reachable, device_ops};
use crate::work_division::MODEL_DIVISIONS;

const NAME: &str = "spyre-plan";

/// The mark of a copy of a function on which a plan is tried. Passes report nothing about it.
pub(crate) const TRIAL: &str = "spyre.trial";

/// The passes that carry a plan out.
const CARRY_OUT: &str = "builtin.module(func.func(coarse-tile,spyre-constants-to-arguments,spyre-work-division,\
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
operations are tried as well, those that reduce it included. The passes behind carry the
plan out: `--coarse-tile`, `--spyre-work-division`, `--spyre-scratchpad-planning`. They also do so
on the copies, so that the time is that of the program that comes out. The plan that decides
nothing is tried first, and none is taken that is slower or moves more distinct bytes.

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

/// A plan that is to be tried.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Candidate {
    tiles: Tiles,
    cache_arguments: bool,
    divisions: Divisions,
}

/// How the work of a plan is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Divisions {
    /// Operation by operation.
    Each,
    /// For all operations together, by the modelled time; moving bytes counts so many times.
    Together(i64),
}

impl Divisions {
    /// What is tried: each by itself, bytes saved first, between the two, and the fastest.
    const ALL: [Self; 4] = [
        Self::Each,
        Self::Together(8),
        Self::Together(2),
        Self::Together(1),
    ];
}

/// The tiles of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Tiles {
    None,
    /// Those of hints, and no others.
    Hinted,
    /// Chosen with what several cores read at once counted once.
    Broadcast,
    /// Chosen with the reads of every core counted.
    EveryCore,
    /// As `Broadcast`, of runs of operations as long as several layers.
    LongRuns,
    /// So many tiles of the dimension of a name, in every operation that has it: in those that reduce it as well, which no group of
    /// the others is cut along.
    Along {
        name: String,
        tiles: u64,
    },
}

/// The numbers of tiles that are tried along a dimension of all operations, as far as the extent has divisors near to them.
const ALONG: [u64; 3] = [4, 16, 64];

/// What the author of a function has decided about its plan, besides splits of operations.
#[derive(Debug, Clone, Copy)]
struct Decided {
    /// The tiles of all operations.
    all_tiles: bool,
    /// Those of some operations.
    some_tiles: bool,
    cache_arguments: bool,
}

impl Decided {
    fn of<'p>(function: Op<'p>, body: Blk<'p>) -> Self {
        let is_hinted = |op: DeviceOp<'p>| op.hints_attribute().is_some();
        Self {
            all_tiles: function.has_attribute(SCOPES),
            some_tiles: device_ops(body).into_iter().any(is_hinted),
            cache_arguments: function.has_attribute(CACHE_ARGUMENTS),
        }
    }
}

/// Returns what is tried, in this order: the program as it is, then for all tiles what has saved most in the suite of graphs, then the rest.
fn candidates(decided: Decided) -> impl Iterator<Item = Candidate> {
    let mut tiles = vec![match decided.all_tiles || decided.some_tiles {
        true => Tiles::Hinted,
        false => Tiles::None,
    }];
    if !decided.all_tiles {
        tiles.extend([Tiles::Broadcast, Tiles::LongRuns, Tiles::EveryCore]);
    }
    let [each, few_bytes, between, fastest] = Divisions::ALL;
    let rest = [
        (each, true),
        (fastest, true),
        (between, true),
        (few_bytes, false),
        (between, false),
        (fastest, false),
        (each, false),
    ];
    let ways = [(few_bytes, true)].into_iter().chain(rest);
    let ways = ways.filter(move |(_, cached)| *cached || !decided.cache_arguments);
    let as_it_is = Candidate {
        tiles: tiles[0].clone(),
        cache_arguments: decided.cache_arguments,
        divisions: each,
    };
    let all = ways.flat_map(move |(divisions, cache_arguments)| {
        let with = |tiles: &Tiles| Candidate {
            tiles: tiles.clone(),
            cache_arguments,
            divisions,
        };
        tiles.iter().map(with).collect::<Vec<_>>()
    });
    let first = as_it_is.clone();
    [as_it_is]
        .into_iter()
        .chain(all.filter(move |candidate| *candidate != first))
}

impl std::fmt::Display for Candidate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.tiles {
            Tiles::None => f.write_str("no tiles")?,
            Tiles::Hinted => f.write_str("the tiles of the hints")?,
            Tiles::Broadcast => f.write_str("tiles with broadcasts counted once")?,
            Tiles::EveryCore => f.write_str("tiles with every core's reads counted")?,
            Tiles::LongRuns => f.write_str("tiles of long runs with broadcasts counted once")?,
            Tiles::Along { name, tiles } => write!(f, "{tiles} tiles along {name} everywhere")?,
        }
        f.write_str(if self.cache_arguments {
            ", copies of arguments"
        } else {
            ", no copies of arguments"
        })?;
        match self.divisions {
            Divisions::Each => Ok(()),
            Divisions::Together(1) => f.write_str(", divisions chosen together"),
            Divisions::Together(times) => write!(
                f,
                ", divisions chosen together with bytes counted {times} times"
            ),
        }
    }
}

impl Tiles {
    /// Returns whether they are those of the program as it is.
    fn are_given(&self) -> bool {
        matches!(self, Self::None | Self::Hinted)
    }

    /// Writes the hints of the tiles on a function. Returns whether there are any.
    fn write<'p>(
        &self,
        context: &'p Context,
        function: Op<'p>,
        body: Blk<'p>,
        remarks: &Remarks,
    ) -> Result<bool, Diagnostic<'p>> {
        match self {
            Self::None | Self::Hinted => return Ok(true),
            Self::Along { name, tiles } => {
                let scope = format!("[#spyre.tile_scope<{name:?} in {tiles}>]");
                let Some(scope) = Attribute::parse(context, &scope) else {
                    return Ok(false); // The name is none that a scope can have.
                };
                ir::set_discardable_attribute(function, SCOPES, scope);
                return Ok(assign_tiles(context, function, body)? > 0);
            }
            Self::Broadcast | Self::EveryCore | Self::LongRuns => {}
        }
        let goals = Goals {
            span: false,
            traffic: true,
        };
        let search = Search {
            broadcasts: *self != Self::EveryCore,
            most_atoms: match self {
                Self::LongRuns => traffic::LONG_RUN,
                _ => traffic::MAX_ATOMS,
            },
        };
        let chosen = choose_tiles::choose(context, function, body, goals, search, remarks)?;
        Ok(chosen.groups > 0)
    }
}

impl Candidate {
    /// Writes the marks of the plan on a function, which has the tiles.
    fn mark<'p>(&self, context: &'p Context, function: Op<'p>) {
        if self.cache_arguments {
            ir::set_discardable_attribute(function, CACHE_ARGUMENTS, Attribute::unit(context));
        }
        if let Divisions::Together(spill) = self.divisions {
            let spill = IntegerAttribute::new(IntegerType::new(context, 64).into(), spill);
            ir::set_discardable_attribute(function, MODEL_DIVISIONS, spill.into());
        }
    }

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
    let module = Module::new(function.location());
    if let Some(target) = stated_target(function) {
        ir::set_discardable_attribute(module.as_operation(), TARGET, target);
    }
    ir::build_copy(At::End(module.body()), function);
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
    fn with(&mut self, context: &Context, function: Op<'p>, tiles: &Tiles) -> Option<Op<'_>> {
        let known = self.made.iter().position(|(known, _)| known == tiles);
        let number = known.unwrap_or_else(|| {
            let module = copied(function);
            let is_tiled = write_on(context, &module, tiles);
            self.made.push((tiles.clone(), is_tiled.then_some(module)));
            self.made.len() - 1
        });
        self.made[number].1.as_ref().map(only)
    }
}

/// Writes tiles on a copy of a function. Returns whether there are any.
fn write_on(context: &Context, module: &Module<'_>, tiles: &Tiles) -> bool {
    let copy = only(module);
    ir::set_discardable_attribute(copy, TRIAL, Attribute::unit(context));
    let remarks = Remarks::about(context, copy, TRIAL);
    let body = ir::function_body(copy).expect("the function has a body");
    // What cannot be tiled so is no plan.
    tiles.write(context, copy, body, &remarks).unwrap_or(false)
}

/// The operations of all plans that are tried for a function, so that the time to plan does not grow faster than the function; and the
/// fewest plans that are tried.
const TRIED_OPERATIONS: usize = 12_000;
const LEAST_TRIED: usize = 4;

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
        let compulsory = measure::compulsory(run.context(), body);
        let tried = try_all(run.context(), function, body, compulsory);
        run.count("candidates", tried.len());
        let Some(best) = best(&tried, compulsory) else {
            not_planned(
                "it cannot be planned by itself: dynamic extents, calls, or values without room",
            );
            continue;
        };
        best.tiles.write(run.context(), function, body, &remarks)?;
        best.mark(run.context(), function);
        changed |=
            !best.tiles.are_given() || best.cache_arguments || best.divisions != Divisions::Each;
        run.count("functions", 1);
        explain(&remarks, function, &best, &tried, compulsory);
    }
    if !changed {
        run.preserve_analyses();
    }
    Ok(())
}

/// Tries the plans, as long as one could be better. Nothing is tried if the program as it is cannot be planned.
fn try_all<'p>(
    context: &'p Context,
    function: Op<'p>,
    body: Blk<'p>,
    compulsory: Option<u128>,
) -> Tried {
    let operations = device_ops(body).len();
    let most = (TRIED_OPERATIONS / operations.max(1)).max(LEAST_TRIED);
    let (mut tried, mut tiled) = (Tried::new(), Tiled::default());
    // What goes wrong with a copy is no matter of the user's: the plan is not taken.
    let quiet = context.attach_diagnostic_handler(|_| true);
    let decided = Decided::of(function, body);
    let along = match decided.all_tiles || decided.some_tiles {
        true => Vec::new(),
        false => along(function),
    };
    for candidate in candidates(decided).chain(along).take(most) {
        let near = |modelled: &Modelled| {
            compulsory.is_some_and(|compulsory| modelled.distinct * 10 <= compulsory * 11)
        };
        // Tiles save bytes, and there are none left to save.
        let is_bare = |modelled: &Modelled| {
            compulsory.is_some_and(|compulsory| modelled.distinct * 1000 <= compulsory * 1001)
        };
        let mut untiled = tried
            .iter()
            .filter(|(candidate, _)| candidate.tiles.are_given());
        if !candidate.tiles.are_given() && untiled.any(|(_, modelled)| is_bare(modelled)) {
            continue;
        }
        let is_along = matches!(candidate.tiles, Tiles::Along { .. });
        if is_along && tried.iter().any(|(_, modelled)| near(modelled)) {
            break; // What is left to save is not worth as many trials.
        }
        let tiled = tiled.with(context, function, &candidate.tiles);
        if let Some(modelled) = tiled.and_then(|tiled| candidate.try_on(context, tiled)) {
            tried.push((candidate, modelled));
        }
        if tried.is_empty() {
            break; // The program as it is cannot be planned.
        }
    }
    context.detach_diagnostic_handler(quiet);
    tried
}

/// Returns the fastest plan of those that move few bytes; of equals the one that decides least, and of those the first.
///
/// No plan is slower than the program as it is. Of the others, those are taken that move at most a tenth more than the compulsory
/// bytes, or, where none does, than the fewest, but no more than the program as it is.
fn best(tried: &Tried, compulsory: Option<u128>) -> Option<Candidate> {
    let (_, untiled) = tried.first()?;
    let admitted = tried
        .iter()
        .filter(|(_, modelled)| modelled.time <= untiled.time);
    let fewest = admitted
        .clone()
        .map(|(_, modelled)| modelled.distinct)
        .min()?;
    let few = match compulsory {
        Some(compulsory) if fewest * 10 <= compulsory * 11 => compulsory * 11,
        _ => (fewest * 11).min(untiled.distinct * 10),
    };
    let fastest = admitted
        .filter(|(_, modelled)| modelled.distinct * 10 <= few)
        .min_by_key(|(candidate, modelled)| {
            let decided = (
                candidate.divisions != Divisions::Each,
                candidate.cache_arguments,
            );
            (modelled.time, decided)
        });
    fastest.map(|(candidate, _)| candidate.clone())
}

/// Returns plans that cut all operations along one dimension that an argument names, with copies of arguments: what is read in every
/// iteration is read once then.
fn along(function: Op<'_>) -> Vec<Candidate> {
    let mut extents: BTreeMap<String, u64> = BTreeMap::new();
    let body = ir::function_body(function);
    for (number, argument) in body.into_iter().flat_map(ir::arguments).enumerate() {
        let names = ir::argument_attribute(function, number, DIMS);
        let names = names.map(attr::elements).unwrap_or_default();
        let Ok(ty) = RankedTensorType::try_from(argument.r#type()) else {
            continue; // It has no dimensions.
        };
        for (dim, name) in names.into_iter().enumerate() {
            if let (Some(name), Ok(DimSize::Static(extent))) =
                (attr::string(name), ty.dim_size(dim))
            {
                extents.insert(name, extent);
            }
        }
    }
    let mut candidates = Vec::new();
    for (name, extent) in extents {
        for tiles in counts(extent) {
            candidates.extend(Divisions::ALL.map(|divisions| Candidate {
                tiles: Tiles::Along {
                    name: name.clone(),
                    tiles,
                },
                cache_arguments: true,
                divisions,
            }));
        }
    }
    candidates
}

/// Returns the divisors of an extent that are nearest to [`ALONG`], ascending; those of its sticks of 64 elements, if it has whole ones.
fn counts(extent: u64) -> Vec<u64> {
    let units = match extent.is_multiple_of(64) {
        true => extent / 64,
        false => extent,
    };
    let divisors: Vec<u64> = (2..=units.min(1 << 12))
        .filter(|tiles| units.is_multiple_of(*tiles))
        .collect();
    let nearest = ALONG.map(|wanted| {
        let distance = |tiles: &&u64| {
            let (tiles, wanted) = (u128::from(**tiles), u128::from(wanted));
            // The larger over the smaller, in thousandths.
            1000 * tiles.max(wanted) / tiles.min(wanted)
        };
        divisors.iter().min_by_key(distance).copied()
    });
    let mut counts: Vec<u64> = nearest.into_iter().flatten().collect();
    counts.dedup();
    counts
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
