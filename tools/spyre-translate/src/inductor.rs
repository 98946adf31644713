//! `--import-inductor` and `--export-inductor`: programs that PyTorch Inductor has exported, as modules and back;
//! `--import-inductor-text`: its dumps.

use clap::Args;
use spyre_bundle::import::{inductor_dump, inductor_graph};
use spyre_mlir_rt::ir::{self, Op};
use spyre_passes::inductor::export;

use crate::io::{Failure, Io};

/// Options of the translations of Inductor's programs.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Programs of PyTorch Inductor")]
pub(crate) struct InductorOptions {
    /// Print the module of a graph that PyTorch Inductor has exported as JSON (`inductor-loop-ir`).
    #[arg(long, group = "translation")]
    import_inductor: bool,

    /// Print the module of the loop nests in a dump of PyTorch Inductor's scheduler (`ir_pre_fusion.txt`), for
    /// inspection.
    #[arg(long, group = "translation")]
    import_inductor_text: bool,

    /// Print the graph of a module as PyTorch Inductor exports it.
    #[arg(long, group = "translation")]
    export_inductor: bool,
}

impl InductorOptions {
    /// Translates a graph if the options request it. Returns whether it succeeds.
    pub(crate) fn run(&self, io: Io<'_>) -> Option<bool> {
        if self.import_inductor {
            return Some(io.import(inductor_graph));
        }
        if self.import_inductor_text {
            return Some(io.import(inductor_dump));
        }
        self.export_inductor
            .then(|| io.with_module(|module| io.write(graph(module)? + "\n")))
    }
}

/// Returns the graph of a module as JSON.
fn graph(module: Op<'_>) -> Result<String, Failure> {
    let operations = ir::blocks(module).flat_map(ir::operations);
    let mut graphs = operations.filter(|op| ir::name(*op) == "inductor.graph");
    let (Some(graph), None) = (graphs.next(), graphs.next()) else {
        let why = "the module has no inductor.graph, or several";
        return Err(Failure::error(why));
    };
    serde_json::to_string(&export::export(graph)?).map_err(Failure::error)
}
