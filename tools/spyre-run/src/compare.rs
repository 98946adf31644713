//! Compares two programs.

use melior::Context;
use spyre_exec::graphs::SelectError;
use spyre_exec::graphs::with_program_file;
use spyre_exec::{Executable, Program, TensorType};
use spyre_mlir_rt::ir::Op;

use crate::error::Error;
use crate::options::Options;
use crate::subject::Subject;
use crate::{cpu, differences, inputs};

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
    let actual = cpu::execute(&second, &inputs, options)?;
    differences::results(&expected, &actual, options)
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
    cpu::compile(context, program, options)
}
