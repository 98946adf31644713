//! Programs that are drawn from shapes ([`spyre_generate`]), at every level.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use spyre_exec::random::{self, Distribution};
use spyre_exec::{Array, DType, TensorType};
use spyre_generate::{Element, NodeKind, Program, shrink};

use crate::admission;
use crate::case::{Checks, Runner, Subject, Verdict};
use crate::kind::normalized;

/// Largest number of programs that are tried to make one smaller.
const MOST_TRIES: usize = 300;

/// The way a program ended, without the parts that differ from program to program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class {
    /// The outcome of the program.
    pub outcome: Outcome,
    /// The phase, and the message without its numbers.
    pub message: String,
}

/// The outcome of a program, without details.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// The program computes the same at every level.
    Passed,
    /// The contract of the card does not have an operation of the program, so there is no bundle (K4, K70).
    NotAdmitted,
    /// A pass refused the program for another reason.
    Refused,
    /// The program has other results at one level.
    Mismatch,
    /// Other failures: a fault of the simulated card, invalid IR, a panic.
    Fault,
}

impl Outcome {
    /// All outcomes.
    pub const ALL: [Self; 5] = [
        Self::Passed,
        Self::NotAdmitted,
        Self::Refused,
        Self::Mismatch,
        Self::Fault,
    ];
}

/// Returns the class of a verdict.
#[must_use]
pub fn class(verdict: &Verdict) -> Class {
    match verdict {
        Verdict::Passed { .. } => Class {
            outcome: Outcome::Passed,
            message: String::new(),
        },
        Verdict::Refused { phase, message } => Class {
            outcome: match admission::is_refused(message) {
                true => Outcome::NotAdmitted,
                false => Outcome::Refused,
            },
            message: format!("{phase:?}: {}", normalized(message)),
        },
        Verdict::Failed(failure) => {
            let phase = failure.phase;
            let differs = matches!(failure.kind.as_str(), "differs" | "NaN");
            // Messages of differences have only numbers, and reports of the card have their kind.
            let message = match failure.kind.as_str() {
                "a pass made invalid IR"
                | "panic"
                | "not simulated"
                | "not interpreted"
                | "interface"
                | "files"
                | "refused" => format!(": {}", normalized(&failure.message)),
                _ => String::new(),
            };
            Class {
                outcome: if differs {
                    Outcome::Mismatch
                } else {
                    Outcome::Fault
                },
                message: format!("{phase:?}: {}{message}", failure.kind),
            }
        }
    }
}

/// Returns the inputs of a program, from a seed.
///
/// # Panics
/// The inputs do not fit into memory.
#[must_use]
pub fn inputs(program: &Program, seed: u64) -> Vec<Array> {
    let limit = |bound: u64| u32::try_from(bound).unwrap_or(u32::MAX);
    let make = |(stream, (_, node)): (u64, (usize, &spyre_generate::Node))| {
        let element = match node.tensor.element {
            Element::F16 => DType::F16,
            Element::Bf16 => DType::Bf16,
            Element::F32 => DType::F32,
            Element::I8 => DType::I8,
            Element::I32 => DType::I32,
            Element::I64 => DType::I64,
            Element::Bool => DType::Bool,
        };
        let shape = node
            .tensor
            .shape
            .iter()
            .map(|extent| *extent as usize)
            .collect();
        let ty = TensorType { element, shape };
        let distribution = match (&node.kind, node.bound) {
            (NodeKind::Input(Some(rows)), _) => Distribution::Indices(limit(*rows)),
            (_, Some(bound)) => Distribution::Integers(limit(bound)),
            (_, None) if program.special_values => Distribution::WithSpecialValues,
            (_, None) => Distribution::Plain,
        };
        random::tensor(&ty, distribution, seed, stream).expect("small tensors fit into memory")
    };
    (0..).zip(program.inputs()).map(make).collect()
}

/// Runs a program at every level, on inputs from a seed.
#[must_use]
pub fn run(runner: &Runner, program: &Program, seed: u64, checks: Checks) -> Verdict {
    let checks = checks_of(program, checks);
    let subject = Subject {
        untiled: program.to_mlir(false),
        hinted: program.to_mlir(program.has_hints()),
        inputs: inputs(program, seed),
        is_approximate: program.is_approximate(),
        has_first_revision: !program
            .nodes
            .iter()
            .any(|node| matches!(node.kind, NodeKind::TopK(_, _, 1))),
    };
    runner.run_subject(&subject, checks)
}

/// Returns the checks that a program admits: a part of a tensor that a tile has written may never be read, which is a
/// warning of the card.
#[must_use]
pub(crate) fn checks_of(program: &Program, checks: Checks) -> Checks {
    let reads_parts = program.nodes.iter().any(|node| {
        matches!(
            node.kind,
            NodeKind::Insert(..)
                | NodeKind::Extract(..)
                | NodeKind::Gather(_)
                | NodeKind::Loop(..)
                | NodeKind::Exchange(..)
                | NodeKind::Join { .. }
        )
    });
    Checks {
        strict: checks.strict && !reads_parts,
        ..checks
    }
}

/// Reduces a program as long as its outcome is of the same class.
#[must_use]
pub fn minimize(program: &Program, class: &Class, run: impl Fn(&Program) -> Verdict) -> Program {
    let mut minimal = program.clone();
    let mut tried = BTreeSet::new();
    loop {
        let mut candidates = shrink::smaller(&minimal);
        candidates.sort_by_key(|program| program.nodes.len());
        let next = candidates.into_iter().find(|program| {
            tried.len() < MOST_TRIES
                && tried.insert(program.to_string())
                && self::class(&run(program)) == *class
        });
        match next {
            Some(next) => minimal = next,
            None => return minimal,
        }
    }
}

/// Returns the file of a program that ended in a class.
#[must_use]
pub fn file(program: &Program, class: &Class, verdict: &Verdict, command: &str) -> String {
    let mut text = format!(
        "// {:?}, {}\n// Made smaller from: {command}\n",
        class.outcome, class.message
    );
    let said = match verdict {
        Verdict::Passed { .. } => "",
        Verdict::Refused { message, .. } => message,
        Verdict::Failed(failure) => &failure.message,
    };
    for line in said.lines().take(12) {
        writeln!(text, "// {line}").expect("a string takes all that is written");
    }
    text + &program.to_mlir(program.has_hints())
}
