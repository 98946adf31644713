//! Source files: parsing them with good diagnostics, and running pipelines on their modules.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use melior::ir::OperationRef;
use melior::pass::PassManager;
use melior::{Context, StringRef};
use mlir_sys::MlirModule;

use crate::ffi;
use crate::ir::Op;

/// Parses and verifies a file of MLIR, text or bytecode, and calls `work` with its module. `-` is standard
/// input. While it runs, diagnostics are printed with the source lines that they are about.
///
/// Returns what `work` returned, or `None` when the file could not be read, parsed or verified; then a message has
/// been printed.
pub fn with_source_file<T>(
    context: &Context,
    path: &str,
    work: impl FnOnce(Op<'_>) -> T,
) -> Option<T> {
    struct Call<F, T> {
        work: Option<F>,
        outcome: Option<std::thread::Result<T>>,
    }
    unsafe extern "C" fn trampoline<T, F: FnOnce(Op<'_>) -> T>(
        module: MlirModule,
        user: *mut c_void,
    ) -> bool {
        // SAFETY: `user` is the `Call` below, which outlives the call.
        let call = unsafe { &mut *user.cast::<Call<F, T>>() };
        // SAFETY: the module lives during the call.
        let module = unsafe { OperationRef::from_raw(mlir_sys::mlirModuleGetOperation(module)) };
        if let Some(work) = call.work.take() {
            // A panic must not unwind into C++.
            call.outcome = Some(catch_unwind(AssertUnwindSafe(|| work(module))));
        }
        true
    }
    fn instance<T, F: FnOnce(Op<'_>) -> T>(
        _: &Call<F, T>,
    ) -> unsafe extern "C" fn(MlirModule, *mut c_void) -> bool {
        trampoline::<T, F>
    }
    let mut call = Call {
        work: Some(work),
        outcome: None,
    };
    let callback = instance(&call);
    // SAFETY: `call` is of the type that `callback` expects and outlives the call.
    unsafe {
        ffi::spyreWithSourceFile(
            context.to_raw(),
            StringRef::new(path).to_raw(),
            callback,
            std::ptr::from_mut(&mut call).cast(),
        );
    }
    match call.outcome? {
        Ok(outcome) => Some(outcome),
        Err(panic) => resume_unwind(panic),
    }
}

/// Runs a textual pipeline, such as `builtin.module(spyre-pipeline)`, on a module. The passes must be registered.
/// Diagnostics have been emitted when it fails.
///
/// # Errors
/// The pipeline cannot be parsed, or a pass failed.
pub fn run_pipeline(context: &Context, module: Op<'_>, pipeline: &str) -> Result<(), String> {
    let manager = PassManager::new(context);
    melior::utility::parse_pass_pipeline(manager.as_operation_pass_manager(), pipeline)
        .map_err(|why| why.to_string())?;
    // SAFETY: a live pass manager and operation. melior's own `run` takes an owned module only.
    let result = unsafe { mlir_sys::mlirPassManagerRunOnOp(manager.to_raw(), module.to_raw()) };
    if result.value == 0 {
        Err("a pass failed".to_owned())
    } else {
        Ok(())
    }
}
