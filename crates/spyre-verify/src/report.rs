//! The results of a check: findings, and their places.

use std::fmt::{self, Write as _};
use std::path::Path;

use spyre_bundle_files::Place;
use spyre_bundle_files::json::{self, Json};
use spyre_files::shortened;

use super::rules::{Rule, Severity};

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// The file, or the directory.
    pub path: String,
    /// The place in the file, where the rule is about one.
    pub at: Option<Place>,
    /// The way in which the rule is broken, with the numbers that conflict.
    pub message: String,
    /// The JSON pointer of the value.
    pub pointer: Option<String>,
    /// The line of the file, and a mark under the column.
    pub excerpt: Option<String>,
    /// The message of the parser of `bundle.mlir`, which is printed before.
    pub parser: Option<ParserMessage>,
}

/// The reason why the parser refuses a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParserMessage {
    /// The place.
    pub at: Place,
    /// The reason.
    pub message: String,
    /// The line of the file, and a mark under the column.
    pub excerpt: Option<String>,
}

impl Finding {
    /// Makes the finding of a rule about a file, or about the directory.
    pub(crate) fn of_file(rule: Rule, path: &str, message: impl Into<String>) -> Self {
        Self {
            rule,
            path: path.to_owned(),
            at: None,
            message: message.into(),
            pointer: None,
            excerpt: None,
            parser: None,
        }
    }

    /// Makes the finding of a rule at a line and a column.
    pub(crate) fn in_text(rule: Rule, path: &str, at: Place, message: impl Into<String>) -> Self {
        Self {
            at: Some(at),
            ..Self::of_file(rule, path, message)
        }
    }
}

/// Writes `path:line:column: error: message [VBn] at /pointer`, then the excerpt. Columns are bytes, as in the messages of MLIR.
impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(ParserMessage {
            at,
            message,
            excerpt,
        }) = &self.parser
        {
            let message = shortened(message);
            writeln!(formatter, "{}:{at}: error: {message}", self.path)?;
            if let Some(excerpt) = excerpt {
                writeln!(formatter, "{excerpt}")?;
            }
        }
        formatter.write_str(&self.path)?;
        if let Some(at) = self.at {
            write!(formatter, ":{at}")?;
        }
        let (severity, message, rule) = (self.rule.severity, shortened(&self.message), self.rule);
        write!(formatter, ": {severity}: {message} [{rule}]")?;
        if let Some(pointer) = &self.pointer {
            write!(formatter, " at {}", shortened(pointer))?;
        }
        match &self.excerpt {
            Some(excerpt) => write!(formatter, "\n{excerpt}"),
            None => Ok(()),
        }
    }
}

/// The size of a bundle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// Number of files of operations.
    pub files: usize,
    /// Number of executions.
    pub operations: usize,
    /// Number of loops.
    pub loops: usize,
    /// Number of parameters of the function.
    pub params: usize,
}

/// The findings in a bundle, and its size.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The broken rules, in the order of the files.
    pub findings: Vec<Finding>,
    /// The size of the bundle; zeros if its function cannot be read.
    pub size: Size,
}

impl Report {
    /// Counts the broken rules of a severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        let findings = self.findings.iter();
        findings
            .filter(|finding| finding.rule.severity == severity)
            .count()
    }

    /// Returns whether the bundle breaks no rule with the severity error.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.count(Severity::Error) == 0
    }

    /// Formats the findings, one below the other, followed by the number of errors and warnings if there are errors.
    /// Every line ends. The last one calls the bundle `path`.
    #[must_use]
    pub fn listed(&self, path: &Path) -> String {
        let mut text = String::new();
        for finding in &self.findings {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{finding}");
        }
        if !self.is_right() {
            let errors = counted(self.count(Severity::Error), "error");
            let warnings = counted(self.count(Severity::Warning), "warning");
            let _ = writeln!(text, "{}: {errors}, {warnings}", path.display());
        }
        text
    }

    /// Formats the size of the bundle and the number of warnings: `3 files, 3 operations, 2 loops, 1 parameter, 0
    /// warnings`.
    #[must_use]
    pub fn summary(&self) -> String {
        let Size {
            files,
            operations,
            loops,
            params,
        } = self.size;
        let what = [
            counted(files, "file"),
            counted(operations, "operation"),
            counted(loops, "loop"),
            counted(params, "parameter"),
            counted(self.count(Severity::Warning), "warning"),
        ];
        what.join(", ")
    }
}

