//! The faults, before the proofs: what is one of addresses, slices, order or lifetimes is refuted with a witness.
//!
//! The bundle is proved against the program of its OpSpecs, damaged and not. `proofs.txt` has a line for each damage:
//! its name, its kind and the answer. A damage is named by its rule and its number among the damages of the rule. With
//! `SPYRE_BLESS=1` the answers are rewritten, and a damage without a line has the kind `?`, which is none.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use spyre_bundle_files::Directory;
use spyre_isl::Context;
use spyre_proof::claim::Report;
use spyre_proof::files::{FilesError, prove_files};
use spyre_verify::Revision;

use super::contract;
use super::program::program;
use super::support::{Base, Bundle, Edit, cases, copy};

/// Operations of the solver for all claims about a bundle.
const BUDGET: u64 = 200_000;

/// The kinds of damages that claims of the proofs are about.
const CLAIMED: [&str; 4] = ["addresses", "slices", "order", "lifetimes"];

/// The kinds of the others, which the table explains.
const OTHERS: [&str; 6] = [
    "redundant",
    "unmodelled",
    "text",
    "form",
    "function",
    "target",
];

/// A damage: its name, the bundle, the revision that it is written in, and the changes.
struct Damage {
    name: String,
    bundle: Base,
    revision: Revision,
    edits: Vec<Edit>,
}

fn damages() -> Vec<Damage> {
    let of_rules = cases().into_iter().map(|case| {
        let rule = format!("VB{}", case.rule);
        (rule, Base::from(case.bundle), Revision::R3, case.edits)
    });
    let of_contract = contract::cases().into_iter().map(|case| {
        let rule = case.rule().to_owned();
        (rule, case.bundle, Revision::V1, case.edits)
    });
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let all = of_rules.chain(of_contract);
    let named = all.map(|(rule, bundle, revision, edits)| {
        let number = numbers.entry(rule.clone()).or_default();
        *number += 1;
        Damage {
            name: format!("{rule}.{number}"),
            bundle,
            revision,
            edits,
        }
    });
    named.collect()
}

fn proof(bundle: Base, directory: &Path) -> Result<Report, FilesError> {
    let (nodes, _) = bundle.nodes();
    prove_files(
        &Context::new(BUDGET),
        &program(&nodes),
        &Directory(directory),
    )
}

/// Returns the answer about a bundle in one line: the first claim that does not hold, else the first one without an
/// answer.
fn answer(bundle: Base, directory: &Path) -> String {
    let report = match proof(bundle, directory) {
        Ok(report) => report,
        Err(error) => return format!("unreadable: {error}"),
    };
    if let Some((finding, witness)) = report.refuted().next() {
        let (subject, message, values) = (&finding.subject, &witness.message, witness.values());
        let values = match &values[..] {
            "" => String::new(),
            values => format!(" ({values})"),
        };
        return format!("refuted: {}: {subject}: {message}{values}", finding.claim);
    }
    if let Some((finding, reason)) = report.unknown().next() {
        return format!("not decided: {}: {reason}", finding.subject);
    }
    assert!(report.is_proved());
    format!("proved: {} claims", report.findings.len())
}

fn table() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/proofs.txt")
}

#[test]
fn every_damage_of_addresses_is_refuted() {
    let text = fs::read_to_string(table()).unwrap_or_default();
    let mut kinds: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut cells = line.splitn(3, " | ");
        let (Some(name), Some(kind), Some(answer)) = (cells.next(), cells.next(), cells.next())
        else {
            panic!("`{line}` is not `NAME | KIND | ANSWER`");
        };
        assert!(
            kinds.insert(name, (kind, answer)).is_none(),
            "{name} occurs twice"
        );
    }
    let (mut lines, mut wrong) = (Vec::new(), Vec::new());
    for damage in damages() {
        let directory = copy(damage.bundle, damage.revision);
        for edit in &damage.edits {
            edit.apply(directory.path());
        }
        let answer = answer(damage.bundle, directory.path());
        let answer = answer.replace(&directory.path().display().to_string(), "DIR");
        let name = &damage.name[..];
        let (kind, expected) = kinds.remove(name).unwrap_or(("?", ""));
        if answer != expected {
            wrong.push(format!("{name}: {answer}\n  and not {expected}"));
        }
        if CLAIMED.contains(&kind) && !answer.starts_with("refuted: ") {
            wrong.push(format!(
                "{name} is one of {kind}, and is not refuted: {answer}"
            ));
        } else if !CLAIMED.contains(&kind) && !OTHERS.contains(&kind) {
            wrong.push(format!(
                "{name}: '{kind}' is none of {CLAIMED:?} and {OTHERS:?}"
            ));
        }
        lines.push(format!("{name} | {kind} | {answer}"));
    }
    wrong.extend(kinds.keys().map(|name| format!("{name} is no damage")));
    if env::var_os("SPYRE_BLESS").is_some_and(|value| value == "1") {
        let head = text
            .lines()
            .filter(|line| line.starts_with('#'))
            .map(str::to_owned);
        let all: Vec<String> = head.chain(lines).collect();
        fs::write(table(), all.join("\n") + "\n").expect("written");
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The bundles that the proofs do not decide, and the reasons.
const UNDECIDED: [(&str, &str); 7] = [
    ("Built(FinishedRelayout)", "a change of the cores"),
    ("Built(SharedRelayout)", "a change of the cores"),
    ("Program(Shuffle)", "a change of the cores"),
    ("Built(Fp8Product)", "sticks along several dimensions"),
    // The OpSpec has one element for two moments.
    ("Built(Normalisation)", "the padding along 'mb'"),
    ("Program(Sizes)", "dimToSymbolMapping_"),
    ("Program(DividedSizes)", "dimToSymbolMapping_"),
];

/// An answer about a damaged bundle is worth nothing where the whole one is refuted.
#[test]
fn whole_bundles_are_proved() {
    let bundles = damages()
        .into_iter()
        .filter(|damage| !damage.edits.is_empty());
    let bundles = bundles.map(|damage| (damage.bundle, damage.revision));
    let divided = (Base::from(Bundle::DividedSizes), Revision::V1);
    let all: BTreeMap<String, (Base, Revision)> = bundles
        .chain([divided])
        .map(|(bundle, revision)| (format!("{bundle:?} of {revision}"), (bundle, revision)))
        .collect();
    let mut wrong = Vec::new();
    for (name, (bundle, revision)) in &all {
        let directory = copy(*bundle, *revision);
        let answer = answer(*bundle, directory.path());
        let undecided = UNDECIDED.iter().find(|(of, _)| name.starts_with(of));
        let is_expected = match undecided {
            Some((_, reason)) => answer.starts_with("not decided: ") && answer.contains(reason),
            None => answer.starts_with("proved: "),
        };
        if !is_expected {
            wrong.push(format!("{name}: {answer}"));
        }
    }
    assert!(all.len() > 20, "{all:?}");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
