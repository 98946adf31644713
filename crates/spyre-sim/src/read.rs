//! Reads a bundle: `bundle.mlir` and the `sdsc_N.json` that it names, from their text alone.
//!
//! `spyre-bundle-files` reads the texts. `json` has the keys that define the computation, and `resolve` builds an
//! operation from them. The rest checks that redundant fields of a file agree.

mod consistency;
mod error;
mod gathers;
mod json;
mod operation;
mod relayouts;
mod resolve;
mod windows;

use rustc_hash::FxHashMap;
use std::path::Path;

use spyre_bundle_files::json::from_str;
use spyre_bundle_files::{
    Directory, Files, Function, MLIR_FILE, Place, Statement, StatementKind, parse,
};

pub use error::{ReadError, SdscError};
pub use operation::{
    Core, Dim, Distribution, Gather, Mask, MemoryKind, Operation, Relayout, Start, Tensor,
    TensorDim,
};

/// A bundle, read and resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    function: Function,
    operations: FxHashMap<String, Operation>,
}

impl Bundle {
    /// Reads the bundle in a directory.
    ///
    /// # Errors
    /// A file is missing, is not UTF-8, is a pipe or a device, or is malformed; see [`ReadError`].
    pub fn read(directory: &Path) -> Result<Self, ReadError> {
        Self::from_files(&Directory(directory))
    }

    /// Reads the bundle that files are.
    ///
    /// # Errors
    /// The errors of [`read`](Self::read).
    pub fn from_files(given: &dyn Files) -> Result<Self, ReadError> {
        let path = |name: &str| given.root().join(name);
        let read = |name: &str| {
            given.text(name).map_err(|source| ReadError::File {
                path: path(name),
                source: source.into(),
            })
        };
        let text = read(MLIR_FILE)?;
        let function = parse(&text).and_then(|module| module.into_function());
        let function = function.map_err(|error| ReadError::Text {
            path: path(MLIR_FILE),
            error,
        })?;
        let mut executed = Vec::new();
        files(&function.body, &mut executed);
        let mut operations = FxHashMap::default();
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
            let json = from_str(&text).map_err(|error| ReadError::Json {
                path: path(name),
                error,
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
fn files<'s>(statements: &'s [Statement], names: &mut Vec<(&'s str, Place)>) {
    for statement in statements {
        match &statement.kind {
            StatementKind::For { body, .. } => files(body, names),
            StatementKind::Execute { file, .. } => names.push((file, statement.place)),
            _ => {}
        }
    }
}
