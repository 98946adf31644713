//! Programs that are drawn from shapes: many of them, on several threads, with a table of their outcomes.

mod table;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use clap::Args;
use spyre_fuzz::shapes::{self, Class, Outcome};
use spyre_fuzz::{Checks, Runner, VOCABULARY, Verdict, real};
use spyre_generate::Program;
use spyre_generate::draw::{Size, program, real_program};

use table::Table;

/// Programs that a context runs before a new one takes its place: a context keeps every type and attribute.
const PER_CONTEXT: usize = 1000;

/// Programs between two prints of the counts.
const PRINT_EVERY: u64 = 10_000;

/// Runs programs that are drawn from shapes: reshapes, permutations, slices and insertions, and operations between
/// them.
///
/// The exit code is 1 when the results of a program differ between two levels, or the card reports a finding.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// How many programs.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    cases: u64,

    /// The seed of the random numbers. A seed and a number give the same program on every machine.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// The number of the first program. Programs of odd numbers have hints.
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,

    /// How many programs run at a time; as many as there are processors, unless it is given.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    /// Most steps that a program is drawn in.
    #[arg(long, value_name = "N", default_value_t = Size::default().steps)]
    steps: u64,

    /// Draw programs of real numbers, and run them on the card alone, with its numbers: every operation reads any numbers, and
    /// results have to be within the bounds of the exact results.
    #[arg(long)]
    real: bool,

    /// Of programs of real numbers, run the ones in which a product reads computed rows that end inside a stick.
    #[arg(long, requires = "real")]
    ragged_products: bool,

    /// Compile one of every N programs for the CPU; 0 compiles none.
    #[arg(long, value_name = "N", default_value_t = 16)]
    compile_every: u64,

    /// Run the unrolled bundle of one of every N programs; 0 runs none.
    #[arg(long, value_name = "N", default_value_t = 0)]
    unroll_every: u64,

    /// Let `--spyre-plan` decide about one of every N programs; 0 is for no program.
    #[arg(long, value_name = "N", default_value_t = 4)]
    plan_every: u64,

    /// Where to write a program of each class that fails or is refused.
    #[arg(long, value_name = "DIR", default_value = "target/fuzz-shapes")]
    output: PathBuf,

    /// Where to write the table of counts.
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,

    /// Most refused programs, of 1000; the exit code is 1 when there are more.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    most_refused: u64,

    /// Print the program of --first and stop.
    #[arg(long)]
    print: bool,
}

/// The programs of one class: their number, the first one, and its file.
struct ClassEntry {
    count: u64,
    first: u64,
    path: PathBuf,
}

/// The state that the threads share.
struct Campaign<'o> {
    options: &'o Options,
    next: Mutex<u64>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    table: Table,
    classes: BTreeMap<Class, ClassEntry>,
    done: u64,
    tiled: u64,
    /// Programs in which a product reads computed rows that end inside a stick.
    ragged: u64,
    /// Elements of results of real numbers, and elements that have bounds.
    elements: u64,
    bounded: u64,
    slowest: (f64, u64),
}

/// Runs all programs, and returns whether none failed.
pub(crate) fn run(options: &Options) -> io::Result<bool> {
    if options.print {
        let program = options.program(options.first);
        spyre_files::print(&program.to_string())?;
        return Ok(true);
    }
    fs::create_dir_all(&options.output)?;
    let campaign = Campaign {
        options,
        next: Mutex::default(),
        state: Mutex::default(),
    };
    let all = || thread::available_parallelism().map_or(1, usize::from);
    let threads = options.threads.unwrap_or_else(all).max(1);
    let start = Instant::now();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|thread| {
                let campaign = &campaign;
                scope.spawn(move || campaign.work(thread))
            })
            .collect();
        workers.into_iter().try_for_each(|worker| {
            let done = worker.join();
            done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    })?;
    let state = campaign
        .state
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    spyre_files::print(&format!(
        "{}\n{:.0} s; the slowest program, number {}, took {:.2} s\n",
        state.report(options),
        start.elapsed().as_secs_f64(),
        state.slowest.1,
        state.slowest.0
    ))?;
    if let Some(path) = &options.table {
        fs::write(path, state.report(options))?;
    }
    let failed = state.count(Outcome::Mismatch) + state.count(Outcome::Fault);
    let refused = state.count(Outcome::Refused);
    Ok(failed == 0 && refused * 1000 <= options.most_refused * state.done)
}

impl Options {
    fn size(&self) -> Size {
        Size { steps: self.steps }
    }

    /// Returns the program of a number.
    fn program(&self, number: u64) -> Program {
        let draw = if self.real { real_program } else { program };
        draw(&VOCABULARY, self.size(), self.seed, number)
    }

    /// Returns the command that runs a program again.
    fn command(&self, number: u64) -> String {
        let real = if self.real { " --real" } else { "" };
        format!(
            "spyre-fuzz shapes{real} --seed {} --first {number} --cases 1",
            self.seed
        )
    }

    fn checks(&self, number: u64) -> Checks {
        let is_one_of = |every: u64| every > 0 && (number / 2).is_multiple_of(every);
        Checks {
            compile: is_one_of(self.compile_every),
            unroll: is_one_of(self.unroll_every),
            open: false,
            plan: is_one_of(self.plan_every),
            strict: true,
            prove: false,
        }
    }
}

