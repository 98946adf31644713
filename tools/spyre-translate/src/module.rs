//! How importers write the modules that they make: as text, or as bytecode, which the next tool reads in less time.

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

/// Writes a module, or any other text, to a file, or to standard output.
pub(crate) fn write(bytes: impl AsRef<[u8]>, output: Option<&Path>) -> Result<(), String> {
    match output {
        None => spyre_files::print(&bytes).map_err(|why| format!("error: standard output: {why}")),
        Some(path) => spyre_files::replace(path, bytes.as_ref())
            .map_err(|why| format!("error: {}: {why}", path.display())),
    }
}
