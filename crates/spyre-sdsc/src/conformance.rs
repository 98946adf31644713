//! Runs a recorded case and compares the result byte for byte.
//!
//! A case is a folder with a `case.json` (schema `spyre-bundle-case/1`: revision, stage, options, specification
//! tree, outcome) and the files of an earlier generator under `expected/`.

mod case;
mod compare;
mod compiled;
mod first_revision;
mod planned;
mod result;
mod sizes;
mod strides;

use std::fs;
use std::io;
use std::path::Path;

use serde::Deserialize;
use thiserror::Error;

use crate::bundle::{BundleOptions, MLIR_FILE, SymbolBase, compile_bundle, compile_op, link};
use crate::codegen::EnclosingLoops;
use crate::error::{Error as CompileError, LoopError, TilingError};
use crate::model::Node;
use case::{Case, Stage};
use compiled::RecordedNode;
use planned::PlannedCase;

/// How a case came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All files are the same, or both generators refuse the input.
    Matched,
    /// All files are the same but for a place in which the recorded generator is known to be wrong.
    MatchedExcept {
        /// The place.
        exception: String,
    },
    /// The first difference.
    Mismatch {
        /// The difference, and its place.
        difference: String,
    },
    /// The case does not apply to this generator.
    Excluded {
        /// Why not.
        reason: String,
    },
}

impl Outcome {
    fn mismatch(difference: impl Into<String>) -> Self {
        Self::Mismatch {
            difference: difference.into(),
        }
    }

    fn excluded(reason: impl Into<String>) -> Self {
        Self::Excluded {
            reason: reason.into(),
        }
    }
}

/// Why a case could not be run.
#[derive(Debug, Error)]
pub enum CaseError {
    /// A file cannot be read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The reason.
        source: io::Error,
    },
    /// `case.json` has an unknown form.
    #[error("{path}: {source}")]
    Json {
        /// The file.
        path: String,
        /// The reason.
        source: serde_json::Error,
    },
}

/// Runs the case in `folder`.
///
/// # Errors
/// Unreadable files. Everything else is an [`Outcome`].
pub fn run_case(folder: &Path) -> Result<Outcome, CaseError> {
    let case: Case = read_json(&folder.join("case.json"))?;
    let expected = folder.join("expected");
    if case.is_first_revision() {
        return first_revision::run(&case, &expected);
    }
    match case.stage {
        Stage::Bundle => bundle(&case, &expected),
        Stage::Emit => emit(&case, &expected),
        Stage::CompileOp => single(&case, &expected),
        Stage::Sdsc => planned(&case, &expected),
        Stage::Unroll => Ok(Outcome::excluded(
            "only the first revision unrolls as a stage of its own",
        )),
    }
}

/// Stage `bundle`: the whole generator.
fn bundle(case: &Case, expected: &Path) -> Result<Outcome, CaseError> {
    let options = case.compile_options();
    match case.specs::<Vec<Node>>() {
        Ok(nodes) => compile(case, &nodes, &options, expected),
        Err(error) => Ok(unreadable(case, &error)),
    }
}

/// Compiles a tree, and compares files or errors.
fn compile(
    case: &Case,
    nodes: &[Node],
    options: &BundleOptions,
    expected: &Path,
) -> Result<Outcome, CaseError> {
    match compile_bundle(nodes, options) {
        Ok(_) if case.expects_error() => Ok(accepted(case)),
        Ok(bundle) => compare::bundle(&bundle, nodes, case, expected),
        Err(error) => Ok(failed(case, &error)),
    }
}

/// The outcome of an error: the recorded error, an unsupported feature, or a mismatch.
fn failed(case: &Case, error: &CompileError) -> Outcome {
    if case.expects_error() && case.expects(error) {
        return Outcome::Matched;
    }
    match error {
        // Both generators reject the case, this one as unsupported or unspecified.
        CompileError::Unsupported { .. } | CompileError::Unspecified { .. }
            if case.expects_error() =>
        {
            Outcome::MatchedExcept {
                exception: format!("the reason to refuse it: {error}"),
            }
        }
        CompileError::Unsupported { reason, .. } => {
            Outcome::excluded(format!("not supported: {reason}"))
        }
        CompileError::Unspecified { field, rule, .. } => {
            Outcome::excluded(format!("left open: {field}: {rule}"))
        }
        error if case.expects_error() => Outcome::mismatch(format!(
            "expected {} ({}), got: {error}",
            case.outcome.error_type, case.outcome.message
        )),
        CompileError::Tiling {
            source: TilingError::UnknownLevel { .. } | TilingError::IterationSymbol { .. },
            ..
        } => Outcome::excluded(format!(
            "refused instead of standing still where it should move: {error}"
        )),
        CompileError::Loop(LoopError::Granularity { .. }) => Outcome::excluded(format!(
            "refused instead of a last iteration that reaches past the size: {error}"
        )),
        error => Outcome::mismatch(format!("unexpected error: {error}")),
    }
}

