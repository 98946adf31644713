//! Translations between MLIR and the files of an SDSC bundle, and views of layouts and plans.
//!
//! `spyre-translate --spyre-to-bundle input.mlir -o DIR` writes `bundle.mlir` and one `sdsc_N.json` per device
//! operation. The input is a module that holds a bundle (`--convert-spyre-to-sdscbundle` made it), or a function of
//! device operations, which then goes through `--spyre-pipeline` first. The other translations are in the help.
//!
//! Each module has the options of some translations and calls the library that does the work: `bundle`, `prove`,
//! `opspec`, `front_ends`, `plan`, `ktir`, `verify_ktir` and `layout_view`. `io` reads the input and writes the output.
//! `subcommands` has the command line with one word for each translation, which becomes one of flags.
#![forbid(unsafe_code)]

mod bundle;
mod front_ends;
mod io;
mod ktir;
mod layout_view;
mod opspec;
mod plan;
mod prove;
mod schema;
mod subcommands;
mod verify_ktir;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bundle::BundleOptions;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgGroup, ArgMatches, Command, CommandFactory, FromArgMatches, Id, Parser};
use front_ends::FrontEndOptions;
use io::Io;
use ktir::KtirOptions;
use layout_view::LayoutOptions;
use opspec::OpSpecOptions;
use plan::PlanOptions;
use prove::ProveOptions;
use spyre_mlir_rt::messages;
use verify_ktir::VerifyKtirOptions;

/// Translations between MLIR and the files of an SDSC bundle, and views of layouts and plans.
#[derive(Debug, Parser)]
#[command(version = spyre_version::VERSION, about)]
#[command(group(ArgGroup::new("translation")))]
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

    /// Print messages, and with --verify-bundle and --verify-ktir the findings, as JSON, one object a line.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    bundle: BundleOptions,

    #[command(flatten)]
    prove: ProveOptions,

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
    ktir: KtirOptions,

    #[command(flatten)]
    verify_ktir: VerifyKtirOptions,

    #[command(flatten)]
    layout: LayoutOptions,
}

/// The option that writes modules as bytecode. It belongs to all translations that read a program of a front end as well.
const EMIT_BYTECODE: &str = "emit_bytecode";

/// The option that all translations have.
const JSON: &str = "json";

/// The option with the program of a bundle that is proved.
const AGAINST: &str = "against";

/// The option with what claims that are not decided are.
const UNKNOWN: &str = "unknown";

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
const BELONGS: [(&str, &[&str]); 21] = [
    (AGAINST, &["prove"]),
    (UNKNOWN, &["prove"]),
    ("base_unit", &["spyre_to_ktir", "verify_ktir"]),
    ("flavour", &["spyre_to_ktir", "verify_ktir"]),
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

/// Returns whether a translation has an option of [`BELONGS`]; `None` for other options.
fn has_option(translation: &str, option: &str) -> Option<bool> {
    let (_, translations) = BELONGS.iter().find(|(id, _)| *id == option)?;
    let is_import = option == EMIT_BYTECODE && front_ends::is_import(translation);
    Some(is_import || translations.contains(&translation))
}

/// Returns the command line with its subcommands.
fn command() -> Command {
    let options = Options::command();
    let subcommands = subcommands::commands(&options);
    // After a flag, a word is a file: the command lines of flags stay valid.
    options
        .args_conflicts_with_subcommands(true)
        .disable_help_subcommand(true)
        .subcommands(subcommands)
        .after_help(
            "`spyre-translate COMMAND --help` lists the options of a command. A flag is another spelling of a command; a file \
             with the name of a command is written ./NAME, or follows `--`.",
        )
}

/// Reads the command line. Ends the process where it is wrong.
fn options() -> Options {
    let matches = command().get_matches();
    match subcommands::flags(&matches, &Options::command()) {
        Some(flags) => options_of_flags(Options::command(), |command| {
            command.try_get_matches_from_mut::<_, OsString>(flags)
        }),
        None => options_of_flags(command(), |_| Ok(matches)),
    }
}

/// Returns the options of a command line without a subcommand, as `read` reads it. Ends the process where it is wrong.
fn options_of_flags(
    mut command: Command,
    read: impl FnOnce(&mut Command) -> Result<ArgMatches, clap::Error>,
) -> Options {
    let matches = read(&mut command).unwrap_or_else(|err| err.exit());
    let translation: Option<&Id> = matches.get_one("translation");
    let Some(translation) = translation.map(Id::as_str) else {
        let message = format!(
            "no translation is given. The commands are {}; `spyre-translate COMMAND --help` describes one",
            subcommands::names()
        );
        command
            .error(ErrorKind::MissingRequiredArgument, message)
            .exit();
    };
    for (option, _) in BELONGS {
        let is_given = matches.value_source(option) == Some(ValueSource::CommandLine);
        if is_given && has_option(translation, option) == Some(false) {
            let [option, translation] = [option, translation].map(|id| id.replace('_', "-"));
            let message =
                format!("the argument '--{option}' cannot be used with '--{translation}'");
            command.error(ErrorKind::ArgumentConflict, message).exit();
        }
    }
    Options::from_arg_matches(&matches).unwrap_or_else(|err| err.exit())
}

fn main() -> ExitCode {
    if let Some(code) = spyre_shell_files::requested(std::env::args_os(), command) {
        return code;
    }
    let options = options();
    spyre_all::register_passes();
    let context = spyre_all::context();
    if options.json {
        messages::print_as_json(&context);
    }
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
    if let Some(code) = options.prove.run(&context) {
        return code;
    }
    // The group `translation` has exactly one.
    let done = (options.bundle.run(io))
        .or_else(|| options.opspec.run(io, &options.bundle))
        .or_else(|| options.front_ends.run(io))
        .or_else(|| options.plan.run(io))
        .or_else(|| options.ktir.run(io))
        .or_else(|| options.verify_ktir.run(io, &options.ktir))
        .unwrap_or_else(|| options.layout.run(io));
    match done {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
