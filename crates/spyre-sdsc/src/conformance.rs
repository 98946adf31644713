//! Runs a recorded case and compares the result byte for byte.
//!
//! A case is a folder with a `case.json` (schema `spyre-bundle-case/1`: revision, stage, options, specification
//! tree, outcome) and the files of an earlier generator under `expected/`.

use std::fs;
use std::io;
use std::path::Path;

use serde::Deserialize;
use thiserror::Error;

use crate::Bytes;
use crate::bundle::{AddressMode, Bundle, BundleOptions, LaunchParam, PoolSource, compile_bundle};
use crate::codegen::PlanOptions;
use crate::error::Error as CompileError;
use crate::model::Node;
use crate::ordered::Json;

/// The recorded error type of broken rules.
const VALIDATION: &str = "OpSpecValidationError";

/// How a case came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All files are the same, or both generators refuse the input.
    Matched,
    /// The first difference.
    Mismatch {
        /// What differs, and where.
        difference: String,
    },
    /// The case says nothing about this generator.
    Excluded {
        /// Why not.
        reason: String,
    },
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

#[derive(Deserialize)]
struct Case {
    revision: String,
    stage: String,
    #[serde(default)]
    options: CaseOptions,
    /// Read later: in error cases the tree may be one that no [`Node`] can represent.
    specs: Option<Json>,
    outcome: CaseOutcome,
    #[serde(default)]
    expected_files: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CaseOptions {
    pool_size: u64,
    sdsc_cache: Option<bool>,
    frontend_pool_allocation: bool,
    core_id_k_fast_emission: Option<bool>,
    /// Set to false in cases that ask for baked addresses.
    bundle_symbolic_args: Option<bool>,
    symbolic_args: Option<bool>,
}

#[derive(Deserialize)]
struct CaseOutcome {
    status: String,
    #[serde(default)]
    error_type: String,
    #[serde(default)]
    message: String,
}

/// Runs the case in `folder`.
///
/// # Errors
/// Unreadable files. Everything else is an [`Outcome`].
pub fn run_case(folder: &Path) -> Result<Outcome, CaseError> {
    let case: Case = read_json(&folder.join("case.json"))?;
    if let Some(reason) = exclusion(&case) {
        return Ok(Outcome::Excluded { reason });
    }
    let specs = case
        .specs
        .as_ref()
        .and_then(|specs| serde_json::to_string(specs).ok())
        .unwrap_or_default();
    let expects_error = case.outcome.status == "error";
    let nodes: Vec<Node> = match serde_json::from_str(&specs) {
        Ok(nodes) => nodes,
        Err(_) if case.outcome.error_type == VALIDATION => return Ok(Outcome::Matched),
        Err(error) => return Ok(mismatch(format!("the specification is refused: {error}"))),
    };
    match (compile_bundle(&nodes, &options(&case)), expects_error) {
        (Err(CompileError::Unsupported { reason, .. }), _) => Ok(Outcome::Excluded {
            reason: format!("not supported: {reason}"),
        }),
        // Wordings differ; what must agree is whether the specification itself is at fault.
        (Err(error), true) => {
            let is_validation = matches!(error, CompileError::Validation(_));
            if is_validation == (case.outcome.error_type == VALIDATION) {
                Ok(Outcome::Matched)
            } else {
                Ok(mismatch(format!(
                    "expected {} ({}), got: {error}",
                    case.outcome.error_type, case.outcome.message
                )))
            }
        }
        (Err(error), false) => Ok(mismatch(format!("unexpected error: {error}"))),
        (Ok(_), true) => Ok(mismatch(format!(
            "expected an error: {}",
            case.outcome.message
        ))),
        (Ok(bundle), false) => compare(&bundle, &case, &folder.join("expected")),
    }
}

fn mismatch(difference: String) -> Outcome {
    Outcome::Mismatch { difference }
}

/// Why a case is about something else than this generator, if it is.
fn exclusion(case: &Case) -> Option<String> {
    if case.revision == "r1" {
        return Some("revision r1: another address mode".into());
    }
    if case.stage != "bundle" {
        return Some(format!("stage {}: not the whole generator", case.stage));
    }
    // The recorded options do not always carry the switch; the message names it.
    let baked = case.options.bundle_symbolic_args == Some(false)
        || case.options.symbolic_args == Some(false)
        || case.outcome.message.contains("bundle_symbolic_args=True");
    baked.then(|| "baked addresses: a mode this generator does not have".into())
}

fn options(case: &Case) -> BundleOptions {
    let CaseOptions {
        pool_size,
        sdsc_cache,
        frontend_pool_allocation,
        core_id_k_fast_emission,
        ..
    } = case.options;
    BundleOptions {
        pool_size: Bytes(pool_size),
        pool: if frontend_pool_allocation {
            PoolSource::Caller
        } else {
            PoolSource::Bundle
        },
        addresses: AddressMode::Symbolic,
        plan: PlanOptions {
            k_fast: core_id_k_fast_emission.unwrap_or(true),
            ..PlanOptions::default()
        },
        // The recorded third revision shares files unless told not to.
        share_files: sdsc_cache.unwrap_or(case.revision == "r3"),
    }
}

fn compare(bundle: &Bundle, case: &Case, expected: &Path) -> Result<Outcome, CaseError> {
    const PARAMS: &str = "param_symbol_kinds.json";
    let mut wanted: Vec<&str> = case
        .expected_files
        .iter()
        .map(String::as_str)
        .filter(|name| *name != PARAMS)
        .collect();
    let mut known_defect = None;
    for (name, contents) in bundle.files() {
        let contents = contents.map_err(|source| CaseError::Io {
            path: name.clone(),
            source,
        })?;
        let Some(position) = wanted.iter().position(|wanted| *wanted == name) else {
            return Ok(mismatch(format!("{name} is not expected")));
        };
        wanted.swap_remove(position);
        let reference = read(&expected.join(&name))?;
        if reference.as_bytes() == contents {
            continue;
        }
        match first_difference(&reference, &String::from_utf8_lossy(&contents)) {
            Difference::MaskConstant => known_defect = Some(name),
            Difference::Other(text) => return Ok(mismatch(format!("{name}, {text}"))),
        }
    }
    if let Some(missing) = wanted.first() {
        return Ok(mismatch(format!("{missing} is missing")));
    }
    if case.expected_files.iter().any(|name| name == PARAMS) {
        let reference: Vec<LaunchParam> = read_json(&expected.join(PARAMS))?;
        if reference != bundle.launch_params() {
            return Ok(mismatch(format!(
                "{PARAMS}: {reference:?} against {:?}",
                bundle.launch_params()
            )));
        }
    }
    Ok(match known_defect {
        None => Outcome::Matched,
        Some(name) => Outcome::Excluded {
            reason: format!(
                "{name} differs only in maskingConstId_, which the reference always prints as 0"
            ),
        },
    })
}

enum Difference {
    /// Only the number after `maskingConstId_` differs, in any number of places.
    MaskConstant,
    Other(String),
}

fn first_difference(reference: &str, ours: &str) -> Difference {
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
                return Difference::Other(format!(
                    "line {line}: expected {}, got {}",
                    show(a),
                    show(b)
                ));
            }
        }
    }
    Difference::MaskConstant
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
