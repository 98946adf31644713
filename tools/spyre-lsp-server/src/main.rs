//! MLIR's language server with the dialects of spyre-mlir: diagnostics, hover, definitions and
//! completion in any editor that speaks the protocol. All of it is `spyre-lsp`, which the Python package has as well.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_default();
    // A name without a directory may be that of another program on the PATH.
    let program = std::env::current_exe().map_or(name, OsString::from);
    let options: Vec<OsString> = arguments.collect();
    ExitCode::from(spyre_lsp::run(&[program], &options))
}
