//! Translations between MLIR and the files of an SDSC bundle, and views of layouts and plans.
//!
//! `spyre-translate --spyre-to-bundle input.mlir -o DIR` writes `bundle.mlir` and one `sdsc_N.json` per device
//! operation. The input is a module that holds a bundle (`--convert-spyre-to-sdscbundle` made it), or a function of
//! device operations, which then goes through `--spyre-pipeline` first. A module with functions of host and device becomes
//! several bundles.
//!
//! `spyre-translate --verify-bundle DIR` reads such files and checks them, see `verify`.
//!
//! `spyre-bundle` compiles the bundle of a module and puts the files in their place.
//!
//! `spyre-translate --import-opspec tree.json` and `--import-opspec-py kernel.py` print the module of a tree of OpSpecs that
//! another front end has made; see `import`. `--export-opspec` and `--export-opspec-py` write such trees; see `export`.
//!
//! `spyre-translate --import-inductor graph.json` prints the module of a program of PyTorch Inductor; see `inductor`.
//!
//! `spyre-translate --import-uop program.json` prints the module of a tensor program of tinyspec; see `uop`.
//!
//! `spyre-translate --emit-plan-html` and `--emit-plan-json` show what planning has decided; see `plan`.
//!
//! `spyre-translate --explain-layout SHAPE` says where the elements of a tensor live in device memory, and
//! `--emit-layout-svg SHAPE` draws it; see `layout_view`.
#![forbid(unsafe_code)]

mod export;
mod import;
mod inductor;
mod layout_view;
mod module;
mod plan;
mod uop;
mod verify;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgGroup, Parser, ValueEnum};
use export::ExportOptions;
use import::ImportOptions;
use inductor::InductorOptions;
use layout_view::LayoutOptions;
use melior::Context;
use module::ModuleOptions;
use plan::PlanOptions;
use spyre_bundle::{Addresses, directory};
use spyre_bundle_files::InMemory;
use spyre_exec::card::has_device_functions;
use spyre_exec::launch;
use spyre_mlir_rt::diagnostic::shortened;
use spyre_mlir_rt::ir::Op;
use spyre_mlir_rt::source;
use spyre_verify::Report;
use uop::UopOptions;

/// Translations between MLIR and the files of an SDSC bundle, and views of layouts and plans.
#[derive(Debug, Parser)]
#[command(version, about)]
#[command(group(ArgGroup::new("translation").required(true)))]
struct Options {
    /// Write the module's bundle: bundle.mlir and one sdsc_N.json per device operation. Of a module with functions of host and
    /// device: a directory with a bundle for each function of the device, host.mlir, and launch.json.
    #[arg(long, group = "translation", help_heading = "Bundles")]
    spyre_to_bundle: bool,

    /// Check the files of a bundle, or those of all bundles of a program of host and device, and print all that is wrong with them.
    #[arg(long, group = "translation", help_heading = "Bundles", value_name = "DIR", conflicts_with_all = ["input", "output", "verify_written"])]
    verify_bundle: Option<PathBuf>,

    /// Where the addresses of a bundle are: bound by its function, or numbers in the files, which are then those of the
    /// first revision. Numbers cannot move, so loops are unrolled.
    #[arg(long, value_enum, default_value_t, help_heading = "Bundles", value_name = "MODE", conflicts_with_all = ["import_opspec", "import_opspec_py", "export_opspec", "export_opspec_py", "verify_bundle", "explain_layout", "emit_layout_svg", "emit_plan_json", "emit_plan_html"])]
    address_mode: AddressMode,

    /// Write the list of the parameters that the launcher binds, as JSON, into this file as well.
    #[arg(
        long,
        requires = "spyre_to_bundle",
        help_heading = "Bundles",
        value_name = "FILE"
    )]
    launch_params: Option<PathBuf>,

    /// Print the warnings of the check that every bundle goes through (that of --verify-bundle), and write a faulty bundle all the
    /// same, to be looked at.
    #[arg(long, requires = "spyre_to_bundle", help_heading = "Bundles")]
    verify_written: bool,

    /// The input, MLIR text or bytecode; `-` is standard input.
    #[arg(default_value = "-", conflicts_with_all = ["explain_layout", "emit_layout_svg"])]
    input: String,

    /// The directory to write the bundle to. It appears complete or not at all; a bundle that is already there is
    /// replaced. For a layout: the file to write instead of standard output.
    #[arg(
        short,
        long,
        value_name = "PATH",
        required_if_eq("spyre_to_bundle", "true")
    )]
    output: Option<PathBuf>,

    #[command(flatten)]
    module: ModuleOptions,

    #[command(flatten)]
    import: ImportOptions,

    #[command(flatten)]
    export: ExportOptions,

    #[command(flatten)]
    inductor: InductorOptions,

    #[command(flatten)]
    uop: UopOptions,

    #[command(flatten)]
    plan: PlanOptions,

    #[command(flatten)]
    layout: LayoutOptions,
}

