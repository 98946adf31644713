//! Runs a program of `spyre` operations on the CPU. A graph of a front end, in its dialect or as JSON, runs as the function of linalg
//! that it becomes.
//!
//! `spyre-run program.mlir --input a.npy --output z.npy` compiles a function in process and calls it. With `--compare` it
//! runs two programs on the same inputs and compares their results; with `--bundle` it runs the files of the program's bundle
//! on a simulated card; with `--check-pipeline` or `--passes` it runs a
//! pipeline pass by pass and compares the results of the program before and after each pass.
//!
//! `options` is the command line, `inputs` builds the arguments, and `run`, `compare` and `check` are the three tasks
//! of programs; `raw` runs a bundle without its program, and `kernel` a kernel in KTIR. `subject` is the compiled program or the bundle that runs, and
//! `stats` prints its statistics.
#![forbid(unsafe_code)]

mod check;
mod compare;
mod cpu;
mod differences;
mod error;
mod inputs;
mod kernel;
mod options;
mod output;
mod raw;
mod run;
mod stats;
mod subject;

use std::io::{IsTerminal as _, stdin};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use spyre_exec::graphs::with_program_file;
use spyre_exec::ktir::has_kernels;
use spyre_mlir_rt::messages;

use error::Error;
use options::{Options, Task};

fn main() -> ExitCode {
    if let Some(code) = spyre_shell_files::requested(std::env::args_os(), Options::command) {
        return code;
    }
    let options = Options::parse();
    let context = spyre_exec::context();
    if options.json {
        messages::print_as_json(&context);
    }
    if let Err(err) = options.check() {
        messages::print(&format!("error: {err}"));
        return ExitCode::from(2);
    }
    if let Task::Bundle(directory) = options.task() {
        return exit_code(Some(raw::bundle(directory, &options)));
    }
    if options.program() == "-" && stdin().is_terminal() {
        messages::print("note: reading a program from standard input");
    }
    let done = with_program_file(&context, options.program(), |module| match options.task() {
        Task::Run if options.ktir.is_none() && has_kernels(module) => {
            kernel::alone(&context, module, &options)
        }
        Task::Run => run::run(&context, module, &options),
        Task::Bundle(directory) => raw::bundle(directory, &options),
        Task::Compare(other) => compare::programs(&context, module, other, &options),
        Task::Check(pipeline) => check::pipeline(&context, module, pipeline, &options),
    });
    exit_code(done)
}

/// Returns the exit code of an outcome, and prints an error that has not been printed.
fn exit_code(done: Option<Result<bool, Error>>) -> ExitCode {
    match done {
        Some(Ok(true)) => ExitCode::SUCCESS,
        // The file does not parse, or results differ: both have been printed.
        None | Some(Ok(false)) | Some(Err(Error::Reported)) => ExitCode::FAILURE,
        Some(Err(err)) => {
            messages::print(&format!("error: {err}"));
            ExitCode::FAILURE
        }
    }
}
