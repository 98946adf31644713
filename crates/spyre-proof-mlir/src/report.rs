//! Findings as diagnostics at the operations that they are about.

use std::str::FromStr;

use melior::ir::operation::OperationLike;
use spyre_mlir_rt::diagnostic::{Diagnostic, Severity};
use spyre_mlir_rt::ir::{self, Op};
use spyre_proof::claim::{Assumption, Claim, Finding, Reason, Report, Verdict, Witness};

use crate::reader::{Sites, Unmodelled};

/// The page that explains claims, reasons and assumptions.
const PAGE: &str = "docs/Proofs.md";

/// What is done about claims that are not decided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Undecided {
    /// Each is an error.
    Error,
    /// Each is a remark, with its reason.
    #[default]
    Remark,
    /// They are counted in the summary.
    Ignore,
}

impl FromStr for Undecided {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "error" => Ok(Self::Error),
            "remark" => Ok(Self::Remark),
            "ignore" => Ok(Self::Ignore),
            _ => Err(format!("'{text}' is none of error, remark and ignore")),
        }
    }
}

/// The numbers of claims by their answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Claims that hold.
    pub proved: usize,
    /// Claims that do not hold.
    pub refuted: usize,
    /// Claims that are not decided.
    pub undecided: usize,
}

impl Counts {
    /// Returns the numbers of a report.
    #[must_use]
    pub fn of(report: &Report) -> Self {
        let refuted = report.refuted().count();
        let undecided = report.unknown().count();
        Self {
            proved: report.findings.len() - refuted - undecided,
            refuted,
            undecided,
        }
    }

    /// Adds other numbers.
    pub fn add(&mut self, other: Self) {
        self.proved += other.proved;
        self.refuted += other.refuted;
        self.undecided += other.undecided;
    }

    /// Returns whether a run fails: a claim does not hold, or is not decided where that is an error.
    #[must_use]
    pub fn is_failure(self, undecided: Undecided) -> bool {
        self.refuted > 0 || (self.undecided > 0 && undecided == Undecided::Error)
    }
}

/// The way in which findings are reported.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reporter<'r, 'p> {
    /// The name of the pass or tool, at the beginning of each message.
    pub name: &'r str,
    /// The operations of the program.
    pub sites: &'r Sites<'p>,
    /// The operations of the program before the passes.
    pub before: Option<&'r Sites<'p>>,
    /// What is done about claims that are not decided.
    pub undecided: Undecided,
    /// Whether remarks have the assumptions and the numbers of claims.
    pub has_summary: bool,
}

impl<'p> Reporter<'_, 'p> {
    /// Reports the findings about a function, and returns their numbers.
    pub(crate) fn report(&self, function: Op<'p>, report: &Report) -> Counts {
        for finding in &report.findings {
            match &finding.verdict {
                Verdict::Proved(_) => {}
                Verdict::Refuted(witness) => self.refuted(finding, witness),
                Verdict::Unknown(reason) => self.undecided(finding, reason),
            }
        }
        let counts = Counts::of(report);
        if self.has_summary {
            self.summary(function, report, counts);
        }
        counts
    }

    fn refuted(&self, finding: &Finding, witness: &Witness) {
        let values = witness.values();
        let values = match values.is_empty() {
            true => values,
            false => format!(" ({values})"),
        };
        let message = format!(
            "{}: {}: {}: {}{values}",
            self.name, finding.claim, finding.subject, witness.message
        );
        let location = self.sites.location(finding.site);
        let mut diagnostic = Diagnostic::error(location, message);
        for (site, note) in &witness.notes {
            diagnostic = diagnostic.note(self.sites.location(*site), note.as_str());
        }
        for (site, note) in &witness.before {
            let before = self.before.expect("only P2 is about the program before");
            diagnostic = diagnostic.note(before.location(*site), note.as_str());
        }
        diagnostic.emit();
    }

    fn undecided(&self, finding: &Finding, reason: &Reason) {
        let severity = match self.undecided {
            Undecided::Error => Severity::Error,
            Undecided::Remark => Severity::Remark,
            Undecided::Ignore => return,
        };
        let message = format!(
            "{}: {}: {} is not decided: {reason}",
            self.name, finding.claim, finding.subject
        );
        let location = self.sites.location(finding.site);
        let mut diagnostic = Diagnostic::new(severity, location, message);
        if let Reason::Follows(site) = reason {
            diagnostic =
                diagnostic.note(self.sites.location(*site), "that tensor is computed here");
        }
        diagnostic.emit();
    }

    fn summary(&self, function: Op<'p>, report: &Report, counts: Counts) {
        let assumptions: Vec<_> = report
            .assumptions
            .iter()
            .map(|it| assumption(*it))
            .collect();
        if !assumptions.is_empty() {
            let message = format!(
                "{}: assumes ({PAGE}): {}",
                self.name,
                assumptions.join("; ")
            );
            Diagnostic::remark(function.location(), message).emit();
        }
        let by_claim = Claim::ALL.into_iter().filter_map(|claim| {
            let findings = report.findings.iter();
            let count = findings.filter(|finding| finding.claim == claim).count();
            (count > 0).then(|| format!("{claim} {count}"))
        });
        let by_claim: Vec<String> = by_claim.collect();
        let reassociated = match report.reassociated {
            0 => String::new(),
            1 => "; 1 reduction combines its terms in another order".to_owned(),
            count => format!("; {count} reductions combine their terms in another order"),
        };
        let empty = match report.empty {
            0 => String::new(),
            count => format!("; {} never executed", counted(count, "operation")),
        };
        let message = format!(
            "{}: {}, {}{}: {} proved, {} refuted, {} not decided{reassociated}{empty}",
            self.name,
            counted(report.operations, "operation"),
            counted(report.findings.len(), "claim"),
            match by_claim.is_empty() {
                true => String::new(),
                false => format!(" ({})", by_claim.join(", ")),
            },
            counts.proved,
            counts.refuted,
            counts.undecided,
        );
        Diagnostic::remark(function.location(), message).emit();
    }
}

