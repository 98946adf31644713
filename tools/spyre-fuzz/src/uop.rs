//! Graphs of tinyspec, in all ways that they are computed.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Mutex;

use clap::Args;
use spyre_fuzz::uop::{Case, Outcome, Runner};
use spyre_uop::schema;

use crate::numbers::{Classes, Numbers};

/// Draws graphs of tinyspec, and compares the results of the interpreter with the results after the passes, on the CPU.
///
/// The exit code is 1 when results differ.
#[derive(Debug, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    numbers: Numbers,

    /// Where to write graphs that fail.
    #[arg(long, value_name = "DIR", default_value = "target/fuzz-uop")]
    output: PathBuf,
}

/// The outcomes of graphs.
#[derive(Debug, Default)]
struct Counts {
    same: u64,
    failed: Classes,
}

/// Runs all graphs, and returns whether none failed.
pub(crate) fn run(options: &Options) -> io::Result<bool> {
    let numbers = &options.numbers;
    if numbers.print {
        let case = Case::new(numbers.seed, numbers.first);
        spyre_files::print(&schema::write(&case.file))?;
        return Ok(true);
    }
    fs::create_dir_all(&options.output)?;
    let counts = Mutex::new(Counts::default());
    numbers.each(Runner::new, |runner, number| {
        let outcome = runner.run(&Case::new(numbers.seed, number));
        let mut counts = counts.lock().expect("no thread panics with the counts");
        counts.add(number, outcome);
    });
    let counts = counts
        .into_inner()
        .expect("no thread panics with the counts");
    counts.report(options)
}

impl Counts {
    fn add(&mut self, number: u64, outcome: Outcome) {
        match outcome {
            Outcome::Same => self.same += 1,
            Outcome::Failed(message) => self.failed.add(number, &message),
        }
    }

    /// Prints the counts, and writes the smallest part of a graph of each kind that fails in the same way.
    fn report(&self, options: &Options) -> io::Result<bool> {
        let Numbers {
            cases, seed, first, ..
        } = options.numbers;
        let mut text = format!(
            "{cases} graphs of seed {seed} from number {first}: {} the same in all ways\n",
            self.same
        );
        let runner = Runner::new();
        for (message, count, first) in self.failed.sorted() {
            text += &format!("{count} FAILED, first number {first}: {message}\n");
            let case = runner.minimal(&Case::new(seed, first));
            let name = format!("failed-{seed}-{first}.json");
            fs::write(options.output.join(name), schema::write(&case.file))?;
        }
        spyre_files::print(&text)?;
        Ok(self.failed.count() == 0)
    }
}
