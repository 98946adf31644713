//! Reports as JSON, for programs: one object for each bundle (docs/Contract.md).
//!
//! A finding has the fields that messages of the tools have, `severity`, `message`, `location` and `notes`, and in
//! addition the rules and the JSON pointer. Messages are complete here: a reader of JSON needs no short lines.

use std::path::Path;

use serde::{Serialize, Serializer};
use spyre_bundle_files::Place;

use super::report::{Finding, Report};
use super::rules::Severity;

/// A report.
#[derive(Serialize)]
struct JsonReport<'r> {
    bundle: String,
    is_right: bool,
    errors: usize,
    warnings: usize,
    size: JsonSize,
    findings: Vec<JsonFinding<'r>>,
}

#[derive(Serialize)]
struct JsonSize {
    files: usize,
    operations: usize,
    loops: usize,
    parameters: usize,
}

#[derive(Serialize)]
struct JsonFinding<'r> {
    severity: String,
    /// The names of the rule, that of the contract first.
    rules: Vec<String>,
    message: &'r str,
    location: Location<'r>,
    pointer: Option<&'r str>,
    notes: Vec<Note<'r>>,
}

#[derive(Serialize)]
struct Note<'r> {
    message: &'r str,
    location: Location<'r>,
}

/// A place: the line and the column, in bytes, are absent for a whole file or the directory.
#[derive(Serialize)]
struct Location<'r> {
    file: &'r str,
    line: Option<usize>,
    column: Option<usize>,
}

impl<'r> Location<'r> {
    fn new(file: &'r str, at: Option<Place>) -> Self {
        Self {
            file,
            line: at.map(|at| at.line),
            column: at.map(|at| at.column),
        }
    }
}

impl<'r> JsonFinding<'r> {
    fn new(finding: &'r Finding) -> Self {
        let parser = finding.parser.iter().map(|parser| Note {
            message: &parser.message,
            location: Location::new(&finding.path, Some(parser.at)),
        });
        Self {
            severity: finding.rule.severity.to_string(),
            rules: finding.rule.names(),
            message: &finding.message,
            location: Location::new(&finding.path, finding.at),
            pointer: finding.pointer.as_deref(),
            notes: parser.collect(),
        }
    }
}

/// Serializes the finding as a message of the tools.
impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        JsonFinding::new(self).serialize(serializer)
    }
}

impl Report {
    /// Returns the report as JSON in one line, without its end. It calls the bundle `path`.
    ///
    /// # Panics
    /// Never: all keys are texts.
    #[must_use]
    pub fn json(&self, path: &Path) -> String {
        let report = JsonReport {
            bundle: path.display().to_string(),
            is_right: self.is_right(),
            errors: self.count(Severity::Error),
            warnings: self.count(Severity::Warning),
            size: JsonSize {
                files: self.size.files,
                operations: self.size.operations,
                loops: self.size.loops,
                parameters: self.size.params,
            },
            findings: self.findings.iter().map(JsonFinding::new).collect(),
        };
        serde_json::to_string(&report).expect("all keys are texts")
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::{ParserMessage, Size};
    use super::super::rules::{COMPUTE, MLIR};
    use super::*;

    #[test]
    fn findings_have_rules_places_and_the_message_of_the_parser() {
        let at = Place { line: 3, column: 5 };
        let in_file = Finding {
            pointer: Some("/1_exp".to_owned()),
            ..Finding::in_text(COMPUTE, "d/sdsc_1.json", at, "is wrong")
        };
        let unreadable = Finding {
            parser: Some(ParserMessage {
                at,
                message: "expected a type".to_owned(),
                excerpt: None,
            }),
            ..Finding::of_file(MLIR, "d/bundle.mlir", "is not a bundle")
        };
        let report = Report {
            findings: vec![in_file, unreadable],
            size: Size::default(),
        };
        let expected = concat!(
            r#"{"bundle":"d","is_right":false,"errors":2,"warnings":0,"#,
            r#""size":{"files":0,"operations":0,"loops":0,"parameters":0},"findings":["#,
            r#"{"severity":"error","rules":["VB71"],"message":"is wrong","#,
            r#""location":{"file":"d/sdsc_1.json","line":3,"column":5},"pointer":"/1_exp","notes":[]},"#,
            r#"{"severity":"error","rules":["K47","VB6"],"message":"is not a bundle","#,
            r#""location":{"file":"d/bundle.mlir","line":null,"column":null},"pointer":null,"#,
            r#""notes":[{"message":"expected a type","location":{"file":"d/bundle.mlir","line":3,"column":5}}]}]}"#,
        );
        assert_eq!(report.json(Path::new("d")), expected);
    }
}
