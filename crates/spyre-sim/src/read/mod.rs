//! Reading a bundle: `bundle.mlir` and the `sdsc_N.json` that it names, from nothing but their text.
//!
//! This is an independent reading of the formats. It shares no code with the generator of bundles.

mod affine;
mod consistency;
mod error;
mod function;
mod gathers;
mod json;
mod lexer;
mod operation;
mod resolve;
mod text;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

pub use error::{Place, ReadError, SdscError, TextError};
pub use function::{
    Arithmetic, Bounds, Field, Function, Linear, Param, Role, Statement, StatementKind, ValueId,
};
pub use operation::{Core, Dim, Gather, Mask, MemoryKind, Operation, Start, Tensor, TensorDim};
pub use text::parse;

/// Bytes of a file, at most. A file of a bundle has some 40 KiB.
const MAX_BYTES: u64 = 1 << 30;

/// The name of the file that holds the function.
const MLIR_FILE: &str = "bundle.mlir";

/// A bundle, read and resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    function: Function,
    operations: HashMap<String, Operation>,
}

impl Bundle {
    /// Reads the bundle in a directory.
    ///
    /// # Errors
    /// A file is missing, is not UTF-8, is a pipe or a device, or is not what a bundle has; see [`ReadError`].
    pub fn read(directory: &Path) -> Result<Self, ReadError> {
        let read = |name: &str| spyre_files::read_text(&directory.join(name), MAX_BYTES);
        Self::from_files(read, |name| directory.join(name))
    }

    /// Reads a bundle whose files `read` returns by name. `path` is how errors call them.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn from_files(
        read: impl Fn(&str) -> std::io::Result<String>,
        path: impl Fn(&str) -> PathBuf,
    ) -> Result<Self, ReadError> {
        let read = |name: &str| {
            read(name).map_err(|source| ReadError::File {
                path: path(name),
                source,
            })
        };
        let function = text::parse(&read(MLIR_FILE)?).map_err(|error| ReadError::Text {
            path: path(MLIR_FILE),
            error,
        })?;
        let mut executed = Vec::new();
        files(&function.body, &mut executed);
        let mut operations = HashMap::new();
        for (name, place) in executed {
            if operations.contains_key(name) {
                continue;
            }
            if name.is_empty() || name.contains(['/', '\\']) {
                return Err(ReadError::Name {
                    path: path(MLIR_FILE),
                    place,
                    name: name.to_owned(),
                });
            }
            let text = read(name)?;
            let json = serde_json::from_str(&text).map_err(|source| ReadError::Json {
                path: path(name),
                source,
            })?;
            let operation = resolve::resolve(&json).map_err(|error| ReadError::Sdsc {
                path: path(name),
                error,
            })?;
            operations.insert(name.to_owned(), operation);
        }
        Ok(Self {
            function,
            operations,
        })
    }

    /// The function.
    #[must_use]
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// Returns the operation of a file, if the function executes it.
    #[must_use]
    pub fn operation(&self, file: &str) -> Option<&Operation> {
        self.operations.get(file)
    }
}

/// Finds the files that statements execute, with places.
fn files<'s>(statements: &'s [Statement], found: &mut Vec<(&'s str, Place)>) {
    for statement in statements {
        match &statement.kind {
            StatementKind::For { body, .. } => files(body, found),
            StatementKind::Execute { file, .. } => found.push((file, statement.place)),
            _ => {}
        }
    }
}
