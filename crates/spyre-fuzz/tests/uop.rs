//! The same random graphs of tinyspec in every run of the tests.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread;

use spyre_fuzz::uop::{Case, Outcome, Runner};
use spyre_uop::schema;

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

/// The programs of `test/uop-programs` that are not converted to linalg, and why.
const REFUSED: [(&str, &str); 11] = [
    ("call_kernel", "a call that is an effect is not converted"),
    ("linear", VIEW),
    ("load_gated", LOOP),
    ("loop_accumulate", LOOP),
    ("loop_of_nothing", LOOP),
    ("loop_scan", LOOP),
    ("loop_store", LOOP),
    ("reduce_ranges", LOOP),
    ("store_positions", VIEW),
    ("store_views", VIEW),
    ("unwritten", VIEW),
];
const LOOP: &str = "loops are not converted";
const VIEW: &str = "a write to a view of a buffer is not converted";

/// What NumPy has computed is what the interpreter says, by a test of `spyre-uop`, and here is what linalg says.
#[test]
fn programs_have_their_results_in_linalg() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/uop-programs");
    let runner = Runner::new();
    let mut refused = BTreeMap::new();
    let mut same = 0;
    for entry in fs::read_dir(folder).expect("the folder is in the repository") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|end| end != "json") {
            continue; // It is no program.
        }
        let file = schema::read(&fs::read(&path).expect("a file")).expect("a program");
        let name = file.name.to_string();
        match runner.run(&Case::recorded(file)) {
            Outcome::Same => same += 1,
            Outcome::Refused(why) => {
                let why = why.trim_start_matches("convert-uop-to-linalg: ").to_owned();
                refused.insert(name, why);
            }
            Outcome::Failed(why) => panic!("{name}: {why}"),
        }
    }
    let expected = REFUSED.map(|(name, why)| (name.to_owned(), why.to_owned()));
    assert_eq!(refused, BTreeMap::from(expected), "{same} are the same");
}
