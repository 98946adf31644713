//! Programs of structured operations on the CPU and on the simulated card.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use clap::Args;
use spyre_fuzz::linalg::{Outcome, Runner};
use spyre_fuzz::shapes::normalized;
use spyre_generate::linalg::{self, STEPS, Step};

/// Draws programs of linalg on tensors, runs them by upstream's lowering and as bundles on the simulated card, and compares.
///
/// The exit code is 1 when results differ or a bundle is faulty.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// How many programs.
    #[arg(long, value_name = "N", default_value_t = 1500)]
    cases: u64,

    /// Of the random numbers. A seed and a number are a program, on every machine.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// The number of the first program.
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,

    /// How many programs run at a time; as many as there are processors, unless it is given.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    /// Where to write programs that fail, and one of each kind that is refused, or of which the host runs a part.
    #[arg(long, value_name = "DIR", default_value = "target/fuzz-linalg")]
    output: PathBuf,

    /// Print the program of --first and stop.
    #[arg(long)]
    print: bool,
}

/// The outcomes of programs, and an example of each.
#[derive(Debug, Default)]
struct Counts {
    same: u64,
    constant: u64,
    /// Those of which the host ran a part.
    shared: BTreeMap<String, (u64, u64)>,
    refused: BTreeMap<String, (u64, u64)>,
    failed: BTreeMap<String, (u64, u64)>,
    /// Of the programs that ran on the card, how often they have each kind of step.
    steps: BTreeMap<Step, u64>,
}

/// Runs all programs, and returns whether none failed.
pub(crate) fn run(options: &Options) -> io::Result<bool> {
    if options.print {
        let program = linalg::program(options.seed, options.first);
        spyre_files::print(&program.text)?;
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
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= last {
                        return;
                    }
                    if number.is_multiple_of(100) {
                        // A context keeps every type and attribute that it has seen.
                        runner = Runner::new();
                    }
                    let program = linalg::program(options.seed, number);
                    let outcome = runner.run(&program, number);
                    let mut counts = counts.lock().expect("no thread panics with the counts");
                    counts.add(number, &program, outcome);
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
    fn add(&mut self, number: u64, program: &linalg::Program, outcome: Outcome) {
        let (kind, message) = match outcome {
            Outcome::Same => {
                self.same += 1;
                for step in STEPS {
                    let has = program.steps.contains(&step);
                    *self.steps.entry(step).or_default() += u64::from(has);
                }
                return;
            }
            Outcome::Constant => {
                self.constant += 1;
                return;
            }
            Outcome::Shared(message) => (&mut self.shared, message),
            Outcome::Refused(message) => (&mut self.refused, message),
            Outcome::Failed(message) => (&mut self.failed, message),
        };
        let (count, first) = kind.entry(normalized(&message)).or_insert((0, number));
        *count += 1;
        *first = (*first).min(number);
    }

    /// Prints the counts and writes the examples.
    fn report(&self, options: &Options) -> io::Result<bool> {
        let mut text = format!(
            "{} programs of seed {} from number {}: {} the same wholly on the card, {} the same with a part on the host, {} without an \
             input\n",
            options.cases,
            options.seed,
            options.first,
            self.same,
            self.shared.values().map(|(count, _)| count).sum::<u64>(),
            self.constant
        );
        for (step, count) in &self.steps {
            text += &format!("  {step:?}: in {count} of the same\n");
        }
        let kinds = [
            ("shared", &self.shared),
            ("refused", &self.refused),
            ("FAILED", &self.failed),
        ];
        for (name, kind) in kinds {
            let mut sorted: Vec<_> = kind.iter().collect();
            sorted.sort_by_key(|(_, (count, first))| (std::cmp::Reverse(*count), *first));
            for (message, (count, first)) in sorted {
                text += &format!("{count} {name}, first number {first}: {message}\n");
                let program = linalg::program(options.seed, *first);
                let path = options
                    .output
                    .join(format!("{}-{first}.mlir", name.to_lowercase()));
                fs::write(path, format!("// {message}\n{}", program.text))?;
            }
        }
        spyre_files::print(&text)?;
        Ok(self.failed.is_empty())
    }
}