/// Stage `emit`: the function alone.
fn emit(case: &Case, expected: &Path) -> Result<Outcome, CaseError> {
    let nodes = match case.specs::<Vec<RecordedNode>>() {
        Ok(nodes) => nodes,
        Err(error) => return Ok(unreadable(case, &error)),
    };
    let options = case.compile_options();
    let compiled = match compiled::read(&nodes, options.addresses) {
        Ok(compiled) => compiled,
        Err(_) if case.expects_error() => return Ok(Outcome::Matched),
        Err(problem) => return Ok(Outcome::mismatch(problem)),
    };
    match link(&compiled, &options) {
        Ok(_) if case.expects_error() => Ok(accepted(case)),
        Ok(function) => {
            let reference = read(&expected.join(MLIR_FILE))?;
            Ok(compare::file(MLIR_FILE, &reference, &function.to_string()))
        }
        Err(error) => Ok(failed(case, &error)),
    }
}

/// Stage `compile_op`: one operation, without the loops around it.
fn single(case: &Case, expected: &Path) -> Result<Outcome, CaseError> {
    let nodes = match case.specs::<Vec<Node>>() {
        Ok(nodes) => nodes,
        Err(error) => return Ok(unreadable(case, &error)),
    };
    let [Node::Op(op)] = nodes.as_slice() else {
        return Ok(Outcome::mismatch("the stage is about one operation"));
    };
    let base = SymbolBase::new(case.options.symbol_id_offset);
    let plan = case.compile_options().plan;
    let compiled = compile_op(op, case.options.idx, base, EnclosingLoops::Unknown, &plan);
    match compiled {
        Ok(_) if case.expects_error() => Ok(accepted(case)),
        Ok(file) => {
            let levels = result::levels_of(op, file.descriptor());
            result::compare(&file, &levels, case, expected)
        }
        Err(error) => Ok(failed(case, &error)),
    }
}

/// Stage `sdsc`: an operation that is planned already.
fn planned(case: &Case, expected: &Path) -> Result<Outcome, CaseError> {
    let planned = match case.planned::<PlannedCase>() {
        Ok(planned) => planned,
        Err(error) => return Ok(unreadable(case, &error)),
    };
    let levels = match case.levels() {
        Ok(levels) => levels,
        Err(error) => return Ok(unreadable(case, &error)),
    };
    if planned.has_runtime_sizes() {
        return Ok(Outcome::excluded(
            "left open: the form of runtime sizes in planned operations",
        ));
    }
    let base = SymbolBase::new(case.options.symbol_id_offset);
    let revision = case.compile_options().plan.revision;
    match planned.file(case.options.idx, base, revision, &levels) {
        Ok(_) if case.expects_error() => Ok(accepted(case)),
        Ok((file, levels)) => result::compare(&file, &levels, case, expected),
        Err(_) if case.expects_error() => Ok(Outcome::Matched),
        Err(problem) => Ok(Outcome::mismatch(problem)),
    }
}

/// Returns the outcome of a specification that cannot be deserialized. The types of [`crate::model`] enforce some rules
/// of validation, and that the elements of a tensor are whole bytes, so this is a match where the case expects one of
/// these errors.
fn unreadable(case: &Case, error: &serde_json::Error) -> Outcome {
    const SUB_BYTE: &str = "sub-byte";
    let is_sub_byte = case.expects_error()
        && case.outcome.message.contains(SUB_BYTE)
        && error.to_string().contains(SUB_BYTE);
    if is_sub_byte || case.expects_validation_error() {
        return Outcome::Matched;
    }
    refused(error)
}

/// The outcome of a case that expects an error where the bundle compiles.
fn accepted(case: &Case) -> Outcome {
    Outcome::mismatch(format!("expected an error: {}", case.outcome.message))
}

fn refused(error: &serde_json::Error) -> Outcome {
    Outcome::mismatch(format!("the specification is refused: {error}"))
}

fn read(path: &Path) -> Result<String, CaseError> {
    fs::read_to_string(path).map_err(|source| CaseError::Io {
        path: path.display().to_string(),
        source,
    })
}

fn read_json<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T, CaseError> {
    serde_json::from_str(&read(path)?).map_err(|source| CaseError::Json {
        path: path.display().to_string(),
        source,
    })
}
