//! Checks of files against a JSON schema, such as the published one of SuperDSC-Bundle 1.0.0 (K55).
//!
//! The schema is not part of this repository; the user passes its text. `spyre-verify` has the rules and the places of
//! findings, and this crate has the library for schemas, which takes longer to compile than the rules. So only the
//! programs with an option for a schema depend on it.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use std::fmt;

use jsonschema::Validator;
use spyre_bundle_files::{Files, TextError, json};
use spyre_verify::{Finding, Report, Violation, schema_findings, verify_by_schema};
use thiserror::Error;

/// A text that is no schema.
#[derive(Debug, Error)]
pub enum SchemaError {
    /// The text is no JSON.
    #[error("the schema is no JSON: {0}")]
    Json(#[from] TextError),
    /// The JSON is no schema, or refers to a schema that is elsewhere.
    #[error("the schema cannot be used: {0}; references must be inside of the schema")]
    Schema(String),
}

/// A JSON schema that files are checked against.
pub struct Schema(Validator);

impl fmt::Debug for Schema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Schema")
    }
}

impl Schema {
    /// Reads the text of a schema.
    ///
    /// # Errors
    /// [`SchemaError`]: a text that is no JSON, or no schema that can be used alone.
    pub fn from_text(text: &str) -> Result<Self, SchemaError> {
        json::parse(text)?;
        let unusable = |reason: String| SchemaError::Schema(reason);
        let schema = serde_json::from_str(text).map_err(|err| unusable(err.to_string()))?;
        let validator = jsonschema::validator_for(&schema);
        validator.map(Self).map_err(|err| unusable(err.to_string()))
    }

    /// Returns the ways in which a file violates the schema. `path` is the path of the file, for messages.
    #[must_use]
    pub fn findings(&self, path: &str, text: &str) -> Vec<Finding> {
        schema_findings(path, text, &|text| self.violations(text))
    }

    /// Checks each `sdsc_*.json` of a bundle.
    #[must_use]
    pub fn check(&self, files: &dyn Files) -> Report {
        verify_by_schema(files, &|text| self.violations(text))
    }

    /// Returns the values of a text that violate the schema, or the reason why the text is no JSON.
    fn violations(&self, text: &str) -> Result<Vec<Violation>, String> {
        let value = serde_json::from_str(text).map_err(|err| err.to_string())?;
        let violations = self.0.iter_errors(&value).map(|error| Violation {
            pointer: error.instance_path().as_str().to_owned(),
            message: error.to_string(),
        });
        Ok(violations.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A schema of an object with counts by names.
    const COUNTS: &str = r##"{
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "patternProperties": {"^[a-z/]+$": {"$ref": "#/$defs/count"}},
        "additionalProperties": false,
        "$defs": {"count": {"type": "array", "items": {"type": "integer", "minimum": 1}}}
    }"##;

    fn messages(file: &str) -> Vec<String> {
        let schema = Schema::from_text(COUNTS).expect("a schema");
        let findings = schema.findings("", file);
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn violations_have_places() {
        assert_eq!(messages(r#"{"a": [1, 2], "b/c": []}"#), [""; 0]);
        assert_eq!(
            messages("{\n \"a\": [1, 0],\n \"b/c\": [\"x\"]}"),
            [
                ":2:11: error: violates the schema: 0 is less than the minimum of 1 [K55] at /a/1",
                ":3:10: error: violates the schema: \"x\" is not of type \"integer\" [K55] at /b~1c/0",
            ]
        );
        assert_eq!(
            messages("{\"A\": []}"),
            [
                ":1:1: error: violates the schema: Additional properties are not allowed ('A' was unexpected) [K55]"
            ]
        );
    }

    #[test]
    fn texts_that_are_no_json_are_findings() {
        let texts = messages("{\"a\": [1,}");
        assert_eq!(texts.len(), 1);
        assert!(texts[0].starts_with(":1:10: error: "), "{texts:?}");
    }

    #[test]
    fn schemas_that_cannot_be_used_are_errors() {
        for (schema, expected) in [
            ("{", "the schema is no JSON: 1:2: "),
            (
                r#"{"type": "number of cores"}"#,
                "the schema cannot be used: ",
            ),
            (
                r#"{"$ref": "https://example.org/other.json"}"#,
                "the schema cannot be used: ",
            ),
        ] {
            let err = Schema::from_text(schema).expect_err("no schema");
            assert!(err.to_string().starts_with(expected), "{err}");
        }
    }
}
