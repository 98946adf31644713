//! Compares two programs.

use melior::Context;
use spyre_exec::graphs::SelectError;
use spyre_exec::graphs::with_program_file;
use spyre_exec::{Array, Executable, Program, TensorType, compare};
use spyre_mlir_rt::ir::Op;

use crate::error::Error;
use crate::options::Options;
use crate::subject::Subject;
use crate::{inputs, output, run};

/// Runs the program and another one on the same inputs. Returns whether all results are as close as allowed.
pub(crate) fn programs(
    context: &Context,
    module: Op<'_>,
    other: &str,
    options: &Options,
) -> Result<bool, Error> {
    let program = inputs::program(context, module, options)?;
    let second = with_program_file(context, other, |module| {
        compiled(context, module, &program, options)
    })
    .ok_or(Error::Reported)??;
    let inputs = inputs::make(&program, options, None)?;
    let first = Subject::new(context, program, options)?;
    let Some(expected) = first.run(&inputs, options)? else {
        return Ok(false);
    };
    let actual = run::execute(&second, &inputs, options)?;
    results(&expected, &actual, options)
}

/// Prints the differences between results and the expected ones, and returns whether all are within the
/// tolerance.
pub(crate) fn results(
    expected: &[Array],
    actual: &[Array],
    options: &Options,
) -> Result<bool, Error> {
    let mut agree = true;
    let tolerances = options.tolerances(expected.len())?;
    for (result, ((expected, actual), tolerance)) in
        expected.iter().zip(actual).zip(tolerances).enumerate()
    {
        let comparison = compare(expected, actual, tolerance).map_err(|err| Error::Types {
            result,
            reason: err,
        })?;
        output::line(format_args!("result {result}: {comparison}"))?;
        agree &= comparison.agrees();
    }
    Ok(agree)
}

/// Compiles the other program, which must have the inputs and results of the first one.
fn compiled(
    context: &Context,
    module: Op<'_>,
    first: &Program<'_>,
    options: &Options,
) -> Result<Executable, Error> {
    let inputs = first.signature().inputs.iter();
    let shape = |ty: &TensorType| ty.shape.iter().map(|extent| *extent as u64).collect();
    let shapes: Vec<Vec<u64>> = inputs.map(shape).collect();
    spyre_front_ends::convert(context, module, &inputs::sizes(options)?, &shapes)
        .map_err(SelectError::Graph)?;
    let entry = options.compare_entry.as_deref();
    let entry = entry.or(options.entry.as_deref());
    let program = Program::select_sized(context, module, entry, first.sizes())?;
    if program.signature() != first.signature() {
        return Err(Error::Signatures {
            first: first.signature().clone(),
            second: program.signature().clone(),
        });
    }
    run::compile(context, program, options)
}
