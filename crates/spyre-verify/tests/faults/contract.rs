//! Faults against the published contract: each is put into a bundle that keeps it, and found by its rule.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use spyre_verify::{Options, Revision, verify_with};

use super::bundles::Built;
use super::support::{Base, Bundle, Edit, check, copy, messages};

/// A class of damages, one of them, and its messages.
#[derive(Debug, Deserialize)]
pub(crate) struct Case {
    /// The rule, and the damage.
    class: String,
    /// The bundle that is changed.
    pub bundle: Base,
    /// The edits; empty for a bundle that is wrong as it is written.
    #[serde(default)]
    pub edits: Vec<Edit>,
    /// All messages, in order.
    messages: Vec<String>,
}

impl Case {
    /// Returns the rule: `K8`.
    pub(crate) fn rule(&self) -> &str {
        self.class.split(':').next().expect("a rule")
    }
}

pub(crate) fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("contract.json")).expect("cases")
}

/// Returns whether a message names a rule.
fn names(message: &str, rule: &str) -> bool {
    let list = message
        .rsplit_once(" [")
        .map(|(_, rest)| rest.split(']').next());
    let list = list.flatten().unwrap_or_default();
    list.split(", ").any(|name| name == rule)
}

#[test]
fn bundles_that_keep_the_contract_are_clean() {
    for built in Built::CLEAN {
        let files = Base::Built(*built).files(Revision::V1);
        let report = verify_with(&files, &Options::default());
        assert_eq!(messages(&report, Path::new("DIR")), [""; 0], "{built:?}");
    }
}

#[test]
fn every_damage_is_found() {
    let mut wrong = String::new();
    for case in cases() {
        let directory = copy(case.bundle, Revision::V1);
        for edit in &case.edits {
            edit.apply(directory.path());
        }
        let (_, messages) = check(directory.path(), Revision::V1);
        if messages != case.messages || !messages.iter().any(|message| names(message, case.rule()))
        {
            let messages = serde_json::to_string(&messages).expect("JSON");
            writeln!(wrong, "{}\t{messages}", case.class).expect("written");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// The rules of the contract that a file or `bundle.mlir` shows.
const RULES: &str = "K3 K4 K4a K5 K6 K7 K8 K9 K10 K11 K12 K16 K20 K21 K22 K23 K24 K25 K26 K27 K28 K29 K30 K31 K32 K35 K36 K37 K38 K39 \
                     K40 K41 K42 K43 K44 K45 K46 K47 K48 K49 K50 K51 K52 K54 K55 K56 K57 K58 K59 K60 K61 K62 K63 K64 K65 K66 K67 K68 K70 \
                     K78";

#[test]
fn every_class_has_a_damage() {
    let cases = cases();
    let rules: BTreeSet<&str> = cases.iter().map(Case::rule).collect();
    let missing: Vec<&str> = RULES
        .split_whitespace()
        .filter(|rule| !rules.contains(rule))
        .collect();
    assert!(missing.is_empty(), "no damage of {missing:?}");
    let classes: BTreeSet<&str> = cases.iter().map(|case| case.class.as_str()).collect();
    assert_eq!(classes.len(), cases.len(), "a class occurs twice");
    assert!(classes.len() >= 46, "{} classes", classes.len());
}

#[test]
fn exceptions_allow_what_they_name() {
    for (built, exception) in [
        (Built::WideRoot, "fp32-roots"),
        (Built::Integers, "int32-arithmetic"),
        (Built::Doubtful, "product-reduction"),
    ] {
        let files = Base::Built(built).files(Revision::V1);
        assert!(
            !verify_with(&files, &Options::default()).is_right(),
            "{exception}"
        );
        let options = Options::default()
            .allowing(exception)
            .expect("an exception");
        let report = verify_with(&files, &options);
        assert_eq!(messages(&report, Path::new("DIR")), [""; 0], "{exception}");
    }
}

#[test]
fn recordings_do_not_know_the_contract() {
    for case in cases() {
        let files = case.bundle.files(Revision::R3);
        let report = verify_with(&files, &Options::of_revision(Revision::R3));
        for message in messages(&report, Path::new("DIR")) {
            assert!(!message.contains("[K"), "{}: {message}", case.class);
        }
    }
}

/// Parts of cores that are separate tensors may be anywhere (K62).
#[test]
fn tensors_of_cores_may_be_apart() {
    let directory = copy(Bundle::Loops, Revision::V1);
    let moved = |path: &Path| check(path, Revision::V1).1;
    let offset = |value: u64| format!("%arg_0_core_offset_2048 = arith.constant {value} : index");
    let edit = |file: &str, from: String, to: String| {
        Edit::First(file.to_owned(), from, to).apply(directory.path());
    };
    edit("bundle.mlir", offset(2048), offset(3072));
    let messages = moved(directory.path());
    assert!(
        messages.iter().any(|message| names(message, "VB30")),
        "{messages:?}"
    );
    let symbolic = "\"isStartAddrSymbolic_\": 1,";
    let independent = format!("{symbolic}\n\"nonUnifiedAllocInHBM_\": true,");
    edit("sdsc_0.json", symbolic.to_owned(), independent);
    assert_eq!(moved(directory.path()), [""; 0]);
}

/// Returns the numbers that follow a text in another one.
fn numbers<'t>(text: &'t str, before: &str) -> impl Iterator<Item = &'t str> {
    let pieces: Vec<&str> = text.split(before).skip(1).collect();
    pieces.into_iter().map(|piece| {
        let end = piece.find(|letter: char| !letter.is_ascii_digit());
        &piece[..end.unwrap_or(piece.len())]
    })
}

#[test]
fn every_rule_has_an_entry() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| fs::read_to_string(root.join(path)).expect("a file");
    let page = read("../../docs/Contract.md");
    let rows: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("* **K"))
        .map(|line| line.split("**").next().expect("a number"))
        .collect();
    let expected: Vec<String> = (1..=78)
        .flat_map(|number: u32| match number {
            4 | 68 => vec![number.to_string(), format!("{number}a")],
            _ => vec![number.to_string()],
        })
        .collect();
    assert_eq!(rows, expected);
    let (contract, shared) = (read("src/rules/contract.rs"), read("src/rules.rs"));
    let rules: BTreeSet<&str> = ["= error(", "= warning(", "= part(", "..error(", "Name::K("]
        .into_iter()
        .flat_map(|before| numbers(&contract, before))
        .chain(numbers(&shared, ".of_contract("))
        .filter(|number| !number.is_empty())
        .collect();
    assert!(rules.len() > 50, "{rules:?}");
    let cases = cases();
    for rule in rules {
        assert!(rows.contains(&rule), "K{rule} has no entry");
        let name = format!("K{rule}");
        let has_damage = |case: &Case| case.messages.iter().any(|message| names(message, &name));
        assert!(cases.iter().any(has_damage), "{name} has no damage");
    }
}
