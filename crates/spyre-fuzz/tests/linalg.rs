//! The same random programs of linalg in every run of the tests.

use std::thread;

use spyre_fuzz::admission::is_refused;
use spyre_fuzz::linalg::{Outcome, Runner};
use spyre_generate::linalg::{self, STEPS};

const SEED: u64 = 1;
/// The programs that `cargo xtask ci` runs, and the first of them, which every run of the tests does.
const PROGRAMS: u64 = 1500;
const FIRST: u64 = 150;
const THREADS: u64 = 2;

/// The percentage of programs that run wholly on the card, or would if its contract had their operations. It includes
/// views that need a copy to other sticks, which the card lacks for `f32` and integers. The others have integers, positions
/// or special numbers inside of bodies, which the host computes.
const ON_CARD: u64 = 82;

#[test]
fn first_programs_compute_the_same_on_the_card() {
    let counts = counted(FIRST);
    assert_eq!(counts[..OUTCOMES].iter().sum::<u64>(), FIRST);
}

#[test]
#[ignore = "minutes; `cargo xtask ci` runs it"]
fn programs_compute_the_same_on_the_card() {
    let [
        same,
        shared,
        refused,
        constant,
        not_admitted,
        again,
        argument,
        steps @ ..,
    ] = counted(PROGRAMS);
    assert_eq!(same + shared + refused + constant, PROGRAMS);
    println!(
        "{same} wholly on the card, {shared} in part, {not_admitted} of them by the contract, {refused} refused, \
         {constant} without a use of inputs; {again} return a result twice, {argument} an argument; steps: {steps:?}"
    );
    // The host runs operations that the contract lacks: integers, products and roots of `f32`, and changes of its
    // sticks.
    assert!(
        (same + not_admitted) * 100 >= ON_CARD * PROGRAMS,
        "{same} wholly on the card, {not_admitted} not admitted"
    );
    assert!(
        shared * 32 >= PROGRAMS,
        "only {shared} with a part on the host"
    );
    assert!(constant * 32 <= PROGRAMS, "{constant} use no input");
    assert!(again * 32 >= PROGRAMS, "only {again} with a result twice");
    assert!(
        argument * 32 >= PROGRAMS,
        "only {argument} with an argument as a result"
    );
    // The host runs operations without a legal layout.
    assert_eq!(refused, 0, "{refused} refused");
    for (step, count) in STEPS.iter().zip(steps) {
        // Counted in programs wholly on the card, which are less than half of all.
        assert!(count * 64 >= PROGRAMS, "only {count} with {step:?}");
    }
}

/// The number of outcomes, and of all counts before the steps.
const OUTCOMES: usize = 4;
const COUNTS: usize = OUTCOMES + 3;

/// Runs `programs` programs, and counts them as [`count`] does.
fn counted(programs: u64) -> [u64; COUNTS + STEPS.len()] {
    thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|thread| scope.spawn(move || count(thread, programs)))
            .collect();
        let counts = workers.into_iter().map(|worker| worker.join().unwrap());
        counts.fold([0; COUNTS + STEPS.len()], |sum, counts| {
            std::array::from_fn(|at| sum[at] + counts[at])
        })
    })
}

/// How many of a thread's programs ran wholly on the card, in part, were refused, and use no input; how many ran in
/// part by the contract, return a result twice, and return an argument; and how many of the first have each kind of
/// step.
fn count(thread: u64, programs: u64) -> [u64; COUNTS + STEPS.len()] {
    let mut runner = Runner::new();
    let mut counts = [0; COUNTS + STEPS.len()];
    for (at, number) in (0..programs)
        .filter(|number| number % THREADS == thread)
        .enumerate()
    {
        if at % 100 == 99 {
            // A context never frees its types and attributes.
            runner = Runner::new();
        }
        let program = linalg::program(SEED, number);
        let [again, argument] = ties_of_results(&program.text);
        counts[5] += u64::from(again);
        counts[6] += u64::from(argument);
        match runner.run(&program, number) {
            Outcome::Same => {
                counts[0] += 1;
                for (at, step) in STEPS.iter().enumerate() {
                    counts[COUNTS + at] += u64::from(program.steps.contains(step));
                }
            }
            Outcome::Shared(reason) => {
                counts[1] += 1;
                counts[4] += u64::from(is_refused(&reason));
            }
            Outcome::Refused(_) => counts[2] += 1,
            Outcome::Constant => counts[3] += 1,
            other @ Outcome::Failed(_) => panic!("number {number}: {other:?}\n{}", program.text),
        }
    }
    counts
}

/// Returns whether a program returns a result twice, and whether it returns an argument as it is.
fn ties_of_results(text: &str) -> [bool; 2] {
    let mut lines = text.lines().rev();
    let end = lines.find_map(|line| line.trim().strip_prefix("return "));
    let (names, _) = end
        .and_then(|end| end.split_once(" : "))
        .expect("a program returns results");
    let names: Vec<&str> = names.split(", ").collect();
    let is_again = |at: usize| names[..at].contains(&names[at]);
    [
        (0..names.len()).any(is_again),
        names.iter().any(|name| name.starts_with("%a")),
    ]
}
