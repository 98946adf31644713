//! `--spyre-work-division`: chooses how many cores work along each dimension of an operation.
//!
//! `modelled` chooses for all operations together.

pub mod modelled;

use melior::ir::operation::OperationLike;
use spyre_analysis::spans::{Insertions, Spans};
use spyre_analysis::target::target_of;
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::walk::{check_decided, check_reachable, device_ops};
use spyre_analysis::{division, units};
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::function_plan::{DivisionGoals, FunctionPlan};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir;
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_ods::func;
use spyre_plan::{SplitDim, Target, distribute_within};

const NAME: &str = "spyre-work-division";

/// The name of the attribute that holds the split of an operation.
const SPLIT: &str = "split";

/// `--spyre-work-division`
pub static WORK_DIVISION: RustPass = RustPass {
    argument: NAME,
    summary: "Divide the iteration space of each device operation over the cores",
    description: r#"
Gives every device operation a `split`: the number of cores along each
dimension of its iteration space. Result dimensions are taken by decreasing
size, the stick dimension counted in sticks, and each gets the largest divisor
of its size that the remaining cores allow (middle-end specification, section
4.4). A `gather` is not split, nor a dimension along which the windows of a convolution are more
than one element apart, or the windows of a pool are not as far apart as they are long. A dimension
on the stick of any tensor of the operation is split in whole sticks, and not at all when its last
stick is filled in part. Where a core would reach further in a tensor than the target's
`span_limit_bytes`, another split with as many cores as possible is taken in which none does
(section 4.1), if there is one. An existing split stays: `split` of the program, or the one that
`--spyre-assign-dim-hints` has built from `divide`.

Reduction dimensions are split by `split`, `divide` or the model alone. Each core then computes a partial result, and
the card combines the partial results, so that the result is in no core's scratchpad. One dimension of a product, or of
a reduction that has a combination, can be split so; none of a convolution, a pool, a search or the scale of a row,
which one core computes.

With `modelled`, or a `memory_weight` in the `spyre.plan` of the function, the splits of all operations are chosen
together such that the modelled time is least: the arithmetic of a core, the traffic from and to device memory, and the
values that stay in the scratchpad because their users read the slices of the same core. `most_bytes` in the plan limits
the bytes that move, if there are divisions within the limit.

```mlir
// before, with 32 cores
%y = spyre.add %a, %b : tensor<512x1024xf16, #stick>
// after: 512 rows over 32 cores; a row is only 16 sticks
%y = spyre.add %a, %b split [32, 1] : tensor<512x1024xf16, #stick>
```

Run it before planning, which counts on the split: an operation without one runs on
one core.

Refused: an operation that has a place and no split, or a layout that is not chosen
yet; a split that is already there and needs more cores than there are,
that splits several reduction dimensions, or one that cannot be, or that cuts sticks; an operation in a
function of several blocks or in a region other than a loop's; a dynamic extent.
"#,
    anchor: func::FUNC,
    options: &[PassOption {
        name: "modelled",
        description: "choose the splits of all operations together, by the modelled time",
        kind: OptionKind::Bool(false),
    }],
    statistics: &[
        PassStatistic {
            name: "operations",
            description: "Operations that were given a split",
        },
        PassStatistic {
            name: "single-core",
            description: "Operations that stay on one core",
        },
    ],
    dialects: || vec![spyre_dialects::spyre_dialect()],
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    check_reachable(run.operation(), NAME, |_| true)?;
    let Some(body) = ir::function_body(run.operation()) else {
        return Ok(());
    };
    check_decided(body, NAME)?;
    let target = target_of(run.operation())?.target;
    let cores = target.cores;
    let types = TensorTypes::new(run.context());
    let insertions = Insertions::of(body);
    let function = run.operation();
    let plan = FunctionPlan::of_function(function).unwrap_or_default();
    let by_option = run.flag("modelled").then_some(DivisionGoals {
        memory_weight: 1,
        most_bytes: None,
    });
    let goals = plan.divisions.or(by_option);
    // Everything is checked before the first split is set.
    let mut splits = Vec::new();
    let ops = device_ops(body);
    for op in &ops {
        let op = *op;
        if op.divisions_attribute().is_some() {
            return Err(error(
                op,
                "'divide' names dimensions; --spyre-assign-dim-hints comes first and finds them",
            )
            .into());
        }
        let dims = split_dims(&types, op)?;
        if op.op().has_attribute(SPLIT) {
            check(&types, op, &dims, cores)?;
        } else if op.place().is_some() {
            // Planning has counted on one core.
            return Err(error(
                op,
                "operation has a place, so it already runs on one core; --spyre-work-division comes before \
                 --spyre-scratchpad-planning",
            )
            .into());
        } else if goals.is_some() {
            splits.push((op, Vec::new()));
        } else {
            splits.push((op, split_of(&types, &insertions, op, &target)?));
        }
    }
    if let Some(goals) = goals.filter(|_| !splits.is_empty()) {
        let cached = plan.cache_arguments;
        let chosen = modelled::choose(&types, body, &ops, &target, cached, goals)?;
        let chosen = ops.iter().zip(chosen);
        splits = chosen
            .filter(|(op, _)| !op.op().has_attribute(SPLIT))
            .map(|(op, split)| (*op, split))
            .collect();
    }
    for (op, split) in splits {
        op.set_split(&split);
        run.count("operations", 1);
        if split.iter().all(|cores| *cores == 1) {
            run.count("single-core", 1);
        }
    }
    Ok(())
}

