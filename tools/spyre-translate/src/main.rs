//! Translations between MLIR and the files of an SDSC bundle, and views of layouts and plans.
//!
//! `spyre-translate --spyre-to-bundle input.mlir -o DIR` writes `bundle.mlir` and one `sdsc_N.json` per device
//! operation. The input is a module that holds a bundle (`--convert-spyre-to-sdscbundle` made it), or a function of
//! device operations, which then goes through `--spyre-pipeline` first. The other translations are in the help.
//!
//! Each module has the options of some translations and calls the library that does the work: `bundle`, `opspec`, `inductor`,
//! `uop`, `plan` and `layout_view`. `io` reads the input and writes the output.
#![forbid(unsafe_code)]

mod bundle;
mod inductor;
mod io;
mod layout_view;
mod opspec;
mod plan;
mod uop;

use std::path::PathBuf;
use std::process::ExitCode;

use bundle::BundleOptions;
use clap::{ArgGroup, Parser};
use inductor::InductorOptions;
use io::Io;
use layout_view::LayoutOptions;
use opspec::OpSpecOptions;
use plan::PlanOptions;
use uop::UopOptions;

/// Translations between MLIR and the files of an SDSC bundle, and views of layouts and plans.
#[derive(Debug, Parser)]
#[command(version, about)]
#[command(group(ArgGroup::new("translation").required(true)))]
struct Options {
    /// The input, MLIR text or bytecode; `-` is standard input.
    #[arg(default_value = "-", conflicts_with_all = ["explain_layout", "emit_layout_svg"])]
    input: String,

    /// The directory to write the bundle to. It appears complete or not at all; a bundle that is already there is
    /// replaced. For a layout: the file to write instead of standard output.
    #[arg(
        short,
        long,
        value_name = "PATH",
        required_if_eq_any([("spyre_to_bundle", "true"), ("opspec_to_bundle", "true"), ("opspec_py_to_bundle", "true")])
    )]
    output: Option<PathBuf>,

    #[command(flatten)]
    bundle: BundleOptions,

    /// With an importer, write the module as bytecode instead of text. All tools read both.
    #[arg(long, help_heading = "Modules", conflicts_with = "to_bundle")]
    emit_bytecode: bool,

    #[command(flatten)]
    opspec: OpSpecOptions,

    #[command(flatten)]
    inductor: InductorOptions,

    #[command(flatten)]
    uop: UopOptions,

    #[command(flatten)]
    plan: PlanOptions,

    #[command(flatten)]
    layout: LayoutOptions,
}

fn main() -> ExitCode {
    let options = Options::parse();
    spyre_all::register_passes();
    let context = spyre_all::context();
    let io = Io {
        context: &context,
        input: &options.input,
        output: options.output.as_deref(),
        emit_bytecode: options.emit_bytecode,
    };
    // The group `translation` has exactly one.
    let done = (options.bundle.run(io))
        .or_else(|| options.opspec.run(io, &options.bundle))
        .or_else(|| options.inductor.run(io))
        .or_else(|| options.uop.run(io))
        .or_else(|| options.plan.run(io))
        .unwrap_or_else(|| options.layout.run(io));
    match done {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
