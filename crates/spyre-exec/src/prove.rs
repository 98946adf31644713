//! Proves a pipeline pass by pass: the program after each pass against the program before it, and the files of a bundle
//! against the plan that it was converted from. The program is not run, so neither inputs nor sizes are needed.

use std::io;

use melior::Context;
use melior::ir::Module;
use spyre_bundle::{Addresses, bundle_function};
use spyre_mlir_rt::ir::Op;
use spyre_mlir_rt::source::run_pipeline;
use spyre_proof::claim::Claim;
use spyre_proof::files::FilesError;
use spyre_proof_mlir::chain::{ModuleCopy, replaces_operations};
use spyre_proof_mlir::prove::{Options, device_functions, prove_bundle, prove_module};
use spyre_proof_mlir::report::Counts;
use thiserror::Error;

use crate::bundle::{ModuleError, files_of_module};
pub use crate::check::NO_PASS;

/// The proof of one pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The pass has changed nothing, so there is no claim.
    Unchanged,
    /// No function has device operations.
    NoDeviceOperations,
    /// The claims about the module after the pass, and that it computes what the module before computes.
    Pass(Counts),
    /// The pass puts other operations in the place of operations: the claims about the module after it alone.
    Replaced(Counts),
    /// The pass has made a bundle: its files compute the addresses of the module before.
    Bundle(Counts),
}

impl Proof {
    /// Returns the numbers of claims.
    #[must_use]
    pub fn counts(self) -> Counts {
        match self {
            Self::Unchanged | Self::NoDeviceOperations => Counts::default(),
            Self::Pass(counts) | Self::Replaced(counts) | Self::Bundle(counts) => counts,
        }
    }

    /// Returns whether a claim does not hold.
    #[must_use]
    pub fn is_refuted(self) -> bool {
        self.counts().refuted > 0
    }
}

/// The reason why a pass has no proof. It is no answer about the pass.
#[derive(Debug, Error)]
pub enum ProofError {
    /// The copy of the module before the pass is not read; a diagnostic has been emitted.
    #[error("the module before the pass cannot be copied")]
    Copy,
    /// The bundle cannot be written.
    #[error(transparent)]
    Bundle(#[from] ModuleError),
    /// The files of the bundle are missing or malformed.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// The bundle is not that of one function.
    #[error("the bundle was made from {0} functions with device operations, and a bundle has one")]
    Functions(usize),
}

impl From<io::Error> for ProofError {
    fn from(err: io::Error) -> Self {
        Self::Bundle(err.into())
    }
}

/// The proofs of a pipeline, in the order of its passes.
#[derive(Debug, Clone)]
pub struct Proofs<'o> {
    options: Options<'o>,
    before: ModuleCopy,
}

impl<'o> Proofs<'o> {
    /// Begins with a module, before the first pass. The messages of a proof name the pass after the name in `options`.
    #[must_use]
    pub fn new(module: Op<'_>, options: Options<'o>) -> Self {
        Self {
            options,
            before: ModuleCopy::of(module),
        }
    }

    /// Proves the claims about the module itself, so that none is blamed on the first pass.
    pub fn before(&self, context: &Context, module: Op<'_>) -> Proof {
        match device_functions(module).is_empty() {
            true => Proof::NoDeviceOperations,
            false => Proof::Pass(prove_module(context, module, None, &self.options)),
        }
    }

    /// Proves a pass that has run on the module, and keeps the module for the next one. `pass` is the pass as a
    /// separate pipeline.
    ///
    /// Claims that do not hold are errors, and claims that are not decided are remarks, at the operations.
    ///
    /// # Errors
    /// [`ProofError`]
    pub fn after(
        &mut self,
        context: &Context,
        module: Op<'_>,
        pass: &str,
    ) -> Result<Proof, ProofError> {
        let after = ModuleCopy::of(module);
        if after == self.before {
            return Ok(Proof::Unchanged);
        }
        let before = std::mem::replace(&mut self.before, after);
        let before = before.module(context).map_err(|_| ProofError::Copy)?;
        let before = before.as_operation();
        let name = format!("{}: {}", self.options.name, short(pass));
        let options = Options {
            name: &name,
            ..self.options.clone()
        };
        if bundle_function(module).is_some() && bundle_function(before).is_none() {
            return Ok(Proof::Bundle(bundle(context, module, before, &options)?));
        }
        if device_functions(module).is_empty() && device_functions(before).is_empty() {
            return Ok(Proof::NoDeviceOperations);
        }
        if replaces_operations(pass) {
            let options = Options {
                claims: Some(vec![Claim::Coverage]),
                ..options
            };
            let counts = prove_module(context, module, None, &options);
            return Ok(Proof::Replaced(counts));
        }
        let counts = prove_module(context, module, Some(before), &options);
        Ok(Proof::Pass(counts))
    }
}