impl State {
    fn count(&self, outcome: Outcome) -> u64 {
        let classes = self
            .classes
            .iter()
            .filter(|(class, _)| class.outcome == outcome);
        classes.map(|(_, entry)| entry.count).sum()
    }

    /// Returns the counts, the classes and the table.
    fn report(&self, options: &Options) -> String {
        let counts = Outcome::ALL.map(|outcome| self.count(outcome));
        let [_, not_admitted, refused, mismatches, faults] = counts;
        let passed = self.done - not_admitted - refused - mismatches - faults;
        let (last, seed, tiled) = (options.first + self.done, options.seed, self.tiled);
        let mut text = format!(
            "seed {seed}, numbers {} to {last}: {} programs, {tiled} with hints: {passed} passed, {not_admitted} not in the contract, {refused} refused, {mismatches} with other numbers, {faults} faults\n",
            options.first, self.done
        );
        if options.real {
            let (ragged, elements, bounded) = (self.ragged, self.elements, self.bounded);
            text += &format!(
                "{ragged} programs have a product of computed rows that end inside a stick; {bounded} of {elements} elements have bounds\n"
            );
        }
        let outcomes = [
            Outcome::Mismatch,
            Outcome::Fault,
            Outcome::Refused,
            Outcome::NotAdmitted,
        ];
        for outcome in outcomes {
            let mut classes: Vec<_> = self
                .classes
                .iter()
                .filter(|(class, _)| class.outcome == outcome)
                .collect();
            classes.sort_by_key(|(_, entry)| std::cmp::Reverse(entry.count));
            for (class, ClassEntry { count, first, path }) in classes {
                text += &format!(
                    "  {outcome:?} {count} times, first number {first}, {}: {}\n",
                    path.display(),
                    class.message
                );
            }
        }
        text + &self.table.to_string()
    }
}

impl Campaign<'_> {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Option<u64> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        (*next < self.options.cases).then(|| {
            *next += 1;
            self.options.first + *next - 1
        })
    }

    /// Takes programs until there are none left.
    fn work(&self, thread: usize) -> io::Result<()> {
        // A crash ends the process; then this file has the program.
        let running = self.options.output.join(format!("running-{thread}.mlir"));
        let mut left = true;
        while left {
            let runner = Runner::new();
            for _ in 0..PER_CONTEXT {
                let Some(number) = self.take() else {
                    left = false;
                    break;
                };
                self.one(&runner, number, &running)?;
            }
        }
        if running.exists() {
            fs::remove_file(running)?;
        }
        Ok(())
    }

    fn one(&self, runner: &Runner, number: u64, running: &Path) -> io::Result<()> {
        let options = self.options;
        let program = options.program(number);
        let is_ragged = program.has_ragged_product();
        if options.ragged_products && !is_ragged {
            return Ok(());
        }
        let checks = options.checks(number);
        fs::write(running, program.to_mlir(program.has_hints()))?;
        let start = Instant::now();
        let (verdict, compared) = self.verdict(runner, &program, number, checks);
        let took = start.elapsed().as_secs_f64();
        let class = shapes::class(&verdict);
        let (is_new, print) = {
            let mut state = self.state();
            state.done += 1;
            state.tiled += u64::from(program.has_hints());
            state.ragged += u64::from(is_ragged);
            let [elements, bounded] = compared;
            state.elements += elements;
            state.bounded += bounded;
            if took > state.slowest.0 {
                state.slowest = (took, number);
            }
            state.table.add(&program, class.outcome);
            let classes = state.classes.len();
            let is_new = class.outcome != Outcome::Passed && !state.classes.contains_key(&class);
            let name = format!("{:?}-{classes}.mlir", class.outcome).to_lowercase();
            if class.outcome != Outcome::Passed {
                let entry = state
                    .classes
                    .entry(class.clone())
                    .or_insert_with(|| ClassEntry {
                        count: 0,
                        first: number,
                        path: options.output.join(name),
                    });
                entry.count += 1;
                entry.first = entry.first.min(number);
            }
            let path = state.classes.get(&class).map(|entry| entry.path.clone());
            let print = state
                .done
                .is_multiple_of(PRINT_EVERY)
                .then(|| state.report(options));
            (path.filter(|_| is_new), print)
        };
        if let Some(report) = print {
            eprintln!("{report}");
            if let Some(path) = &options.table {
                fs::write(path, report)?;
            }
        }
        if let Some(path) = is_new {
            let command = options.command(number);
            // The program is written before it is reduced, in case the reduction crashes.
            fs::write(&path, shapes::file(&program, &class, &verdict, &command))?;
            let run = |program: &Program| self.verdict(runner, program, number, checks).0;
            let minimal = shapes::minimize(&program, &class, run);
            let verdict = run(&minimal);
            fs::write(&path, shapes::file(&minimal, &class, &verdict, &command))?;
        }
        Ok(())
    }

    /// Runs a program. Returns the number of elements of its results, and the number of elements that were compared with
    /// bounds.
    fn verdict(
        &self,
        runner: &Runner,
        program: &Program,
        number: u64,
        checks: Checks,
    ) -> (Verdict, [u64; 2]) {
        if !self.options.real {
            return (shapes::run(runner, program, number, checks), [0; 2]);
        }
        let outcome = real::run(runner, program, number, checks);
        let compared = [outcome.elements, outcome.bounded].map(|count| count as u64);
        (outcome.verdict, compared)
    }
}
