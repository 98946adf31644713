//! The errors of the files of a bundle.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// A place in a text, counted from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// An error at a place of a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct TextError {
    /// Its place.
    pub place: Place,
    /// The error.
    pub message: String,
}

impl TextError {
    pub(super) fn new(place: Place, message: impl Into<String>) -> Self {
        Self {
            place,
            message: message.into(),
        }
    }
}

/// An error of a bundle's files.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// `bundle.mlir` is not in the form that bundles have.
    #[error("{}:{error}", path.display())]
    Text {
        /// The file.
        path: PathBuf,
        /// The error with its place.
        error: TextError,
    },
    /// A file is not JSON, or not the JSON of an SDSC: a key is missing or has another type.
    #[error("{}: {source}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// The error with line and column.
        source: serde_json::Error,
    },
    /// The values of a file contradict each other.
    #[error("{}: {error}", path.display())]
    Sdsc {
        /// The file.
        path: PathBuf,
        /// The error with its place.
        error: SdscError,
    },
    /// An operation names a file that is a path and not a name.
    #[error("{}:{place}: '{name}' is not the name of a file in the directory", path.display())]
    Name {
        /// The file with the operation.
        path: PathBuf,
        /// The place of the operation.
        place: Place,
        /// The name.
        name: String,
    },
}

/// A value of an SDSC file that does not fit the others.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {message}")]
pub struct SdscError {
    /// The keys to the value, such as `scheduleTree_/0/layoutDimOrder_`.
    pub at: String,
    /// The error.
    pub message: String,
}

impl SdscError {
    pub(super) fn new(at: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            at: at.into(),
            message: message.into(),
        }
    }
}
