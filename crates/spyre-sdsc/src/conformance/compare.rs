//! Comparison of files.

use std::path::Path;

use super::case::Case;
use super::{CaseError, Outcome, read, read_json, sizes};
use crate::bundle::{Bundle, LaunchParam, MLIR_FILE};
use crate::model::Node;

/// The list of the launcher's arguments.
const PARAMS: &str = "param_symbol_kinds.json";
/// The list of unrolled operations.
pub(super) const UNROLLED: &str = "unrolled.json";

/// A mistake that the recorded generator is known to make (SDSC bundle specification, section 8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum KnownDefect {
    /// `maskingConstId_` is 0 whatever the position of the mask constant.
    MaskConstant(String),
    /// Starts of cores along a runtime size are numbers.
    RuntimeSplit,
}

impl KnownDefect {
    fn into_outcome(self) -> Outcome {
        Outcome::MatchedExcept {
            exception: match self {
                Self::MaskConstant(file) => {
                    format!("maskingConstId_, which is recorded as 0 always ({file})")
                }
                Self::RuntimeSplit => format!(
                    "starts of cores along a runtime size, which are recorded as their values at the largest size \
                     ({MLIR_FILE})"
                ),
            },
        }
    }
}

/// The result of the comparison of one file.
pub(super) enum Comparison {
    Same,
    Defect(KnownDefect),
    Different(String),
}

/// Compares every file of a bundle with the recorded ones.
pub(super) fn bundle(
    bundle: &Bundle,
    nodes: &[Node],
    case: &Case,
    expected: &Path,
) -> Result<Outcome, CaseError> {
    let mut wanted: Vec<&str> = case
        .expected_files
        .iter()
        .map(String::as_str)
        .filter(|name| *name != PARAMS && *name != UNROLLED)
        .collect();
    let mut defect = None;
    for (name, contents) in bundle.files() {
        let contents = contents.map_err(|source| CaseError::Io {
            path: name.clone(),
            source,
        })?;
        let Some(position) = wanted.iter().position(|wanted| *wanted == name) else {
            return Ok(Outcome::mismatch(format!("{name} is not expected")));
        };
        wanted.swap_remove(position);
        let reference = read(&expected.join(&name))?;
        let ours = String::from_utf8_lossy(&contents);
        let mut comparison = text(&name, &reference, &ours);
        if name == MLIR_FILE
            && matches!(comparison, Comparison::Different(_))
            && sizes::with_largest_sizes(nodes, &case.compile_options(), bundle)
                .is_some_and(|function| function.to_string() == reference)
        {
            comparison = Comparison::Defect(KnownDefect::RuntimeSplit);
        }
        match comparison {
            Comparison::Same => {}
            Comparison::Defect(known_defect) => defect = Some(known_defect),
            Comparison::Different(text) => return Ok(Outcome::mismatch(text)),
        }
    }
    if let Some(missing) = wanted.first() {
        return Ok(Outcome::mismatch(format!("{missing} is missing")));
    }
    if case.expected_files.iter().any(|name| name == PARAMS) {
        let reference: Vec<LaunchParam> = read_json(&expected.join(PARAMS))?;
        if reference != bundle.launch_params() {
            return Ok(Outcome::mismatch(format!(
                "{PARAMS}: {reference:?} against {:?}",
                bundle.launch_params()
            )));
        }
    }
    Ok(defect.map_or(Outcome::Matched, KnownDefect::into_outcome))
}

/// Compares the contents of one file.
pub(super) fn file(name: &str, reference: &str, ours: &str) -> Outcome {
    match text(name, reference, ours) {
        Comparison::Same => Outcome::Matched,
        Comparison::Defect(defect) => defect.into_outcome(),
        Comparison::Different(difference) => Outcome::mismatch(difference),
    }
}

fn text(name: &str, reference: &str, ours: &str) -> Comparison {
    if reference == ours {
        return Comparison::Same;
    }
    let is_defect = |a: &str, b: &str| {
        let a = a.trim_start();
        a.starts_with("\"maskingConstId_\": 0")
            && b.trim_start().starts_with("\"maskingConstId_\": ")
    };
    let (mut left, mut right) = (reference.split('\n'), ours.split('\n'));
    for line in 1.. {
        match (left.next(), right.next()) {
            (None, None) => break,
            (Some(a), Some(b)) if a == b || is_defect(a, b) => {}
            (a, b) => {
                let show = |text: Option<&str>| {
                    text.map_or("the end".to_owned(), |text| format!("`{}`", text.trim()))
                };
                return Comparison::Different(format!(
                    "{name}, line {line}: expected {}, got {}",
                    show(a),
                    show(b)
                ));
            }
        }
    }
    Comparison::Defect(KnownDefect::MaskConstant(name.to_owned()))
}
