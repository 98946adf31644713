//! The tables of operations in `crates/spyre-ods`, from the records that `llvm-tblgen` dumps.
//!
//! `cargo xtask` starts it, and has the help of its command.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod ods;

use std::process::ExitCode;

use spyre_checkout::commands::{self, Command};

/// The command.
const COMMANDS: [Command; 1] = [Command {
    name: "ods",
    run: |project, mut args| {
        let check = args.switch("--check");
        args.finish()?;
        ods::ods(project, check)
    },
}];

fn main() -> ExitCode {
    commands::main(&COMMANDS)
}
