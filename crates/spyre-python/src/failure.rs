//! Diagnostics as objects, and failures as exceptions.

use std::borrow::Cow;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use melior::Context;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use spyre_mlir_rt::diagnostic::{Reported, Severity, collect};

create_exception!(
    _native,
    Failure,
    PyException,
    "What was asked was not done. The arguments are the message and the diagnostics."
);

/// A message at a place of a program.
#[pyclass(frozen, get_all, module = "spyre_mlir._native")]
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Diagnostic {
    severity: Cow<'static, str>,
    message: String,
    location: String,
    file: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
    notes: Vec<Diagnostic>,
}

impl From<Reported> for Diagnostic {
    fn from(reported: Reported) -> Self {
        let (file, position) = match reported.file_line_column {
            Some((file, line, column)) => (Some(file), Some((line, column))),
            None => (None, None),
        };
        Self {
            severity: Cow::Borrowed(Severity::word(reported.severity)),
            message: reported.message,
            location: reported.place,
            file,
            line: position.map(|(line, _)| line),
            column: position.map(|(_, column)| column),
            notes: reported.notes.into_iter().map(Self::from).collect(),
        }
    }
}

#[pymethods]
impl Diagnostic {
    fn __repr__(&self) -> String {
        let Self {
            severity, message, ..
        } = self;
        match self.location.as_str() {
            "" => format!("{severity}: {message}"),
            location => format!("{location}: {severity}: {message}"),
        }
    }
}

/// What a call returns, with the diagnostics that are no errors.
pub(crate) struct Outcome<T> {
    /// The result.
    pub(crate) value: T,
    /// The diagnostics, in the order in which they were reported.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Calls `work` with a context, without the GIL, and returns its result with the diagnostics that were reported.
///
/// # Errors
/// [`Failure`] with the error of `work`, which is a text, and the diagnostics; also where `work` panics.
pub(crate) fn in_context<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Context) -> Result<T, String> + Send,
) -> PyResult<Outcome<T>> {
    let (result, reported) = py.detach(|| {
        let context = spyre_exec::context();
        collect(&context, || {
            catch_unwind(AssertUnwindSafe(|| work(&context))).unwrap_or_else(|panic| {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
                Err(format!(
                    "the compiler has a bug, please report it: {}",
                    text.unwrap_or("it panicked")
                ))
            })
        })
    });
    let diagnostics = reported.into_iter().map(Diagnostic::from).collect();
    match result {
        Ok(value) => Ok(Outcome { value, diagnostics }),
        Err(message) => Err(Failure::new_err((message, diagnostics))),
    }
}

/// Returns a failure without diagnostics.
pub(crate) fn failure(message: String) -> PyErr {
    Failure::new_err((message, Vec::<Diagnostic>::new()))
}

/// Returns the text of an error.
pub(crate) fn text(err: impl Display) -> String {
    err.to_string()
}
