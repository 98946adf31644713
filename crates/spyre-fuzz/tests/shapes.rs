//! Programs and graphs that are drawn from shapes, the same in every run of the tests.

use std::collections::BTreeMap;
use std::thread;

use spyre_fuzz::graphs::{Agreement, Judge};
use spyre_fuzz::shapes::{Class, Outcome, class, run};
use spyre_fuzz::{Checks, Runner, VOCABULARY, Verdict};
use spyre_generate::draw::{Size, program};
use spyre_generate::graph::{Family, graph};

const SEED: u64 = 1;
/// The programs that `cargo xtask ci` runs, and the first of them, which every run of the tests does.
const PROGRAMS: u64 = 1500;
const FIRST: u64 = 150;
const THREADS: u64 = 2;

/// Most programs of a thousand that do not pass: that have operations the contract lacks, that are refused, that compute something else, and that fail otherwise.
const MOST: [(Outcome, u64); 4] = [
    // Integers, products and changes of sticks of f32.
    (Outcome::NotAdmitted, 400),
    // Views that need a copy to other sticks, which the card lacks for f32.
    (Outcome::Refused, 15),
    (Outcome::Mismatch, 0),
    (Outcome::Fault, 0),
];

/// The graphs of each family, and the first of them.
const GRAPHS: u64 = 20;
const FIRST_GRAPHS: u64 = 4;

#[test]
fn first_programs_compute_the_same_at_every_level() {
    compute_the_same(FIRST);
}

#[test]
#[ignore = "minutes; `cargo xtask ci` runs it"]
fn programs_compute_the_same_at_every_level() {
    compute_the_same(PROGRAMS);
}

fn compute_the_same(programs: u64) {
    let (class_counts, relayouts) = thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|thread| scope.spawn(move || classes(thread, programs)))
            .collect();
        let joined = workers.into_iter().map(|worker| worker.join().unwrap());
        joined.fold(
            (BTreeMap::new(), 0),
            |(mut all, relayouts): (BTreeMap<Class, u64>, u64), (classes, more)| {
                for (class, count) in classes {
                    *all.entry(class).or_default() += count;
                }
                (all, relayouts + more)
            },
        )
    });
    assert_eq!(class_counts.values().sum::<u64>(), programs);
    assert!(relayouts * 100 >= programs, "{relayouts} with relayouts");
    for (outcome, most) in MOST {
        let classes: Vec<_> = class_counts
            .iter()
            .filter(|(class, _)| class.outcome == outcome)
            .collect();
        let count: u64 = classes.iter().map(|(_, count)| **count).sum();
        assert!(
            count * 1000 <= most * programs,
            "{outcome:?}: {count}\n{classes:#?}"
        );
    }
}

/// Returns how a thread's programs ended, and how many of them have relayouts.
fn classes(thread: u64, programs: u64) -> (BTreeMap<Class, u64>, u64) {
    let runner = Runner::new();
    let mut classes = BTreeMap::new();
    let mut relayouts = 0;
    for number in (0..programs).filter(|number| number / 2 % THREADS == thread) {
        let checks = Checks {
            compile: (number / 2).is_multiple_of(32),
            plan: (number / 2).is_multiple_of(4),
            strict: true,
            ..Checks::default()
        };
        let program = program(&VOCABULARY, Size::default(), SEED, number);
        let verdict = run(&runner, &program, number, checks);
        relayouts += u64::from(matches!(verdict, Verdict::Passed { relayouts: 1.., .. }));
        *classes.entry(class(&verdict)).or_default() += 1;
    }
    (classes, relayouts)
}

#[test]
fn layouts_of_the_first_graphs_are_chosen_where_there_is_a_bundle() {
    layouts_are_chosen(FIRST_GRAPHS);
}

#[test]
#[ignore = "minutes; `cargo xtask ci` runs it"]
fn layouts_are_chosen_where_there_is_a_bundle() {
    layouts_are_chosen(GRAPHS);
}

fn layouts_are_chosen(graphs: u64) {
    let judge = Judge::new();
    for family in [Family::Views, Family::Permutes] {
        let agreements: Vec<Agreement> = (0..graphs)
            .map(|number| judge.judge(&graph(&VOCABULARY, family, SEED, number)))
            .collect();
        let is_other = |agreement: &&Agreement| **agreement != Agreement::Accepted;
        let others: Vec<&Agreement> = agreements.iter().filter(is_other).collect();
        assert!(others.is_empty(), "{family:?}: {others:#?}");
    }
}
