//! Tests of the tests: mistakes and additions in a copy of the tree, and damaged inputs of the tools.
//!
//! `cargo xtask` starts it, and has the help of its commands.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod fuzz_input;
mod mutants;
mod patches;
mod slips;

use std::process::ExitCode;

use spyre_checkout::commands::{self, Command};

/// The commands.
const COMMANDS: [Command; 4] = [
    Command {
        name: "mutants",
        run: |project, args| mutants::mutants(project, &args.rest()),
    },
    Command {
        name: "slips",
        run: |project, args| {
            args.finish()?;
            slips::slips(project)
        },
    },
    Command {
        name: "patches",
        run: |project, args| patches::patches(project, &args.rest()),
    },
    Command {
        name: "fuzz-input",
        run: |project, mut args| {
            let options = fuzz_input::Options {
                seconds: args.value("--seconds")?,
                cases: args.value("--cases")?,
                seed: args.value("--seed")?,
            };
            args.finish()?;
            fuzz_input::fuzz(project, &options)
        },
    },
];

fn main() -> ExitCode {
    commands::main(&COMMANDS)
}
