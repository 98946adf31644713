//! Programs of all generators, run and proved.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use clap::Args;
use spyre_fuzz::agreement::{Generator, Outcome, Runner};
use spyre_fuzz::proofs::Answers;

use crate::numbers::{Classes, Numbers};

/// Draws programs of each generator, runs them at every level, and proves each pass, the plan and the files.
///
/// The exit code is 1 when a claim about a program with the same results is refuted, and when results differ.
#[derive(Debug, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    numbers: Numbers,

    /// The generators; all of them, unless some are given.
    #[arg(long = "generator", value_name = "NAME", value_parser = generator)]
    generators: Vec<Generator>,

    /// Where to write a program of each kind of disagreement, as small as possible.
    #[arg(long, value_name = "DIR", default_value = "target/fuzz-proofs")]
    output: PathBuf,
}

impl Options {
    /// Returns the generators of which programs are drawn.
    fn generators(&self) -> Vec<Generator> {
        match self.generators.is_empty() {
            true => Generator::ALL.to_vec(),
            false => self.generators.clone(),
        }
    }
}

/// Reads the value of `--generator`.
fn generator(name: &str) -> Result<Generator, String> {
    let mut all = Generator::ALL.into_iter();
    all.find(|it| it.name() == name).ok_or_else(|| {
        let names = Generator::ALL.map(Generator::name);
        format!("the generators are {}", names.join(", "))
    })
}

/// The outcomes of the programs of a generator.
#[derive(Debug, Default)]
struct Counts {
    agrees: u64,
    answers: Answers,
    /// Programs without results to compare.
    not_run: Classes,
    disagrees: BTreeMap<String, u64>,
}

/// Runs and proves all programs. Returns whether none disagrees.
pub(crate) fn run(options: &Options) -> io::Result<bool> {
    let numbers = &options.numbers;
    if numbers.print {
        for generator in options.generators() {
            spyre_files::print(&generator.program(numbers.seed, numbers.first))?;
        }
        return Ok(true);
    }
    fs::create_dir_all(&options.output)?;
    let mut all = Answers::default();
    let (mut programs, mut is_agreed) = (0, true);
    for generator in options.generators() {
        let counts = of_generator(options, generator);
        all.add(counts.answers);
        programs += counts.agrees;
        is_agreed &= counts.disagrees.is_empty();
    }
    spyre_files::print(&format!(
        "all: {programs} programs agree, with {} claims, {} of them not decided\n",
        all.claims(),
        all.undecided()
    ))?;
    Ok(is_agreed)
}

/// Runs and proves the programs of a generator, and prints their counts.
fn of_generator(options: &Options, generator: Generator) -> Counts {
    let numbers = &options.numbers;
    let counts = Mutex::new(Counts::default());
    let start = Instant::now();
    numbers.each(Runner::new, |runner, number| {
        let (outcome, answers) = runner.run(generator, numbers.seed, number);
        let mut sum = locked(&counts);
        sum.answers.add(answers);
        match outcome {
            Outcome::Agrees => sum.agrees += 1,
            Outcome::NotRun(message) => sum.not_run.add(number, &message),
            Outcome::Disagrees { kind, message } => {
                let count = sum.disagrees.entry(kind.clone()).or_default();
                *count += 1;
                let is_new = *count == 1;
                drop(sum);
                if is_new {
                    write(options, runner, (generator, number), &kind, &message);
                }
            }
        }
    });
    let counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (name, cases, seed) = (generator.name(), numbers.cases, numbers.seed);
    let disagree: u64 = counts.disagrees.values().sum();
    println!(
        "{name}: {cases} programs of seed {seed} from number {}: {} agree, {disagree} disagree, {} not run; {} claims, {} not \
         decided; {:.0} s\n{}",
        numbers.first,
        counts.agrees,
        counts.not_run.count(),
        counts.answers.claims(),
        counts.answers.undecided(),
        start.elapsed().as_secs_f64(),
        counts.answers
    );
    for (kind, count) in &counts.disagrees {
        println!("  {count} DISAGREE: {kind}");
    }
    for (message, count, first) in counts.not_run.sorted().into_iter().take(5) {
        println!("  {count} not run, first number {first}: {message}");
    }
    counts
}

fn locked(counts: &Mutex<Counts>) -> MutexGuard<'_, Counts> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a program that disagrees, and prints its path.
fn write(
    options: &Options,
    runner: &Runner,
    (generator, number): (Generator, u64),
    kind: &str,
    message: &str,
) {
    let (name, seed) = (generator.name(), options.numbers.seed);
    let path = options.output.join(format!("{name}-{seed}-{number}.mlir"));
    let command =
        format!("spyre-fuzz proofs --generator {name} --seed {seed} --first {number} --cases 1");
    let mut text = format!("// {kind}\n// {command}\n");
    for line in message.lines() {
        text += &format!("// {line}\n");
    }
    // The program is written before it is reduced, in case the reduction crashes.
    let written = fs::write(&path, &text);
    let written = written.and_then(|()| {
        let program = runner.minimal(generator, seed, number);
        fs::write(&path, text + &program)
    });
    match written {
        Ok(()) => println!("{kind}: {}", path.display()),
        Err(err) => println!("{kind}: {}: {err}", path.display()),
    }
}
