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
/// views that need a copy to other sticks, which the card lacks for `f32` and integers.
const ON_CARD: u64 = 93;

#[test]
fn first_programs_compute_the_same_on_the_card() {
    let [same, shared, refused, ..] = counted(FIRST);
    assert_eq!(same + shared + refused, FIRST);
}

#[test]
#[ignore = "minutes; `cargo xtask ci` runs it"]
fn programs_compute_the_same_on_the_card() {
    let [same, shared, refused, not_admitted, steps @ ..] = counted(PROGRAMS);
    assert_eq!(same + shared + refused, PROGRAMS);
    println!(
        "{same} wholly on the card, {shared} in part, {not_admitted} of them by the contract, {refused} refused"
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
    // The host runs operations without a legal layout.
    assert_eq!(refused, 0, "{refused} refused");
    for (step, count) in STEPS.iter().zip(steps) {
        // Counted in programs wholly on the card, which are half of all.
        assert!(count * 32 >= PROGRAMS, "only {count} with {step:?}");
    }
}

/// Runs `programs` programs, and counts them as [`count`] does.
fn counted(programs: u64) -> [u64; 4 + STEPS.len()] {
    thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|thread| scope.spawn(move || count(thread, programs)))
            .collect();
        let counts = workers.into_iter().map(|worker| worker.join().unwrap());
        counts.fold([0; 4 + STEPS.len()], |sum, counts| {
            std::array::from_fn(|at| sum[at] + counts[at])
        })
    })
}

/// How many of a thread's programs ran wholly on the card, in part, and were refused, how many ran in part by the contract, and how
/// many of the first have each kind of step.
fn count(thread: u64, programs: u64) -> [u64; 4 + STEPS.len()] {
    let mut runner = Runner::new();
    let mut counts = [0; 4 + STEPS.len()];
    for (at, number) in (0..programs)
        .filter(|number| number % THREADS == thread)
        .enumerate()
    {
        if at % 100 == 99 {
            // A context never frees its types and attributes.
            runner = Runner::new();
        }
        let program = linalg::program(SEED, number);
        match runner.run(&program, number) {
            Outcome::Same => {
                counts[0] += 1;
                for (at, step) in STEPS.iter().enumerate() {
                    counts[4 + at] += u64::from(program.steps.contains(step));
                }
            }
            Outcome::Shared(reason) => {
                counts[1] += 1;
                counts[3] += u64::from(is_refused(&reason));
            }
            Outcome::Refused(_) => counts[2] += 1,
            other => panic!("number {number}: {other:?}\n{}", program.text),
        }
    }
    counts
}
