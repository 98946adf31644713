//! `--import-inductor` and `--export-inductor`: programs that PyTorch Inductor has exported, as modules and back;
//! `--import-inductor-text`: its dumps.

use std::str;

use clap::Args;
use spyre_inductor::text;
use spyre_mlir_rt::ir::{self, At, Op};
use spyre_passes::inductor::{export, import};

use crate::io::{Done, Failure, Io, Place, succeeded};

/// Options of the translations of Inductor's programs.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Programs of PyTorch Inductor")]
pub(crate) struct InductorOptions {
    /// Print the module of a graph that PyTorch Inductor has exported as JSON (`inductor-loop-ir`).
    #[arg(long, group = "translation")]
    import_inductor: bool,

    /// Print the module of the loop nests in a dump of PyTorch Inductor's scheduler (`ir_pre_fusion.txt`), to look at it.
    #[arg(long, group = "translation")]
    import_inductor_text: bool,

    /// Print the graph of a module as PyTorch Inductor exports it.
    #[arg(long, group = "translation")]
    export_inductor: bool,
}

impl InductorOptions {
    /// Translates a graph if that is asked for. Returns whether it succeeds.
    pub(crate) fn run(&self, io: Io<'_>) -> Option<bool> {
        if self.import_inductor {
            return Some(succeeded(io.import(from_json)));
        }
        if self.import_inductor_text {
            return Some(succeeded(io.import(from_text)));
        }
        self.export_inductor
            .then(|| io.with_module(|module| io.write(graph(module)? + "\n")))
    }
}

/// Builds the graph of a file of JSON.
fn from_json((context, at, location): Place<'_>, file: &[u8], name: &str) -> Done {
    let read = import::read(context, At::End(at), location, file);
    read.map_err(|why| Failure::of_file(name, why))
}

/// Builds the graph of a text that PyTorch prints.
fn from_text((context, at, location): Place<'_>, file: &[u8], name: &str) -> Done {
    let all = str::from_utf8(file).map_err(|why| Failure::error(format!("{name}: {why}")))?;
    let graph = text::read(all).map_err(|why| Failure::Message(format!("{name}:{why}")))?;
    let symbol = format!("graph{}", graph.graph);
    let built = import::import(context, At::End(at), location, graph, &symbol);
    built.map_err(|why| Failure::of_file(name, why))
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
