//! Modules as bytecode, and back. `melior` reads texts alone.

use std::ffi::c_void;

use melior::Context;
use melior::ir::Module;
use mlir_sys::{MlirStringRef, mlirModuleCreateParse, mlirOperationWriteBytecode};

use crate::ir::Op;

/// Returns the bytecode of an operation, in the newest version.
#[must_use]
pub fn write(op: Op<'_>) -> Vec<u8> {
    unsafe extern "C" fn append(part: MlirStringRef, user: *mut c_void) {
        // SAFETY: `user` is the vector below, which outlives the call, and the part has the given number of bytes.
        unsafe {
            let bytes = &mut *user.cast::<Vec<u8>>();
            bytes.extend(std::slice::from_raw_parts(
                part.data.cast::<u8>(),
                part.length,
            ));
        }
    }
    let mut bytes = Vec::<u8>::new();
    // SAFETY: the operation lives, and `append` takes the vector.
    unsafe {
        mlirOperationWriteBytecode(op.to_raw(), Some(append), (&raw mut bytes).cast());
    }
    bytes
}

/// Returns the module of some bytecode; `None`, with a diagnostic, if it is no bytecode or does not
/// verify.
#[must_use]
pub fn read<'c>(context: &'c Context, bytes: &[u8]) -> Option<Module<'c>> {
    // The parser reads texts, which end with a zero, through the same function.
    let mut ended = bytes.to_vec();
    ended.push(0);
    let text = MlirStringRef {
        data: ended.as_ptr().cast(),
        length: bytes.len(),
    };
    // SAFETY: the bytes outlive the call, which copies them as needed; the module is owned by the
    // caller.
    unsafe { Module::from_option_raw(mlirModuleCreateParse(context.to_raw(), text)) }
}
