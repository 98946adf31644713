//! Runs a program of `spyre` operations on the CPU. A graph of a front end, in its dialect or as JSON, runs as the function of linalg
//! that it becomes.
//!
//! `spyre-run program.mlir --input a.npy --output z.npy` compiles a function in process and calls it. With `--compare` it
//! runs two programs on the same inputs and compares their results; with `--bundle` it runs the files of the program's bundle
//! on a simulated card; with `--check-pipeline` or `--passes` it runs a
//! pipeline pass by pass and compares the results of the program before and after each pass.
//!
//! `options` is the command line, `inputs` builds the arguments, and `run`, `compare` and `check` are the three tasks.
//! `subject` is the compiled program or the bundle that runs.
#![forbid(unsafe_code)]

mod check;
mod compare;
mod error;
mod inputs;
mod options;
mod output;
mod run;
mod subject;

use std::process::ExitCode;

use clap::Parser as _;
use spyre_exec::graphs::with_program_file;
use spyre_mlir_rt::diagnostic::shortened;

use error::Error;
use options::{Options, Task};

fn main() -> ExitCode {
    let options = Options::parse();
    let context = spyre_exec::context();
    if let Err(err) = options.check() {
        eprintln!("error: {err}");
        return ExitCode::from(2);
    }
    let done = with_program_file(&context, &options.program, |module| match options.task() {
        Task::Run => run::run(&context, module, &options),
        Task::Compare(other) => compare::programs(&context, module, other, &options),
        Task::Check(pipeline) => check::pipeline(&context, module, pipeline, &options),
    });
    match done {
        Some(Ok(true)) => ExitCode::SUCCESS,
        // The file does not parse, or results differ: both have been printed.
        None | Some(Ok(false)) | Some(Err(Error::Reported)) => ExitCode::FAILURE,
        Some(Err(err)) => {
            eprintln!("error: {}", shortened(&err.to_string()));
            ExitCode::FAILURE
        }
    }
}
