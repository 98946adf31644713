//! A module's bundle as the simulator reads it.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;

use melior::Context;
use spyre_bundle::Addresses;
use spyre_mlir_rt::ir::Op;
use spyre_sim::{Bundle, ReadError};
use thiserror::Error;

/// Why a module has no bundle that runs.
#[derive(Debug, Error)]
pub enum ModuleError {
    /// The module has none, or one that contradicts itself; a diagnostic has said so.
    #[error("{0}")]
    Reported(String),
    /// The files that were made of it are not what the simulator reads.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file cannot be made.
    #[error("{file}: {why}")]
    Write {
        /// Its name.
        file: String,
        /// Why.
        why: io::Error,
    },
}

/// The bundle of a module, by way of the text of its files, which stay in memory. A program in the module is converted
/// in place.
///
/// # Errors
/// [`ModuleError`].
pub fn of_module(
    context: &Context,
    module: Op<'_>,
    addresses: Addresses,
) -> Result<Bundle, ModuleError> {
    let compiled = spyre_bundle::compile(context, module, addresses)
        .map_err(|why| ModuleError::Reported(why.emit()))?;
    let mut files = HashMap::new();
    for (file, contents) in compiled.files() {
        let text = contents
            .and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other))
            .map_err(|why| ModuleError::Write {
                file: file.clone(),
                why,
            })?;
        files.insert(file, text);
    }
    let read = |name: &str| {
        let text = files.get(name).cloned();
        text.ok_or_else(|| io::ErrorKind::NotFound.into())
    };
    Ok(Bundle::from_files(read, |name| PathBuf::from(name))?)
}
