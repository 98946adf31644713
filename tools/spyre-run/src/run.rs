//! Runs one program.

use std::time::Instant;

use melior::Context;
use spyre_exec::{Array, Executable, Program};
use spyre_mlir_rt::ir::Op;

use crate::error::Error;
use crate::options::Options;
use crate::subject::Subject;
use crate::{compare, inputs, output, stats};

/// Runs the program, or the bundle in its place, and writes or prints its results. Returns `false` if the bundle is
/// faulty, which has been reported, and its results are then not written; also if results differ from the expected
/// ones.
pub(crate) fn run(context: &Context, module: Op<'_>, options: &Options) -> Result<bool, Error> {
    let program = inputs::program(context, module, options)?;
    let (expected, actual) = (program.signature().outputs.len(), options.outputs.len());
    if actual != 0 && actual != expected {
        let entry = program.entry().to_owned();
        return Err(Error::Outputs {
            entry,
            expected,
            actual,
        });
    }
    let inputs = inputs::make(&program, options, None)?;
    let recorded = inputs::recorded(&program, options)?;
    let subject = Subject::new(context, program, options)?;
    let Some(results) = subject.run(&inputs, options)? else {
        return Ok(false);
    };
    if let Some(recorded) = recorded {
        return compare::results(&recorded, &results, options);
    }
    output::results(&results, options)?;
    Ok(true)
}

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
