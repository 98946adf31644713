//! The ranges of integers of a function, from upstream's integer range analysis. The operations of the dialect give it
//! their ranges.

use std::ffi::c_void;
use std::ops::RangeInclusive;

use melior::ir::OperationRef;
use mlir_sys::MlirOperation;

use crate::ffi;

/// A tensor of 64-bit integers that an operation makes or reads.
#[derive(Debug, Clone)]
pub struct WideIntegers<'p> {
    /// The operation.
    pub op: OperationRef<'p, 'p>,
    /// Whether the operation makes the tensor. Otherwise it reads it.
    pub is_made: bool,
    /// The smallest and the largest element that the tensor can have.
    pub range: RangeInclusive<i64>,
}

/// Returns the results and operands of the operations of a function that are tensors of 64-bit integers, in the order
/// of the text. `None` when the analysis failed. Arguments of the function are assumed to hold only values of 32 bits.
#[must_use]
pub fn wide_integers<'p>(function: OperationRef<'p, 'p>) -> Option<Vec<WideIntegers<'p>>> {
    unsafe extern "C" fn visit(
        op: MlirOperation,
        is_made: bool,
        min: i64,
        max: i64,
        user: *mut c_void,
    ) {
        // SAFETY: `user` is the list below, which outlives the call.
        let wide = unsafe { &mut *user.cast::<Vec<WideIntegers<'_>>>() };
        wide.push(WideIntegers {
            // SAFETY: an operation of the function, which is live.
            op: unsafe { OperationRef::from_raw(op) },
            is_made,
            range: min..=max,
        });
    }
    let mut wide: Vec<WideIntegers<'p>> = Vec::new();
    // SAFETY: a live operation; the list outlives the call, and `visit` expects it.
    let done = unsafe {
        ffi::spyreIntegerRanges(
            function.to_raw(),
            visit,
            std::ptr::from_mut(&mut wide).cast(),
        )
    };
    done.then_some(wide)
}
