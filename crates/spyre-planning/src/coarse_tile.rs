//! `--coarse-tile`: turns runs of device operations that share dimensions into loops over tiles.
//!
//! The pass has three steps. `find` finds the groups of operations to tile, and the levels that cut them. `plan`
//! decides their loops completely, as data, so that every refusal happens before the first change. `explain` reports
//! the plan in remarks and tables. `construct` builds the loops of the plan, and compares them with it in the end.
//! `facts` has the dimensions and the tiles for tools that show them. `verify` proves the result.

mod construct;
mod explain;
mod facts;
mod find;
mod ids;
mod plan;
mod verify;

use std::rc::Rc;

use melior::dialect::DialectHandle;
use melior::ir::operation::OperationLike;
use spyre_analysis::dynamic::DynamicDims;
use spyre_analysis::indexing::Indexing;
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::walk::check_reachable;
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::names::SCOPES;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_mlir_rt::remark::{Remark, RemarkKind, Remarks};
use spyre_ods::func;

use self::construct::{Builder, extents};
pub use self::facts::{HintTiles, NamedExtent, OpDim, hint_tiles, op_dims};
use self::find::{Group, Level, LevelDim, Member, explicit, groups, positions};
use self::ids::{Id, IterDim};
use self::plan::Planner;
use self::plan::narrow::narrow;
use crate::assign_hints::has_open_scopes;

/// `--coarse-tile`
pub static COARSE_TILE: RustPass = RustPass {
    argument: "coarse-tile",
    summary: "Tile runs of device operations into counted loops",
    description: include_str!("coarse_tile.md"),
    anchor: func::FUNC,
    options: &[
        PassOption {
            name: "groups",
            description: "explicit groups instead of hints: [@function:]FIRST[-LAST]:COUNT[@DIM[+DIM]][/COUNT@DIM...], \
                      operations by their position among the device operations of the function",
            kind: OptionKind::List,
        },
        PassOption {
            name: "only-dynamic",
            description: "tile the functions that have dynamic dimensions, and no others",
            kind: OptionKind::Bool(false),
        },
        PassOption {
            name: "dry-run",
            description: "report the plan in a remark at the function, and do not change the program",
            kind: OptionKind::Bool(false),
        },
        PassOption {
            name: "verify-tiling",
            description: "prove that the function computes the same elements as before, and report the numbers in remarks",
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
    match run.flag("verify-tiling") {
        true => verify::tile(run, tile),
        false => tile(run),
    }
}

fn tile<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    let explicit =
        explicit::parse(&run.list("groups")).map_err(|message| error(function, message))?;
    positions::warn_unknown_functions(function, &explicit);
    if explicit.is_empty() {
        check_hints(function)?;
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
    let remarks = run.remarks(function, explain::CATEGORY);
    let groups = if explicit.is_empty() {
        groups::from_hints(function, body, &dynamic, &remarks)?
    } else {
        positions::from_explicit(function, body, &explicit, &dynamic)
            .inspect_err(|err| refused(&remarks, err))?
    };
    let mut planner = Planner::new(&types, &dynamic);
    let mut plans = Vec::with_capacity(groups.len());
    for group in &groups {
        plans.push(match group.levels.is_empty() {
            true => None,
            false => Some(
                planner
                    .plan(group)
                    .inspect(|plan| explain::remarks(&remarks, group, plan))
                    .inspect_err(|err| refused(&remarks, err))?,
            ),
        });
    }
    let declared = |symbol| dynamic.symbol(symbol).extent;
    let narrowed = narrow(declared, &planner.dynamic_tiles);
    if run.flag("dry-run") {
        explain::plan(function, &groups, &plans);
        run.preserve_analyses();
        return Ok(());
    }
    if groups.is_empty() {
        run.preserve_analyses();
        return Ok(());
    }
    // Everything is checked. From here on, the IR changes.
    extents::declare(run.context(), function, &dynamic, &narrowed);
    let mut builder = Builder::new(run.context(), body, &types, &dynamic, &planner.regions);
    for (group, plan) in groups.iter().zip(plans) {
        let Some(mut plan) = plan else {
            let members = group.members.iter();
            members.for_each(|member| member.op.remove_hints());
            continue;
        };
        plan.remarks.drain(..).for_each(Diagnostic::emit);
        let built = builder.build(&plan, &group.behind)?;
        let in_loops = plan.members.ids();
        let in_loops = in_loops
            .filter(|member| plan.nest.is_in_loops(*member))
            .count();
        run.count("groups", usize::from(in_loops > 0));
        run.count("loops", built.loops);
        run.count("operations", in_loops);
    }
    Ok(())
}

/// Checks that all hints of a function can be found.
fn check_hints<'p>(function: Op<'p>) -> Result<(), Diagnostic<'p>> {
    check_reachable(function, "coarse-tile", |op| op.hints_attribute().is_some())?;
    if has_open_scopes(function) {
        let message = format!(
            "the function has '{SCOPES}', which --spyre-assign-dim-hints has to turn into hints first"
        );
        return Err(error(function, message));
    }
    Ok(())
}

/// An operation that is to be tiled, with the iteration dimension that each loop cuts, outermost loop first.
pub(crate) type TiledOp<'p> = (DeviceOp<'p>, Rc<Indexing<'p>>, Vec<Option<usize>>);

/// Checks that operations of one block can be tiled together. `counts` has the number of tiles of each loop, outermost first.
///
/// # Errors
/// The error that the pass would report for hints on these operations.
pub(crate) fn check_group<'p>(
    types: &TensorTypes<'p>,
    counts: &[u64],
    ops: Vec<TiledOp<'p>>,
) -> Result<(), Diagnostic<'p>> {
    let level = |count: &u64| Level {
        count: *count,
        size: None,
        label: String::new(),
        scope: None,
        dynamic: None,
    };
    let dim = |dim: Option<usize>| match dim {
        Some(dim) => LevelDim::Cuts(IterDim::new(dim)),
        None => LevelDim::Lacks,
    };
    let members = ops.into_iter().map(|(op, indexing, dims)| Member {
        op: op.into(),
        indexing,
        dims: Rc::new(dims.into_iter().map(dim).collect()),
    });
    let group = Group {
        levels: counts.iter().map(level).collect(),
        members: members.collect(),
        behind: Vec::new(),
        origin: String::new(),
    };
    let dynamic = DynamicDims::default();
    Planner::new(types, &dynamic).plan(&group).map(drop)
}

/// Reports in a remark that the function is not tiled, and why.
fn refused<'p>(remarks: &Remarks, err: &Diagnostic<'p>) {
    remarks.emit(|| {
        let remark =
            Remark::new(RemarkKind::Failed, err.location(), "Refused").reason(err.message());
        match err.suggestion() {
            Some(suggestion) => remark.suggestion(suggestion),
            None => remark,
        }
    });
}

fn error<'p>(op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(op.location(), format!("coarse-tile: {message}"))
}
