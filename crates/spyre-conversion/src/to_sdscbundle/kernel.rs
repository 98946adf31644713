//! Finds the function of a module that becomes the bundle. A module may have one such function, without calls.

use melior::ir::operation::OperationLike;
use spyre_analysis::walk::device_ops;
use spyre_dialects::attr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_ods::func;

/// Finds the only function of a module with device operations; `None` if no function has any. `caller` begins the
/// messages.
///
/// # Errors
/// There are several such functions, or one of them calls a function or is called.
pub fn kernel<'p>(module: Op<'p>, caller: &str) -> Result<Option<Op<'p>>, Diagnostic<'p>> {
    let Some(body) = ir::body(module) else {
        return Ok(None);
    };
    let functions: Vec<Op<'p>> = ir::operations(body)
        .filter(|op| ir::function_body(*op).is_some())
        .collect();
    let kernels: Vec<Op<'p>> = functions
        .iter()
        .copied()
        .filter(|op| ir::function_body(*op).is_some_and(|body| !device_ops(body).is_empty()))
        .collect();
    let names: Vec<String> = kernels
        .iter()
        .filter_map(|op| attr::string(ir::attribute(*op, "sym_name")?))
        .collect();
    for function in functions {
        let is_kernel = kernels.contains(&function);
        let concerns = |call: Op<'p>| {
            let callee = ir::attribute(call, "callee").and_then(attr::flat_symbol);
            is_kernel || callee.is_some_and(|callee| names.contains(&callee))
        };
        if let Some(call) = first_call(function, &concerns) {
            let message = format!(
                "{caller}: a bundle has one function, without calls; --inline inlines the calls"
            );
            return Err(Diagnostic::error(call.location(), message));
        }
    }
    if let [first, second, ..] = kernels.as_slice() {
        let message = format!(
            "{caller}: a bundle has one function, but this is the second with device operations; give each function a separate module"
        );
        return Err(Diagnostic::error(second.location(), message)
            .note(first.location(), "the first is here"));
    }
    Ok(kernels.first().copied())
}

/// Returns the first call in an operation that is `wanted`; `None` if there is none.
fn first_call<'p>(op: Op<'p>, wanted: &impl Fn(Op<'p>) -> bool) -> Option<Op<'p>> {
    for block in ir::blocks(op) {
        for op in ir::operations(block) {
            if ir::name(op) == func::CALL && wanted(op) {
                return Some(op);
            }
            if let Some(call) = first_call(op, wanted) {
                return Some(call);
            }
        }
    }
    None
}
