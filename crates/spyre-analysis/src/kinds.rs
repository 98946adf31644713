//! Kinds of operations that passes treat alike.

use melior::ir::operation::OperationLike;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{self, Op, OpKind};
use spyre_ods::spyre;
use spyre_ops::StickRule;

use crate::view;

/// Returns whether an operation is a `spyre.fill`.
pub fn is_fill(op: Op<'_>) -> bool {
    op.name().as_string_ref().as_str() == Ok(spyre::FILL)
}

/// Returns whether an operation is a copy.
pub fn is_copy(op: DeviceOp<'_>) -> bool {
    ir::name(op.op()) == spyre::COPY
}

/// Returns whether an operation is a `spyre.restickify`, which changes a layout.
#[must_use]
pub fn is_restickify(op: DeviceOp<'_>) -> bool {
    op.facts().stick == StickRule::Restickify
}

/// Returns whether a group can have an operation between its device operations: a view or a window.
pub fn is_carried(op: Op<'_>) -> bool {
    matches!(ir::kind(op), OpKind::ExtractSlice | OpKind::InsertSlice) || view::is_view(op)
}
