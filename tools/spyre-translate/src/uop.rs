//! `--import-uop` and `--export-uop`: tensor programs of tinyspec, as modules and back.

use clap::Args;
use spyre_bundle::import::uop_program;
use spyre_passes::uop::export;
use spyre_uop::schema;

use crate::io::Io;

/// Options of the translations of tensor programs.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Programs of tinyspec")]
pub(crate) struct UopOptions {
    /// Print the module of a tensor program in JSON (`uop-graph-1`).
    #[arg(long, group = "translation")]
    import_uop: bool,

    /// Print the tensor program of a module as JSON.
    #[arg(long, group = "translation")]
    export_uop: bool,
}

impl UopOptions {
    /// Translates a program if the options request it. Returns whether it succeeds.
    pub(crate) fn run(&self, io: Io<'_>) -> Option<bool> {
        match (self.import_uop, self.export_uop) {
            (true, _) => Some(io.import(uop_program)),
            (_, true) => {
                Some(io.with_module(|module| io.write(schema::write(&export::export(module)?))))
            }
            (false, false) => None,
        }
    }
}
