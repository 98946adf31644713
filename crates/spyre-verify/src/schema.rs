//! Findings of a JSON schema, such as the published one of SuperDSC-Bundle 1.0.0 (K55).
//!
//! The crate `spyre-schema` checks values against a schema, so that only its users build a library for schemas. This
//! module selects the files and turns violations into findings, with their places. A schema covers the kinds of values
//! and the keys, but not masks, sticks, formats or divisions, so it is checked in addition to the rules and not instead
//! of them.

use spyre_bundle_files::json::{self, Json, Value};
use spyre_bundle_files::{Files, TextError};

use super::listing::Listing;
use super::report::{Finding, Problem, Report, Size, located};
use super::rules::{DIRECTORY, FILE, JSON, SCHEMA};

/// A value that violates a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The JSON pointer of the value.
    pub pointer: String,
    /// The way in which it violates the schema, as a clause: `0 is less than the minimum of 1`.
    pub message: String,
}

/// Returns the violations of a text, or the reason why it cannot be read as JSON.
pub type Violations<'a> = dyn Fn(&str) -> Result<Vec<Violation>, String> + 'a;

/// Returns the ways in which a file violates a schema. `path` is the path of the file, for messages.
#[must_use]
pub fn schema_findings(path: &str, text: &str, violations: &Violations<'_>) -> Vec<Finding> {
    let refused = |err: TextError| vec![Finding::in_text(JSON, path, err.place, err.message)];
    let root = match json::parse(text) {
        Ok(root) => root,
        Err(err) => return refused(err),
    };
    let violations = match violations(text) {
        Ok(violations) => violations,
        // The two readers accept the same texts, except numbers that no 64 bits hold.
        Err(reason) => return vec![Finding::of_file(JSON, path, reason)],
    };
    let problems: Vec<Problem> = violations
        .iter()
        .map(|violation| Problem {
            rule: SCHEMA,
            offset: offset(&root, &violation.pointer),
            message: format!("violates the schema: {}", violation.message),
        })
        .collect();
    located(path, text, &root, &problems)
}

/// Checks each `sdsc_*.json` of a bundle against a schema.
#[must_use]
pub fn verify_by_schema(files: &dyn Files, violations: &Violations<'_>) -> Report {
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
            Ok(text) => schema_findings(&path(name), &text, violations),
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

/// Returns the place of the value at a JSON pointer, in bytes from the beginning of the text; the place of the last
/// value on the path, where it has none.
fn offset(root: &Json<'_>, pointer: &str) -> usize {
    let mut json = root;
    for step in pointer.split('/').skip(1) {
        let key = step.replace("~1", "/").replace("~0", "~");
        let next = match &json.value {
            // Where a key occurs twice, the last value counts.
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