/// Proves the files of the bundle of a module against the program before the conversion.
fn bundle(
    context: &Context,
    module: Op<'_>,
    before: Op<'_>,
    options: &Options<'_>,
) -> Result<Counts, ProofError> {
    let files = files_of_module(context, module, Addresses::Symbolic)?;
    match device_functions(before)[..] {
        [function] => Ok(prove_bundle(context, function, &files, options)?),
        ref functions => Err(ProofError::Functions(functions.len())),
    }
}

/// The result of the proofs of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// All passes ran, and no claim is refuted.
    Passed,
    /// A claim about a pass does not hold. The passes after it did not run.
    Refuted {
        /// The pass, as a separate pipeline; [`NO_PASS`] for a claim about the module itself.
        pass: String,
        /// The module before the pass, as text.
        before: String,
    },
}

/// The reason why the proofs of a pipeline did not come to their end.
#[derive(Debug, Error)]
pub enum PipelineProofError {
    /// The module cannot be copied.
    #[error("the module cannot be copied")]
    Copy,
    /// A pass failed, with a diagnostic.
    #[error("{pass} failed")]
    Failed {
        /// The pass, as a separate pipeline.
        pass: String,
        /// The module before the pass, as text.
        before: String,
    },
    /// A pass has no proof.
    #[error("{pass} is not proved: {reason}")]
    NotProved {
        /// The pass, as a separate pipeline.
        pass: String,
        /// The reason.
        reason: ProofError,
    },
}

/// Runs passes one by one on a copy of a module, and proves the module and each pass. Stops at the first claim that does not
/// hold. `observe` is called with [`NO_PASS`], and after each pass.
///
/// # Errors
/// [`PipelineProofError`]; errors of MLIR have been reported as diagnostics.
pub fn pipeline(
    context: &Context,
    module: Op<'_>,
    passes: &[String],
    options: Options<'_>,
    mut observe: impl FnMut(&str, Proof),
) -> Result<Outcome, PipelineProofError> {
    let module = Module::from_operation((*module).clone()).ok_or(PipelineProofError::Copy)?;
    let module = module.as_operation();
    let mut proofs = Proofs::new(module, options);
    let itself = proofs.before(context, module);
    observe(NO_PASS, itself);
    let mut before = module.to_string();
    if itself.is_refuted() {
        let pass = NO_PASS.to_owned();
        return Ok(Outcome::Refuted { pass, before });
    }
    for pass in passes {
        before = module.to_string();
        if run_pipeline(context, module, pass).is_err() {
            let pass = pass.clone();
            return Err(PipelineProofError::Failed { pass, before });
        }
        let proof = proofs.after(context, module, pass).map_err(|reason| {
            let pass = pass.clone();
            PipelineProofError::NotProved { pass, reason }
        })?;
        observe(pass, proof);
        if proof.is_refuted() {
            let pass = pass.clone();
            return Ok(Outcome::Refuted { pass, before });
        }
    }
    Ok(Outcome::Passed)
}

/// Returns the name of the pass of a pipeline with one pass, without its options and the operations that it runs on.
fn short(pipeline: &str) -> &str {
    let (before_options, _) = pipeline.split_once('{').unwrap_or((pipeline, ""));
    let name = before_options.trim_end_matches(')');
    name.rsplit('(').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn names_of_passes_are_short() {
        assert_eq!(short("builtin.module(func.func(cse))"), "cse");
        assert_eq!(
            short("builtin.module(func.func(coarse-tile{dry-run=false text='(,})'}))"),
            "coarse-tile"
        );
        assert_eq!(
            short("builtin.module(spyre-plan{relayouts=false})"),
            "spyre-plan"
        );
    }
}
