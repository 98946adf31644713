//! Names of functions. MLIR's names are bytes; ours are UTF-8, as files and command lines are.

use melior::StringRef;
use melior::ir::AttributeLike;
use melior::ir::operation::OperationLike;

use crate::diagnostic::Diagnostic;
use crate::ir::{self, Op};

/// Checks that the symbols of an operation and of the operations of modules in it are UTF-8.
///
/// # Errors
/// The first symbol that is not, at its operation.
pub(crate) fn check<'p>(op: Op<'p>) -> Result<(), Diagnostic<'p>> {
    if let Ok(name) = op.attribute("sym_name") {
        let name_as_written = name.to_string();
        let raw = name.to_raw();
        // SAFETY: a live attribute, checked to be a string; its text lives as long as the context.
        let is_text = unsafe {
            !mlir_sys::mlirAttributeIsAString(raw)
                || StringRef::from_raw(mlir_sys::mlirStringAttrGetValue(raw))
                    .as_str()
                    .is_ok()
        };
        if !is_text {
            let message = format!("the name {name_as_written} is not UTF-8; give it another name");
            return Err(Diagnostic::error(op.location(), message));
        }
    }
    if op.name().as_string_ref().as_str() == Ok("builtin.module") {
        for inner in ir::body(op).into_iter().flat_map(ir::operations) {
            check(inner)?;
        }
    }
    Ok(())
}
