//! Programs in the dialects of front ends, which run as the functions of linalg that they become.
//!
//! A file holds a module, or a graph in the JSON of PyTorch Inductor or of tinyspec. [`with_program_file`] reads both, and [`convert`]
//! makes functions of the graphs in a module.

use std::fs::{self, File};
use std::io::{BufReader, Read as _};

use melior::Context;
use melior::ir::Module;
use serde::Deserialize;
use spyre_bundle::import::{self, INDUCTOR_FORMAT, ImportError, UOP_FORMAT};
use spyre_mlir_rt::diagnostic::print_places;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::source::{PipelineError, run_pipeline, with_source_file};
use spyre_passes::find;
use spyre_passes::inductor::{symbol_names, symbol_sizes};

use crate::Sizes;

/// Reads a file of MLIR, or of a graph in JSON, and calls `work` with its module. `-` is standard input, which is MLIR,
/// as pipes are. While it runs, diagnostics are printed with their source lines.
///
/// Returns what `work` returned, or `None` when the file could not be read, parsed or verified; then a message has been printed.
pub fn with_program_file<T>(
    context: &Context,
    path: &str,
    work: impl FnOnce(Op<'_>) -> T,
) -> Option<T> {
    let Some(graph) = Graph::read(path) else {
        return with_source_file(context, path, work);
    };
    context.load_all_available_dialects();
    print_places(context);
    match graph.import(context, path) {
        Ok(module) => Some(work(module.as_operation())),
        Err(ImportError::Refused) => None,
        Err(why) => {
            eprintln!("{why}");
            None
        }
    }
}

/// A graph in JSON.
struct Graph {
    /// The name of its format.
    format: String,
    /// The file.
    file: Vec<u8>,
}

/// The common field of all formats.
#[derive(Deserialize)]
struct Head {
    format: String,
}

impl Graph {
    /// Reads a file; `None` if it holds no graph in JSON.
    fn read(path: &str) -> Option<Self> {
        // A pipe has its text once, and a module, which may have gigabytes of weights, is read by the parser alone.
        let is_file = path != "-" && fs::metadata(path).is_ok_and(|entry| entry.is_file());
        let file = BufReader::new(is_file.then(|| File::open(path).ok())??);
        let mut bytes = file.bytes().map_while(Result::ok);
        let first = bytes.find(|byte| !byte.is_ascii_whitespace());
        let file = (first == Some(b'{')).then(|| fs::read(path).ok())??;
        let head: Head = serde_json::from_slice(&file).ok()?;
        Some(Self {
            format: head.format,
            file,
        })
    }

    /// Returns the module of the graph.
    fn import<'c>(&self, context: &'c Context, path: &str) -> Result<Module<'c>, ImportError> {
        match self.format.as_str() {
            INDUCTOR_FORMAT => import::inductor_graph(context, path, &self.file),
            UOP_FORMAT => import::uop_program(context, path, &self.file),
            other => Err(ImportError::Wrong {
                name: path.to_owned(),
                position: None,
                problem: format!(
                    "the format of the graph is '{other}', which is neither '{INDUCTOR_FORMAT}' nor '{UOP_FORMAT}'"
                ),
            }),
        }
    }
}

/// Converts the graphs of a module, `inductor.graph` and functions of `uop` operations, to functions of linalg; a
/// module without graphs does not change. The symbols of a graph have the sizes in `sizes`; other symbols have the
/// extents in `shapes`, the shapes of the inputs, if given, and otherwise the sizes that the graph was traced with.
///
/// Returns `sizes` without the sizes of symbols.
///
/// # Errors
/// A pass failed; a diagnostic has been reported.
pub fn convert(
    context: &Context,
    module: Op<'_>,
    sizes: &Sizes,
    shapes: &[Vec<u64>],
) -> Result<Sizes, PipelineError> {
    let operations = || ir::blocks(module).flat_map(ir::operations);
    let mut rest = sizes.clone();
    let mut options = vec!["hint".to_owned()];
    let mut has_graph = false;
    for graph in operations().filter(|op| ir::name(*op) == "inductor.graph") {
        has_graph = true;
        for (name, size) in symbol_sizes(graph, shapes) {
            if !sizes.contains_key(&name) {
                options.push(format!("{name}={size}"));
            }
        }
        for name in symbol_names(graph) {
            if let Some(size) = rest.remove(&name) {
                options.push(format!("{name}={size}"));
            }
        }
    }
    if has_graph {
        let sizes = options.join(",");
        let pipeline = format!("builtin.module(convert-inductor-to-linalg{{sizes={sizes}}})");
        run_pipeline(context, module, &pipeline)?;
    }
    let is_uop = |op: Op<'_>| ir::name(op).starts_with("uop.").then_some(());
    let mut blocks = ir::blocks(module);
    if blocks.any(|block| !find(block, is_uop).is_empty()) {
        run_pipeline(context, module, "builtin.module(convert-uop-to-linalg)")?;
    }
    Ok(rest)
}
