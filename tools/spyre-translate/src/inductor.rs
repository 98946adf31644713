//! `--import-inductor` and `--export-inductor`: programs that PyTorch Inductor has exported, as modules and back;
//! `--import-inductor-text`: its dumps.

use std::path::Path;
use std::str;

use clap::Args;
use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Location, Module};
use spyre_inductor::text;
use spyre_mlir_rt::diagnostic::{print_places, shortened};
use spyre_mlir_rt::ir::{self, At, Op};
use spyre_passes::inductor::{export, import};

use crate::module::{self, ModuleOptions, write};

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
    /// Returns whether a graph is to be imported.
    pub(crate) const fn imports(&self) -> bool {
        self.import_inductor || self.import_inductor_text
    }

    /// Returns whether a graph is to be exported.
    pub(crate) const fn exports(&self) -> bool {
        self.export_inductor
    }
}

/// Imports a graph and prints its module. Returns `false` if it cannot; the reason has been printed.
pub(crate) fn import(
    context: &Context,
    options: &InductorOptions,
    form: ModuleOptions,
    input: &str,
    output: Option<&Path>,
) -> bool {
    print_places(context);
    let name = module::name(input);
    let import = match options.import_inductor_text {
        true => import_text,
        false => import_json,
    };
    let module = module::read(input).and_then(|file| {
        let location = Location::new(context, name, 1, 1);
        let module = Module::new(location);
        import((context, At::End(module.body()), location), &file, name)?;
        let root = module.as_operation();
        Ok(root.verify().then(|| form.bytes(root)))
    });
    let written = module.and_then(|module| match module {
        Some(module) => write(&module, output).map(|()| true),
        None => Ok(false),
    });
    written.unwrap_or_else(|why| {
        eprintln!("{}", shortened(&why));
        false
    })
}

/// Where a graph is built, and its location.
type Place<'c> = (&'c Context, At<'c>, Location<'c>);

/// Builds the graph of a file of JSON.
fn import_json<'c>(
    (context, at, location): Place<'c>,
    file: &[u8],
    name: &str,
) -> Result<(), String> {
    import::read(context, at, location, file).map_err(|why| format!("{name}: error: {why}"))
}

/// Builds the graph of a text that PyTorch prints.
fn import_text<'c>(
    (context, at, location): Place<'c>,
    file: &[u8],
    name: &str,
) -> Result<(), String> {
    let all = str::from_utf8(file).map_err(|why| format!("error: {name}: {why}"))?;
    let graph = text::read(all).map_err(|why| format!("{name}:{why}"))?;
    let symbol = format!("graph{}", graph.graph);
    import::import(context, at, location, graph, &symbol)
        .map_err(|why| format!("{name}: error: {why}"))
}

/// Exports the graph of a module. Returns `false` if it cannot; the reason has been printed.
pub(crate) fn export(module: Op<'_>, output: Option<&Path>) -> bool {
    let mut graphs = ir::blocks(module)
        .flat_map(ir::operations)
        .filter(|op| ir::name(*op) == "inductor.graph");
    let (Some(graph), None) = (graphs.next(), graphs.next()) else {
        eprintln!("error: the module has no inductor.graph, or several");
        return false;
    };
    let graph = match export::export(graph) {
        Ok(graph) => graph,
        Err(why) => {
            why.emit();
            return false;
        }
    };
    let written = serde_json::to_string(&graph)
        .map_err(|why| format!("error: {why}"))
        .and_then(|text| write(text + "\n", output));
    written.map_or_else(
        |why| {
            eprintln!("{}", shortened(&why));
            false
        },
        |()| true,
    )
}
