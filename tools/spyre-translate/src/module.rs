//! How importers read their files, and write the modules that they make: as text, or as bytecode, which the next tool reads in less
//! time.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use clap::Args;
use spyre_mlir_rt::bytecode;
use spyre_mlir_rt::ir::Op;

/// Options of all importers.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ModuleOptions {
    /// With an importer, write the module as bytecode instead of text. All tools read both.
    #[arg(long, help_heading = "Modules", conflicts_with = "spyre_to_bundle")]
    emit_bytecode: bool,
}

impl ModuleOptions {
    /// Returns a module in the form that is asked for.
    pub(crate) fn bytes(self, module: Op<'_>) -> Vec<u8> {
        match self.emit_bytecode {
            true => bytecode::write(module),
            false => module.to_string().into_bytes(),
        }
    }
}

/// Returns what diagnostics call an input: a file, or standard input for `-`.
pub(crate) fn name(input: &str) -> &str {
    match input {
        "-" => "<stdin>",
        file => file,
    }
}

/// Reads an input: a file, or standard input for `-`.
pub(crate) fn read(input: &str) -> Result<Vec<u8>, String> {
    let read = match input {
        "-" => {
            let mut bytes = Vec::new();
            io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
        }
        file => fs::read(file),
    };
    read.map_err(|why| format!("error: {}: {why}", name(input)))
}

/// Writes a module, or any other text, to a file, or to standard output.
pub(crate) fn write(bytes: impl AsRef<[u8]>, output: Option<&Path>) -> Result<(), String> {
    match output {
        None => spyre_files::print(&bytes).map_err(|why| format!("error: standard output: {why}")),
        Some(path) => spyre_files::replace(path, bytes.as_ref())
            .map_err(|why| format!("error: {}: {why}", path.display())),
    }
}
