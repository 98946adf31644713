//! A module's bundle as the simulator reads it.

use std::io;

use melior::Context;
use spyre_analysis::target::target_of;
use spyre_bundle::{Addresses, NoBundle};
use spyre_bundle_files::InMemory;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::Op;
use spyre_sim::{Bundle, ReadError};
use spyre_verify::{Finding, Options, Revision, Severity, verify_with};
use thiserror::Error;

/// The reason why a module has no bundle that runs.
#[derive(Debug, Error)]
pub enum ModuleError {
    /// The module has no bundle, or an inconsistent one; a diagnostic has been reported.
    #[error("{0}")]
    Reported(String),
    /// The first violation of the rules of the format in the written files.
    #[error("{0}")]
    Faulty(Box<Finding>),
    /// The simulator cannot read the files of the module.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

/// Returns the bundle of a module, by way of the text of its files, which stay in memory. A program in the module is converted
/// in place.
///
/// # Errors
/// [`ModuleError`].
pub fn of_module(
    context: &Context,
    module: Op<'_>,
    addresses: Addresses,
) -> Result<Bundle, ModuleError> {
    let files = files_of_module(context, module, addresses)?;
    Ok(Bundle::from_files(&files)?)
}

/// Writes a module's bundle in memory, as [`of_module`] does, and checks that it keeps the rules of `--verify-bundle`
/// as well, for the target of the module ([`rules`]).
///
/// # Errors
/// [`ModuleError`].
pub fn verified(
    context: &Context,
    module: Op<'_>,
    addresses: Addresses,
) -> Result<Bundle, ModuleError> {
    Ok(Bundle::from_files(&verified_files(
        context, module, addresses,
    )?)?)
}

/// Writes a module's bundle in memory and checks it, as [`verified`] does, and returns its files.
///
/// # Errors
/// [`ModuleError`].
pub fn verified_files(
    context: &Context,
    module: Op<'_>,
    addresses: Addresses,
) -> Result<InMemory, ModuleError> {
    let files = files_of_module(context, module, addresses)?;
    let rules = rules(module, addresses);
    let rules = rules.map_err(|err| ModuleError::Reported(NoBundle::Refused(err).emit()))?;
    let mut findings = verify_with(&files, &rules).findings.into_iter();
    match findings.find(|finding| finding.rule.severity == Severity::Error) {
        Some(error) => Err(ModuleError::Faulty(Box::new(error))),
        None => Ok(files),
    }
}

/// Returns the rules for the bundle of a module: the rules of its target, with the exceptions that the target lists. A
/// bundle with concrete addresses, which the contract does not have, is checked as recordings are.
///
/// # Errors
/// The module states an inconsistent target.
pub fn rules(module: Op<'_>, addresses: Addresses) -> Result<Options, Diagnostic<'_>> {
    match addresses {
        Addresses::Symbolic => Ok(Options::of_contract(&target_of(module)?.contract)),
        Addresses::Concrete => Ok(Options::of_revision(Revision::R2)),
    }
}

/// Compiles the files of a module's bundle.
pub(crate) fn files_of_module(
    context: &Context,
    module: Op<'_>,
    addresses: Addresses,
) -> Result<InMemory, ModuleError> {
    let compiled = spyre_bundle::compile(context, module, addresses)
        .map_err(|err| ModuleError::Reported(err.emit()))?;
    Ok(InMemory::collect("", compiled.files())?)
}
