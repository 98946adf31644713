//! Translations between MLIR and the files of an SDSC bundle.
//!
//! `spyre-translate --spyre-to-bundle input.mlir -o DIR` writes `bundle.mlir` and one `sdsc_N.json` per device
//! operation. The input is a module that holds a bundle (`--convert-spyre-to-sdscbundle` made it), or a function of
//! device operations, which then goes through `--spyre-pipeline` first.
#![forbid(unsafe_code)]

mod check;
mod read;
mod write;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgGroup, Parser};
use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::operation::OperationLike;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::source;
use spyre_passes::to_sdscbundle::BUNDLE_FUNCTION;

/// Translations between MLIR and the files of an SDSC bundle.
#[derive(Debug, Parser)]
#[command(version, about)]
#[command(group(ArgGroup::new("translation").required(true)))]
struct Options {
    /// Write the module's bundle: bundle.mlir and one sdsc_N.json per device operation.
    #[arg(long, group = "translation")]
    spyre_to_bundle: bool,

    /// The input, MLIR text or bytecode; `-` is standard input.
    #[arg(default_value = "-")]
    input: String,

    /// The directory to write. It appears complete or not at all; a bundle that is already there is replaced.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let registry = DialectRegistry::new();
    spyre_mlir_rt::tool::register_upstream_dialects(&registry);
    spyre_passes::register_dialects(&registry);
    spyre_passes::register_passes();
    let context = Context::new();
    context.append_dialect_registry(&registry);
    // One module, a few passes: threads cost more than they bring.
    context.enable_multi_threading(false);
    let done = source::with_source_file(&context, &options.input, |module| translate(&context, module, &options));
    if done == Some(true) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Writes the bundle of a module. Messages have been printed when it returns false.
fn translate(context: &Context, module: Op<'_>, options: &Options) -> bool {
    if bundle_function(module).is_none() && source::run_pipeline(context, module, "builtin.module(spyre-pipeline)").is_err()
    {
        return false;
    }
    let Some(function) = bundle_function(module) else {
        let message = format!("module has neither a function @{BUNDLE_FUNCTION} nor a function of device operations");
        Diagnostic::error(module.location(), message).emit();
        return false;
    };
    let bundle = match read::bundle(module, function) {
        Ok(bundle) => bundle,
        Err(diagnostic) => {
            diagnostic.emit();
            return false;
        }
    };
    match write::bundle(&bundle, &options.output) {
        Ok(()) => true,
        Err(why) => {
            eprintln!("error: {why}");
            false
        }
    }
}

/// The function of a bundle.
fn bundle_function(module: Op<'_>) -> Option<Op<'_>> {
    ir::operations(ir::body(module)?).find(|op| {
        ir::function_body(*op).is_some()
            && op
                .attribute("sym_name")
                .ok()
                .and_then(spyre_dialects::attr::string)
                .is_some_and(|name| name == BUNDLE_FUNCTION)
    })
}
