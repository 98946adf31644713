//! Translations between MLIR and the files of an SDSC bundle, and views of layouts and plans.
//!
//! `spyre-translate --spyre-to-bundle input.mlir -o DIR` writes `bundle.mlir` and one `sdsc_N.json` per device
//! operation. The input is a module that holds a bundle (`--convert-spyre-to-sdscbundle` made it), or a function of
//! device operations, which then goes through `--spyre-pipeline` first. The other translations are in the help.
//!
//! Each module has the options of some translations and calls the library that does the work: `bundle`, `opspec`, `front_ends`,
//! `plan` and `layout_view`. `io` reads the input and writes the output.
#![forbid(unsafe_code)]

mod bundle;
mod front_ends;
mod io;
mod layout_view;
mod opspec;
mod plan;
mod schema;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bundle::BundleOptions;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgGroup, CommandFactory, FromArgMatches, Id, Parser};
use front_ends::FrontEndOptions;
use io::Io;
use layout_view::LayoutOptions;
use opspec::OpSpecOptions;
use plan::PlanOptions;

/// Translations between MLIR and the files of an SDSC bundle, and views of layouts and plans.
#[derive(Debug, Parser)]
#[command(version = spyre_version::VERSION, about)]
#[command(group(ArgGroup::new("translation").required(true)))]
struct Options {
    /// The input, MLIR text or bytecode; `-` is standard input.
    #[arg(default_value = "-", conflicts_with_all = ["explain_layout", "emit_layout_svg"])]
    input: String,

    /// The directory to write the bundle to. It appears complete or not at all; a bundle that is already there is
    /// replaced. Otherwise the file to write; `-`, like none, is standard output.
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
    #[arg(long, help_heading = "Modules")]
    emit_bytecode: bool,

    #[command(flatten)]
    opspec: OpSpecOptions,

    #[command(flatten)]
    front_ends: FrontEndOptions,

    #[command(flatten)]
    plan: PlanOptions,

    #[command(flatten)]
    layout: LayoutOptions,
}

/// The option that writes modules as bytecode. It belongs to all translations that read a program of a front end as well.
const EMIT_BYTECODE: &str = "emit_bytecode";

/// The translations that write a bundle, that read a tree, and that view a layout.
const TO_BUNDLE: &[&str] = &["spyre_to_bundle", "opspec_to_bundle", "opspec_py_to_bundle"];
const OF_TREES: &[&str] = &[
    "import_opspec",
    "import_opspec_py",
    "opspec_to_bundle",
    "opspec_py_to_bundle",
];
const OF_LAYOUTS: &[&str] = &["explain_layout", "emit_layout_svg"];

/// The options that only some translations have. `requires` cannot express that: it has no effect where the required
/// option is in a group with a given translation.
const BELONGS: [(&str, &[&str]); 17] = [
    ("address_mode", TO_BUNDLE),
    ("launch_params", TO_BUNDLE),
    ("verify_written", TO_BUNDLE),
    ("contract", &["verify_bundle"]),
    ("schema", &["verify_bundle"]),
    (
        "allow",
        &[
            "verify_bundle",
            "spyre_to_bundle",
            "opspec_to_bundle",
            "opspec_py_to_bundle",
        ],
    ),
    (EMIT_BYTECODE, &["import_opspec", "import_opspec_py"]),
    ("revision", &["import_opspec", "opspec_to_bundle"]),
    ("kernel", &["import_opspec_py", "opspec_py_to_bundle"]),
    ("pool_size", OF_TREES),
    ("share_files", OF_TREES),
    ("dtype", OF_LAYOUTS),
    ("order", OF_LAYOUTS),
    ("strides", OF_LAYOUTS),
    ("size", OF_LAYOUTS),
    ("stride_map", OF_LAYOUTS),
    ("layout", OF_LAYOUTS),
];

/// Reads the command line. Ends the process where it is wrong.
fn options() -> Options {
    let mut command = Options::command();
    let matches = command.get_matches_mut();
    let translation: Option<&Id> = matches.get_one("translation");
    let translation = translation.expect("one is required").as_str();
    for (option, translations) in BELONGS {
        let is_given = matches.value_source(option) == Some(ValueSource::CommandLine);
        let is_import = option == EMIT_BYTECODE && front_ends::is_import(translation);
        if is_given && !is_import && !translations.contains(&translation) {
            let [option, translation] = [option, translation].map(|id| id.replace('_', "-"));
            let message =
                format!("the argument '--{option}' cannot be used with '--{translation}'");
            command.error(ErrorKind::ArgumentConflict, message).exit();
        }
    }
    Options::from_arg_matches(&matches).unwrap_or_else(|err| err.exit())
}

fn main() -> ExitCode {
    let options = options();
    spyre_all::register_passes();
    let context = spyre_all::context();
    let io = Io {
        context: &context,
        input: &options.input,
        // As for the input, `-` is standard output and no file.
        output: options
            .output
            .as_deref()
            .filter(|path| *path != Path::new("-")),
        emit_bytecode: options.emit_bytecode,
    };
    // The group `translation` has exactly one.
    let done = (options.bundle.run(io))
        .or_else(|| options.opspec.run(io, &options.bundle))
        .or_else(|| options.front_ends.run(io))
        .or_else(|| options.plan.run(io))
        .unwrap_or_else(|| options.layout.run(io));
    match done {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
