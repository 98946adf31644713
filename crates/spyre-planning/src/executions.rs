//! How often the operations of a function are executed, and the work of an execution.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use spyre_analysis::walk::trip_count;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind};
use spyre_plan::cost::{Arithmetic, Work};

/// Returns how often an operation runs in one execution of `block`, which is around it. Loops without constant bounds count once.
pub(crate) fn repeats<'p>(op: Op<'p>, block: Option<Blk<'p>>) -> u32 {
    repeats_of(op.block(), block)
}

/// Returns how often a block runs in one execution of `block`, which is around it, or is it. Loops without constant
/// bounds count once.
pub(crate) fn repeats_of<'p>(inner: Option<Blk<'p>>, block: Option<Blk<'p>>) -> u32 {
    let mut count: u32 = 1;
    let mut at = inner;
    while at != block
        && let Some(parent) = at.and_then(|at| at.parent_operation())
    {
        if ir::kind(parent) == OpKind::For {
            // Counts are weights, and saturate.
            let trips =
                trip_count(parent).map_or(1, |trips| u32::try_from(trips).unwrap_or(u32::MAX));
            count = count.saturating_mul(trips);
        }
        at = parent.block();
    }
    count
}

/// Returns the work of the busiest core in an execution that is divided by `split`; `None` if an extent is dynamic.
pub(crate) fn work_of(op: DeviceOp<'_>, split: &[u32]) -> Option<Work> {
    let result = op.tensor_dims(op.op().operand_count());
    let mut parts = Vec::with_capacity(split.len());
    let (mut points, mut results, mut slices_of_sums) = (1_u64, 1_u64, 1_u64);
    for (dim, (extent, slices)) in op.iteration_space().into_iter().zip(split).enumerate() {
        let part = u64::try_from(extent).ok()?.div_ceil(u64::from(*slices));
        points = points.checked_mul(part)?;
        match result.contains(&Some(dim)) {
            true => results = results.checked_mul(part)?,
            false => slices_of_sums *= u64::from(*slices),
        }
        parts.push(part);
    }
    // A reduction of two operands adds up their products.
    let arithmetic = if op.reduction_dims() > 0 && op.op().operand_count() > 1 {
        let (left, right) = (op.tensor_dims(0), op.tensor_dims(1));
        let mut dims = result.iter().rev().flatten();
        let rows = dims.find(|dim| left.contains(&Some(**dim)) && !right.contains(&Some(**dim)));
        let rows = rows.map_or(1, |dim| parts[*dim]);
        Arithmetic::Products { rows }
    } else {
        Arithmetic::Elements
    };
    Some(Work {
        arithmetic,
        points,
        partials: results.checked_mul(slices_of_sums - 1)?,
    })
}
