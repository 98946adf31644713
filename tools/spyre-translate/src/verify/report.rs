//! What was found.

use std::fmt::Write as _;

use spyre_mlir_rt::diagnostic::shortened;

use super::json::{self, Json};
use super::rules::{Rule, Severity};

/// A broken rule in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The rule.
    pub rule: Rule,
    /// Where, in bytes from the beginning of the text.
    pub offset: usize,
    /// How, with the numbers that conflict.
    pub message: String,
}

/// How many rules were broken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
}

impl Count {
    /// Counts one more.
    pub fn add(&mut self, rule: Rule) {
        match rule.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
        }
    }
}

/// The problems of a text as lines `path:line:column: error: message [VBn] at /pointer`. Columns are bytes, as in
/// the messages of MLIR; without a root there are no pointers.
pub fn render(path: &str, text: &str, root: Option<&Json<'_>>, problems: &[Problem]) -> String {
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices('\n').map(|(at, _)| at + 1))
        .collect();
    let mut lines = String::new();
    for problem in problems {
        let line = starts.partition_point(|start| *start <= problem.offset);
        let start = starts
            .get(line.saturating_sub(1))
            .copied()
            .unwrap_or_default();
        let column = problem.offset.saturating_sub(start) + 1;
        let severity = name(problem.rule.severity);
        let (message, rule) = (shortened(&problem.message), problem.rule);
        // Writing to a string does not fail.
        let _ = write!(
            lines,
            "{path}:{line}:{column}: {severity}: {message} [{rule}]"
        );
        let pointer = root.map(|root| json::pointer(root, problem.offset));
        if let Some(pointer) = pointer.filter(|pointer| !pointer.is_empty()) {
            let _ = write!(lines, " at {}", shortened(&pointer));
        }
        lines.push('\n');
    }
    lines
}

/// The word for a severity, as MLIR prints it.
pub const fn name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

#[cfg(test)]
mod tests {
    use super::super::rules::{GAP, LABEL};
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
            problem(GAP, "2]"),
            problem(LABEL, "\"a\""),
            problem(GAP, "{"),
        ];
        assert_eq!(
            render("d/f", text, Some(&root), &problems),
            "d/f:3:2: error: see 2] [VB65] at /a/1\n\
             d/f:2:3: warning: see \"a\" [VB55] at /a\n\
             d/f:1:1: error: see { [VB65]\n"
        );
        assert_eq!(
            render("f", text, None, &problems[..1]),
            "f:3:2: error: see 2] [VB65]\n"
        );
    }
}
