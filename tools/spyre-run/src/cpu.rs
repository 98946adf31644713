//! Compiles programs for the CPU, and runs them there.

use std::time::Instant;

use melior::Context;
use spyre_exec::{Array, Executable, Program};

use crate::error::Error;
use crate::options::Options;
use crate::stats;

/// Returns how programs are compiled.
pub(crate) fn how(options: &Options) -> spyre_exec::Options {
    spyre_exec::Options {
        poison: options.poison,
        ..spyre_exec::Options::default()
    }
}

/// Compiles a program with the options of the command line.
pub(crate) fn compile<'c>(
    context: &'c Context,
    program: Program<'c>,
    options: &Options,
) -> Result<Executable, Error> {
    let start = Instant::now();
    let executable = program.compile(context, how(options))?;
    let function = format!("@{}", executable.entry());
    stats::time(options, "compile", Some(&function), start.elapsed());
    Ok(executable)
}

/// Runs a compiled program once.
pub(crate) fn execute(
    executable: &Executable,
    inputs: &[Array],
    options: &Options,
) -> Result<Vec<Array>, Error> {
    let start = Instant::now();
    let results = executable.run(inputs)?;
    let function = format!("@{}", executable.entry());
    stats::time(options, "run", Some(&function), start.elapsed());
    Ok(results)
}
