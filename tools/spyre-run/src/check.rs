//! Checks a pipeline.

use std::time::Instant;

use melior::Context;
use melior::ir::operation::OperationLike;
use spyre_exec::check::{Check, CheckError, NO_PASS, Outcome, Step};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::Op;
use spyre_mlir_rt::source::{PipelineError, split_pipeline};

use crate::error::Error;
use crate::options::{Options, Pipeline};
use crate::{inputs, output, stats};

/// Runs a pipeline pass by pass, and the program before and after each pass. Returns whether no pass changed a result.
pub(crate) fn pipeline(
    context: &Context,
    module: Op<'_>,
    pipeline: Pipeline<'_>,
    options: &Options,
) -> Result<bool, Error> {
    let passes = split_pipeline(pipeline.text, pipeline.anchor).map_err(Error::Pipeline)?;
    if passes.is_empty() {
        let reason = "it has no passes".to_owned();
        return Err(Error::Pipeline(PipelineError::Syntax(reason)));
    }
    let program = inputs::program(context, module, options)?;
    let inputs = inputs::make(&program, options, Some(0))?;
    let recorded = inputs::recorded(&program, options)?;
    let check = Check {
        entry: options.entry.as_deref(),
        passes: &passes,
        inputs: &inputs,
        sizes: program.sizes(),
        tolerance: options.one_tolerance()?,
        recorded: recorded.as_deref(),
        options: spyre_exec::Options {
            poison: true,
            ..spyre_exec::Options::default()
        },
    };
    let mut start = Instant::now();
    let mut printed = Ok(());
    let outcome = check.run(context, module, |pass, step| {
        let what = match step {
            Step::Unchanged => "the program is unchanged",
            Step::Same => "same results",
            Step::Differs(_) => "RESULTS DIFFER",
            Step::SameBundle => "a bundle, same results on the simulated card",
            Step::Faulty(_) => "A FAULTY BUNDLE",
            Step::LeftTensors(_) => "no longer on tensors, not compared",
        };
        let line = output::line(format_args!("{pass}: {what}"));
        printed = std::mem::replace(&mut printed, Ok(())).and(line);
        stats::time(options, "check", Some(pass), start.elapsed());
        start = Instant::now();
    });
    printed?;
    report(outcome, module, options)
}

/// Reports the outcome of a check. Returns whether no pass changed a result.
fn report(
    outcome: Result<Outcome, CheckError>,
    module: Op<'_>,
    options: &Options,
) -> Result<bool, Error> {
    match outcome {
        Ok(Outcome::Same) => Ok(true),
        Ok(Outcome::LeftTensors { pass, reason }) => {
            let message = format!("the check ends at {pass}: {reason}");
            Diagnostic::remark(module.location(), message).emit();
            Ok(true)
        }
        Ok(Outcome::Faulty { report, before, .. }) => {
            output::faults(&report);
            save(options, &before)?;
            Ok(false)
        }
        Ok(Outcome::Differs {
            pass,
            results,
            before,
        }) => {
            if pass == NO_PASS {
                output::line(format_args!("the program itself: RESULTS DIFFER"))?;
            }
            for (result, comparison) in results {
                output::line(format_args!("result {result}: {comparison}"))?;
            }
            save(options, &before)?;
            Ok(false)
        }
        Err(err) => {
            if let CheckError::Failed { before, .. } | CheckError::Broken { before, .. } = &err {
                save(options, before)?;
            }
            Err(err.into())
        }
    }
}

/// Writes the module before the pass at fault.
fn save(options: &Options, before: &str) -> Result<(), Error> {
    let Some(path) = &options.save_ir else {
        return Ok(());
    };
    spyre_files::replace(path, before.as_bytes()).map_err(|err| Error::Write {
        path: path.clone(),
        reason: err,
    })
}
