//! `mlir-opt` with the dialects and passes of spyre-mlir.
//!
//! The whole command line is upstream's, so everything that works with `mlir-opt` works here:
//! `--pass-pipeline`, `--split-input-file --verify-diagnostics`, `--mlir-print-ir-after-all`,
//! `--mlir-timing`, `--emit-bytecode`, crash reproducers. One more hidden flag, `--spyre-pass-docs`, prints the
//! pages about our passes as markdown.
#![forbid(unsafe_code)]

use std::io::Write as _;
use std::process::ExitCode;

use spyre_mlir_rt::tool::{OptTexts, opt_main};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os();
    if arguments.len() == 2
        && arguments
            .nth(1)
            .is_some_and(|argument| argument == "--spyre-pass-docs")
    {
        return match std::io::stdout().write_all(pass_docs().as_bytes()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("spyre-opt: cannot write the documentation: {error}");
                ExitCode::FAILURE
            }
        };
    }
    spyre_all::register_all_passes();
    let registry = spyre_all::registry();
    let texts = OptTexts {
        name: "Spyre optimizer driver\n",
        version: &format!("spyre-opt {}", spyre_version::VERSION),
        more_help: &more_help(),
    };
    let code = opt_main(std::env::args_os(), texts, &registry);
    if code != 0 {
        let files = std::env::args()
            .skip(1)
            .filter(|word| !word.starts_with('-'));
        files.for_each(|file| spyre_mlir_rt::source::hint_at_lowering(&file));
    }
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// Returns the pages about passes, each after a line with its path.
fn pass_docs() -> String {
    let pages = spyre_all::pages().into_iter();
    pages
        .map(|(path, text)| format!("<!-- page: {path} -->\n{text}"))
        .collect()
}

/// Returns the list of our passes and pipelines that ends `--help`. Among MLIR's, which are in the order of their names, they
/// stand in several places.
fn more_help() -> String {
    let mut passes = spyre_all::passes()
        .iter()
        .map(|pass| (pass.argument, pass.summary));
    let mut pipelines = spyre_all::pipelines()
        .iter()
        .map(|pipeline| (pipeline.argument, pipeline.summary));
    let list = |entries: &mut dyn Iterator<Item = (&str, &str)>| -> String {
        entries
            .map(|(argument, summary)| format!("  --{argument:<31} {summary}\n"))
            .collect()
    };
    format!(
        "\nSpyre passes (their options are above, and in docs/Passes.md):\n\n{}\nSpyre pipelines:\n\n{}",
        list(&mut passes),
        list(&mut pipelines)
    )
}
