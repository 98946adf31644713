//! Kernels of drawn programs on an interpreter of KTIR, against the CPU and the simulated card.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;
use spyre_fuzz::ktir::{Interpreter, Kernels, Outcome, Run, reason, write};
use spyre_fuzz::program::Program;
use spyre_fuzz::{Failure, Size, shrink};

use crate::numbers::{Classes, Numbers};

/// The programs after which the counts are printed.
const PRINT_EVERY: u64 = 500;

/// Draws programs, and compares the results of their kernels on an interpreter with those of the CPU and the simulated card.
///
/// The exit code is 1 when a program fails.
#[derive(Debug, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    numbers: Numbers,

    /// Compile one of every N programs for the CPU; the others are interpreted. 0 compiles none.
    #[arg(long, value_name = "N", default_value_t = 16)]
    compile_every: u64,

    /// Where to write a program of each kind of failure, as small as possible, with its kernel and arrays.
    #[arg(long, value_name = "DIR", default_value = "target/oracle/failures")]
    output: PathBuf,

    /// The program that runs kernels, and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    interpreter: Vec<String>,
}

/// The outcomes of programs.
#[derive(Debug, Default)]
struct Counts {
    programs: u64,
    no_plan: Classes,
    refused: Classes,
    /// Programs without an oracle, by the element type that the interpreter lacks.
    without: BTreeMap<&'static str, u64>,
    /// Programs that agree in every bit.
    equal: u64,
    /// Programs that agree but for signs of zeros.
    zeros: u64,
    /// Programs within the tolerance.
    close: u64,
    /// Programs that the simulated card ran as well.
    card: u64,
    /// Programs on several cores, and with several launches.
    cores: u64,
    launches: u64,
    /// The largest error, and the number of its program.
    largest: (f64, u64),
    failed: BTreeMap<(String, String), (u64, u64)>,
    slowest: (Duration, u64),
}

/// Runs all programs, and returns whether none failed.
pub(crate) fn run(options: &Options) -> io::Result<bool> {
    let numbers = &options.numbers;
    if numbers.print {
        let program = shrink::program(Size::default(), numbers.seed, numbers.first);
        spyre_files::print(&program.to_string())?;
        return Ok(true);
    }
    fs::create_dir_all(&options.output)?;
    let counts = Mutex::new(Counts::default());
    let start = Instant::now();
    numbers.each(
        || (Kernels::new(), options.interpreter()),
        |(kernels, interpreter), number| {
            let interpreter = match interpreter {
                Ok(interpreter) => interpreter,
                Err(err) => panic!("no folder for kernels: {err}"),
            };
            options.one(kernels, interpreter, number, &counts);
        },
    );
    let counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
    spyre_files::print(&format!(
        "{}{:.0} s; the slowest program, number {}, took {:.1} s\n",
        counts.report(numbers),
        start.elapsed().as_secs_f64(),
        counts.slowest.1,
        counts.slowest.0.as_secs_f64()
    ))?;
    Ok(counts.failed.is_empty())
}

impl Options {
    fn interpreter(&self) -> io::Result<Interpreter> {
        let mut command = Command::new(&self.interpreter[0]);
        command.args(&self.interpreter[1..]);
        Interpreter::new(command)
    }

    /// Runs a program, and writes it if it is the first of its kind to fail.
    fn one(
        &self,
        kernels: &Kernels,
        interpreter: &Interpreter,
        number: u64,
        counts: &Mutex<Counts>,
    ) {
        let program = shrink::program(Size::default(), self.numbers.seed, number);
        let start = Instant::now();
        let compile = self.compile_every > 0 && number.is_multiple_of(self.compile_every);
        let outcome = kernels.run_on(interpreter, &program, number, compile);
        let took = start.elapsed();
        let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
        if took > counts.slowest.0 {
            counts.slowest = (took, number);
        }
        let new = counts.add(number, outcome);
        if counts.programs.is_multiple_of(PRINT_EVERY) {
            eprintln!("{}", counts.report(&self.numbers));
        }
        drop(counts);
        if let Some(failure) = new {
            match self.keep(kernels, interpreter, number, &program, &failure) {
                Ok(path) => println!("{}: {}", failure.kind, path.display()),
                Err(err) => println!("{}, number {number}: {err}", failure.kind),
            }
        }
    }

