//! The results of a check: findings, their places, and the number of claims that hold.

use std::fmt;

use melior::ir::Location;
use serde::Serialize;
use spyre_mlir_rt::diagnostic::{self, Diagnostic, file_line_column};
use spyre_proof::claim::{Reason, Verdict, Witness};

use crate::rules::{Rule, Severity, UNDECIDED};

/// A broken rule, or a claim that is not decided.
#[derive(Debug, Clone)]
pub struct Finding<'p> {
    /// The rule.
    pub rule: Rule,
    /// The operation that breaks it.
    pub location: Location<'p>,
    /// The way in which the rule is broken, with the numbers that conflict.
    pub message: String,
    /// The values of counters, cores and coordinates for which the rule is broken.
    pub witness: Option<Witness>,
    /// The other ends of the conflict.
    pub notes: Vec<(Location<'p>, String)>,
}

impl<'p> Finding<'p> {
    /// Returns the finding of a rule.
    pub(crate) fn new(rule: Rule, location: Location<'p>, message: impl Into<String>) -> Self {
        Self {
            rule,
            location,
            message: message.into(),
            witness: None,
            notes: Vec::new(),
        }
    }

    /// Adds a note at the other end of a conflict.
    pub(crate) fn note(mut self, location: Location<'p>, message: impl Into<String>) -> Self {
        self.notes.push((location, message.into()));
        self
    }

    /// Returns the message with the witness and the number of the rule.
    #[must_use]
    pub fn text(&self) -> String {
        let values = self.witness.as_ref().map(Witness::values);
        match values.filter(|values| !values.is_empty()) {
            Some(values) => format!("{}: {values} [{}]", self.message, self.rule),
            None => format!("{} [{}]", self.message, self.rule),
        }
    }

    /// Reports the finding as a diagnostic of MLIR.
    pub fn emit(&self) {
        let severity = match self.rule.severity {
            Severity::Error => diagnostic::Severity::Error,
            Severity::Warning => diagnostic::Severity::Warning,
            Severity::Remark => diagnostic::Severity::Remark,
        };
        let mut diagnostic = Diagnostic::new(severity, self.location, self.text());
        for (location, note) in &self.notes {
            diagnostic = diagnostic.note(*location, note.as_str());
        }
        diagnostic.emit();
    }
}

/// Whether the scheduler's own check takes a kernel.
#[derive(Debug, Clone, Serialize)]
pub struct Schedulable {
    /// The name of the kernel.
    pub kernel: String,
    /// Why the check refuses it; `None` if it does not.
    pub reason: Option<String>,
}

/// Writes `@name: schedulable-v1: yes`, or `no` and the reason.
impl fmt::Display for Schedulable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "@{}: schedulable-v1: ", self.kernel)?;
        match &self.reason {
            None => formatter.write_str("yes"),
            Some(reason) => write!(formatter, "no ({reason})"),
        }
    }
}

/// The findings in the kernels of a module, and their size.
#[derive(Debug, Clone, Default)]
pub struct Report<'p> {
    /// The findings, by kernel and rule.
    pub findings: Vec<Finding<'p>>,
    /// Number of kernels.
    pub kernels: usize,
    /// Number of views.
    pub views: usize,
    /// Number of loads and stores.
    pub accesses: usize,
    /// Number of claims that hold for all cores, iterations and elements.
    pub proved: usize,
    /// Number of claims that are not decided.
    pub undecided: usize,
    /// Whether the scheduler takes each kernel, in the upstream flavour.
    pub schedulable: Vec<Schedulable>,
}

impl<'p> Report<'p> {
    /// Adds a finding.
    pub(crate) fn add(&mut self, finding: Finding<'p>) {
        self.findings.push(finding);
    }

    /// Adds the answer to a claim. `finding` is that of a claim that does not hold, without the witness and its
    /// message.
    pub(crate) fn decide(&mut self, finding: Finding<'p>, verdict: Verdict) {
        match verdict {
            Verdict::Proved(_) => self.proved += 1,
            Verdict::Refuted(witness) => {
                let message = match witness.message.is_empty() {
                    true => finding.message,
                    false => witness.message.clone(),
                };
                self.findings.push(Finding {
                    message,
                    witness: Some(*witness),
                    ..finding
                });
            }
            Verdict::Unknown(reason) => self.unknown(&finding, &reason),
        }
    }

