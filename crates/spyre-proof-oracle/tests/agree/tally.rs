//! Counts of answers, and disagreements with the execution.

use std::collections::BTreeMap;

use spyre_isl::Context;
use spyre_proof::claim::{Claim, Report, Verdict};
use spyre_proof::places::prove_places;
use spyre_proof::program::Program;
use spyre_proof::rewrite::prove_rewrite;
use spyre_proof_oracle::case::LIMITS;
use spyre_proof_oracle::compare::compare;
use spyre_proof_oracle::judge::{Answer, Disagreement, answer, of_places, of_rewrite};
use spyre_proof_oracle::memory::faults;
use spyre_proof_oracle::shrink::shrunk;
use spyre_proof_oracle::text::Text;

use super::{BUDGET, FAULTS};

/// Programs that are tried to make one with a disagreement small.
const TRIALS: usize = 2000;

/// The start of kinds of disagreements about a loop of both programs that has another number of iterations in one.
pub(crate) const OTHER_COUNT: &str = "loops of another count: ";

/// The answers to the claims about programs, and disagreements.
#[derive(Default)]
pub(crate) struct Tally {
    /// The answers to all claims about programs of one kind.
    programs: BTreeMap<(&'static str, Answer), u64>,
    /// The answers to single claims.
    claims: BTreeMap<(Claim, Answer), u64>,
    reasons: BTreeMap<String, u64>,
    pub(crate) disagreements: BTreeMap<String, Kind>,
}

/// Disagreements of one kind.
#[derive(Debug)]
pub(crate) struct Kind {
    /// Their number.
    pub(crate) count: u64,
    /// The smallest programs that have one, by the number of their tensors: a program before and a rewrite, or a plan.
    programs: Vec<Program>,
    /// The seed, number and fault of the programs.
    title: String,
}

impl Tally {
    /// Compares the proof of a rewrite with its execution. The title has the kind of the programs.
    pub(crate) fn rewrite(
        &mut self,
        context: &Context,
        title: &str,
        before: &Program,
        after: &Program,
    ) {
        let what = if title.contains("mutant") {
            "mutant"
        } else {
            "rewrite"
        };
        self.compare(context, what, title, &[before, after]);
    }

    /// Compares the proof of a plan with its execution in memory.
    pub(crate) fn places(&mut self, context: &Context, title: &str, program: &Program) {
        let what = if title.contains("mutant") {
            "mutant of plan"
        } else {
            "plan"
        };
        self.compare(context, what, title, &[program]);
    }

    fn compare(
        &mut self,
        context: &Context,
        what: &'static str,
        title: &str,
        programs: &[&Program],
    ) {
        let (report, found) = compared(context, programs);
        self.add(what, &report, claims(programs.len()));
        for Disagreement { mut kind, .. } in found {
            if title.contains("mutant Trips of loops") {
                kind.insert_str(0, OTHER_COUNT);
            }
            println!("disagreement: {title}: {kind}");
            let of_kind = self.disagreements.entry(kind).or_insert_with(|| Kind {
                count: 0,
                programs: Vec::new(),
                title: String::new(),
            });
            of_kind.count += 1;
            let size = |programs: &[&Program]| {
                let programs = programs.iter();
                programs.map(|program| program.values.len()).sum::<usize>()
            };
            let smallest: Vec<_> = of_kind.programs.iter().collect();
            if smallest.is_empty() || size(programs) < size(&smallest) {
                of_kind.programs = programs.iter().map(|program| (*program).clone()).collect();
                title.clone_into(&mut of_kind.title);
            }
        }
    }

    fn add(&mut self, what: &'static str, report: &Report, claims: &[Claim]) {
        let answer = answer(report, claims);
        *self.programs.entry((what, answer)).or_insert(0) += 1;
        for finding in &report.findings {
            let answer = match finding.verdict {
                Verdict::Proved(_) => Answer::Proved,
                Verdict::Refuted(_) => Answer::Refuted,
                Verdict::Unknown(_) => Answer::Unknown,
            };
            *self.claims.entry((finding.claim, answer)).or_insert(0) += 1;
        }
        if answer == Answer::Unknown
            && let Some((finding, reason)) = report.unknown().next()
        {
            let reason = format!("{what} {}: {reason}", finding.claim);
            *self.reasons.entry(reason).or_insert(0) += 1;
        }
    }

    /// Returns the share of undecided answers, in thousandths.
    pub(crate) fn unknown(&self, what: &'static str) -> u64 {
        let of = |answer| self.programs.get(&(what, answer)).copied().unwrap_or(0);
        let [proved, refuted, unknown] = [Answer::Proved, Answer::Refuted, Answer::Unknown].map(of);
        unknown * 1000 / (proved + refuted + unknown).max(1)
    }

    /// Prints the counts, and each kind of disagreement with a small program.
    pub(crate) fn print(&self) {
        for ((what, answer), count) in &self.programs {
            println!("programs, {what}: {count} {answer:?}");
        }
        for ((claim, answer), count) in &self.claims {
            println!("claims, {claim}: {count} {answer:?}");
        }
        for (reason, count) in &self.reasons {
            println!("undecided, {reason}: {count}");
        }
        for (kind, of_kind) in &self.disagreements {
            println!("=== {kind}: {}\n{}", of_kind.count, of_kind.title);
            println!("{}", small(kind, &of_kind.programs));
        }
    }
}

fn claims(programs: usize) -> &'static [Claim] {
    match programs {
        1 => &[Claim::Order, Claim::Place],
        _ => &[Claim::Coverage, Claim::Correspondence],
    }
}

/// Returns the proof of a plan, or of a program after the program before it, and its disagreements with the execution.
fn compared(context: &Context, programs: &[&Program]) -> (Report, Vec<Disagreement>) {
    match programs {
        [before, after] => {
            let report = prove_rewrite(context, before, after);
            let found = of_rewrite(after, &report, &compare(before, after, &[]));
            (report, found)
        }
        [program] => {
            let limits = spyre_proof::places::Limits {
                scratchpad: LIMITS.scratchpad,
                pool: Some(LIMITS.pool),
                span: None,
                cores: 32,
            };
            let report = prove_places(context, program, &limits);
            let found = of_places(program, &report, &faults(program, &[], LIMITS, FAULTS));
            (report, found)
        }
        _ => unreachable!("a plan, or a program and the one before"),
    }
}

/// Returns the text of small programs that have a disagreement of a kind, and of the disagreement.
fn small(kind: &str, programs: &[Program]) -> String {
    let kind = kind.strip_prefix(OTHER_COUNT).unwrap_or(kind);
    let of_kind = |programs: &[Program]| {
        let programs: Vec<_> = programs.iter().collect();
        let (_, found) = compared(&Context::new(BUDGET), &programs);
        found.into_iter().find(|of| of.kind == kind)
    };
    let small = shrunk(programs, TRIALS, |programs| of_kind(programs).is_some());
    let mut text = of_kind(&small).map_or_else(String::new, |found| found.text);
    for program in &small {
        text += &format!("\n---\n{}", Text(program));
    }
    text
}
