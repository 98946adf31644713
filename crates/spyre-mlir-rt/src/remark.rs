//! Optimization remarks, through MLIR's remark engine: the actions of a pass, the actions that it did not take, and the reasons.
//!
//! Remarks have no cost unless they are enabled, with `--remarks-filter` or a similar option.

use melior::ir::Location;
use melior::ir::operation::OperationLike;
use melior::{Context, StringRef};
use mlir_sys::MlirStringRef;

use crate::ffi;
use crate::ir::Op;

/// The outcome that a remark is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemarkKind {
    /// Something was done.
    Passed,
    /// Something that could have been done was not.
    Missed,
    /// A requested action cannot be done.
    Failed,
    /// A property of the program.
    Analysis,
}

/// A remark under construction; [`Remarks::emit`] reports it.
#[derive(Debug, Clone)]
#[must_use = "a remark does nothing until it is emitted"]
pub struct Remark<'c> {
    kind: RemarkKind,
    location: Location<'c>,
    name: &'static str,
    args: Vec<(&'static str, String)>,
}

impl<'c> Remark<'c> {
    /// Returns a remark at `location`; `name` is its subject, in a form for machines.
    pub fn new(kind: RemarkKind, location: Location<'c>, name: &'static str) -> Self {
        Self {
            kind,
            location,
            name,
            args: Vec::new(),
        }
    }

    /// Adds a fact. MLIR has the keys `Remark`, `Reason` and `Suggestion` for texts.
    pub fn arg(mut self, key: &'static str, value: impl std::fmt::Display) -> Self {
        self.args.push((key, value.to_string()));
        self
    }

    /// Adds the reason.
    pub fn reason(self, reason: impl std::fmt::Display) -> Self {
        self.arg("Reason", reason)
    }

    /// Adds a suggestion.
    pub fn suggestion(self, suggestion: impl std::fmt::Display) -> Self {
        self.arg("Suggestion", suggestion)
    }
}

/// The remarks of one pass about one function.
#[derive(Debug, Clone)]
pub struct Remarks {
    /// The function, if remarks are enabled.
    function: Option<String>,
    category: &'static str,
}

impl Remarks {
    /// Returns the remarks about a function. Filters select by `category`.
    #[must_use]
    pub fn about(context: &Context, function: Op<'_>, category: &'static str) -> Self {
        // SAFETY: a live context.
        let enabled = unsafe {
            ffi::spyreRemarksEnabled(context.to_raw(), StringRef::new(category).to_raw())
        };
        let name = || {
            let name = function.attribute("sym_name").ok()?;
            let name = melior::ir::attribute::StringAttribute::try_from(name).ok()?;
            Some(name.value().to_owned())
        };
        Self {
            function: enabled.then(|| name().unwrap_or_default()),
            category,
        }
    }

    /// Returns the remarks of a run that emits none.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            function: None,
            category: "",
        }
    }

    /// Returns whether remarks are enabled. [`Remarks::emit`] checks that by itself.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.function.is_some()
    }

    /// Builds and reports a remark, if remarks are enabled.
    pub fn emit<'c>(&self, build: impl FnOnce() -> Remark<'c>) {
        let Some(function) = &self.function else {
            return;
        };
        let remark = build();
        let args = || remark.args.iter();
        let keys: Vec<MlirStringRef> = args()
            .map(|(key, _)| StringRef::new(key).to_raw())
            .collect();
        let values: Vec<MlirStringRef> = args()
            .map(|(_, value)| StringRef::new(value).to_raw())
            .collect();
        let kind = match remark.kind {
            RemarkKind::Passed => 0,
            RemarkKind::Missed => 1,
            RemarkKind::Failed => 2,
            RemarkKind::Analysis => 3,
        };
        // SAFETY: both arrays have the length given, and all texts are copied.
        unsafe {
            ffi::spyreEmitRemark(
                remark.location.to_raw(),
                kind,
                StringRef::new(self.category).to_raw(),
                StringRef::new(remark.name).to_raw(),
                StringRef::new(function).to_raw(),
                keys.len().cast_signed(),
                keys.as_ptr(),
                values.as_ptr(),
            );
        }
    }
}
