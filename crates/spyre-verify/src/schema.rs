//! Checks of files against a JSON schema, such as the published one of SuperDSC-Bundle 1.0.0 (K55).
//!
//! The schema is not part of this repository; the user passes its text. A schema covers the kinds of values and the
//! keys, but not masks, sticks, formats or divisions, so it is checked in addition to the rules and not instead of
//! them.

use std::fmt;

use jsonschema::Validator;
use spyre_bundle_files::json::{self, Json, Value};
use spyre_bundle_files::{Files, TextError};
use thiserror::Error;

use super::listing::Listing;
use super::report::{Finding, Problem, Report, Size, located};
use super::rules::{DIRECTORY, FILE, JSON, SCHEMA};

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
    pub fn violations(&self, path: &str, text: &str) -> Vec<Finding> {
        let refused = |err: TextError| vec![Finding::in_text(JSON, path, err.place, err.message)];
        let root = match json::parse(text) {
            Ok(root) => root,
            Err(err) => return refused(err),
        };
        let value = match serde_json::from_str(text) {
            Ok(value) => value,
            // The two readers accept the same texts, except numbers that no 64 bits hold.
            Err(err) => return vec![Finding::of_file(JSON, path, err.to_string())],
        };
        let problems: Vec<Problem> = (self.0.iter_errors(&value))
            .map(|error| Problem {
                rule: SCHEMA,
                offset: offset(&root, error.instance_path().as_str()),
                message: format!("violates the schema: {error}"),
            })
            .collect();
        located(path, text, &root, &problems)
    }

    /// Checks each `sdsc_*.json` of a bundle.
    #[must_use]
    pub fn check(&self, files: &dyn Files) -> Report {
        let path = |name: &str| files.root().join(name).display().to_string();
        let names = match files.names() {
            Ok(names) => names,
            Err(err) => {
                let message = format!("cannot be read: {err}");
                return Report {
                    findings: vec![Finding::of_file(DIRECTORY, &path(""), message)],
                    size: Size::default(),
                };
            }
        };
        let listing = Listing::from_names(names);
        let findings = listing
            .files
            .iter()
            .flat_map(|(name, _)| match files.text(name) {
                Ok(text) => self.violations(&path(name), &text),
                Err(err) => vec![Finding::of_file(FILE, &path(name), err.to_string())],
            });
        Report {
            findings: findings.collect(),
            size: Size {
                files: listing.files.len(),
                ..Size::default()
            },
        }
    }
}

/// Returns the ways in which the text of a file violates the text of a schema. [`Schema`] reads a schema once for many files.
///
/// # Errors
/// [`SchemaError`], of the schema alone; a file that is no JSON is a finding.
pub fn validate_schema(file: &str, schema: &str) -> Result<Vec<Finding>, SchemaError> {
    Ok(Schema::from_text(schema)?.violations("", file))
}

/// Returns the place of the value at a JSON pointer, in bytes from the beginning of the text; the place of the last
/// value on the path, where it has none.
fn offset(root: &Json<'_>, pointer: &str) -> usize {
    let mut json = root;
    for step in pointer.split('/').skip(1) {
        let key = step.replace("~1", "/").replace("~0", "~");
        let next = match &json.value {
            // Of a key that occurs twice, the last value counts.
            Value::Object(members) => {
                let mut members_reversed = members.iter().rev();
                members_reversed
                    .find(|member| member.key == key.as_str())
                    .map(|member| &member.value)
            }
            Value::Array(items) => step
                .parse::<usize>()
                .ok()
                .and_then(|index| items.get(index)),
            _ => None,
        };
        let Some(next) = next else {
            break;
        };
        json = next;
    }
    json.offset
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

    fn said(file: &str) -> Vec<String> {
        let findings = validate_schema(file, COUNTS).expect("a schema");
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn violations_have_places() {
        assert_eq!(said(r#"{"a": [1, 2], "b/c": []}"#), [""; 0]);
        assert_eq!(
            said("{\n \"a\": [1, 0],\n \"b/c\": [\"x\"]}"),
            [
                ":2:11: error: violates the schema: 0 is less than the minimum of 1 [K55] at /a/1",
                ":3:10: error: violates the schema: \"x\" is not of type \"integer\" [K55] at /b~1c/0",
            ]
        );
        assert_eq!(
            said("{\"A\": []}"),
            [
                ":1:1: error: violates the schema: Additional properties are not allowed ('A' was unexpected) [K55]"
            ]
        );
    }

    #[test]
    fn texts_that_are_no_json_are_findings() {
        let texts = said("{\"a\": [1,}");
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
            let err = validate_schema("{}", schema).expect_err("no schema");
            assert!(err.to_string().starts_with(expected), "{err}");
        }
    }
}
