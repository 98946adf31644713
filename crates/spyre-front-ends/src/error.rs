//! Errors of reading and writing programs.

use std::fmt::Display;
use std::str::Utf8Error;

use spyre_inductor::text::TextError;
use spyre_mlir_rt::diagnostic::Diagnostic;
use thiserror::Error;

/// The reason why a program is not read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The file is no text.
    #[error("error: {name}: {reason}")]
    NotText {
        /// The file.
        name: String,
        /// The reason.
        reason: Utf8Error,
    },
    /// The text is no program.
    #[error("{name}: error: {problem}")]
    Wrong {
        /// The file.
        name: String,
        /// The reason, with its place in the file where there is one.
        problem: String,
    },
    /// The text is no dump of PyTorch Inductor.
    #[error("{name}:{reason}")]
    Dump {
        /// The file.
        name: String,
        /// The reason, with its place.
        reason: TextError,
    },
    /// The verifiers refuse the module, after their diagnostics.
    #[error("the module is refused")]
    Refused,
}

impl ImportError {
    pub(crate) fn not_text(name: &str, err: Utf8Error) -> Self {
        let name = name.to_owned();
        Self::NotText { name, reason: err }
    }

    pub(crate) fn wrong(name: &str, problem: String) -> Self {
        let name = name.to_owned();
        Self::Wrong { name, problem }
    }
}

/// The reason why a program is not written.
#[derive(Debug)]
pub enum ExportError<'p> {
    /// An operation of the program has no form in the file.
    At(Diagnostic<'p>),
    /// A reason that is at no operation.
    Message(String),
}

impl<'p> From<Diagnostic<'p>> for ExportError<'p> {
    fn from(err: Diagnostic<'p>) -> Self {
        Self::At(err)
    }
}

impl ExportError<'_> {
    pub(crate) fn message(message: impl Display) -> Self {
        Self::Message(message.to_string())
    }
}
