//! `--schema`: checks of a bundle's files against a JSON schema, by the library of the feature `schema`.
//!
//! The option exists without the feature as well, so that its error has the way out.

use std::path::Path;

use crate::io::Failure;

#[cfg(feature = "schema")]
pub(crate) use spyre_schema::Schema;

/// Reads the schema in a file.
#[cfg(feature = "schema")]
pub(crate) fn read(path: &Path) -> Result<Schema, Failure> {
    let refused = |reason: String| Failure::error(format!("{}: {reason}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|err| refused(err.to_string()))?;
    Schema::from_text(&text).map_err(|err| refused(err.to_string()))
}

/// A schema: there is none without the feature.
#[cfg(not(feature = "schema"))]
pub(crate) enum Schema {}

#[cfg(not(feature = "schema"))]
impl Schema {
    /// Returns the report about a bundle.
    pub(crate) fn check(&self, _: &dyn spyre_bundle_files::Files) -> spyre_verify::Report {
        match *self {}
    }
}

/// Refuses to read a schema.
#[cfg(not(feature = "schema"))]
pub(crate) fn read(path: &Path) -> Result<Schema, Failure> {
    Err(Failure::error(format!(
        "{}: this spyre-translate was built without checks against schemas; \
         `cargo build -p spyre-translate` builds it with them",
        path.display()
    )))
}
