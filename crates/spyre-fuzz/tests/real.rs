//! Programs of real numbers on the card with its formats, the same in every run of the tests.

use std::collections::BTreeMap;
use std::thread;

use spyre_fuzz::shapes::{Class, Outcome, class};
use spyre_fuzz::{Checks, Runner, VOCABULARY, real};
use spyre_generate::draw::{Size, real_program};

const SEED: u64 = 1;
/// The number of programs that `cargo xtask ci` runs.
const PROGRAMS: u64 = 1500;
/// The number of programs that `cargo test` runs, the first ones.
const FIRST: u64 = 150;
const THREADS: u64 = 2;

/// The counts of a run.
#[derive(Debug, Default)]
struct Counts {
    classes: BTreeMap<Class, u64>,
    /// Programs that pass, with a product of computed rows that end inside a stick.
    ragged: u64,
    /// Elements of results.
    elements: usize,
    /// Elements of results that have bounds.
    bounded: usize,
}

#[test]
fn results_of_the_first_programs_are_within_bounds() {
    results_are_within_bounds(FIRST);
}

#[test]
#[ignore = "a minute; `cargo xtask ci` runs it"]
fn results_are_within_bounds_of_their_meaning() {
    results_are_within_bounds(PROGRAMS);
}

fn results_are_within_bounds(programs: u64) {
    let all = thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|thread| scope.spawn(move || counts(thread, programs)))
            .collect();
        let joined = workers.into_iter().map(|worker| worker.join().unwrap());
        joined.fold(Counts::default(), |mut all, counts| {
            for (class, count) in counts.classes {
                *all.classes.entry(class).or_default() += count;
            }
            all.ragged += counts.ragged;
            all.elements += counts.elements;
            all.bounded += counts.bounded;
            all
        })
    });
    let count = |wanted: Outcome| {
        let classes = all.classes.iter();
        let classes = classes.filter(|(class, _)| class.outcome == wanted);
        classes.map(|(_, count)| *count).sum::<u64>()
    };
    assert_eq!(
        count(Outcome::Mismatch) + count(Outcome::Fault),
        0,
        "{all:#?}"
    );
    assert!(count(Outcome::Passed) * 10 >= programs * 6, "{all:#?}");
    assert!(count(Outcome::Refused) * 1000 <= programs * 40, "{all:#?}");
    // Most elements have bounds, and the ends of sticks are read.
    assert!(all.bounded * 10 >= all.elements * 7, "{all:#?}");
    assert!(all.ragged * 4 >= programs, "{all:#?}");
}

fn counts(thread: u64, programs: u64) -> Counts {
    let runner = Runner::new();
    let mut counts = Counts::default();
    for number in (0..programs).filter(|number| number / 2 % THREADS == thread) {
        let checks = Checks {
            plan: (number / 2).is_multiple_of(4),
            strict: true,
            ..Checks::default()
        };
        let program = real_program(&VOCABULARY, Size::default(), SEED, number);
        let outcome = real::run(&runner, &program, number, checks);
        let class = class(&outcome.verdict);
        if class.outcome == Outcome::Passed {
            counts.ragged += u64::from(program.has_ragged_product());
            counts.elements += outcome.elements;
            counts.bounded += outcome.bounded;
        }
        *counts.classes.entry(class).or_default() += 1;
    }
    counts
}