    /// Makes a failing program small and writes it into a folder, with its kernel and arrays. Returns the folder.
    fn keep(
        &self,
        kernels: &Kernels,
        interpreter: &Interpreter,
        number: u64,
        program: &Program,
        failure: &Failure,
    ) -> io::Result<PathBuf> {
        let seed = self.numbers.seed;
        let folder = self.output.join(format!("{seed}-{number}"));
        let keep = |program: &Program, failure: &Failure| {
            fs::create_dir_all(&folder)?;
            if let Ok(kernel) = kernels.kernel(program, number) {
                write(&folder, &kernel)?;
            }
            let mut text = format!("// {:?}: {}\n", failure.phase, failure.kind);
            for line in failure.message.lines() {
                text += &format!("// {line}\n");
            }
            text += &format!("// --generated 1 --seed {seed} --first {number}\n{program}");
            fs::write(folder.join("program.mlir"), text)
        };
        // The program is written before it is reduced, in case the reduction crashes.
        keep(program, failure)?;
        let minimal = kernels.minimize_on(interpreter, Size::default(), seed, number);
        if let Some(minimal) = minimal {
            keep(&minimal.program, &minimal.failure)?;
        }
        Ok(folder)
    }
}

impl Counts {
    /// Counts a program. Returns its failure if it is the first of its kind.
    fn add(&mut self, number: u64, outcome: Result<Run, Outcome>) -> Option<Failure> {
        self.programs += 1;
        match outcome {
            Ok(run) => self.agreed(number, run),
            Err(Outcome::NoPlan(message)) => self.no_plan.add(number, &reason(&message)),
            Err(Outcome::Refused(message)) => self.refused.add(number, &reason(&message)),
            Err(Outcome::WithoutInterpreter(element)) => {
                *self.without.entry(element.name()).or_default() += 1;
            }
            Err(Outcome::Same { .. }) => unreachable!("no kernel runs without the interpreter"),
            Err(Outcome::Failed(failure)) => {
                let kind = (format!("{:?}", failure.phase), failure.kind.clone());
                let (count, first) = self.failed.entry(kind).or_insert((0, number));
                *count += 1;
                *first = (*first).min(number);
                return (*count == 1).then_some(failure);
            }
        }
        None
    }

    fn agreed(&mut self, number: u64, run: Run) {
        let agreement = run.agreement;
        let error = agreement.error;
        match agreement.is_equal {
            true => self.equal += 1,
            false if error == 0.0 => self.zeros += 1,
            false => self.close += 1,
        }
        self.card += u64::from(run.is_on_card);
        self.cores += u64::from(agreement.cores > 1);
        self.launches += u64::from(agreement.launches > 1);
        if error > self.largest.0 {
            self.largest = (error, number);
        }
    }

    /// Returns the counts as text.
    fn report(&self, numbers: &Numbers) -> String {
        let Numbers { seed, first, .. } = numbers;
        let agree = self.equal + self.zeros + self.close;
        let failed: u64 = self.failed.values().map(|(count, _)| count).sum();
        let without: u64 = self.without.values().sum();
        let mut text = format!(
            "{} programs of seed {seed} from number {first}: {} without a plan, {} not converted, {without} without an oracle, {agree} \
             agree, {failed} fail\n",
            self.programs,
            self.no_plan.count(),
            self.refused.count()
        );
        let (error, number) = self.largest;
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "  of those that agree: {} in every bit, {} but for signs of zeros, {} within the tolerance; the largest error is \
             {error:.1e}, number {number}; {} ran on the card, {} on several cores, {} in several launches",
            self.equal, self.zeros, self.close, self.card, self.cores, self.launches
        );
        for (element, count) in &self.without {
            let _ = writeln!(text, "  {count} without an oracle: {element}");
        }
        for (kind, classes) in [("no plan", &self.no_plan), ("not converted", &self.refused)] {
            for (message, count, first) in classes.sorted() {
                let _ = writeln!(text, "  {count} {kind}, first number {first}: {message}");
            }
        }
        for ((phase, kind), (count, first)) in &self.failed {
            let _ = writeln!(
                text,
                "  {count} FAILED, first number {first}: {phase}: {kind}"
            );
        }
        text
    }
}
