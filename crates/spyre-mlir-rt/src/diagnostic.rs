//! Located diagnostics with notes, through MLIR's diagnostic engine.

use std::sync::{Arc, Mutex, PoisonError};

use melior::diagnostic::DiagnosticSeverity;
use melior::ir::{Identifier, Location};
use melior::{Context, StringRef};
use mlir_sys::{MlirLocation, MlirStringRef};
use spyre_files::excerpt;

use crate::{ffi, messages};

pub use spyre_files::shortened;

/// The severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The pass or the tool fails.
    Error,
    /// The result is right but perhaps not the one that was meant.
    Warning,
    /// A decision worth knowing about.
    Remark,
}

impl Severity {
    /// Returns the word of compilers for the severity of a diagnostic; `None` is the severity of a note.
    #[must_use]
    pub const fn word(severity: Option<Self>) -> &'static str {
        match severity {
            Some(Self::Error) => "error",
            Some(Self::Warning) => "warning",
            Some(Self::Remark) => "remark",
            None => "note",
        }
    }

    /// Returns the severity of a diagnostic of MLIR; `None` for a note.
    fn of_mlir(severity: DiagnosticSeverity) -> Option<Self> {
        match severity {
            DiagnosticSeverity::Error => Some(Self::Error),
            DiagnosticSeverity::Warning => Some(Self::Warning),
            DiagnosticSeverity::Remark => Some(Self::Remark),
            DiagnosticSeverity::Note => None,
        }
    }
}

/// A diagnostic under construction; [`Diagnostic::emit`] reports it.
#[derive(Debug, Clone)]
#[must_use = "a diagnostic does nothing until it is emitted"]
pub struct Diagnostic<'c> {
    severity: Severity,
    location: Location<'c>,
    message: String,
    notes: Vec<(Location<'c>, String)>,
    suggestion: Option<String>,
}

impl<'c> Diagnostic<'c> {
    /// Returns a diagnostic of `severity` at `location`.
    pub fn new(severity: Severity, location: Location<'c>, message: impl Into<String>) -> Self {
        Self {
            severity,
            location,
            message: message.into(),
            notes: Vec::new(),
            suggestion: None,
        }
    }

    /// Returns an error at `location`.
    pub fn error(location: Location<'c>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, location, message)
    }

    /// Returns a warning at `location`.
    pub fn warning(location: Location<'c>, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, location, message)
    }

    /// Returns a remark at `location`.
    pub fn remark(location: Location<'c>, message: impl Into<String>) -> Self {
        Self::new(Severity::Remark, location, message)
    }

    /// Adds a note, usually at the other end of a conflict.
    pub fn note(mut self, location: Location<'c>, message: impl Into<String>) -> Self {
        self.notes.push((location, message.into()));
        self
    }

    /// Adds a suggestion. It is not printed: it is for the remark about the same.
    pub fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// Returns the suggestion; `None` without one.
    #[must_use]
    pub fn suggestion(&self) -> Option<&str> {
        self.suggestion.as_deref()
    }

