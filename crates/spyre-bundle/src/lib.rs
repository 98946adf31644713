//! From a module to the files of an SDSC bundle.
//!
//! [`compile`] takes a module that holds a bundle (`--convert-spyre-to-sdscbundle` made it), or a function of device
//! operations, which then goes through `--spyre-pipeline` first.
//!
//! `read` compiles the bundle of a module; `extent` and `check` refuse one that contradicts itself.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod check;
mod extent;
mod read;

use melior::Context;
use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_dialects::op_spec::OP_SPEC;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::source;
use spyre_passes::to_sdscbundle::BUNDLE_FUNCTION;
use spyre_sdsc::Bundle;

pub use read::{ALLOCATE, EXECUTE, EXTRACT, bundle};

/// Where the addresses of a bundle are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Addresses {
    /// Bound by the function when the bundle is launched.
    #[default]
    Symbolic,
    /// Numbers in the files, from the table of segments. Numbers cannot move, so loops are unrolled.
    Concrete,
}

/// The bundle of a module, whose function of device operations is converted in place if it holds no bundle yet. `None`
/// when a pass failed, which has said why.
///
/// # Errors
/// The module has no bundle and no device operations, or a bundle that contradicts itself.
pub fn compile<'p>(
    context: &'p Context,
    module: Op<'p>,
    addresses: Addresses,
) -> Result<Option<Bundle>, Diagnostic<'p>> {
    if bundle_function(module).is_none() {
        if let Some(spec) = op_specs(module).next() {
            let message =
                format!("module has OpSpecs, but no function @{BUNDLE_FUNCTION} that runs them");
            return Err(Diagnostic::error(spec.location(), message));
        }
        if source::run_pipeline(context, module, "builtin.module(spyre-pipeline)").is_err() {
            return Ok(None);
        }
    }
    let Some(function) = bundle_function(module) else {
        let message = format!(
            "module has neither a function @{BUNDLE_FUNCTION} nor a function of device operations"
        );
        return Err(Diagnostic::error(module.location(), message));
    };
    bundle(context, module, function, addresses).map(Some)
}

/// The function of a module's bundle.
#[must_use]
pub fn bundle_function(module: Op<'_>) -> Option<Op<'_>> {
    ir::operations(ir::body(module)?).find(|op| {
        ir::name(*op) == "func.func"
            && op
                .attribute("sym_name")
                .ok()
                .and_then(attr::string)
                .is_some_and(|name| name == BUNDLE_FUNCTION)
    })
}

/// The OpSpecs of a module.
fn op_specs<'p>(module: Op<'p>) -> impl Iterator<Item = Op<'p>> {
    ir::body(module)
        .into_iter()
        .flat_map(ir::operations)
        .filter(|op| ir::name(*op) == OP_SPEC)
}
