//! Transformations of upstream MLIR, on one operation.

use melior::dialect::DialectHandle;

use super::Op;
use super::read::{OpKind, kind};
use crate::ffi;

/// Returns the handle of the `bufferization` dialect, which MLIR's C API lacks.
#[must_use]
pub fn bufferization_dialect() -> DialectHandle {
    // SAFETY: the C++ side is linked in.
    unsafe { DialectHandle::from_raw(ffi::mlirGetDialectHandle__bufferization__()) }
}

/// Converts the operations of `math` in an operation for which LLVM has an intrinsic and the mathematical library has no
/// function. Returns `false` after an error, which has been reported.
#[must_use]
pub fn convert_math(op: Op<'_>) -> bool {
    // SAFETY: a live operation; the calling pass has loaded the dialect of the new operations.
    unsafe { ffi::spyreConvertMath(op.to_raw()) }
}

/// Generalizes the named operations of `linalg` in an operation, and decomposes aggregated ones. Discardable attributes
/// are kept, unlike in upstream's pass. Operations without a generic form do not change.
pub fn generalize_named_ops(op: Op<'_>) {
    // SAFETY: a live operation; the pass has loaded the dialects of the new operations.
    unsafe { ffi::spyreGeneralizeNamedOps(op.to_raw()) }
}

/// Returns the iterations of a structured operation; 0 for another operation, and `None` where an extent is dynamic.
#[must_use]
pub fn structured_op_iterations(op: Op<'_>) -> Option<u64> {
    // SAFETY: a live operation.
    u64::try_from(unsafe { ffi::spyreStructuredOpIterations(op.to_raw()) }).ok()
}

/// Rewrites the counting loops `scf.while` in an operation to `scf.for`. The counter is an integer, or a tensor of one.
pub fn uplift_loops(op: Op<'_>) {
    // SAFETY: a live operation; the pass has loaded the dialects of the new operations.
    unsafe { ffi::spyreUpliftLoops(op.to_raw()) }
}

/// Replaces an `scf.for` by its iterations, in order; the loop may not be used again. Returns false, without a change,
/// for any other operation and for a loop with bounds or a step that are not constant.
#[must_use]
pub fn unroll(op: Op<'_>) -> bool {
    // SAFETY: a live loop.
    kind(op) == OpKind::For && unsafe { ffi::spyreUnrollFor(op.to_raw()) }
}
