//! The same random graphs of tinyspec in every run of the tests.

use std::collections::BTreeMap;
use std::thread;

use spyre_fuzz::uop::{Case, Outcome, Runner};

const SEED: u64 = 1;
const GRAPHS: u64 = 1500;
const THREADS: u64 = 2;

/// Graphs that are converted to linalg with all of their results, of a hundred: the others have loops, or write to parts of buffers.
const SAME: u64 = 60;

#[test]
fn graphs_compute_the_same_in_all_ways() {
    let counts = thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|thread| scope.spawn(move || count(thread)))
            .collect();
        let mut sum = BTreeMap::<String, u64>::new();
        for worker in workers {
            for (outcome, count) in worker.join().expect("no graph differs") {
                *sum.entry(outcome).or_default() += count;
            }
        }
        sum
    });
    let same = counts.get("").copied().unwrap_or_default();
    assert!(same * 100 >= SAME * GRAPHS, "{counts:#?}");
}

/// How many graphs of a thread have each message; that of those that are the same in all ways is empty.
fn count(thread: u64) -> BTreeMap<String, u64> {
    let mut runner = Runner::new();
    let mut counts = BTreeMap::new();
    let numbers = (0..GRAPHS).filter(|number| number % THREADS == thread);
    for (at, number) in numbers.enumerate() {
        if at % 100 == 99 {
            // A context keeps every type and attribute that it has seen.
            runner = Runner::new();
        }
        let message = match runner.run(&Case::new(SEED, number)) {
            Outcome::Same => String::new(),
            Outcome::Refused(message) => message,
            Outcome::Failed(why) => panic!("number {number}: {why}"),
        };
        *counts.entry(message).or_default() += 1;
    }
    counts
}
