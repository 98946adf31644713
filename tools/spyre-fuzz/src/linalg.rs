//! Programs of structured operations on the CPU and on the simulated card.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Mutex;

use clap::Args;
use spyre_fuzz::linalg::{Outcome, Runner};
use spyre_generate::linalg::{self, STEPS, Step};

use crate::numbers::{Classes, Numbers};

/// Draws programs of linalg on tensors, runs them by upstream's lowering and as bundles on the simulated card, and compares.
///
/// The exit code is 1 when results differ or a bundle is faulty.
#[derive(Debug, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    numbers: Numbers,

    /// Where to write programs that fail, and one of each kind that is refused, or of which the host runs a part.
    #[arg(long, value_name = "DIR", default_value = "target/fuzz-linalg")]
    output: PathBuf,
}

/// The outcomes of programs.
#[derive(Debug, Default)]
struct Counts {
    same: u64,
    constant: u64,
    /// Programs with a part on the host.
    shared: Classes,
    refused: Classes,
    failed: Classes,
    /// The number of steps of each kind in the programs that ran on the card.
    steps: BTreeMap<Step, u64>,
}

/// Runs all programs, and returns whether none failed.
pub(crate) fn run(options: &Options) -> io::Result<bool> {
    let numbers = &options.numbers;
    if numbers.print {
        let program = linalg::program(numbers.seed, numbers.first);
        spyre_files::print(&program.text)?;
        return Ok(true);
    }
    fs::create_dir_all(&options.output)?;
    let counts = Mutex::new(Counts::default());
    numbers.each(Runner::new, |runner, number| {
        let program = linalg::program(numbers.seed, number);
        let outcome = runner.run(&program, number);
        let mut counts = counts.lock().expect("no thread panics with the counts");
        counts.add(number, &program, outcome);
    });
    let counts = counts
        .into_inner()
        .expect("no thread panics with the counts");
    counts.report(options)
}

impl Counts {
    fn add(&mut self, number: u64, program: &linalg::Program, outcome: Outcome) {
        match outcome {
            Outcome::Same => {
                self.same += 1;
                for step in STEPS {
                    let has = program.steps.contains(&step);
                    *self.steps.entry(step).or_default() += u64::from(has);
                }
            }
            Outcome::Constant => self.constant += 1,
            Outcome::Shared(message) => self.shared.add(number, &message),
            Outcome::Refused(message) => self.refused.add(number, &message),
            Outcome::Failed(message) => self.failed.add(number, &message),
        }
    }

    /// Prints the counts and writes the examples.
    fn report(&self, options: &Options) -> io::Result<bool> {
        let Numbers {
            cases, seed, first, ..
        } = options.numbers;
        let mut text = format!(
            "{cases} programs of seed {seed} from number {first}: {} the same wholly on the card, {} the same with a part on the host, {} \
             without an input\n",
            self.same,
            self.shared.count(),
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
            for (message, count, first) in kind.sorted() {
                text += &format!("{count} {name}, first number {first}: {message}\n");
                let program = linalg::program(seed, first);
                let path = options
                    .output
                    .join(format!("{}-{first}.mlir", name.to_lowercase()));
                fs::write(path, format!("// {message}\n{}", program.text))?;
            }
        }
        spyre_files::print(&text)?;
        Ok(self.failed.count() == 0)
    }
}