    /// Returns the location.
    #[must_use]
    pub fn location(&self) -> Location<'c> {
        self.location
    }

    /// Returns the message, without notes.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Reports the diagnostic with its notes, as one. Long texts are [`shortened`].
    pub fn emit(mut self) {
        self.message = shortened(&self.message).into_owned();
        for (_, note) in &mut self.notes {
            *note = shortened(note).into_owned();
        }
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

/// Returns the line and the column of a place in a file, both from 1; `None` for other locations.
#[must_use]
pub fn line_and_column(location: Location<'_>) -> Option<(usize, usize)> {
    location.is_file_line_col_range().then(|| {
        (
            location.file_line_col_range_start_line(),
            location.file_line_col_range_start_column(),
        )
    })
}

/// Returns the file, the line and the column of a place in a file, or of the file that a named place is in. Lines and
/// columns are from 1.
#[must_use]
pub fn file_line_column(location: Location<'_>) -> Option<(String, usize, usize)> {
    let location = match location.is_name() {
        true => location.name_child_location(),
        false => location,
    };
    let (line, column) = line_and_column(location)?;
    let file = text(location.file_line_col_range_filename());
    Some((file, line, column))
}

/// Returns the text of an identifier. The names of files are bytes: those that are no UTF-8 are replaced.
fn text(identifier: Identifier<'_>) -> String {
    let raw = identifier.as_string_ref().to_raw();
    if raw.length == 0 {
        return String::new();
    }
    // SAFETY: the text of an identifier lives as long as the context.
    let bytes = unsafe { std::slice::from_raw_parts(raw.data.cast::<u8>(), raw.length) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns a location as compilers write it: `file:line:column`, or `file: name` for a named part of a file.
#[must_use]
pub fn place(location: Location<'_>) -> String {
    let file = file_line_column(location);
    match (location.is_name(), file) {
        (false, Some((file, line, column))) => format!("{file}:{line}:{column}"),
        (false, None) => location.to_string(),
        (true, Some((file, ..))) => format!("{file}: {}", text(location.name_value())),
        (true, None) => text(location.name_value()),
    }
}

/// A diagnostic that was reported, without the context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reported {
    /// Its severity; `None` for a note.
    pub severity: Option<Severity>,
    /// Its message, which is [`shortened`].
    pub message: String,
    /// Its [`place`]; empty if it is unknown.
    pub place: String,
    /// The file, the line and the column of its place, lines and columns from 1.
    pub file_line_column: Option<(String, usize, usize)>,
    /// Its notes, in order.
    pub notes: Vec<Reported>,
}

impl Reported {
    /// Returns a diagnostic of a handler, with its notes.
    pub(crate) fn new(diagnostic: &melior::diagnostic::Diagnostic<'_>) -> Self {
        let location = diagnostic.location();
        let notes = (0..diagnostic.note_count()).filter_map(|index| diagnostic.note(index).ok());
        let place = match location.to_string().as_str() {
            "loc(unknown)" => String::new(),
            _ => place(location),
        };
        Self {
            severity: Severity::of_mlir(diagnostic.severity()),
            message: shortened(&diagnostic.to_string()).into_owned(),
            place,
            file_line_column: file_line_column(location),
            notes: notes.map(|note| Self::new(&note)).collect(),
        }
    }
}

/// Calls `work`, and returns its outcome with the diagnostics that were reported in a context meanwhile, in order. They
/// are not printed. Diagnostics that another handler takes inside of `work` are not among them.
pub fn collect<T>(context: &Context, work: impl FnOnce() -> T) -> (T, Vec<Reported>) {
    let reported = Arc::new(Mutex::new(Vec::new()));
    let collected = Arc::clone(&reported);
    let handler = context.attach_diagnostic_handler(move |diagnostic| {
        let mut collected = collected.lock().unwrap_or_else(PoisonError::into_inner);
        collected.push(Reported::new(&diagnostic));
        true
    });
    let outcome = work();
    context.detach_diagnostic_handler(handler);
    let reported = std::mem::take(&mut *reported.lock().unwrap_or_else(PoisonError::into_inner));
    (outcome, reported)
}

/// A text that MLIR's parser does not read, of which diagnostics show lines.
#[derive(Debug, Clone)]
pub struct SourceText {
    /// The file, as locations name it.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Prints diagnostics of a context on standard error with their [`place`], for inputs that MLIR's
/// parser did not read. The line of a place in `source` is shown with a caret, except for the first place, which represents the
/// whole file.
pub fn print_places(context: &Context, source: Option<SourceText>) {
    if messages::is_json() {
        return; // the handler of `print_as_json` prints all
    }
    context.attach_diagnostic_handler(move |diagnostic| {
        let word = Severity::word(Severity::of_mlir(diagnostic.severity()));
        print_place(&diagnostic, word, source.as_ref());
        for index in 0..diagnostic.note_count() {
            if let Ok(note) = diagnostic.note(index) {
                print_place(&note, "note", source.as_ref());
            }
        }
        true
    });
}

/// Prints a diagnostic without its notes.
fn print_place(
    diagnostic: &melior::diagnostic::Diagnostic<'_>,
    severity: &str,
    source: Option<&SourceText>,
) {
    let location = diagnostic.location();
    let text = diagnostic.to_string();
    eprintln!("{}: {severity}: {}", place(location), shortened(&text));
    let Some(source) = source.filter(|_| !location.is_name()) else {
        return;
    };
    let lines = file_line_column(location)
        .filter(|(file, line, column)| *file == source.name && (*line, *column) != (1, 1))
        .and_then(|(_, line, column)| excerpt(&source.text, line, column));
    if let Some(lines) = lines {
        eprintln!("{lines}");
    }
}
