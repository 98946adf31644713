//! `--prove`: the files of a bundle, proved against their program.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use melior::Context;
use melior::ir::operation::OperationLike;
use spyre_bundle_files::Directory;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::Op;
use spyre_mlir_rt::messages;
use spyre_mlir_rt::source::{run_pipeline, with_source_file};
use spyre_proof_mlir::prove::{Options, device_functions, is_planned, prove_bundle};
use spyre_proof_mlir::report::{Counts, Undecided};

use crate::io::Failure;

/// The passes that plan a program as for its bundle.
const PLANNING: &str = "builtin.module(spyre-pipeline{bundle=false})";

/// Options of the translation that proves files.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Proofs")]
pub(crate) struct ProveOptions {
    /// Prove that the files of a bundle address what the program of --against addresses. The exit status is 1 if a
    /// claim does not hold.
    #[arg(long, group = "translation", value_name = "DIR", requires = "against", conflicts_with_all = ["input", "output"])]
    prove: Option<PathBuf>,

    /// The program of the bundle. One without places is planned first, as --spyre-to-bundle does.
    #[arg(long, value_name = "FILE")]
    against: Option<String>,

    /// What a claim that is not decided is: error, which the exit status 1 is of, remark, or ignore.
    #[arg(long, default_value = "remark", value_name = "KIND")]
    unknown: Undecided,
}

impl ProveOptions {
    /// Proves a bundle if the options request it, and returns the exit status.
    pub(crate) fn run(&self, context: &Context) -> Option<ExitCode> {
        let directory = self.prove.as_deref()?;
        let Some(program) = self.against.as_deref() else {
            messages::print("error: --prove needs the program of the bundle: --against FILE");
            return Some(ExitCode::FAILURE);
        };
        let undecided = self.unknown;
        let counts = with_source_file(context, program, |module| {
            prove(context, module, directory, undecided)
        });
        let code = match counts {
            Some(Ok(counts)) if !counts.is_failure(undecided) => ExitCode::SUCCESS,
            Some(Err(Failure::Message(reason))) => {
                messages::print(&reason);
                ExitCode::FAILURE
            }
            Some(Ok(_) | Err(Failure::Printed)) | None => ExitCode::FAILURE,
        };
        Some(code)
    }
}

/// Proves the bundle in a directory against the only function of device operations of a module.
fn prove(
    context: &Context,
    module: Op<'_>,
    directory: &Path,
    undecided: Undecided,
) -> Result<Counts, Failure> {
    if !device_functions(module).into_iter().any(is_planned) {
        run_pipeline(context, module, PLANNING).map_err(|_| Failure::Printed)?;
    }
    let function = match device_functions(module)[..] {
        [function] => function,
        [] => {
            let reason = "the program has no function of device operations";
            return Err(Diagnostic::error(module.location(), reason).into());
        }
        [_, second, ..] => {
            let reason = "a bundle has one function, and this is the second with device operations; give each function a separate module";
            return Err(Diagnostic::error(second.location(), reason).into());
        }
    };
    let options = Options {
        name: "prove",
        undecided,
        ..Options::default()
    };
    let counts = prove_bundle(context, function, &Directory(directory), &options);
    counts.map_err(|err| Failure::error(format!("{}: {err}", directory.display())))
}
