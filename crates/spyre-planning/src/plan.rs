//! `--spyre-plan`: tiles, divisions and places of a function, decided together.
//!
//! The benefit of tiles depends on the values in the scratchpad, and these on the tiles and on the division of the
//! work. So all of it is searched for together: `tilings` reads copies of the function that were tiled as a whole, and
//! `spyre_plan::together` chooses one of them for each operation, with its division and the values in the scratchpads.
//! Pieces of a function, such as its layers, are planned as separate functions (`pieces`).
//!
//! A search is a model of later passes. So `attempts` carries out its results, and the program as it is with other
//! divisions, on copies of the function (`tiled`), `--spyre-verify-plan` checks each, and `measure` computes its
//! modelled time: every operation, times the iterations of its loops, with its traffic from and to device memory. The
//! fastest plan that moves few bytes is kept. The program as it is comes first and stays among equals, and no slower
//! plan is taken. The hints of the user stay: all plans have these tiles and splits, and decide about the other
//! operations.

mod attempts;
mod candidates;
mod dims;
mod op_tiles;
mod pieces;
pub mod report;
mod tiled;
mod tilings;

use melior::ir::operation::OperationLike;
use spyre_analysis::walk::{check_decided, check_reachable, device_ops};
use spyre_dialects::function_plan::FunctionPlan;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_mlir_rt::remark::{Remark, RemarkKind, Remarks};
use spyre_ods::builtin;

use self::attempts::{CARRY_OUT, Planned, Tried, best};
use self::candidates::Candidate;
use self::dims::{ArgumentDims, Reassociation};
use self::tiled::TILE;

const NAME: &str = "spyre-plan";

/// `--spyre-plan`
pub static PLAN: RustPass = RustPass {
    argument: NAME,
    summary: "Decide tiles, divisions and copies of arguments together, by the modelled time of the planned program",
    description: DESCRIPTION,
    anchor: builtin::MODULE,
    options: &[
        PassOption {
            name: "relayouts",
            description: "move values from scratchpad to scratchpad where a plan is faster so; its speed is not published",
            kind: OptionKind::Bool(false),
        },
        PassOption {
            name: "reassociate",
            description: "the operations with parts rounded to 16 bits that tiles may cut along reduced dimensions: never, \
                          products of matrices, or allow, which has sums and means as well",
            kind: OptionKind::Str("products"),
        },
    ],
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
    dialects: || {
        // The passes that run on copies build operations of other dialects, and MLIR loads dialects before a pass runs.
        let passes = TILE.iter().chain(&CARRY_OUT);
        passes.flat_map(|pass| (pass.dialects)()).collect()
    },
    run,
};