/// Reports that a function has no program, so that no claim about it is decided.
pub(crate) fn unmodelled(
    name: &str,
    claims: &[Claim],
    reason: &Unmodelled<'_>,
    undecided: Undecided,
) -> Counts {
    let claims: Vec<_> = claims.iter().map(ToString::to_string).collect();
    let message = format!(
        "{name}: {}: the function is not decided: {}",
        claims.join(", "),
        reason.message
    );
    let location = reason.op.location();
    match undecided {
        Undecided::Error => Diagnostic::error(location, message).emit(),
        Undecided::Remark => Diagnostic::remark(location, message).emit(),
        Undecided::Ignore => {}
    }
    Counts {
        undecided: claims.len(),
        ..Counts::default()
    }
}

/// Reports the extents for which two programs are compared, where passes have narrowed them (A10).
pub(crate) fn narrowed(name: &str, function: Op<'_>, ranges: &[String]) {
    let message = format!(
        "{name}: assumes ({PAGE}): A10, extents are those that both programs take: {}",
        ranges.join("; ")
    );
    Diagnostic::remark(function.location(), message).emit();
}

/// Reports that a claim does not hold for a function, which is therefore no program.
pub(crate) fn refused(name: &str, claim: Claim, fault: &Unmodelled<'_>) -> Counts {
    let message = format!("{name}: {claim}: {}", fault.message);
    Diagnostic::error(fault.op.location(), message).emit();
    Counts {
        refuted: 1,
        ..Counts::default()
    }
}

/// Returns a number of things as text.
pub(crate) fn counted(count: usize, of: &str) -> String {
    match count {
        1 => format!("1 {of}"),
        _ => format!("{count} {of}s"),
    }
}

/// Returns the name of a function.
pub(crate) fn symbol(function: Op<'_>) -> Option<String> {
    spyre_dialects::attr::string(ir::attribute(function, "sym_name")?)
}

/// Returns an assumption with its number.
const fn assumption(of: Assumption) -> &'static str {
    match of {
        Assumption::Sequential => "A1, executions run one after the other",
        Assumption::DisjointArguments => "A2, arguments and results do not overlap",
        Assumption::IndexingMaps => "A3, elements depend on the operands of indexing maps alone",
        Assumption::Reassociation => "A4, combiners of reductions are associative and commutative",
        Assumption::IndicesInside => "A5, indices of gathers are inside of their tables",
        Assumption::Granularity => "A6, dynamic extents are multiples of their granularities",
        Assumption::PartsOfCores => "A7, the card combines parts of one sum in device memory",
        Assumption::FiniteTerms => "A8, terms with a factor 0 are finite",
        Assumption::WholeBlocks => {
            "A9, cores and windows have whole blocks of 64 of a staggered tensor"
        }
    }
}
