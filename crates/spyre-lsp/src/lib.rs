//! MLIR's language server with the dialects of spyre-mlir and with their tiling hints.
//!
//! MLIR's server has no hooks, so this one runs it in a second process of the same program, and is between it and the
//! editor. Messages pass unchanged, with these exceptions. Inside `tile [...]` this server answers completion and
//! hover. It adds the documentation, the layouts and the places of an operation to MLIR's hover, the diagnostics of the
//! hints to MLIR's diagnostics, and its name and version to the answer to `initialize`.
//!
//! * `protocol` reads and writes messages, and `proxy` passes them on.
//! * `session` has the documents of the editor, and answers or extends its requests.
//! * `document` converts positions, and `hints` finds the hints in a text, which may be incomplete.
//! * `program` parses a document, and finds operations at positions.
//! * `check`, `completion`, `hint_hover` and `op_hover` have one answer each; `dialect_docs` has the documentation.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod check;
mod completion;
mod dialect_docs;
mod document;
mod hint_hover;
mod hints;
mod op_hover;
mod program;
mod protocol;
mod proxy;
mod session;

use std::ffi::{OsStr, OsString};

/// The first option of the process that runs MLIR's server alone.
const UPSTREAM: &str = "--upstream-server";

/// Runs the server on standard input and output until the end of the session, and returns the exit code of the program.
///
/// `program` is the command line that runs this program without options: the first word is a path or on the `PATH`,
/// and words may follow. `options` are those of MLIR's server. Call it once, from a program's main: as MLIR's main,
/// it ends the process for `--help` and for `--version`.
#[must_use]
pub fn run(program: &[OsString], options: &[OsString]) -> u8 {
    if let Some((first, options)) = options.split_first()
        && first == UPSTREAM
    {
        return upstream(program, options);
    }
    if options.iter().any(|option| is_without_session(option)) {
        return upstream(program, options);
    }
    proxy::run(program, options)
}

/// The options that end the program with a text on standard output, or that change the form of messages to that of
/// MLIR's tests.
const WITHOUT_SESSION: [&str; 8] = [
    "h",
    "help",
    "help-hidden",
    "help-list",
    "help-list-hidden",
    "input-style",
    "lit-test",
    "version",
];

/// Returns whether an option is one of a program without a session with an editor. All others are for MLIR's server in
/// the second process, which refuses those that it cannot read; its message is on standard error, and its exit code is
/// that of the program.
fn is_without_session(option: &OsStr) -> bool {
    let option = option.to_string_lossy();
    let Some(option) = option.strip_prefix('-') else {
        return false; // the value of the option before it, as in `--log verbose`
    };
    let option = option.strip_prefix('-').unwrap_or(option);
    let name = option.split_once('=').map_or(option, |(name, _)| name);
    WITHOUT_SESSION.contains(&name)
}

/// Runs MLIR's server on standard input and output, and returns its exit code.
fn upstream(program: &[OsString], options: &[OsString]) -> u8 {
    let registry = spyre_all::registry();
    let version = format!("spyre-lsp-server {}", spyre_version::VERSION);
    let arguments = program.iter().take(1).chain(options).cloned();
    let code = spyre_mlir_rt::tool::lsp_main(arguments, &version, &registry);
    u8::try_from(code).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_a_log_are_for_a_session() {
        for option in [
            "--log=verbose",
            "--log",
            "-log",
            "verbose",
            "--pretty=false",
            "-pretty",
            "--color",
        ] {
            assert!(!is_without_session(OsStr::new(option)), "{option}");
        }
        for option in [
            "--help",
            "-h",
            "--version",
            "-lit-test",
            "--lit-test=true",
            "--input-style",
        ] {
            assert!(is_without_session(OsStr::new(option)), "{option}");
        }
    }
}
