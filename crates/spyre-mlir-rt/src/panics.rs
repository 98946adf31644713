//! The panics of passes, for callers that try pipelines and continue when one fails.
//!
//! A panic is a bug of a pass and no property of the program, so it must not look like a failed pipeline. MLIR reports
//! only the failure.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use melior::Context;

use crate::ir::Op;

/// The message of the last panic in each context, by its address.
static MESSAGES: Mutex<BTreeMap<usize, String>> = Mutex::new(BTreeMap::new());

fn messages() -> MutexGuard<'static, BTreeMap<usize, String>> {
    MESSAGES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the text of a panic.
pub(crate) fn text(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
}

/// Notes that a pass has panicked on an operation.
pub(crate) fn note(operation: Op<'_>, message: &str) {
    // SAFETY: a live operation.
    let context = unsafe { mlir_sys::mlirOperationGetContext(operation.to_raw()) };
    messages().insert(context.ptr as usize, message.to_owned());
}

/// Takes the message of the last panic in a context; `None` if there was none since the last call.
pub(crate) fn take(context: &Context) -> Option<String> {
    messages().remove(&(context.to_raw().ptr as usize))
}