/// Where the addresses of a bundle are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum AddressMode {
    /// Bound by the function when the bundle is launched.
    #[default]
    Symbolic,
    /// Numbers in the files, from the table of segments.
    Concrete,
}

impl From<AddressMode> for Addresses {
    fn from(mode: AddressMode) -> Self {
        match mode {
            AddressMode::Symbolic => Self::Symbolic,
            AddressMode::Concrete => Self::Concrete,
        }
    }
}

fn main() -> ExitCode {
    let options = Options::parse();
    spyre_all::register_passes();
    let context = spyre_all::context();
    if let Some(bundle) = &options.verify_bundle {
        return exit(verify::directory(bundle));
    }
    if options.import.is_given() {
        context.load_all_available_dialects();
        return exit(import::run(
            &context,
            &options.input,
            &options.import,
            options.module,
            options.output.as_deref(),
        ));
    }
    if options.inductor.imports() {
        context.load_all_available_dialects();
        let output = options.output.as_deref();
        return exit(inductor::import(
            &context,
            &options.inductor,
            options.module,
            &options.input,
            output,
        ));
    }
    if options.inductor.exports() {
        let done = source::with_source_file(&context, &options.input, |module| {
            inductor::export(module, options.output.as_deref())
        });
        return exit(done == Some(true));
    }
    if options.uop.imports() {
        context.load_all_available_dialects();
        let output = options.output.as_deref();
        return exit(uop::import(
            &context,
            options.module,
            &options.input,
            output,
        ));
    }
    if options.uop.exports() {
        let done = source::with_source_file(&context, &options.input, |module| {
            uop::export(module, options.output.as_deref())
        });
        return exit(done == Some(true));
    }
    if let Some(form) = options.plan.form() {
        let done = source::with_source_file(&context, &options.input, |module| {
            plan::emit(&context, module, form, options.output.as_deref())
        });
        return exit(done == Some(true));
    }
    if options.export.is_given() {
        let done = source::with_source_file(&context, &options.input, |module| {
            export::run(&context, module, &options.export, options.output.as_deref())
        });
        return exit(done == Some(true));
    }
    if !options.spyre_to_bundle {
        return view_layout(&context, &options);
    }
    let Some(output) = &options.output else {
        eprintln!("error: no directory is given; --output names it");
        return ExitCode::FAILURE;
    };
    let done = source::with_source_file(&context, &options.input, |module| {
        translate(&context, module, output, &options)
    });
    exit(done == Some(true))
}

fn exit(done: bool) -> ExitCode {
    if done {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Explains or draws a layout, or prints why it cannot.
fn view_layout(context: &Context, options: &Options) -> ExitCode {
    // Attributes on the command line name the dialect.
    context.load_all_available_dialects();
    match layout_view::run(context, &options.layout, options.output.as_deref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {}", shortened(&why.to_string()));
            ExitCode::FAILURE
        }
    }
}

/// Writes the bundle of a module. Messages have been printed when it returns false.
fn translate(context: &Context, module: Op<'_>, output: &Path, options: &Options) -> bool {
    if has_device_functions(module) {
        if options.launch_params.is_some() {
            return failed(
                "--launch-params is for one bundle; launch.json says how each is called",
            );
        }
        let (addresses, warnings) = (options.address_mode.into(), options.verify_written);
        let list = |path: &Path, report: &Report| verify::list(path, report, warnings);
        return match launch::write(context, module, output, addresses, list) {
            Ok(()) => true,
            Err(why) => failed(&why.to_string()),
        };
    }
    let bundle = match spyre_bundle::compile(context, module, options.address_mode.into()) {
        Ok(bundle) => bundle,
        Err(why) => {
            why.emit();
            return false;
        }
    };
    let files = match InMemory::collect(output, bundle.files()) {
        Ok(files) => files,
        Err(why) => return failed(&format!("cannot make the files of the bundle: {why}")),
    };
    let report = spyre_verify::verify(&files);
    verify::list(output, &report, options.verify_written);
    let is_right = report.is_right();
    if !is_right && !options.verify_written {
        return failed(
            "the bundle breaks the rules above, so nothing is written; --verify-written writes it",
        );
    }
    let written = match &options.launch_params {
        None => directory::write(&files, output),
        Some(params) => directory::write_with_params(&bundle, &files, output, params),
    };
    match written {
        Ok(()) => is_right,
        Err(why) => failed(&why.to_string()),
    }
}

/// Prints an error. Returns false.
fn failed(why: &str) -> bool {
    eprintln!("error: {}", shortened(why));
    false
}
