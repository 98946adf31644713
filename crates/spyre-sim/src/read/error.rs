//! The errors of the files of a bundle.

use std::io;
use std::path::PathBuf;

use spyre_bundle_files::{Place, TextError};

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
    #[error("{}: {} at line {} column {}", path.display(), error.message, error.place.line, error.place.column)]
    Json {
        /// The file.
        path: PathBuf,
        /// The error with its place.
        error: TextError,
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

impl ReadError {
    /// Returns the place as compilers write it: the file, with its line and its column if they are known.
    #[must_use]
    pub fn place(&self) -> String {
        match self {
            Self::File { path, .. } | Self::Sdsc { path, .. } => path.display().to_string(),
            Self::Text { path, error } | Self::Json { path, error } => {
                format!("{}:{}", path.display(), error.place)
            }
            Self::Name { path, place, .. } => format!("{}:{place}", path.display()),
        }
    }

    /// Returns the error without its place.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::File { source, .. } => source.to_string(),
            Self::Text { error, .. } | Self::Json { error, .. } => error.message.clone(),
            Self::Sdsc { error, .. } => error.to_string(),
            Self::Name { name, .. } => {
                format!("'{name}' is not the name of a file in the directory")
            }
        }
    }
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

/// A part of a file whose values agree.
pub(super) type Resolved<T> = Result<T, SdscError>;

/// Returns an error at a place in a file.
pub(super) fn error<T>(at: impl Into<String>, message: impl Into<String>) -> Resolved<T> {
    Err(SdscError::new(at, message))
}
