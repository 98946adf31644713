//! The table of the findings in the bundles of many programs.

use std::collections::BTreeMap;
use std::fmt;

use spyre_ops::contract::Exception;
use spyre_verify::Severity;

use super::Outcome;
use super::known_warnings::{KNOWN_WARNINGS, KnownWarning};

/// The findings of many programs, by rule.
#[derive(Debug, Default)]
pub struct Table {
    programs: usize,
    bundles: usize,
    files: usize,
    refused: usize,
    failures: Vec<String>,
    rules: BTreeMap<String, Row>,
    exceptions: BTreeMap<&'static str, Row>,
}

/// The findings of a rule, of an exception, or of a known warning.
#[derive(Debug, Default)]
struct Row {
    errors: usize,
    warnings: usize,
    /// Files of operations that have one, and the function of a bundle, which counts as one.
    files: usize,
    bundles: usize,
    /// The first finding, with its program and its bundle.
    first: String,
}

impl Table {
    /// Adds the outcome of a program that messages call `name`.
    pub fn add(&mut self, name: &str, outcome: Outcome) {
        self.programs += 1;
        self.refused += outcome.refused;
        let failures = outcome.failures.into_iter();
        self.failures
            .extend(failures.map(|failure| format!("{name}: {failure}")));
        for bundle in outcome.bundles {
            self.bundles += 1;
            self.files += bundle.files;
            let mut by_row: BTreeMap<(bool, String), Vec<&str>> = BTreeMap::new();
            for checked in &bundle.findings {
                let finding = &checked.finding;
                let warning_name = || KnownWarning::matching(finding).map(|warning| warning.name);
                let exception = checked.exception.or_else(warning_name);
                let (is_allowed, row) = match exception {
                    Some(exception) => (true, exception.to_owned()),
                    None => (false, finding.rule.to_string()),
                };
                by_row
                    .entry((is_allowed, row.clone()))
                    .or_default()
                    .push(&finding.path);
                let row = match exception {
                    Some(exception) => self.exceptions.entry(exception).or_default(),
                    None => self.rules.entry(row).or_default(),
                };
                match finding.rule.severity {
                    Severity::Error => row.errors += 1,
                    Severity::Warning => row.warnings += 1,
                }
                if row.first.is_empty() {
                    row.first = format!("{name}, {}: {finding}", bundle.name);
                }
            }
            for ((is_allowed, name), mut files) in by_row {
                files.sort_unstable();
                files.dedup();
                let row = match is_allowed {
                    true => self.exceptions.get_mut(name.as_str()),
                    false => self.rules.get_mut(&name),
                };
                let row = row.expect("the row has findings");
                row.files += files.len();
                row.bundles += 1;
            }
        }
    }

    /// Returns the number of failures and of findings that are neither allowed by an exception nor
    /// known warnings.
    #[must_use]
    pub fn faults(&self) -> usize {
        let findings = self.rules.values().map(|row| row.errors + row.warnings);
        findings.sum::<usize>() + self.failures.len()
    }

    /// Returns the number of bundles.
    #[must_use]
    pub fn bundles(&self) -> usize {
        self.bundles
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = |f: &mut fmt::Formatter<'_>, title: &str| {
            writeln!(
                f,
                "{title:<20} {:>7} {:>9} {:>7} {:>8}  first",
                "errors", "warnings", "files", "bundles"
            )
        };
        let line = |f: &mut fmt::Formatter<'_>, name: &str, row: &Row| {
            let Row {
                errors,
                warnings,
                files,
                bundles,
                first,
            } = row;
            let first = first.lines().next().unwrap_or_default();
            writeln!(
                f,
                "{name:<20} {errors:>7} {warnings:>9} {files:>7} {bundles:>8}  {first}"
            )
        };
        if !self.rules.is_empty() {
            head(f, "rule")?;
            for (name, row) in &self.rules {
                line(f, name, row)?;
            }
        }
        if !self.exceptions.is_empty() {
            head(f, "exception")?;
            for (name, row) in &self.exceptions {
                line(f, name, row)?;
                let exception = Exception::by_name(name).map(|exception| exception.source);
                let warning = || KNOWN_WARNINGS.iter().find(|entry| entry.name == *name);
                let source = exception.or_else(|| warning().map(|entry| entry.source));
                let source = source.expect("a row is of an exception, or of a known warning");
                writeln!(f, "{:<20} source: {source}", "")?;
            }
        }
        for failure in &self.failures {
            writeln!(f, "FAILED {failure}")?;
        }
        writeln!(
            f,
            "{} programs, {} bundles, {} files of operations; a pass refused a program {} times; {} findings",
            self.programs,
            self.bundles,
            self.files,
            self.refused,
            self.faults()
        )
    }
}
