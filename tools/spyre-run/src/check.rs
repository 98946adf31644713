//! Checks a pipeline: by running the program before and after each pass, by proving each pass, or by both.

use std::time::Instant;

use melior::Context;
use melior::ir::operation::OperationLike;
use spyre_exec::check::{Check, CheckError, NO_PASS, Outcome, Step};
use spyre_exec::prove::{self, PipelineProofError, Proof};
use spyre_exec::{graphs, sizes};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::Op;
use spyre_mlir_rt::source::{PipelineError, split_pipeline};
use spyre_proof_mlir::prove::Options as ProveOptions;
use spyre_proof_mlir::report::Counts;

use crate::error::Error;
use crate::options::{Options, Pipeline};
use crate::{inputs, output, stats};

/// Runs a pipeline pass by pass, and the program before and after each pass, or proves each pass. Returns whether no pass
/// changed a result, and no claim about a pass is refuted.
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
    if options.prove && !options.has_data() {
        return proofs(context, module, &passes, options);
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
        prove: options.prove.then(how_to_prove),
    };
    let mut start = Instant::now();
    let mut printed = Ok(());
    let outcome = check.run(context, module, |pass, step, proof| {
        let what = match step {
            Step::Unchanged => "the program is unchanged",
            Step::Same => "same results",
            Step::Differs(_) => "RESULTS DIFFER",
            Step::SameBundle => "a bundle, same results on the simulated card",
            Step::Faulty(_) => "A FAULTY BUNDLE",
            Step::LeftTensors(_) => "no longer on tensors, not compared",
        };
        let proof = proof.and_then(claims);
        let proof = proof.map_or(String::new(), |proof| format!("; {proof}"));
        let line = output::line(format_args!("{pass}: {what}{proof}"));
        printed = std::mem::replace(&mut printed, Ok(())).and(line);
        stats::time(options, "check", Some(pass), start.elapsed());
        start = Instant::now();
    });
    printed?;
    report(outcome, module, options)
}

/// Proves a pipeline pass by pass, for any inputs and extents. Returns whether no claim is refuted.
fn proofs(
    context: &Context,
    module: Op<'_>,
    passes: &[String],
    options: &Options,
) -> Result<bool, Error> {
    // The program is proved for all extents; selecting it needs some.
    let mut extents = sizes::largest(module);
    extents.extend(inputs::sizes(options)?);
    let program = graphs::select(context, module, options.entry.as_deref(), &extents, &[])?;
    let mut start = Instant::now();
    let mut printed = Ok(());
    let module = program.general_module();
    let outcome = prove::pipeline(context, module, passes, how_to_prove(), |pass, proof| {
        let what = claims(proof);
        let what = what.unwrap_or_else(|| "the program is unchanged".to_owned());
        let pass = match pass {
            NO_PASS => "the program itself",
            pass => pass,
        };
        let line = output::line(format_args!("{pass}: {what}"));
        printed = std::mem::replace(&mut printed, Ok(())).and(line);
        stats::time(options, "prove", Some(pass), start.elapsed());
        start = Instant::now();
    });
    printed?;
    match outcome {
        Ok(prove::Outcome::Passed) => Ok(true),
        Ok(prove::Outcome::Refuted { before, .. }) => {
            save(options, &before)?;
            Ok(false)
        }
        Err(err) => {
            if let PipelineProofError::Failed { before, .. } = &err {
                save(options, before)?;
            }
            Err(err.into())
        }
    }
}

/// Returns the way in which passes are proved. The numbers of claims are in the lines of the passes.
fn how_to_prove() -> ProveOptions<'static> {
    ProveOptions {
        name: "prove",
        has_summary: false,
        ..ProveOptions::default()
    }
}

/// Returns what a proof has found about a pass, in a few words; `None` if the pass has changed nothing.
fn claims(proof: Proof) -> Option<String> {
    let before = match proof {
        Proof::Unchanged => return None,
        Proof::NoDeviceOperations => return Some("no device operations to prove".to_owned()),
        Proof::Pass(_) => "",
        Proof::Replaced(_) => "operations are replaced, ",
        Proof::Bundle(_) => "the files of the bundle, ",
    };
    let Counts {
        proved,
        refuted,
        undecided,
    } = proof.counts();
    let all = proved + refuted + undecided;
    let refuted = match refuted {
        0 => String::new(),
        count => format!(", {count} REFUTED"),
    };
    let undecided = match undecided {
        0 => String::new(),
        count => format!(", {count} not decided"),
    };
    Some(format!(
        "{before}{proved} of {all} claims proved{refuted}{undecided}"
    ))
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
        Ok(Outcome::Refuted { pass, before }) => {
            if pass == NO_PASS {
                output::line(format_args!("the program itself: REFUTED"))?;
            }
            save(options, &before)?;
            Ok(false)
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
