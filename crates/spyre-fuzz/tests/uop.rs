//! The same random graphs of tinyspec in every run of the tests.

use std::fs;
use std::path::Path;
use std::thread;

use spyre_fuzz::uop::{Case, Outcome, Runner};
use spyre_uop::schema;

const SEED: u64 = 1;
const GRAPHS: u64 = 1500;
const THREADS: u64 = 2;

#[test]
fn graphs_compute_the_same_in_all_ways() {
    thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || run(thread));
        }
    });
}

/// Runs the graphs of a thread.
fn run(thread: u64) {
    let mut runner = Runner::new();
    let numbers = (0..GRAPHS).filter(|number| number % THREADS == thread);
    for (at, number) in numbers.enumerate() {
        if at % 100 == 99 {
            // A context keeps every type and attribute that it has seen.
            runner = Runner::new();
        }
        match runner.run(&Case::new(SEED, number)) {
            Outcome::Same => {}
            Outcome::Failed(why) => panic!("number {number}: {why}"),
        }
    }
}

/// What NumPy has computed is what the interpreter says, by a test of `spyre-uop`, and here is what linalg says.
#[test]
fn programs_have_their_results_in_linalg() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/uop-programs");
    let runner = Runner::new();
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the folder is in the repository") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|end| end != "json") {
            continue; // It is no program.
        }
        let file = schema::read(&fs::read(&path).expect("a file")).expect("a program");
        let name = file.name.to_string();
        match runner.run(&Case::recorded(file)) {
            Outcome::Same => count += 1,
            Outcome::Failed(why) => panic!("{name}: {why}"),
        }
    }
    assert_eq!(count, 26, "programs");
}
