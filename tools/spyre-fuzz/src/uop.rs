//! Graphs of tinyspec, in all ways that they are computed.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use clap::Args;
use spyre_fuzz::shapes::normalized;
use spyre_fuzz::uop::{Case, Outcome, Runner};
use spyre_uop::schema;

/// Draws graphs of tinyspec, and compares what the interpreter computes with what the passes make of them, on the CPU at last.
///
/// The exit code is 1 when results differ.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// How many graphs.
    #[arg(long, value_name = "N", default_value_t = 1500)]
    cases: u64,

    /// Of the random numbers. A seed and a number are a graph, on every machine.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// The number of the first graph.
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,

    /// How many graphs run at a time; as many as there are processors, unless it is given.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    /// Where to write graphs that fail, and one of each kind that is refused.
    #[arg(long, value_name = "DIR", default_value = "target/fuzz-uop")]
    output: PathBuf,

    /// Print the graph of --first and stop.
    #[arg(long)]
    print: bool,
}

/// The outcomes of graphs, and the first number of each kind.
#[derive(Debug, Default)]
struct Counts {
    same: u64,
    refused: BTreeMap<String, (u64, u64)>,
    failed: BTreeMap<String, (u64, u64)>,
}

/// Runs all graphs, and returns whether none failed.
pub(crate) fn run(options: &Options) -> io::Result<bool> {
    if options.print {
        let case = Case::new(options.seed, options.first);
        spyre_files::print(&schema::write(&case.file))?;
        return Ok(true);
    }
    fs::create_dir_all(&options.output)?;
    let counts = Mutex::new(Counts::default());
    let next = AtomicU64::new(options.first);
    let last = options.first + options.cases;
    let all = || thread::available_parallelism().map_or(1, usize::from);
    let threads = options.threads.unwrap_or_else(all).max(1);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut runner = Runner::new();
                let mut runs = 0;
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= last {
                        return;
                    }
                    runs += 1;
                    if runs % 100 == 0 {
                        // A context keeps every type and attribute that it has seen.
                        runner = Runner::new();
                    }
                    let outcome = runner.run(&Case::new(options.seed, number));
                    let mut counts = counts.lock().expect("no thread panics with the counts");
                    counts.add(number, outcome);
                }
            });
        }
    });
    let counts = counts
        .into_inner()
        .expect("no thread panics with the counts");
    counts.report(options)
}

impl Counts {
    fn add(&mut self, number: u64, outcome: Outcome) {
        let (kind, message) = match outcome {
            Outcome::Same => {
                self.same += 1;
                return;
            }
            Outcome::Refused(message) => (&mut self.refused, message),
            Outcome::Failed(message) => (&mut self.failed, message),
        };
        let (count, first) = kind.entry(normalized(&message)).or_insert((0, number));
        *count += 1;
        *first = (*first).min(number);
    }

    /// Prints the counts, and writes the smallest part of a graph of each kind that fails in the same way.
    fn report(&self, options: &Options) -> io::Result<bool> {
        let mut text = format!(
            "{} graphs of seed {} from number {}: {} the same in all ways\n",
            options.cases, options.seed, options.first, self.same
        );
        let runner = Runner::new();
        for (name, kind) in [("refused", &self.refused), ("FAILED", &self.failed)] {
            let mut sorted: Vec<_> = kind.iter().collect();
            sorted.sort_by_key(|(_, (count, first))| (std::cmp::Reverse(*count), *first));
            for (message, (count, first)) in sorted {
                text += &format!("{count} {name}, first number {first}: {message}\n");
                let case = runner.minimal(&Case::new(options.seed, *first));
                let name = format!("{}-{}-{first}.json", name.to_lowercase(), options.seed);
                fs::write(options.output.join(name), schema::write(&case.file))?;
            }
        }
        spyre_files::print(&text)?;
        Ok(self.failed.is_empty())
    }
}
