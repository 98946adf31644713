//! The graphs of PyTorch Inductor: loop nests before they are scheduled.

use std::str;

use melior::Context;
use melior::ir::Module;
use spyre_analysis::sizes::Sizes;
use spyre_inductor::{schema, text};
use spyre_inductor_mlir as inductor;
use spyre_inductor_mlir::{symbol_names, symbol_sizes};
use spyre_mlir_rt::ir::{self, At, Op};
use spyre_mlir_rt::source::{PipelineError, run_pipeline};

use crate::{ExportError, FrontEnd, ImportError, Place, module_of};

/// PyTorch Inductor.
pub(crate) static INDUCTOR: FrontEnd = FrontEnd {
    dialect: "inductor",
    producer: "PyTorch Inductor",
    format: schema::FORMAT,
    page: "Inductor.md",
    import_flag: "import-inductor",
    export_flag: "export-inductor",
    pass: "convert-inductor-to-linalg",
    import,
    export,
    has_program: |module| graphs(module).next().is_some(),
    convert,
};

fn graphs(module: Op<'_>) -> impl Iterator<Item = Op<'_>> {
    let operations = ir::blocks(module).flat_map(ir::operations);
    operations.filter(|op| ir::name(*op) == spyre_ods::inductor::GRAPH)
}

/// Returns the names of the symbols of the graphs in a module, each once.
pub(crate) fn size_names(module: Op<'_>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in graphs(module).flat_map(symbol_names) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn import<'c>(context: &'c Context, name: &str, file: &[u8]) -> Result<Module<'c>, ImportError> {
    module_of(context, name, |(context, block, location): Place<'_>| {
        inductor::import::read(context, At::End(block), location, file)
    })
}

/// Returns the module of the loop nests in a dump of PyTorch Inductor's scheduler (`ir_pre_fusion.txt`), which messages call `name`. The
/// dialects of the context have been loaded.
///
/// # Errors
/// [`ImportError`]
pub fn dump<'c>(context: &'c Context, name: &str, file: &[u8]) -> Result<Module<'c>, ImportError> {
    let all = str::from_utf8(file).map_err(|err| ImportError::not_text(name, err))?;
    let graph = text::read(all).map_err(|err| ImportError::Dump {
        name: name.to_owned(),
        reason: err,
    })?;
    let symbol = format!("graph{}", graph.graph);
    module_of(context, name, |(context, block, location): Place<'_>| {
        inductor::import::import(context, At::End(block), location, graph, &symbol)
    })
}

fn export<'p>(module: Op<'p>) -> Result<String, ExportError<'p>> {
    let mut graphs = graphs(module);
    let (Some(graph), None) = (graphs.next(), graphs.next()) else {
        let reason = "the module has no inductor.graph, or several";
        return Err(ExportError::message(reason));
    };
    let graph = inductor::export::export(graph)?;
    let text = serde_json::to_string(&graph).map_err(ExportError::message)?;
    Ok(text + "\n")
}

fn convert(
    context: &Context,
    module: Op<'_>,
    sizes: &mut Sizes,
    shapes: &[Vec<u64>],
) -> Result<(), PipelineError> {
    let given = sizes.clone();
    let mut options = vec!["hint".to_owned()];
    for graph in graphs(module) {
        for (name, size) in symbol_sizes(graph, shapes) {
            if !given.contains_key(&name) {
                options.push(format!("{name}={size}"));
            }
        }
        for name in symbol_names(graph) {
            if let Some(size) = sizes.remove(&name) {
                options.push(format!("{name}={size}"));
            }
        }
    }
    let sizes = options.join(",");
    let pipeline = format!("builtin.module({}{{sizes={sizes}}})", INDUCTOR.pass);
    run_pipeline(context, module, &pipeline)
}
