//! Programs of all generators, the same in every run of the tests, run and proved.

use std::thread;

use spyre_fuzz::agreement::{Generator, Outcome, Runner};
use spyre_fuzz::proofs::{Answers, Stage};

const SEED: u64 = 2;
/// The programs of each generator that `cargo xtask ci` runs, and the first of them, which every run of the tests does.
/// `cargo xtask fuzz proofs` runs more: a program takes a second or two.
const PROGRAMS: u64 = 24;
const FIRST: u64 = 8;
const THREADS: u64 = 2;

#[test]
fn results_of_the_first_programs_agree_with_proofs() {
    agree(FIRST);
}

#[test]
#[ignore = "minutes; `cargo xtask ci` runs it"]
fn results_agree_with_proofs() {
    agree(PROGRAMS);
}

/// Runs and proves programs of each generator. None of them may disagree.
fn agree(programs: u64) {
    let (agreed, answers) = thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|thread| scope.spawn(move || work(thread, programs)))
            .collect();
        let joined = workers.into_iter().map(|worker| worker.join().unwrap());
        joined.fold(
            (0, Answers::default()),
            |(agreed, mut answers), (count, more)| {
                answers.add(more);
                (agreed + count, answers)
            },
        )
    });
    let all = programs * Generator::ALL.len() as u64;
    println!("{agreed} of {all} programs agree\n{answers}");
    assert!(agreed * 3 >= all * 2, "only {agreed} of {all} are compared");
    for stage in Stage::ALL {
        let counts = answers.counts(stage);
        assert!(counts.proved as u64 > programs, "{stage:?}: {counts:?}");
    }
}

/// Runs the programs of a thread. Returns how many agree, and the answers about them.
fn work(thread: u64, programs: u64) -> (u64, Answers) {
    let mut agreed = 0;
    let mut all = Answers::default();
    for generator in Generator::ALL {
        let runner = Runner::new();
        for number in (0..programs).filter(|number| number / 2 % THREADS == thread) {
            let (outcome, answers) = runner.run(generator, SEED, number);
            all.add(answers);
            match outcome {
                Outcome::Agrees => agreed += 1,
                Outcome::NotRun(_) => {}
                Outcome::Disagrees { kind, message } => panic!(
                    "{} {number}: {kind}\n{message}\n{}",
                    generator.name(),
                    runner.minimal(generator, SEED, number)
                ),
            }
        }
    }
    (agreed, all)
}