/// Returns the split that the pass gives an operation.
///
/// # Errors
/// A tensor of the operation is not one that passes can handle.
pub(crate) fn split_of<'p>(
    types: &TensorTypes<'p>,
    insertions: &Insertions<'p>,
    op: DeviceOp<'p>,
    target: &Target,
) -> Result<Vec<u32>, Diagnostic<'p>> {
    let mut dims = split_dims(types, op)?;
    let reduced = dims.len() - op.reduction_dims();
    for dim in &mut dims[reduced..] {
        dim.splittable = false;
    }
    let spans = Spans::of(types, insertions, op).map_err(|err| error(op, err))?;
    let limit = target.span_limit_bytes;
    Ok(distribute_within(&dims, target.cores, |split| {
        spans.are_within(split, limit)
    }))
}

/// Returns the dimensions of an operation in the units in which they may be split, reduced dimensions included.
fn split_dims<'p>(
    types: &TensorTypes<'p>,
    op: DeviceOp<'p>,
) -> Result<Vec<SplitDim>, Diagnostic<'p>> {
    let space = op.iteration_space();
    let splittable = match op.gathered_dim() {
        // Middle-end specification, section 4.4: indirect operations run on a single core.
        Some(_) => 0,
        None if division::splits_reductions(op) => space.len(),
        None => space.len() - op.reduction_dims(),
    };
    // Middle-end specification, section 4.4; constraints S32 and S42.
    let walks = op.walked_dims();
    let normalised = op.normalised_dim();
    let is_blocked = |dim: usize| {
        normalised == Some(dim)
            || walks
                .iter()
                .any(|walk| walk.position == dim && !walk.is_divisible)
    };
    space
        .iter()
        .zip(units::units(types, op).map_err(|err| error(op, err))?)
        .enumerate()
        .map(|(dim, (extent, unit))| {
            let extent = u64::try_from(*extent)
                .map_err(|_| error(op, format!("dimension {dim} has a dynamic extent")))?;
            let whole = extent.is_multiple_of(unit);
            Ok(SplitDim {
                units: extent.div_ceil(unit),
                splittable: dim < splittable && whole && !is_blocked(dim),
            })
        })
        .collect()
}

/// Checks a split that is already there. The verifier has checked that it divides the dimensions.
fn check<'p>(
    types: &TensorTypes<'p>,
    op: DeviceOp<'p>,
    dims: &[SplitDim],
    cores: u32,
) -> Result<(), Diagnostic<'p>> {
    let split = op.split().expect("the operation has a split");
    let core_count = split.iter().try_fold(1_u64, |core_count, cores| {
        core_count.checked_mul(u64::from(*cores))
    });
    if core_count.is_none_or(|core_count| core_count > u64::from(cores)) {
        let needs = core_count.map_or_else(
            || "more than 2^64 - 1".to_owned(),
            |core_count| core_count.to_string(),
        );
        return Err(error(
            op,
            format!("split {split:?} needs {needs} cores, but the target has {cores}"),
        ));
    }
    let space = op.iteration_space();
    let parallel = space.len() - op.reduction_dims();
    let mut reduced = None;
    for (dim, ((cores, units), extent)) in split.iter().zip(dims).zip(&space).enumerate() {
        if *cores == 1 {
            continue;
        }
        if dim >= parallel {
            division::check_reduced(op, dim, reduced.replace(dim)).map_err(|err| error(op, err))?;
        }
        if !units.splittable {
            let elements = units::units(types, op).map_err(|err| error(op, err))?[dim];
            return Err(error(
                op,
                format!(
                    "split of dimension {dim} over {cores} cores gives them unequal parts: extent {extent} is no whole number of \
                     sticks of {elements}"
                ),
            ));
        }
        if !units.units.is_multiple_of(u64::from(*cores)) {
            return Err(error(
                op,
                format!(
                    "split of dimension {dim} over {cores} cores does not divide its {} sticks",
                    units.units
                ),
            ));
        }
    }
    Ok(())
}

fn error<'p>(op: DeviceOp<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(op.op().location(), format!("{NAME}: {message}"))
}
