//! `--export-opspec`, `--export-opspec-py`: the bundle of a module as a tree of OpSpecs, for other tools.

use clap::Args;
use spyre_bundle::export::{python_source, tree};
use spyre_mlir_rt::ir::Op;
use spyre_sdsc::source::json;

use crate::io::{Done, Failure, Io};

/// Options of the exporters.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Trees of OpSpecs")]
pub(crate) struct ExportOptions {
    /// Print the tree of OpSpecs of the module's bundle in neutral JSON.
    #[arg(long, group = "translation")]
    export_opspec: bool,

    /// Print the tree of OpSpecs of the module's bundle in the Python source that the front end writes.
    #[arg(long, group = "translation")]
    export_opspec_py: bool,
}

impl ExportOptions {
    /// Prints the tree of a module if that is asked for. Returns whether it succeeds.
    pub(crate) fn run(&self, io: Io<'_>) -> Option<bool> {
        let is_given = self.export_opspec || self.export_opspec_py;
        is_given.then(|| io.with_module(|module| self.export(io, module)))
    }

    fn export(&self, io: Io<'_>, module: Op<'_>) -> Done {
        let (nodes, stated) = tree(io.context, module)?;
        io.write(match self.export_opspec {
            true => json::write(&nodes, &stated),
            false => python_source(&nodes, &stated).map_err(Failure::error)?,
        })
    }
}
