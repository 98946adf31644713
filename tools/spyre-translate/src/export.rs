//! `--export-opspec`, `--export-opspec-py`: the bundle of a module as a tree of OpSpecs, for other tools.
//!
//! Importing what was exported gives the same bundle.

use std::path::Path;

use clap::Args;
use melior::Context;
use spyre_mlir_rt::ir::Op;
use spyre_sdsc::source::{SourceOptions, json, python};

use crate::module::write;

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
    /// Returns whether a tree is to be exported.
    pub(crate) const fn is_given(&self) -> bool {
        self.export_opspec || self.export_opspec_py
    }
}

/// Prints the tree of a module. Returns `false` if it has none; the reason has been printed.
pub(crate) fn run(
    context: &Context,
    module: Op<'_>,
    options: &ExportOptions,
    output: Option<&Path>,
) -> bool {
    let function = match spyre_bundle::convert(context, module) {
        Ok(function) => function,
        Err(why) => {
            why.emit();
            return false;
        }
    };
    let (nodes, stated) = match spyre_bundle::source(module, function) {
        Ok(source) => source,
        Err(diagnostic) => {
            diagnostic.emit();
            return false;
        }
    };
    let text = if options.export_opspec {
        Ok(json::write(&nodes, &stated))
    } else {
        unsaid(&stated).map_or_else(|| Ok(python::write("kernel", &nodes)), Err)
    };
    match text.and_then(|text| write(&text, output)) {
        Ok(()) => true,
        Err(why) => {
            eprintln!("{why}");
            false
        }
    }
}

/// Returns the error message for an option of a bundle that Python source cannot express; `None` if there is none.
fn unsaid(options: &SourceOptions) -> Option<String> {
    let SourceOptions {
        pool_size,
        caller_allocates_pool,
        share_files,
        cores_in_order,
    } = options;
    let unsaid = [
        (
            pool_size.is_some(),
            "has a pool larger than its tensors need",
        ),
        (
            *caller_allocates_pool,
            "has a pool that the caller allocates",
        ),
        (*share_files, "has operations that share files"),
        (*cores_in_order, "numbers cores in order"),
    ];
    let (_, what) = unsaid.into_iter().find(|(is_so, _)| *is_so)?;
    Some(format!(
        "error: the bundle {what}, which the Python source of a kernel does not say; --export-opspec writes it"
    ))
}
