//! Compares lines with a pattern of lines in which [`ELLIPSIS`] matches any lines.

use std::fmt;

/// The line of a pattern that matches any number of lines, including none.
pub const ELLIPSIS: &str = "...";

/// One line of the way from a pattern to a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit<'a> {
    /// A line of the pattern and of the text.
    Both(&'a str),
    /// [`ELLIPSIS`] of the pattern, with the lines that it covers.
    Any,
    /// A line of the pattern only.
    Missing(&'a str),
    /// A line of the text only.
    Extra(&'a str),
}

/// A shortest way from a pattern to a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff<'a>(pub Vec<Edit<'a>>);

impl<'a> Diff<'a> {
    /// Compares a pattern with a text. Time and memory are proportional to the product of their lengths.
    #[must_use]
    pub fn new(pattern: &[&'a str], text: &[&'a str]) -> Self {
        // costs[i][j]: how many lines differ at least between pattern[i..] and text[j..].
        let mut costs = vec![vec![0; text.len() + 1]; pattern.len() + 1];
        for i in (0..=pattern.len()).rev() {
            for j in (0..=text.len()).rev() {
                costs[i][j] = match (pattern.get(i), text.get(j)) {
                    (None, _) => text.len() - j,
                    (Some(&ELLIPSIS), None) => costs[i + 1][j],
                    (Some(&ELLIPSIS), Some(_)) => costs[i + 1][j].min(costs[i][j + 1]),
                    (Some(_), None) => 1 + costs[i + 1][j],
                    (Some(wanted), Some(actual)) if wanted == actual => costs[i + 1][j + 1],
                    (Some(_), Some(_)) => 1 + costs[i + 1][j].min(costs[i][j + 1]),
                };
            }
        }
        let mut edits = Vec::new();
        let (mut i, mut j) = (0, 0);
        loop {
            match (pattern.get(i), text.get(j)) {
                (None, None) => return Self(edits),
                (None, Some(actual)) => {
                    edits.push(Edit::Extra(actual));
                    j += 1;
                }
                (Some(&ELLIPSIS), actual) => {
                    if actual.is_none() || costs[i][j] == costs[i + 1][j] {
                        edits.push(Edit::Any);
                        i += 1;
                    } else {
                        j += 1;
                    }
                }
                (Some(wanted), Some(actual)) if wanted == actual => {
                    edits.push(Edit::Both(wanted));
                    (i, j) = (i + 1, j + 1);
                }
                (Some(wanted), actual) => {
                    if actual.is_none() || costs[i + 1][j] <= costs[i][j + 1] {
                        edits.push(Edit::Missing(wanted));
                        i += 1;
                    } else if let Some(actual) = actual {
                        edits.push(Edit::Extra(actual));
                        j += 1;
                    }
                }
            }
        }
    }

    /// Returns whether the pattern describes the text.
    #[must_use]
    pub fn is_match(&self) -> bool {
        self.0
            .iter()
            .all(|edit| matches!(edit, Edit::Both(_) | Edit::Any))
    }

    /// Returns the pattern with the least changes that describes the text.
    #[must_use]
    pub fn corrected(&self) -> Vec<&'a str> {
        self.0
            .iter()
            .filter_map(|edit| match edit {
                Edit::Both(line) | Edit::Extra(line) => Some(*line),
                Edit::Any => Some(ELLIPSIS),
                Edit::Missing(_) => None,
            })
            .collect()
    }
}

impl fmt::Display for Diff<'_> {
    /// Writes the edits: `-` marks lines that only the pattern has, `+` lines that only the text has.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for edit in &self.0 {
            match edit {
                Edit::Both(line) => writeln!(f, "  {line}")?,
                Edit::Any => writeln!(f, "  {ELLIPSIS}")?,
                Edit::Missing(line) => writeln!(f, "- {line}")?,
                Edit::Extra(line) => writeln!(f, "+ {line}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(pattern: &str, text: &str) -> (bool, String) {
        let pattern: Vec<&str> = pattern.split_whitespace().collect();
        let text: Vec<&str> = text.split_whitespace().collect();
        let diff = Diff::new(&pattern, &text);
        // The correction is always right.
        assert!(Diff::new(&diff.corrected(), &text).is_match());
        let shown = diff.to_string().replace("  ", "=").replace(' ', "");
        (
            diff.is_match(),
            shown.split_whitespace().collect::<Vec<_>>().join(" "),
        )
    }

    #[test]
    fn equal_lines_match() {
        assert_eq!(diff("a b c", "a b c"), (true, "=a =b =c".into()));
        assert_eq!(diff("", ""), (true, String::new()));
    }

    #[test]
    fn every_difference_shows() {
        assert_eq!(diff("a b c", "a c"), (false, "=a -b =c".into()));
        assert_eq!(diff("a c", "a b c"), (false, "=a +b =c".into()));
        assert_eq!(diff("a b", "a c"), (false, "=a -b +c".into()));
        assert_eq!(diff("a", ""), (false, "-a".into()));
        assert_eq!(diff("", "a"), (false, "+a".into()));
        assert!(!diff("a b", "b a").0);
    }

    #[test]
    fn an_ellipsis_stands_for_any_lines() {
        assert_eq!(diff("a ... c", "a x y c"), (true, "=a =... =c".into()));
        assert_eq!(diff("a ... c", "a c"), (true, "=a =... =c".into()));
        assert!(diff("...", "").0);
        assert!(diff("... b ... d ...", "a b c d e b").0);
        assert!(!diff("a ... c", "a x y").0);
        assert!(!diff("... b ... b", "a b c").0);
        assert!(!diff("a ...", "x a").0);
    }

    #[test]
    fn a_correction_keeps_the_ellipses() {
        let diff = Diff::new(&["a", "...", "c", "d"], &["a", "x", "c", "e"]);
        assert_eq!(diff.corrected(), ["a", "...", "c", "e"]);
    }
}