const DESCRIPTION: &str = r#"
Chooses tiles, divisions and the values in the scratchpads for each function, by the cost model
([Planning.md](../Planning.md#all-decided-together)): a search over its operations finds a few plans, which are carried out
on copies of the function, and the fastest plan that moves few bytes is kept. A plan is `tile` hints for each operation
and a [`spyre.plan`](../Dialects/spyre.md#planattr) of the function, with which `--spyre-work-division` chooses all splits
together, within some bytes, and `--spyre-scratchpad-planning` copies arguments into the scratchpad where that saves
reads. The choice is between some numbers of tiles along each named dimension, in operations that reduce it as well, and
the tiles of `--spyre-choose-tiles`. The card adds up in 32 bits, and parts of
a sum are rounded to the 16 bits of its result: the mean of 8,192 sixteens would be infinite in `f16`. So sums and means
are not cut along reduced dimensions, unless the program has such a hint or `reassociate=allow` is given; maxima and
minima are. Products of matrices are, without `reassociate=never`. Arguments without `spyre.dims` get names for that.
Where the cores do not divide a dimension of an argument, as 32 do not divide 509 rows or 172 sticks, parts that they
divide and a rest are tried (`"rows" by 480`). Layers are planned by themselves, equal ones once, and the function is
tried with their tiles. Later passes carry the plan out: `--coarse-tile`, `--spyre-work-division`,
`--spyre-scratchpad-planning`. They also do so on the copies, so that the modelled time is the time of the resulting
program. With `relayouts`, the best plan and the three fastest are tried once more with relayouts, so that
`--spyre-scratchpad-planning` moves values from scratchpad to scratchpad; one is taken if it is faster than the
best plan and moves no more bytes of device memory. The plan without decisions is tried first, and no slower one is
taken. One that is faster may move up to a tenth more than the compulsory bytes.

```mlir
// before: x is read twice
func.func @f(%x: !t) -> !t {
  %m = spyre.max %x dims [1] keepdim : (!t) -> !column
  %y = spyre.sub %x, %m : (!t, !column) -> !t
  return %y : !t
}
// after: it is read once, and is in the scratchpad from then on
func.func @f(%x: !t) -> !t attributes {spyre.plan = #spyre.plan<cache_arguments = true>} { ... }
```

Decisions of the author of a function stay: an operation with a hint or a `split` keeps it, and others are planned
around it; with `spyre.tile_scopes`, as in `spyre.tile_scopes = []` for none, no plan has tiles other than hints. Left
alone: functions with a `spyre.plan` or with a place on any operation, and functions that cannot be planned by themselves
(dynamic extents, calls of other functions, a `divide` that `--spyre-assign-dim-hints` has not seen). Run it after layouts
are chosen and before `--coarse-tile`.

Remarks (`--remarks-filter=spyre-plan`):

| remark | kind | content |
|---|---|---|
| `Chosen` | passed | the plan, its modelled time, and the distinct bytes next to the compulsory ones |
| `NotChosen` | missed | the same for each other plan |
| `NotPlanned` | missed | why a function is left alone |

Refused: layouts that are not chosen yet; an operation in a function of several blocks or in a
region other than a loop's.
"#;

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let module = run.operation();
    let reassociate = run.text("reassociate");
    let reassociation = Reassociation::named(&reassociate).ok_or_else(|| {
        let message = format!("reassociate is never, products or allow, and not '{reassociate}'");
        Diagnostic::error(module.location(), format!("{NAME}: {message}"))
    })?;
    let mut changed = false;
    for function in ir::body(module).into_iter().flat_map(ir::operations) {
        let Some(body) = ir::function_body(function) else {
            continue; // A declaration, or an operation that is no function.
        };
        if device_ops(body).is_empty() {
            continue; // No operation runs on the card.
        }
        check_reachable(function, NAME, |_| true)?;
        check_decided(body, NAME)?;
        let remarks = run.remarks(function, NAME);
        let not_planned = |reason: &str| {
            remarks.emit(|| {
                Remark::new(RemarkKind::Missed, function.location(), "NotPlanned").reason(reason)
            });
        };
        if let Some(reason) = planned_already(function, body) {
            not_planned(reason);
            continue;
        }
        let dims = match ArgumentDims::of(run.context(), function, body, reassociation) {
            Ok(dims) => dims,
            Err(err) => {
                not_planned(&format!("it cannot be planned by itself: {err}"));
                continue;
            }
        };
        let planned = Planned::of(run.context(), function, body, dims)?;
        // An error in a copy is not reported to the user: the plan is not taken.
        let quiet = run.context().attach_diagnostic_handler(|_| true);
        let (mut tried, pieces) = planned.try_all(run.context());
        let mut chosen = best(&tried, planned.compulsory);
        if run.flag("relayouts")
            && let Some(best) = &chosen
            && let Some(better) = planned.try_relayouts(run.context(), best, &mut tried)
        {
            chosen = Some(better);
        }
        run.context().detach_diagnostic_handler(quiet);
        run.count("candidates", tried.len());
        run.count("pieces", pieces);
        let Some(best) = chosen else {
            not_planned(
                "it cannot be planned by itself: dynamic extents, calls, or values without room",
            );
            continue;
        };
        best.tiles
            .write(run.context(), function, body, &planned.dims, &remarks)?;
        best.write_plan(run.context(), function);
        changed |= !best.tiles.are_given() || best.plan() != FunctionPlan::default();
        run.count("functions", 1);
        explain(&remarks, function, &best, &tried, planned.compulsory);
    }
    if !changed {
        run.preserve_analyses();
    }
    Ok(())
}

/// Returns why a function is planned already; `None` if it is not.
fn planned_already<'p>(function: Op<'p>, body: Blk<'p>) -> Option<&'static str> {
    if FunctionPlan::of_function(function).is_some() {
        return Some("it has 'spyre.plan', so it is planned already");
    }
    let has_places = device_ops(body).into_iter().any(|op| op.place().is_some());
    has_places.then_some("it has places, so it is planned already")
}

/// Reports every plan that was tried, and its cost.
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
            (RemarkKind::Passed, "Chosen")
        } else {
            (RemarkKind::Missed, "NotChosen")
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
