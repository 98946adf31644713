//! `mlir-reduce` with the dialects and passes of spyre-mlir: the smallest program that a script still finds interesting.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use spyre_mlir_rt::tool::reduce_main;

fn main() -> ExitCode {
    spyre_all::register_all_passes();
    let registry = spyre_all::registry();
    let version = format!("spyre-reduce {}", spyre_version::VERSION);
    let code = reduce_main(std::env::args_os(), &version, &registry);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
