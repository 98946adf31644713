//! The language server, for `spyre lsp`: the command is the only program of the package.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the language server on the standard input and output of the process, and returns the exit code.
#[pyfunction]
pub(crate) fn language_server(py: Python<'_>, program: Vec<String>, options: Vec<String>) -> u8 {
    let words = |texts: Vec<String>| texts.into_iter().map(OsString::from).collect();
    let (program, options): (Vec<OsString>, Vec<OsString>) = (words(program), words(options));
    py.detach(|| spyre_lsp::run(&program, &options))
}
