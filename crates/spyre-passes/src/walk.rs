//! Walking the device operations of a function, loops included.

use melior::ir::operation::OperationLike;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{self, Blk, OpKind, Val};

/// The device operations of a block and of the loops in it, in order of execution.
#[must_use]
pub fn device_ops<'p>(block: Blk<'p>) -> Vec<DeviceOp<'p>> {
    let mut found = Vec::new();
    collect(block, &mut found);
    found
}

/// The tensors of a device operation: operands, then the result.
#[must_use]
pub fn tensors<'p>(op: DeviceOp<'p>) -> Vec<Val<'p>> {
    let mut values: Vec<Val<'p>> = op.op().operands().collect();
    values.extend(op.op().results().map(Val::from));
    values
}

fn collect<'p>(block: Blk<'p>, found: &mut Vec<DeviceOp<'p>>) {
    for op in ir::operations(block) {
        if let Some(device) = DeviceOp::cast(op) {
            found.push(device);
        } else if ir::kind(op) == OpKind::For
            && let Some(body) = ir::body(op)
        {
            collect(body, found);
        }
    }
}
