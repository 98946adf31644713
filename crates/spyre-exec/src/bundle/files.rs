//! A module's bundle as the simulator reads it.

use std::io;
use std::path::PathBuf;

use melior::Context;
use spyre_bundle::Addresses;
use spyre_mlir_rt::ir::Op;
use spyre_sim::{Bundle, ReadError};
use spyre_verify::{Files, Finding, InMemory, Severity, verify};
use thiserror::Error;

/// The reason why a module has no bundle that runs.
#[derive(Debug, Error)]
pub enum ModuleError {
    /// The module has no bundle, or one that contradicts itself; a diagnostic has said so.
    #[error("{0}")]
    Reported(String),
    /// The files that were made of it break rules of the format: the first of them.
    #[error("{0}")]
    Faulty(Box<Finding>),
    /// The simulator cannot read the files that were made of the module.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file cannot be made.
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
    Ok(read(&files_of_module(context, module, addresses)?)?)
}

/// Makes a module's bundle in memory, as [`of_module`] does, and checks that it keeps the rules of `--verify-bundle` as well.
///
/// # Errors
/// [`ModuleError`].
pub fn verified(
    context: &Context,
    module: Op<'_>,
    addresses: Addresses,
) -> Result<Bundle, ModuleError> {
    let files = files_of_module(context, module, addresses)?;
    let mut found = verify(context, &files).findings.into_iter();
    match found.find(|found| found.rule.severity == Severity::Error) {
        Some(error) => Err(ModuleError::Faulty(Box::new(error))),
        None => Ok(read(&files)?),
    }
}

/// Makes the files of a module's bundle.
fn files_of_module(
    context: &Context,
    module: Op<'_>,
    addresses: Addresses,
) -> Result<InMemory, ModuleError> {
    let compiled = spyre_bundle::compile(context, module, addresses)
        .map_err(|why| ModuleError::Reported(why.emit()))?;
    Ok(InMemory::collect("", compiled.files())?)
}

/// Reads the files of a bundle as the simulator does.
///
/// # Errors
/// [`ReadError`].
pub fn read(files: &InMemory) -> Result<Bundle, ReadError> {
    let read = |name: &str| {
        let text = files.text(name).map_err(io::Error::other)?;
        Ok(text.into_owned())
    };
    Bundle::from_files(read, |name| PathBuf::from(name))
}
