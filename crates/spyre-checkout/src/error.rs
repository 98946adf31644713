//! The one error type.

use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitStatus;

/// The reason why a command failed. Printed once, by `main`.
#[derive(Debug)]
pub enum Error {
    /// The command line is wrong.
    Usage(String),
    /// A program could not be started.
    Start {
        /// The program.
        program: String,
        /// The system's error.
        source: io::Error,
    },
    /// A program ended with a failure.
    Failed {
        /// The command line.
        command: String,
        /// The exit status.
        status: ExitStatus,
        /// The standard error of the program, where it was not shown already.
        stderr: String,
    },
    /// A file operation failed.
    Io {
        /// The file or directory.
        path: String,
        /// The system's error.
        source: io::Error,
    },
    /// The command ran, and its verdict is negative: a difference, a missing part, or a finding.
    Verdict(String),
    /// A command of another package failed and has printed its error. The exit code is for the caller.
    Exit(u8),
}

impl Error {
    /// Returns a function for `map_err` on file operations.
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            path: path.display().to_string(),
            source,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(message) | Self::Verdict(message) => f.write_str(message),
            Self::Exit(code) => write!(f, "a command ended with exit code {code}"),
            Self::Start { program, source } => write!(f, "cannot start {program}: {source}"),
            Self::Io { path, source } => write!(f, "{path}: {source}"),
            Self::Failed {
                command,
                status,
                stderr,
            } => {
                write!(f, "`{command}` failed ({status})")?;
                if stderr.is_empty() {
                    Ok(())
                } else {
                    write!(f, "\n{}", stderr.trim_end())
                }
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { source, .. } | Self::Io { source, .. } => Some(source),
            Self::Usage(_) | Self::Failed { .. } | Self::Verdict(_) | Self::Exit(_) => None,
        }
    }
}
