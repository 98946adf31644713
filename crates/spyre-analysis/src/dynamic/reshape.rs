//! Reads `tensor.reshape` operations, which have the extents of their results as the elements of a tensor.

use melior::ir::operation::OperationLike;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::tensor;

/// Returns the values that are the extents of a reshape's result; `None` where they are not a
/// `tensor.from_elements`.
pub fn extents<'p>(op: Op<'p>) -> Option<Vec<Val<'p>>> {
    let maker = ir::operand(op, 1).and_then(ir::defining_op)?;
    (ir::name(maker) == tensor::FROM_ELEMENTS).then(|| maker.operands().collect())
}
