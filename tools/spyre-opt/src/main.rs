//! `mlir-opt` with the dialects and passes of spyre-mlir.
//!
//! The whole command line is upstream's, so everything that works with `mlir-opt` works here:
//! `--pass-pipeline`, `--split-input-file --verify-diagnostics`, `--mlir-print-ir-after-all`,
//! `--mlir-timing`, `--emit-bytecode`, crash reproducers. One more hidden flag, `--spyre-pass-docs`, prints the
//! pages about our passes as markdown. `--verify-tiling` is an option of `--coarse-tile` that may stand alone.
#![forbid(unsafe_code)]

use std::ffi::OsString;
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
    let code = opt_main(with_tiling_options(std::env::args_os()), texts, &registry);
    if code != 0 {
        let files = std::env::args()
            .skip(1)
            .filter(|word| !word.starts_with('-'));
        files.for_each(|file| spyre_mlir_rt::source::hint_at_lowering(&file));
    }
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// The flag for `verify-tiling` of `--coarse-tile`.
const VERIFY_TILING: &str = "--verify-tiling";

/// Returns the arguments with `--verify-tiling` as an option of each `--coarse-tile`. Without that pass they stay, and
/// MLIR reports the unknown flag.
fn with_tiling_options(
    arguments: impl Iterator<Item = OsString>,
) -> impl Iterator<Item = OsString> {
    const PASS: &str = "--coarse-tile";
    let mut arguments: Vec<OsString> = arguments.collect();
    let is_tiling = |argument: &OsString| {
        let rest = argument.to_str().and_then(|text| text.strip_prefix(PASS));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    if arguments.iter().any(|it| it == VERIFY_TILING) && arguments.iter().any(is_tiling) {
        arguments.retain(|argument| argument != VERIFY_TILING);
        for argument in arguments.iter_mut().filter(|argument| is_tiling(argument)) {
            let has_options = argument.len() > PASS.len();
            argument.push(if has_options { " " } else { "=" });
            argument.push("verify-tiling=true");
        }
    }
    arguments.into_iter()
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

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::with_tiling_options;

    #[test]
    fn a_flag_becomes_an_option_of_the_pass() {
        let of = |line: &str| {
            let words = line.split('|').map(OsString::from);
            let words = with_tiling_options(words).map(|word| word.into_string());
            words
                .map(|word| word.expect("text"))
                .collect::<Vec<_>>()
                .join("|")
        };
        let alone = "spyre-opt|a.mlir|--coarse-tile|--verify-tiling";
        assert_eq!(
            of(alone),
            "spyre-opt|a.mlir|--coarse-tile=verify-tiling=true"
        );
        let with_options = "spyre-opt|--verify-tiling|--coarse-tile=groups=0:2";
        assert_eq!(
            of(with_options),
            "spyre-opt|--coarse-tile=groups=0:2 verify-tiling=true"
        );
        let other = "spyre-opt|--coarse-tiles|--verify-tiling";
        assert_eq!(of(other), other);
    }
}