/// Returns a count and a noun, with an `s` unless the count is 1.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// A broken rule in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The rule.
    pub rule: Rule,
    /// The place, in bytes from the beginning of the text.
    pub offset: usize,
    /// The way in which the rule is broken, with the numbers that conflict.
    pub message: String,
}

/// The lines of a text.
#[derive(Debug, Default)]
pub(crate) struct Lines(Vec<String>);

impl Lines {
    /// Copies the lines of a text.
    pub(crate) fn from_text(text: &str) -> Self {
        Self(text.lines().map(str::to_owned).collect())
    }

    /// Returns the line of a place and a caret below its column, as [`spyre_files::excerpt`] shows them.
    pub(crate) fn excerpt(&self, at: Place) -> Option<String> {
        let line = self.0.get(at.line.checked_sub(1)?)?;
        // A place counts bytes, an excerpt characters.
        let before = line.get(..at.column.checked_sub(1)?)?;
        spyre_files::excerpt(line, 1, before.chars().count() + 1)
    }
}

/// Returns the problems of a JSON text as findings.
pub(crate) fn located(
    path: &str,
    text: &str,
    root: &Json<'_>,
    problems: &[Problem],
) -> Vec<Finding> {
    if problems.is_empty() {
        return Vec::new();
    }
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices('\n').map(|(at, _)| at + 1))
        .collect();
    let finding = |problem: &Problem| {
        let line = starts.partition_point(|start| *start <= problem.offset);
        let column = problem.offset - starts[line - 1] + 1;
        let pointer = json::pointer(root, problem.offset);
        Finding {
            pointer: Some(pointer).filter(|pointer| !pointer.is_empty()),
            ..Finding::in_text(
                problem.rule,
                path,
                Place { line, column },
                problem.message.as_str(),
            )
        }
    };
    problems.iter().map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::super::rules::{KIND, MAPS};
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one() {
        let text = "{\n  \"a\": [1,\n 2]}";
        let root = json::parse(text).expect("JSON");
        let problem = |rule, needle: &str| Problem {
            rule,
            offset: text.find(needle).expect("a needle"),
            message: format!("see {needle}"),
        };
        let problems = [
            problem(KIND, "2]"),
            problem(MAPS, "\"a\""),
            problem(KIND, "{"),
        ];
        let findings = located("d/f", text, &root, &problems).into_iter();
        let texts: Vec<String> = findings.map(|finding| finding.to_string()).collect();
        assert_eq!(
            texts,
            [
                "d/f:3:2: error: see 2] [VB42] at /a/1",
                "d/f:2:3: warning: see \"a\" [VB13] at /a",
                "d/f:1:1: error: see { [VB42]",
            ]
        );
    }

    #[test]
    fn reports_are_counted_in_words() {
        let size = Size {
            files: 1,
            operations: 2,
            ..Size::default()
        };
        let finding = |rule| Finding::of_file(rule, "d/f", "see there");
        let findings = vec![finding(MAPS), finding(KIND)];
        let report = Report { findings, size };
        assert_eq!(
            report.listed(Path::new("d")),
            "d/f: warning: see there [VB13]\nd/f: error: see there [VB42]\nd: 1 error, 1 warning\n"
        );
        assert_eq!(
            report.summary(),
            "1 file, 2 operations, 0 loops, 0 parameters, 1 warning"
        );
        let findings = vec![finding(MAPS)];
        let right = Report { findings, size };
        assert_eq!(
            right.listed(Path::new("d")),
            "d/f: warning: see there [VB13]\n"
        );
    }

    #[test]
    fn marks_stand_under_their_columns() {
        let lines = Lines::from_text("a\n\tb c\n");
        assert_eq!(
            lines.excerpt(Place { line: 2, column: 4 }).as_deref(),
            Some("\tb c\n\t  ^")
        );
        assert_eq!(lines.excerpt(Place { line: 3, column: 1 }), None);
        // The caret stays under its character where the line is shortened, and characters have several bytes.
        let lines = Lines::from_text(&format!("{}!{}", "\u{e9}".repeat(3000), "b".repeat(3000)));
        let place = Place {
            line: 1,
            column: 6001,
        };
        let excerpt = lines.excerpt(place).expect("a line");
        let (line, caret) = excerpt.split_once('\n').expect("two lines");
        let mark = line.chars().position(|character| character == '!');
        assert_eq!(mark, caret.find('^'));
    }
}
