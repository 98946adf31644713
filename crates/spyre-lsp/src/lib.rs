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
/// it ends the process for `--help`, for `--version`, and for options that it cannot read.
#[must_use]
pub fn run(program: &[OsString], options: &[OsString]) -> u8 {
    if let Some((first, options)) = options.split_first()
        && first == UPSTREAM
    {
        return upstream(program, options);
    }
    if options.iter().all(|option| is_for_session(option)) {
        return proxy::run(program, options);
    }
    upstream(program, options)
}

/// Returns whether an option is one for a session with an editor. The others end the program, as `--help` does, or read
/// messages in the form of MLIR's tests.
fn is_for_session(option: &OsStr) -> bool {
    let option = option.to_string_lossy();
    let option = option.trim_start_matches('-');
    option == "pretty" || option.starts_with("log=")
}

/// Runs MLIR's server on standard input and output, and returns its exit code.
fn upstream(program: &[OsString], options: &[OsString]) -> u8 {
    let registry = spyre_all::registry();
    let version = format!("spyre-lsp-server {}", spyre_version::VERSION);
    let arguments = program.iter().take(1).chain(options).cloned();
    let code = spyre_mlir_rt::tool::lsp_main(arguments, &version, &registry);
    u8::try_from(code).unwrap_or(1)
}
