//! Located diagnostics with notes, through MLIR's diagnostic engine.

use melior::StringRef;
use melior::ir::Location;
use mlir_sys::{MlirLocation, MlirStringRef};

use crate::ffi;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The pass or the tool fails.
    Error,
    /// The result is right but perhaps not what was meant.
    Warning,
    /// A decision worth knowing about.
    Remark,
}

/// A diagnostic under construction; [`Diagnostic::emit`] reports it.
#[derive(Debug, Clone)]
#[must_use = "a diagnostic does nothing until it is emitted"]
pub struct Diagnostic<'c> {
    severity: Severity,
    location: Location<'c>,
    message: String,
    notes: Vec<(Location<'c>, String)>,
}

impl<'c> Diagnostic<'c> {
    /// A diagnostic of `severity` at `location`.
    pub fn new(severity: Severity, location: Location<'c>, message: impl Into<String>) -> Self {
        Self {
            severity,
            location,
            message: message.into(),
            notes: Vec::new(),
        }
    }

    /// An error at `location`.
    pub fn error(location: Location<'c>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, location, message)
    }

    /// A warning at `location`.
    pub fn warning(location: Location<'c>, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, location, message)
    }

    /// A remark at `location`.
    pub fn remark(location: Location<'c>, message: impl Into<String>) -> Self {
        Self::new(Severity::Remark, location, message)
    }

    /// Adds a note, usually at the other end of a conflict.
    pub fn note(mut self, location: Location<'c>, message: impl Into<String>) -> Self {
        self.notes.push((location, message.into()));
        self
    }

    /// The message, without notes.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Reports the diagnostic with its notes, as one.
    pub fn emit(self) {
        let locations: Vec<MlirLocation> = self
            .notes
            .iter()
            .map(|(location, _)| location.to_raw())
            .collect();
        let messages: Vec<MlirStringRef> = self
            .notes
            .iter()
            .map(|(_, message)| StringRef::new(message).to_raw())
            .collect();
        let severity = match self.severity {
            Severity::Error => 0,
            Severity::Warning => 1,
            Severity::Remark => 2,
        };
        // SAFETY: both arrays have as many entries as notes, and the texts outlive the call.
        unsafe {
            ffi::spyreEmitDiagnostic(
                self.location.to_raw(),
                severity,
                StringRef::new(&self.message).to_raw(),
                locations.len().cast_signed(),
                locations.as_ptr(),
                messages.as_ptr(),
            );
        }
    }
}
