//! Errors at operations.

use melior::ir::operation::OperationLike;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::Op;

/// Returns an error of a pass that schedules.
pub(crate) fn error<'p>(op: Op<'p>, reason: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(op.location(), reason.to_string())
}
