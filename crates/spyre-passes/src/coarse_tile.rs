//! `--coarse-tile`: turns runs of device operations that share dimensions into loops over tiles.
//!
//! The pass plans first and rewrites then: every refusal happens before the first change.
//!
//! * `run` says which operations can be moved out of the way of others.
//! * `hints` reads the hints of an operation, `nests` reports scopes that continue in another nest of loops.
//! * `group_op` describes the operations that a group can have, `open` a group while its block is read.
//! * `groups` finds the runs from hints, `positions` from the explicit groups that `explicit` reads.
//! * `plan` collects the information for the rewriting, and checks it:
//!   * `cuts` decides the extents of tiles, `trips` the number of iterations of loops and their last tiles;
//!   * `region` says which window of a tensor one iteration visits, `windows` whether loops can visit it;
//!   * `reduce` combines the parts of reductions, `search` the parts of searches;
//!   * `nest` says which loop each operation is in.
//! * `narrow` says which extents remain allowed for dimensions whose extents are chosen at run time.
//! * `explain` reports the plan and its reasons in remarks and tables.
//! * `flow` finds the tensors that loops carry, `once` the operations that a shorter last tile need not repeat.
//! * `rewrite` builds the loops, `member` the operations in them, `scope` the windows, `constant` tiles of constants.

mod build;
mod explain;
mod find;
mod plan;

use std::rc::Rc;

use melior::dialect::DialectHandle;
use melior::ir::operation::OperationLike;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_mlir_rt::remark::{Kind, Remark, Remarks};

use crate::assign_hints::SCOPES;
use crate::dynamic::DynamicDims;
use crate::tensor::TensorTypes;
use crate::walk::check_reachable;

pub use self::find::groups::Member;
pub use self::find::hints::Levels;

/// `--coarse-tile`
pub static COARSE_TILE: RustPass = RustPass {
    argument: "coarse-tile",
    summary: "Tile runs of device operations into counted loops",
    description: include_str!("coarse_tile.md"),
    anchor: "func.func",
    options: &[
        PassOption {
            name: "groups",
            description: "explicit groups instead of hints: [@function:]FIRST[-LAST]:COUNT[@DIM[+DIM]][/COUNT@DIM...], \
                      operations by their position among the device operations of the function",
            kind: OptionKind::List,
        },
        PassOption {
            name: "only-dynamic",
            description: "tile the functions that have dimensions which are chosen at run time, and no others",
            kind: OptionKind::Bool(false),
        },
        PassOption {
            name: "dry-run",
            description: "say in a remark at the function what would be tiled, and change nothing",
            kind: OptionKind::Bool(false),
        },
    ],
    statistics: &[
        PassStatistic {
            name: "groups",
            description: "Groups of operations that were tiled",
        },
        PassStatistic {
            name: "loops",
            description: "Loops that were made",
        },
        PassStatistic {
            name: "operations",
            description: "Operations that were moved into loops",
        },
    ],
    dialects: || {
        vec![
            DialectHandle::affine(),
            DialectHandle::arith(),
            DialectHandle::scf(),
            DialectHandle::tensor(),
            spyre_dialects::spyre_dialect(),
        ]
    },
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    let explicit =
        find::explicit::parse(&run.list("groups")).map_err(|message| error(function, message))?;
    find::positions::warn_unknown_functions(function, &explicit);
    if explicit.is_empty() {
        check_reachable(function, "coarse-tile", |op| op.hints_attribute().is_some())?;
        if function.has_attribute(SCOPES) {
            let message = format!(
                "the function has '{SCOPES}', which --spyre-assign-dim-hints has to turn into hints first"
            );
            return Err(error(function, message).into());
        }
    }
    let Some(body) = ir::function_body(function) else {
        run.preserve_analyses();
        return Ok(());
    };
    let dynamic = Rc::new(DynamicDims::of_function(function, body)?);
    if run.flag("only-dynamic") && dynamic.is_empty() {
        run.preserve_analyses();
        return Ok(());
    }
    let types = TensorTypes::new(run.context());
    let remarks = Remarks::about(run.context(), function, explain::CATEGORY);
    let groups = if explicit.is_empty() {
        find::groups::from_hints(function, body, &dynamic, &remarks)?
    } else {
        find::positions::from_explicit(function, body, &explicit, &dynamic)
            .inspect_err(|why| refused(&remarks, why))?
    };
    let mut planner = plan::Planner::new(&types, &dynamic);
    let mut plans = Vec::with_capacity(groups.len());
    for group in &groups {
        if group.levels.is_empty() {
            continue;
        }
        let plan = planner
            .plan(group)
            .inspect_err(|why| refused(&remarks, why))?;
        explain::remarks(&remarks, group, &plan);
        plans.push((group, plan));
    }
    let narrowed = plan::narrow::narrow(&dynamic, &planner.dynamic_tiles);
    if run.flag("dry-run") {
        let tables = groups.iter().enumerate().map(|(number, group)| {
            let mut plans = plans.iter();
            let plan = plans.find(|(planned, _)| std::ptr::eq(*planned, group));
            explain::table(number, group, plan.map(|(_, plan)| plan))
        });
        let tables: String = tables.collect();
        let message = match tables.as_str() {
            "" => "nothing to tile",
            tables => tables.trim_end(),
        };
        Diagnostic::remark(
            function.location(),
            format!("coarse-tile: the plan\n{message}"),
        )
        .emit();
        run.preserve_analyses();
        return Ok(());
    }
    if groups.is_empty() {
        run.preserve_analyses();
        return Ok(());
    }
    for group in groups.iter().filter(|group| group.levels.is_empty()) {
        group
            .members
            .iter()
            .for_each(|member| member.op.remove_hints());
    }
    plan::narrow::declare(run.context(), function, &dynamic, &narrowed);
    let mut rewriter =
        build::loops::Rewriter::new(run.context(), body, &types, &dynamic, &planner.regions);
    for (group, mut plan) in plans {
        plan.remarks.drain(..).for_each(Diagnostic::emit);
        let done = rewriter.rewrite(&plan, group.behind())?;
        run.count("groups", usize::from(done.operations > 0));
        run.count("loops", done.loops);
        run.count("operations", done.operations);
    }
    Ok(())
}

/// Checks that operations of one block can be tiled together. `counts` has the number of tiles of each loop, outermost first;
/// each member says which of its iteration dimensions each loop cuts.
///
/// # Errors
/// The error that the pass would report for hints on these operations.
pub fn check_group<'p>(
    types: &TensorTypes<'p>,
    counts: &[u64],
    members: Vec<Member<'p>>,
) -> Result<(), Diagnostic<'p>> {
    let level = |count: &u64| find::groups::Level {
        count: *count,
        size: None,
        label: String::new(),
        dynamic: None,
    };
    let group = find::groups::Group {
        levels: counts.iter().map(level).collect(),
        members,
        behind: Vec::new(),
        origin: String::new(),
    };
    let dynamic = DynamicDims::default();
    plan::Planner::new(types, &dynamic).plan(&group).map(drop)
}

/// Reports in a remark that the function is not tiled, and why.
fn refused<'p>(remarks: &Remarks, why: &Diagnostic<'p>) {
    remarks.emit(|| {
        let remark = Remark::new(Kind::Failed, why.location(), "Refused").reason(why.message());
        match why.suggestion() {
            Some(suggestion) => remark.suggestion(suggestion),
            None => remark,
        }
    });
}

fn error<'p>(op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(op.location(), format!("coarse-tile: {message}"))
}
