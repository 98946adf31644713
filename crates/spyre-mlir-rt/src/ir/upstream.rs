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
    // SAFETY: a live operation; the dialect of what is made has been loaded by the pass that asks.
    unsafe { ffi::spyreConvertMath(op.to_raw()) }
}

/// Makes the named operations of `linalg` in an operation generic, and those that are several structured ones these. Discardable
/// attributes stay, unlike with upstream's pass. What has no such form stays as it is.
pub fn generalize_named_ops(op: Op<'_>) {
    // SAFETY: a live operation; what is made is of dialects that the pass has loaded.
    unsafe { ffi::spyreGeneralizeNamedOps(op.to_raw()) }
}

/// Returns the iterations of a structured operation; 0 for another operation, and `None` where an extent is dynamic.
#[must_use]
pub fn structured_op_iterations(op: Op<'_>) -> Option<u64> {
    // SAFETY: a live operation.
    u64::try_from(unsafe { ffi::spyreStructuredOpIterations(op.to_raw()) }).ok()
}

/// Moves reshapes that merge dimensions of one of these extents, in elements, with others through structured operations, which then
/// iterate over each of them. Returns false where that does not come to an end. Operations with tile hints stay as they are.
#[must_use]
pub fn unmerge_extents(op: Op<'_>, extents: &[i64]) -> bool {
    // SAFETY: a live operation, and as many extents as said.
    unsafe { ffi::spyreUnmergeExtents(op.to_raw(), extents.len().cast_signed(), extents.as_ptr()) }
}

/// Makes the loops `scf.while` in an operation `scf.for` that count in integers, also in tensors of one element. Others stay.
pub fn uplift_loops(op: Op<'_>) {
    // SAFETY: a live operation; what is made is of dialects that the pass has loaded.
    unsafe { ffi::spyreUpliftLoops(op.to_raw()) }
}

/// Replaces an `scf.for` by its iterations, one after the other; nothing of it may be used again. Returns
/// false, and changes nothing, for any other operation and for a loop whose bounds or step are not constant.
#[must_use]
pub fn unroll(op: Op<'_>) -> bool {
    // SAFETY: a live loop.
    kind(op) == OpKind::For && unsafe { ffi::spyreUnrollFor(op.to_raw()) }
}
