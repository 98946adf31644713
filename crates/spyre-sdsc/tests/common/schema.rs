//! Files against the published JSON schema of SuperDSC-Bundle 1.0.0, which is not part of this repository.
//!
//! With the path of the schema in the environment variable `SPYRE_SDSC_SCHEMA`, every file of the contract that a test
//! compiles is validated. Without it, none is.

use std::sync::OnceLock;

use jsonschema::Validator;
use spyre_sdsc::{Bundle, BundleOptions, Error, Node, Revision};

/// Compiles a tree, and validates its files if there is a schema.
///
/// # Errors
/// The errors of the compiler.
pub(crate) fn compile_bundle(nodes: &[Node], options: &BundleOptions) -> Result<Bundle, Error> {
    let bundle = spyre_sdsc::compile_bundle(nodes, options)?;
    // Files that break a rule on purpose may break the schema as well.
    let is_published = options.plan.revision == Revision::V1 && bundle.findings().is_empty();
    if let Some(schema) = schema().filter(|_| is_published) {
        let messages = problems(schema, &bundle);
        assert!(messages.is_empty(), "{}", messages.join("\n"));
    }
    Ok(bundle)
}

/// The schema that the environment names.
fn schema() -> Option<&'static Validator> {
    static SCHEMA: OnceLock<Option<Validator>> = OnceLock::new();
    let read = || {
        let path = std::env::var_os("SPYRE_SDSC_SCHEMA")?;
        let text = std::fs::read_to_string(&path).unwrap_or_else(|err| panic!("{path:?}: {err}"));
        Some(validator(&text))
    };
    SCHEMA.get_or_init(read).as_ref()
}

/// Reads the text of a schema.
pub(crate) fn validator(text: &str) -> Validator {
    let schema = serde_json::from_str(text).unwrap_or_else(|err| panic!("{err}"));
    jsonschema::validator_for(&schema).unwrap_or_else(|err| panic!("{err}"))
}

/// Returns the violations of a schema in the files of a bundle.
pub(crate) fn problems(schema: &Validator, bundle: &Bundle) -> Vec<String> {
    let files = bundle.sdsc_files().iter();
    let messages = files.flat_map(|file| {
        let json = serde_json::to_value(file.sdsc()).unwrap_or_else(|err| panic!("{err}"));
        let errors = schema.iter_errors(&json);
        let errors =
            errors.map(|error| format!("{}: {}: {error}", file.name(), error.instance_path()));
        errors.collect::<Vec<_>>()
    });
    messages.collect()
}
