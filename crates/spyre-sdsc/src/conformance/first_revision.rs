//! Cases of the first revision.

use std::path::Path;

use serde::Serialize;

use super::case::{Case, Stage};
use super::compare::UNROLLED;
use super::{CaseError, Outcome, compare, compile, emit, read, refused, strides, unreadable};
use crate::bundle::{AddressMode, MLIR_FILE, compile_bundle};
use crate::revision::{self, Order, R1Error, R1Node};

const REPLACED: &str = "revision r1, symbolic addresses: that form was replaced";

pub(super) fn run(case: &Case, expected: &Path) -> Result<Outcome, CaseError> {
    let concrete = case.compile_options().addresses == AddressMode::Concrete;
    match case.stage {
        Stage::Bundle if concrete && case.options.unroll_loops => unrolled(case, expected),
        Stage::Bundle if concrete => Ok(Outcome::excluded(
            "revision r1, kept loops with addresses as numbers: nothing would move",
        )),
        Stage::Bundle => kept(case, expected),
        Stage::Unroll => unroll(case, expected),
        Stage::Emit if concrete => emit(case, expected),
        Stage::Emit | Stage::CompileOp | Stage::Sdsc => Ok(Outcome::excluded(REPLACED)),
    }
}

/// The list of unrolled operations, in the recorded form: one space of indentation, no newline at the end.
fn list(nodes: &[R1Node]) -> serde_json::Result<String> {
    #[derive(Serialize)]
    struct List<'a> {
        specs: &'a [R1Node],
    }
    let mut text = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b" ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut text, formatter);
    List { specs: nodes }.serialize(&mut serializer)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The outcome of an error in a case that expects one (SDSC bundle specification, section 6).
fn failed(case: &Case, error: &R1Error) -> Outcome {
    let kind = match error {
        R1Error::NoStrideMap { .. } => "AssertionError",
        _ => "ValueError",
    };
    if case.outcome.error_type == kind {
        return Outcome::Matched;
    }
    Outcome::mismatch(format!(
        "expected {} ({}), got: {error}",
        case.outcome.error_type, case.outcome.message
    ))
}

/// Compares the operations of a tree, unrolled in the order of host tensors.
fn unroll(case: &Case, expected: &Path) -> Result<Outcome, CaseError> {
    let nodes: Vec<R1Node> = match case.specs() {
        Ok(nodes) => nodes,
        Err(error) => return Ok(unreadable(case, &error)),
    };
    match revision::unroll(&nodes, Order::Host) {
        Ok(_) if case.expects_error() => Ok(Outcome::mismatch(format!(
            "expected an error: {}",
            case.outcome.message
        ))),
        Ok(unrolled) => match list(&unrolled) {
            Ok(ours) => {
                let reference = read(&expected.join(UNROLLED))?;
                Ok(compare::file(UNROLLED, reference.trim_end(), &ours))
            }
            Err(error) => Ok(refused(&error)),
        },
        Err(error) if case.expects_error() => Ok(failed(case, &error)),
        Err(error) => Ok(Outcome::mismatch(format!("unexpected error: {error}"))),
    }
}

/// Compares a bundle with unrolled loops and numbers as addresses, and the list of operations if it is recorded.
fn unrolled(case: &Case, expected: &Path) -> Result<Outcome, CaseError> {
    if case.expected_files.iter().any(|name| name == UNROLLED) {
        let outcome = unroll(case, expected)?;
        if outcome != Outcome::Matched {
            return Ok(outcome);
        }
    }
    let nodes: Vec<R1Node> = match case.specs() {
        Ok(nodes) => nodes,
        Err(error) => return Ok(unreadable(case, &error)),
    };
    match revision::lower(&nodes, Order::Host) {
        Ok(nodes) => compile(case, &nodes, &case.compile_options(), expected),
        Err(error) if case.expects_error() => Ok(failed(case, &error)),
        Err(R1Error::NotInSegment { .. }) => Ok(Outcome::excluded(
            "revision r1: addresses that are not those of the table of segments",
        )),
        Err(error) => Ok(Outcome::mismatch(format!("unexpected error: {error}"))),
    }
}

/// Compares a bundle with symbolic addresses, or reports the difference from our bundle of the same tree.
fn kept(case: &Case, expected: &Path) -> Result<Outcome, CaseError> {
    let tree: Vec<R1Node> = match case.specs() {
        Ok(nodes) => nodes,
        Err(error) => return Ok(refused(&error)),
    };
    let refused_now = |error: &dyn std::fmt::Display| {
        Ok(Outcome::excluded(format!(
            "{REPLACED}; refused now: {error}"
        )))
    };
    let nodes = match revision::lower_loops(&tree) {
        Ok(nodes) => nodes,
        Err(R1Error::Loop(_) | R1Error::SymbolicCount { .. })
            if case.outcome.error_type == "NotImplementedError" =>
        {
            return Ok(Outcome::Matched);
        }
        Err(error) => return refused_now(&error),
    };
    let bundle = match compile_bundle(&nodes, &case.compile_options()) {
        Ok(bundle) => bundle,
        Err(error) if case.expects_error() => return Ok(super::failed(case, &error)),
        Err(error) => return refused_now(&error),
    };
    let outcome = compare::bundle(&bundle, &nodes, case, expected)?;
    if !matches!(outcome, Outcome::Mismatch { .. }) {
        return Ok(outcome);
    }
    // The files must agree even where the function does not.
    for file in bundle.sdsc_files() {
        let mut ours = Vec::new();
        let (name, written) = (file.name(), file.write_to(&mut ours));
        let reference = read(&expected.join(&name))?;
        if written.is_err() || reference.as_bytes() != ours {
            return Ok(Outcome::excluded(format!("{REPLACED}; {name} differs")));
        }
    }
    let (reference, function) = (read(&expected.join(MLIR_FILE))?, bundle.mlir_text());
    Ok(Outcome::excluded(
        match strides::differ_only(&reference, &function, &tree) {
            Ok(_) => format!(
                "{REPLACED}; {MLIR_FILE} differs only in the strides of kept loops, which it has too large by the \
                 extent of a tile, and for dimensions that a tensor does not have"
            ),
            Err(difference) => format!("{REPLACED}; {MLIR_FILE} differs: {difference}"),
        },
    ))
}