    /// Adds a claim that is not decided.
    pub(crate) fn unknown(&mut self, finding: &Finding<'p>, reason: &Reason) {
        self.undecided += 1;
        let message = format!("not decided ({}): {reason}", finding.rule);
        let location = finding.location;
        self.findings
            .push(Finding::new(UNDECIDED, location, message));
    }

    /// Counts the findings of a severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        let findings = self.findings.iter();
        findings
            .filter(|finding| finding.rule.severity == severity)
            .count()
    }

    /// Returns whether no rule with the severity error is broken.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.count(Severity::Error) == 0
    }

    /// Formats the size and the number of claims: `1 kernel, 4 views, 4 accesses, 21 claims proved, 0 not decided, 0
    /// warnings`.
    #[must_use]
    pub fn summary(&self) -> String {
        let parts = [
            counted(self.kernels, "kernel"),
            counted(self.views, "view"),
            counted(self.accesses, "access"),
            format!("{} proved", counted(self.proved, "claim")),
            format!("{} not decided", self.undecided),
            counted(self.count(Severity::Warning), "warning"),
        ];
        parts.join(", ")
    }

    /// Formats the number of errors and warnings.
    #[must_use]
    pub fn errors(&self) -> String {
        let errors = counted(self.count(Severity::Error), "error");
        format!(
            "{errors}, {}",
            counted(self.count(Severity::Warning), "warning")
        )
    }

    /// Returns the report as JSON in one line, without its end. It calls the file `file`.
    ///
    /// # Panics
    /// Never: all keys are texts.
    #[must_use]
    pub fn json(&self, file: &str) -> String {
        let report = JsonReport {
            file,
            is_right: self.is_right(),
            errors: self.count(Severity::Error),
            warnings: self.count(Severity::Warning),
            proved: self.proved,
            undecided: self.undecided,
            schedulable_v1: &self.schedulable,
            findings: self.findings.iter().map(JsonFinding::new).collect(),
        };
        serde_json::to_string(&report).expect("all keys are texts")
    }
}

/// Returns a count and a noun in the plural unless the count is 1.
fn counted(count: usize, what: &str) -> String {
    let plural = match (count, what.ends_with('s')) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{count} {what}{plural}")
}

/// A report.
#[derive(Serialize)]
struct JsonReport<'r> {
    file: &'r str,
    is_right: bool,
    errors: usize,
    warnings: usize,
    proved: usize,
    undecided: usize,
    #[serde(skip_serializing_if = "<[Schedulable]>::is_empty")]
    schedulable_v1: &'r [Schedulable],
    findings: Vec<JsonFinding<'r>>,
}

#[derive(Serialize)]
struct JsonFinding<'r> {
    severity: String,
    rule: String,
    message: &'r str,
    location: Option<JsonPlace>,
    witness: Option<JsonWitness<'r>>,
    notes: Vec<Note<'r>>,
}

/// The values for which a rule is broken. `iteration` has the complete iterations of the loops, outermost first.
#[derive(Serialize)]
struct JsonWitness<'r> {
    extents: &'r [i64],
    iteration: Vec<i64>,
    core: Option<i64>,
    point: &'r [i64],
}

#[derive(Serialize)]
struct Note<'r> {
    message: &'r str,
    location: Option<JsonPlace>,
}

/// A place in a file. Lines and columns are from 1.
#[derive(Serialize)]
struct JsonPlace {
    file: String,
    line: usize,
    column: usize,
}

impl JsonPlace {
    fn of(location: Location<'_>) -> Option<Self> {
        let (file, line, column) = file_line_column(location)?;
        Some(Self { file, line, column })
    }
}

impl<'r> JsonFinding<'r> {
    fn new(finding: &'r Finding<'_>) -> Self {
        let witness = finding.witness.as_ref().map(|witness| JsonWitness {
            extents: &witness.params,
            iteration: witness.counters.iter().map(|(_, at)| *at).collect(),
            core: witness.core,
            point: &witness.point,
        });
        let notes = finding.notes.iter().map(|(location, message)| Note {
            message,
            location: JsonPlace::of(*location),
        });
        Self {
            severity: finding.rule.severity.to_string(),
            rule: finding.rule.to_string(),
            message: &finding.message,
            location: JsonPlace::of(finding.location),
            witness,
            notes: notes.collect(),
        }
    }
}
