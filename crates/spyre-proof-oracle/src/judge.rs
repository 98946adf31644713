//! Compares the answers of a proof with those of the execution.

use spyre_proof::claim::{Claim, Report, Verdict, Witness};
use spyre_proof::program::{Program, Site, StatementId};

use crate::compare::{Comparison, is_cause};
use crate::machine::Instance;
use crate::memory::{Fault, Wrong};

/// The answer of a report as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Answer {
    /// Every claim is proved.
    Proved,
    /// A claim is refuted.
    Refuted,
    /// No claim is refuted, and one is not decided.
    Unknown,
}

/// Returns the answer of the claims of some numbers.
#[must_use]
pub fn answer(report: &Report, claims: &[Claim]) -> Answer {
    let mut answer = Answer::Proved;
    for finding in &report.findings {
        if !claims.contains(&finding.claim) {
            continue;
        }
        match finding.verdict {
            Verdict::Refuted(_) => return Answer::Refuted,
            Verdict::Unknown(_) => answer = Answer::Unknown,
            Verdict::Proved(_) => {}
        }
    }
    answer
}

/// A contradiction of a proof and the execution.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// Its kind, to count: the same for equal faults of a prover.
    pub kind: String,
    /// The finding of the proof and the answer of the execution.
    pub text: String,
}

fn disagreement(kind: impl Into<String>, text: impl Into<String>) -> Disagreement {
    Disagreement {
        kind: kind.into(),
        text: text.into(),
    }
}

/// Returns a kind with the message of the first refutation, without its numbers.
fn with_message(kind: &str, report: &Report, claims: &[Claim]) -> String {
    let mut refuted = report.refuted();
    let first = refuted.find(|(finding, _)| claims.contains(&finding.claim));
    let Some((finding, witness)) = first else {
        return kind.to_owned();
    };
    let message = without_numbers(&witness.message);
    format!("{kind}: {} {}: {message}", finding.claim, finding.subject)
}

fn without_numbers(message: &str) -> String {
    let message = message.chars();
    message.filter(|at| !at.is_ascii_digit()).collect()
}

fn of_site(program: &Program, site: Site) -> Option<StatementId> {
    let mut statements = program.statements.iter();
    let at = statements.position(|statement| statement.site == site)?;
    Some(StatementId::new(at))
}

/// Returns whether an instance is the one of a witness, as far as the witness says which it is.
fn is_witness(instance: &Instance, id: StatementId, witness: &Witness) -> bool {
    let kept = instance.point.len().min(witness.point.len());
    let counters = &instance.counters;
    instance.statement == id
        && witness
            .counters
            .iter()
            .all(|(id, counter)| counters.iter().all(|(at, of)| at != id || of == counter))
        && instance.point[..kept] == witness.point[..kept]
}

/// Returns whether P1 is refuted wrongly: reads need an element that nothing has written, and windows that are written
/// twice a program that differs.
fn is_wrong_coverage(report: &Report, compared: &Comparison) -> bool {
    let mut refuted = report.refuted();
    let is_read = refuted.any(|(finding, _)| {
        finding.claim == Claim::Coverage && !finding.subject.starts_with("windows")
    });
    compared.is_covered() && (is_read || compared.is_same())
}

