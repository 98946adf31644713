//! Runs one program.

use melior::Context;
use spyre_mlir_rt::ir::Op;

use crate::error::Error;
use crate::options::Options;
use crate::subject::Subject;
use crate::{differences, inputs, output};

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
        return differences::results(&recorded, &results, options);
    }
    output::results(&results, options)?;
    Ok(true)
}
