//! Measurements: the time of passes and of the tools, the plans of graphs, models, and the errors of formulas.
//!
//! `cargo xtask` starts it, and has the help of its commands. The examples are the measurements inside a process with
//! MLIR.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod accuracy;
mod bench;
mod models;
mod plan_table;
mod proofs;
mod zoo;

use std::process::ExitCode;

use spyre_checkout::commands::{self, Command};
use spyre_checkout::project::Project;

/// The commands.
const COMMANDS: [Command; 6] = [
    Command {
        name: "bench",
        run: |project, mut args| {
            let runs = args.value("--runs")?.unwrap_or(bench::DEFAULT_RUNS);
            let max = args.value("--max")?.unwrap_or(usize::MAX);
            args.finish()?;
            bench::bench(project, runs, max)
        },
    },
    Command {
        name: "accuracy",
        run: |project, mut args| {
            let options = accuracy::Options {
                all: args.switch("--all"),
                stride: args.value("--stride")?,
                op: args.value("--op")?,
            };
            args.finish()?;
            accuracy::accuracy(project, &options)
        },
    },
    Command {
        name: "models",
        run: |project, mut args| {
            let options = models::Options {
                write: args.switch("--write"),
                debug: args.switch("--debug"),
                names: args.rest(),
            };
            models::models(project, &options)
        },
    },
    Command {
        name: "zoo",
        run: |project, mut args| {
            let options = zoo::Options {
                write: args.switch("--write"),
                debug: args.switch("--debug"),
                keep: args.switch("--keep"),
                limit: args.value("--limit")?.unwrap_or(zoo::DEFAULT_LIMIT),
                python: args.value("--python")?,
                tool: args.value("--spyre-run")?,
                names: args.rest(),
            };
            zoo::zoo(project, &options)
        },
    },
    Command {
        name: "proofs",
        run: |project, mut args| {
            let write = args.switch("--write");
            args.finish()?;
            proofs::proofs(project, write)
        },
    },
    Command {
        name: "plan-table",
        run: |project, mut args| {
            let mode = match (args.switch("--write"), args.switch("--check")) {
                (true, _) => plan_table::Mode::Write,
                (false, true) => plan_table::Mode::Check,
                (false, false) => plan_table::Mode::Print,
            };
            args.finish()?;
            plan_table::plan_table(project, mode)
        },
    },
];

fn main() -> ExitCode {
    commands::main(&COMMANDS)
}

/// Returns the command that runs an example of this package in release mode, for measuring.
fn example(project: &Project, name: &str) -> std::process::Command {
    let mut command = project.cargo();
    command.args(["run", "--quiet", "--release"]);
    command.args(["--package", env!("CARGO_PKG_NAME"), "--example", name]);
    command
}
