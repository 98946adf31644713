//! MLIR's language server with the dialects of spyre-mlir: diagnostics, hover, definitions and
//! completion in any editor that speaks the protocol.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    let registry = spyre_all::registry();
    let version = format!("spyre-lsp-server {}", spyre_version::VERSION);
    let code = spyre_mlir_rt::tool::lsp_main(std::env::args_os(), &version, &registry);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
