//! `--spyre-work-division`: how many cores work along each dimension of an operation.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir;
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_plan::{SplitDim, distribute};

use crate::target::target_of;
use crate::tensor::TensorTypes;
use crate::walk::{device_ops, tensors};

/// `--spyre-work-division`
pub static WORK_DIVISION: RustPass = RustPass {
    argument: "spyre-work-division",
    summary: "Divide the iteration space of each device operation over the cores",
    description: r#"
Gives every device operation a `split`: the number of cores along each
dimension of its iteration space. Result dimensions are taken by decreasing
size, the stick dimension counted in sticks, and each gets the largest divisor
of its size that the remaining cores allow (middle-end specification, section
4.4). Reduction dimensions are not split. The stick dimension is split in whole
sticks only. A split that is already there stays.

```mlir
// before, with 32 cores
%y = spyre.add %a, %b : tensor<512x1024xf16, #stick>
// after: 512 rows over 32 cores; a row is only 16 sticks
%y = spyre.add %a, %b split [32, 1] : tensor<512x1024xf16, #stick>
```

Refused: a split that is already there and needs more cores than there are, or
that does not divide its dimension.
"#,
    anchor: "func.func",
    options: &[],
    statistics: &[
        PassStatistic { name: "operations", description: "Operations that were given a split" },
        PassStatistic { name: "single-core", description: "Operations that stay on one core" },
    ],
    dialects: || vec![spyre_dialects::spyre_dialect()],
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let Some(body) = ir::function_body(run.operation()) else { return Ok(()) };
    let cores = target_of(run.operation())?.target.cores;
    let types = TensorTypes::new(run.context());
    for op in device_ops(body) {
        let dims = split_dims(&types, op)?;
        if let Some(split) = op.split() {
            check(op, &split, &dims, cores)?;
            continue;
        }
        let split = distribute(&dims, cores);
        op.set_split(&split);
        run.count("operations", 1);
        if split.iter().all(|cores| *cores == 1) {
            run.count("single-core", 1);
        }
    }
    Ok(())
}

/// Divides an operation that a later pass made.
///
/// # Errors
/// A tensor of the operation is not one that passes can handle.
pub fn divide<'p>(types: &TensorTypes<'p>, op: DeviceOp<'p>, cores: u32) -> Result<(), Diagnostic<'p>> {
    op.set_split(&distribute(&split_dims(types, op)?, cores));
    Ok(())
}

/// The dimensions of an operation in the units in which they may be split.
fn split_dims<'p>(types: &TensorTypes<'p>, op: DeviceOp<'p>) -> Result<Vec<SplitDim>, Diagnostic<'p>> {
    let error = |why: String| Diagnostic::error(op.op().location(), format!("spyre-work-division: {why}"));
    let space = op.iteration_space();
    let parallel = space.len() - op.reduction_dims();
    // Elements per unit along each dimension: a stick, where any tensor sticks on it, else one.
    let mut unit = vec![1_u64; space.len()];
    for (tensor, value) in tensors(op).into_iter().enumerate() {
        let ty = types.get(value.r#type()).map_err(error)?;
        for (host, dim) in op.tensor_dims(tensor).into_iter().enumerate() {
            if let Some(dim) = dim {
                unit[dim] = unit[dim].max(ty.device.stick_extent(host).get());
            }
        }
    }
    space
        .iter()
        .enumerate()
        .map(|(dim, extent)| {
            let extent =
                u64::try_from(*extent).map_err(|_| error(format!("dimension {dim} has a dynamic extent")))?;
            let whole = extent.is_multiple_of(unit[dim]);
            Ok(SplitDim { units: extent.div_ceil(unit[dim]), splittable: dim < parallel && whole })
        })
        .collect()
}

fn check<'p>(op: DeviceOp<'p>, split: &[u32], dims: &[SplitDim], cores: u32) -> Result<(), Diagnostic<'p>> {
    let error = |why: String| Diagnostic::error(op.op().location(), format!("spyre-work-division: {why}"));
    let used: u64 = split.iter().map(|cores| u64::from(*cores)).product();
    if used > u64::from(cores) {
        return Err(error(format!("split {split:?} needs {used} cores, but the target has {cores}")));
    }
    for (dim, (cores, units)) in split.iter().zip(dims).enumerate() {
        if !units.units.is_multiple_of(u64::from(*cores)) || (*cores > 1 && !units.splittable) {
            return Err(error(format!(
                "split of dimension {dim} over {cores} cores does not divide its {} units evenly",
                units.units
            )));
        }
    }
    Ok(())
}
