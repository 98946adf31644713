//! The ranges of integers of a function, from upstream's integer range analysis. The operations of the dialect tell it their
//! ranges.

use std::ffi::c_void;
use std::ops::RangeInclusive;

use melior::ir::OperationRef;
use mlir_sys::MlirOperation;

use crate::ffi;

/// Returns the operations of a function whose results are tensors of 64-bit integers, in the order of the text, with the range of
/// values that their elements can have. `None` when the analysis failed. Arguments of the function are taken to hold only values
/// of 32 bits.
#[must_use]
pub fn wide_integers<'p>(
    function: OperationRef<'p, 'p>,
) -> Option<Vec<(OperationRef<'p, 'p>, RangeInclusive<i64>)>> {
    type Found<'p> = Vec<(OperationRef<'p, 'p>, RangeInclusive<i64>)>;
    unsafe extern "C" fn visit(op: MlirOperation, min: i64, max: i64, user: *mut c_void) {
        // SAFETY: `user` is the list below, which outlives the call.
        let found = unsafe { &mut *user.cast::<Found<'_>>() };
        // SAFETY: an operation of the function, which is live.
        found.push((unsafe { OperationRef::from_raw(op) }, min..=max));
    }
    let mut found: Found<'p> = Vec::new();
    // SAFETY: a live operation; the list outlives the call, and `visit` expects it.
    let done = unsafe {
        ffi::spyreIntegerRanges(
            function.to_raw(),
            visit,
            std::ptr::from_mut(&mut found).cast(),
        )
    };
    done.then_some(found)
}