/// Compares the claims P1 and P2 of a program with its execution and that of the program before it.
#[must_use]
pub fn of_rewrite(after: &Program, report: &Report, compared: &Comparison) -> Vec<Disagreement> {
    let mut found = Vec::new();
    match answer(report, &[Claim::Coverage]) {
        Answer::Proved if compared.is_read_undefined(after) => {
            let text = format!(
                "{:?} {:?}",
                compared.undefined.first(),
                compared.undefined_results
            );
            found.push(disagreement("P1 proved, undefined is read", text));
        }
        Answer::Refuted if is_wrong_coverage(report, compared) => {
            let kind = with_message("P1 refuted, all is written", report, &[Claim::Coverage]);
            found.push(disagreement(kind, refutations(report, Claim::Coverage)));
        }
        _ => {}
    }
    match answer(report, &[Claim::Correspondence]) {
        Answer::Proved if !compared.other_values.is_empty() => {
            found.push(disagreement(
                "P2 proved, results differ",
                compared.text.clone(),
            ));
        }
        Answer::Refuted if compared.is_covered() && compared.other_terms.is_empty() => {
            let text = refutations(report, Claim::Correspondence);
            let kind = with_message(
                "P2 refuted, nothing differs",
                report,
                &[Claim::Correspondence],
            );
            found.push(disagreement(kind, text));
        }
        _ => {}
    }
    let is_proved = answer(report, &[Claim::Correspondence]) == Answer::Proved;
    for finding in &report.findings {
        let Some(id) = of_site(after, finding.site) else {
            continue;
        };
        let differs = |instances: &[Instance]| instances.iter().any(|at| at.statement == id);
        match (&finding.verdict, finding.claim) {
            // What a loop carries is equal by hypothesis, so one answer holds only if all do.
            (Verdict::Proved(_), Claim::Correspondence)
                if is_proved && differs(&compared.other_point_values) =>
            {
                let text = format!("{finding:?}\n{}", compared.text);
                found.push(disagreement("P2 proved of an operation that differs", text));
            }
            (Verdict::Refuted(witness), Claim::Correspondence) if !compared.is_same() => {
                // In a loop of both programs, the number of the same point in the same iteration is the one before.
                let mut all = compared
                    .other_points
                    .iter()
                    .chain(&compared.other_instances);
                // An operation that undoes another one has the number of an earlier point, and none before does what
                // it does; a part of a sum is right where the rest is added. The results tell whether it is wrong.
                let is_cause = || {
                    let mut candidates = compared.replaceable.iter();
                    candidates
                        .any(|at| is_witness(at, id, witness) && is_cause(after, &[], compared, at))
                };
                // Results have elements, and an operation may be blamed that reads a part.
                if !finding.subject.starts_with("result")
                    && !all.any(|at| is_witness(at, id, witness))
                    && !is_cause()
                {
                    let text = format!("{finding:?}\n{}", compared.text);
                    let message = without_numbers(&witness.message);
                    found.push(disagreement(format!("P2 witness: {message}"), text));
                }
            }
            (Verdict::Refuted(witness), Claim::Coverage) if !compared.is_covered() => {
                let mut all = compared.undefined.iter();
                if !finding.subject.starts_with("result")
                    && !all.any(|(at, _)| is_witness(at, id, witness))
                {
                    found.push(disagreement("P1 witness", format!("{finding:?}")));
                }
            }
            _ => {}
        }
    }
    found
}

fn refutations(report: &Report, claim: Claim) -> String {
    let refuted = report
        .refuted()
        .filter(|(finding, _)| finding.claim == claim);
    let lines: Vec<_> = refuted
        .map(|(finding, witness)| {
            format!(
                "{} site {} {}: {} ({})",
                finding.claim,
                finding.site.index(),
                finding.subject,
                witness.message,
                witness.values()
            )
        })
        .collect();
    lines.join("\n")
}

/// Compares the claims P3 and P4 of a program with its execution in memory. Reads of what nothing has written are P1.
#[must_use]
pub fn of_places(program: &Program, report: &Report, faults: &[Fault]) -> Vec<Disagreement> {
    let mut found = Vec::new();
    let claims = [Claim::Order, Claim::Place];
    let all = claims.map(|claim| refutations(report, claim)).join("\n");
    match answer(report, &claims) {
        Answer::Proved => {
            let lost = faults.iter().find(|fault| !fault.wrong.is_harmless());
            if let Some(fault) = lost {
                let kind = format!("P3, P4 proved, an element is lost: {:?}", fault.wrong);
                found.push(disagreement(kind, format!("{fault:?}")));
            }
        }
        Answer::Refuted if faults.is_empty() => {
            let kind = with_message("P3, P4 refuted, nothing is lost", report, &claims);
            found.push(disagreement(kind, all));
        }
        Answer::Refuted | Answer::Unknown => {}
    }
    if faults.is_empty() {
        return found;
    }
    for (finding, witness) in report.refuted() {
        let Some(id) = of_site(program, finding.site) else {
            continue;
        };
        // Results of the function, and tensors that a loop carries, are claims of their own.
        let subjects = ["result", "returned", "carried"];
        let mut subjects = subjects.iter();
        let is_result = subjects.any(|subject| finding.subject.starts_with(subject));
        // A place that is wrong for all iterations and points needs none of them.
        let is_bare = witness.values().is_empty();
        let mut instances = faults.iter().filter_map(|fault| {
            let instance = fault.instance.as_ref()?;
            // A race has two cores: the report may name the one that reads.
            let is_core =
                fault.wrong == Wrong::Race || witness.core.is_none_or(|core| core == fault.core);
            is_core.then_some(instance)
        });
        if !instances.any(|at| at.statement == id) && !is_result && !is_bare {
            let text = format!("{finding:?}\n{:?}", faults[0]);
            let kind = format!("P3, P4 witness without a fault: {}", finding.claim);
            found.push(disagreement(kind, text));
        }
    }
    found
}
