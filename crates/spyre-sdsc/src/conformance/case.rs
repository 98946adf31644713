//! The form of `case.json`.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Bytes;
use crate::bundle::{AddressMode, BundleOptions, PoolSource};
use crate::codegen::PlanOptions;
use crate::error::Error as CompileError;
use crate::expr::Symbol;
use crate::ordered::Json;
use crate::revision::Revision;

/// The recorded type of an error, if it is a rule that validation checks.
const VALIDATION: &str = "OpSpecValidationError";

/// The stage that is exercised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stage {
    /// A tree to `bundle.mlir` and files.
    Bundle,
    /// A tree to a list of operations.
    Unroll,
    /// An operation is compiled to its file and its symbols.
    CompileOp,
    /// A planned operation to its file and its symbols.
    Sdsc,
    /// Compiled operations to `bundle.mlir`.
    Emit,
}

#[derive(Deserialize)]
pub(super) struct Case {
    #[serde(with = "crate::by_name")]
    pub(super) revision: Revision,
    pub(super) stage: Stage,
    #[serde(default)]
    pub(super) options: CaseOptions,
    /// The tree is parsed later: in error cases the types may be unable to represent it.
    specs: Option<Json>,
    /// The planned operation of stage [`Stage::Sdsc`].
    sdsc_spec: Option<Json>,
    pub(super) outcome: CaseOutcome,
    #[serde(default)]
    pub(super) expected_files: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct CaseOptions {
    pool_size: u64,
    sdsc_cache: Option<bool>,
    frontend_pool_allocation: bool,
    core_id_k_fast_emission: Option<bool>,
    /// Set to false in cases with addresses as numbers.
    bundle_symbolic_args: Option<bool>,
    pub(super) symbolic_args: Option<bool>,
    pub(super) unroll_loops: bool,
    /// The number of the file.
    pub(super) idx: usize,
    /// The number of symbols before the symbols of the operation.
    pub(super) symbol_id_offset: u32,
    /// The values of the symbols before those of the operation, if listed.
    pub(super) symbols_before: Vec<i64>,
    /// The level symbols of a planned operation, read when needed: revisions differ in their form.
    pub(super) tiled_symbols: Option<Json>,
}

#[derive(Deserialize)]
pub(super) struct CaseOutcome {
    status: String,
    #[serde(default)]
    pub(super) error_type: String,
    #[serde(default)]
    pub(super) message: String,
}

impl Case {
    pub(super) fn is_first_revision(&self) -> bool {
        self.revision == Revision::R1
    }

    pub(super) fn expects_error(&self) -> bool {
        self.outcome.status == "error"
    }

    /// True if the recorded generator refused the specification by a rule that validation checks.
    pub(super) fn expects_validation_error(&self) -> bool {
        self.expects_error() && self.outcome.error_type == VALIDATION
    }

    /// The specification tree.
    pub(super) fn specs<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        reread(self.specs.as_ref())
    }

    /// The planned operation.
    pub(super) fn planned<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        reread(self.sdsc_spec.as_ref())
    }

    /// The level symbols of a planned operation, innermost loop first.
    pub(super) fn levels(&self) -> serde_json::Result<Vec<Vec<Symbol>>> {
        match &self.options.tiled_symbols {
            None => Ok(Vec::new()),
            levels => reread(levels.as_ref()),
        }
    }

    /// The options of the compiler that the case requests.
    pub(super) fn compile_options(&self) -> BundleOptions {
        let CaseOptions {
            pool_size,
            sdsc_cache,
            frontend_pool_allocation,
            core_id_k_fast_emission,
            ..
        } = self.options;
        // The recorded options do not always carry the switch; the message names it.
        let concrete = self.options.bundle_symbolic_args == Some(false)
            || self.options.symbolic_args == Some(false)
            || (self.expects_error() && self.outcome.message.contains("bundle_symbolic_args=True"));
        BundleOptions {
            pool_size: Bytes(pool_size),
            pool: if frontend_pool_allocation {
                PoolSource::Caller
            } else {
                PoolSource::Bundle
            },
            addresses: if concrete {
                AddressMode::Concrete
            } else {
                AddressMode::Symbolic
            },
            plan: PlanOptions {
                k_fast: core_id_k_fast_emission.unwrap_or(true),
                revision: self.revision,
                ..PlanOptions::default()
            },
            // The recorded third revision shares files by default.
            share_files: sdsc_cache.unwrap_or(self.revision.shares_files()),
        }
    }

    /// True if an error is of the kind that was recorded (SDSC bundle specification, section 6). Wordings differ.
    pub(super) fn expects(&self, error: &CompileError) -> bool {
        let kinds: &[&str] = match error {
            CompileError::Validation(_) => &[VALIDATION],
            CompileError::Contract(_)
            | CompileError::Unspecified { .. }
            | CompileError::Contradiction { .. }
            | CompileError::Internal { .. } => &[],
            CompileError::Unsupported { .. } => {
                &["Unsupported", "NotImplementedError", "IndexError"]
            }
            CompileError::Inconsistent { .. }
            | CompileError::Expr { .. }
            | CompileError::Overflow { .. }
            | CompileError::Segment { .. } => &["ValueError"],
            CompileError::PoolSize { .. } | CompileError::AddressMode { .. } => &["AssertionError"],
            CompileError::Tiling { source, .. } => tiling_kinds(source),
            // Drafts of the recorded generator raise either for contradictions, and both are accepted.
            CompileError::Loop(_) => &["NotImplementedError", "RuntimeError"],
        };
        kinds.contains(&self.outcome.error_type.as_str())
    }
}

fn tiling_kinds(error: &crate::TilingError) -> &'static [&'static str] {
    use crate::TilingError;
    match error {
        TilingError::AdvancingLx { .. } => &["NotImplementedError"],
        TilingError::FractionalStep { .. }
        | TilingError::StepRange { .. }
        | TilingError::RuntimeSplit { .. } => &["Unsupported"],
        TilingError::LevelCount { .. } | TilingError::StrideNotDivisible { .. } => {
            &["AssertionError"]
        }
        // The recorded generator has no error for these: the operand stands still.
        TilingError::UnknownLevel { .. } | TilingError::IterationSymbol { .. } => &[],
    }
}

/// Reads a part of the case as another type, in which the order of keys counts.
fn reread<T: DeserializeOwned>(part: Option<&Json>) -> serde_json::Result<T> {
    let text = match part {
        Some(part) => serde_json::to_string(part)?,
        None => "null".to_owned(),
    };
    serde_json::from_str(&text)
}
