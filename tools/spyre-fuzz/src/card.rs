//! Programs of a generator on the CPU, and with their parts for the simulated card.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Mutex;

use clap::{Args, ValueEnum};
use spyre_fuzz::with_card::{Generator, Outcome};

use crate::numbers::{Classes, Numbers};

/// Most elements of a tensor.
const MOST_ELEMENTS: usize = 1 << 16;

/// Draws programs, runs them on the CPU and with their parts for the simulated card, and compares. A program that runs
/// on the CPU runs with the card, since the host runs the parts that the card cannot.
///
/// The exit code is 1 when a program does not run with the card, or has other numbers.
#[derive(Debug, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    numbers: Numbers,

    /// The generator of the programs.
    #[arg(long, value_enum)]
    generator: Drawn,

    /// Where to write programs that fail.
    #[arg(long, value_name = "DIR", default_value = "target/fuzz-card")]
    output: PathBuf,
}

/// The generators.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Drawn {
    /// Programs of device operations.
    Spyre,
    /// Structured operations, as front ends print them.
    Linalg,
    /// Graphs of PyTorch Inductor.
    Inductor,
    /// Graphs of tinyspec.
    Uop,
}

impl From<Drawn> for Generator {
    fn from(drawn: Drawn) -> Self {
        match drawn {
            Drawn::Spyre => Self::Spyre,
            Drawn::Linalg => Self::Linalg,
            Drawn::Inductor => Self::Inductor,
            Drawn::Uop => Self::Uop,
        }
    }
}

/// The outcomes of programs.
#[derive(Debug, Default)]
struct Counts {
    /// Programs that do not run on the CPU, are too large, or read unwritten elements.
    skipped: u64,
    same: u64,
    /// Programs with a part on the card.
    on_card: u64,
    failed: Classes,
}

/// Runs all programs, and returns whether none failed.
pub(crate) fn run(options: &Options) -> io::Result<bool> {
    let numbers = &options.numbers;
    let generator = Generator::from(options.generator);
    if numbers.print {
        spyre_files::print(&generator.draw(numbers.seed, numbers.first))?;
        return Ok(true);
    }
    let counts = Mutex::new(Counts::default());
    numbers.each(
        || (),
        |(), number| {
            let outcome = generator.run(numbers.seed, number, MOST_ELEMENTS);
            let mut counts = counts.lock().expect("no thread panics with the counts");
            match outcome {
                Outcome::Skipped => counts.skipped += 1,
                Outcome::Same { on_card } => {
                    counts.same += 1;
                    counts.on_card += u64::from(on_card);
                }
                Outcome::Failed(reason) => counts.failed.add(number, &reason),
            }
        },
    );
    let counts = counts.into_inner();
    let counts = counts.expect("no thread panics with the counts");
    counts.report(options, generator)
}

impl Counts {
    /// Prints the counts, and writes an example of each kind of failure.
    fn report(&self, options: &Options, generator: Generator) -> io::Result<bool> {
        let Numbers {
            cases, seed, first, ..
        } = options.numbers;
        let mut text = format!(
            "{cases} programs of seed {seed} from number {first}: {} the same, {} of them with a part on the card, {} not run\n",
            self.same, self.on_card, self.skipped
        );
        for (message, count, first) in self.failed.sorted() {
            fs::create_dir_all(&options.output)?;
            text += &format!("{count} FAILED, first number {first}: {message}\n");
            let path = options.output.join(format!("failed-{first}.mlir"));
            fs::write(
                path,
                format!("// {message}\n{}", generator.draw(seed, first)),
            )?;
        }
        spyre_files::print(&text)?;
        Ok(self.failed.count() == 0)
    }
}
