//! Why the device has no operations for one of a program.

use melior::ir::{Location, ValueLike as _};
use spyre_analysis::dynamic::extents::ShapeError;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::Val;

/// The reason why the device has no operations for an operation of a program, with notes at other places that matter.
#[derive(Debug)]
pub(crate) struct Refusal<'p> {
    /// The reason.
    pub(crate) reason: String,
    notes: Vec<(Location<'p>, String)>,
}

impl<'p> Refusal<'p> {
    /// Adds a note at a value.
    pub(crate) fn note(mut self, at: Val<'p>, note: impl Into<String>) -> Self {
        self.notes.push((at.location(), note.into()));
        self
    }

    /// Returns a diagnostic with the notes.
    pub(crate) fn annotate(self, diagnostic: Diagnostic<'p>) -> Diagnostic<'p> {
        let notes = self.notes.into_iter();
        notes.fold(diagnostic, |diagnostic, (at, note)| {
            diagnostic.note(at, note)
        })
    }
}

impl From<String> for Refusal<'_> {
    fn from(reason: String) -> Self {
        Self {
            reason,
            notes: Vec::new(),
        }
    }
}

impl From<ShapeError> for Refusal<'_> {
    fn from(error: ShapeError) -> Self {
        error.to_string().into()
    }
}

impl From<&str> for Refusal<'_> {
    fn from(reason: &str) -> Self {
        reason.to_owned().into()
    }
}
