//! From a module to the files of an SDSC bundle.
//!
//! [`compile`] takes a module that holds a bundle (`--convert-spyre-to-sdscbundle` made it), or a function of device
//! operations, on which [`convert`] runs `--spyre-pipeline` first.
//!
//! `read` makes the bundle of a module, and `function` the text of its function; `extent` refuses loops that leave a tensor.
//! [`directory`] writes the files.
//!
//! [`import`] makes modules of the trees of OpSpecs and the programs that other front ends write, and [`export`] such trees of modules. [`plan`] has
//! the facts of a plan.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod directory;
pub mod export;
mod extent;
mod function;
pub mod import;
pub mod plan;
mod read;

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use spyre_cpp as _;

use melior::Context;
use melior::ir::operation::OperationLike;
use spyre_conversion::to_sdscbundle::kernel;
use spyre_dialects::attr;
use spyre_dialects::bundle::FUNCTION;
use spyre_dialects::op_spec::OP_SPEC;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::source::{self, PipelineError};
use spyre_ods::func;
use spyre_sdsc::Bundle;

pub use read::{bundle, source};

/// The form of the addresses of a bundle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Addresses {
    /// Bound by the function when the bundle is launched.
    #[default]
    Symbolic,
    /// Numbers in the files, from the table of segments. Numbers cannot move, so loops are unrolled.
    Concrete,
}

/// Why a module has no bundle, or no plan.
#[derive(Debug)]
pub enum NoBundle<'p> {
    /// The module is rejected. The diagnostic has not been printed yet.
    Refused(Diagnostic<'p>),
    /// `--spyre-pipeline` failed. A pass has printed the reason, and the module is in the state after it.
    PipelineFailed(PipelineError),
}

impl NoBundle<'_> {
    /// Prints the diagnostic if it has not been printed yet. Returns a short form.
    pub fn emit(self) -> String {
        match self {
            Self::Refused(diagnostic) => {
                let message = diagnostic.message().to_owned();
                diagnostic.emit();
                message
            }
            Self::PipelineFailed(err) => err.to_string(),
        }
    }
}

impl<'p> From<Diagnostic<'p>> for NoBundle<'p> {
    fn from(diagnostic: Diagnostic<'p>) -> Self {
        Self::Refused(diagnostic)
    }
}

/// The bundle of a module. A function of device operations is [converted](convert) in place first.
///
/// # Errors
/// The errors of [`convert`], and a bundle that contradicts itself.
pub fn compile<'p>(
    context: &'p Context,
    module: Op<'p>,
    addresses: Addresses,
) -> Result<Bundle, NoBundle<'p>> {
    let function = convert(context, module)?;
    Ok(bundle(module, function, addresses)?)
}

/// The function of a module's bundle. In a module without one, `--spyre-pipeline` puts it in the place of the function
/// of device operations.
///
/// # Errors
/// The module has neither, or several, or OpSpecs without a function that runs them; or a pass failed.
pub fn convert<'p>(context: &'p Context, module: Op<'p>) -> Result<Op<'p>, NoBundle<'p>> {
    if let Some(function) = bundle_function(module) {
        return Ok(function);
    }
    if let Some(spec) = op_specs(module).next() {
        let message = format!("module has OpSpecs, but no function @{FUNCTION} that runs them");
        return Err(Diagnostic::error(spec.location(), message).into());
    }
    // The pipeline would report it as well, but late, and at operations that the user did not write.
    kernel(module, "spyre-to-bundle")?;
    source::run_pipeline(context, module, "builtin.module(spyre-pipeline)")
        .map_err(NoBundle::PipelineFailed)?;
    bundle_function(module).ok_or_else(|| {
        let message = format!(
            "module has neither a function @{FUNCTION} nor a function of device operations"
        );
        Diagnostic::error(module.location(), message).into()
    })
}

/// The function of a module's bundle.
#[must_use]
pub fn bundle_function(module: Op<'_>) -> Option<Op<'_>> {
    ir::operations(ir::body(module)?).find(|op| {
        ir::name(*op) == func::FUNC
            && op
                .attribute("sym_name")
                .ok()
                .and_then(attr::string)
                .is_some_and(|name| name == FUNCTION)
    })
}

/// The OpSpecs of a module.
fn op_specs<'p>(module: Op<'p>) -> impl Iterator<Item = Op<'p>> {
    ir::body(module)
        .into_iter()
        .flat_map(ir::operations)
        .filter(|op| ir::name(*op) == OP_SPEC)
}

/// The file that an execute runs.
fn file(op: Op<'_>) -> String {
    let file = ir::attribute(op, "sdsc_filename").and_then(attr::string);
    file.expect("the verifier wants a file")
}

/// The bytes that an allocation reserves.
fn allocated(op: Op<'_>) -> u64 {
    let size = ir::attribute(op, "size").and_then(attr::integer);
    let size = size.and_then(|size| u64::try_from(size).ok());
    size.expect("the verifier wants a positive size")
}
