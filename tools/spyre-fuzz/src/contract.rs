//! Bundles of files and of drawn programs, by the rules of the contract.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use clap::Args;
use spyre_fuzz::contract::{Checker, Source, Table};
use spyre_fuzz::{Size, VOCABULARY, shrink, uop};
use spyre_generate::{draw, inductor, linalg};
use spyre_schema::Schema;
use spyre_uop::schema;

/// Makes the bundles of programs in files and of drawn programs, and checks each by the rules of the contract (docs/Contract.md).
///
/// The exit code is 1 when a rule is broken that no exception of the program's target allows.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Files of programs, and directories that have such files at any depth: MLIR, trees of OpSpecs, graphs of PyTorch Inductor
    /// and of tinyspec.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// How many programs of each generator.
    #[arg(long, value_name = "N", default_value_t = 100)]
    cases: u64,

    /// The seed of the random numbers. A seed and a number give the same program on every machine.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// The number of the first program of each generator.
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,

    /// Check each sdsc_*.json against this JSON schema as well, such as the published one.
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,

    /// How many programs are checked at a time; as many as there are processors, unless it is given.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

/// A program to check.
enum Subject {
    File(PathBuf),
    Drawn(Generator, u64),
}

/// A generator of programs.
#[derive(Clone, Copy)]
enum Generator {
    Recipes,
    Shapes,
    Real,
    Linalg,
    Inductor,
    Uop,
}

impl Generator {
    const ALL: [Self; 6] = [
        Self::Recipes,
        Self::Shapes,
        Self::Real,
        Self::Linalg,
        Self::Inductor,
        Self::Uop,
    ];

    /// Returns the name, which is also the command that prints a program, for generators that have one.
    const fn name(self) -> &'static str {
        match self {
            Self::Recipes => "spyre-fuzz",
            Self::Shapes => "spyre-fuzz shapes",
            Self::Real => "spyre-fuzz shapes --real",
            Self::Linalg => "spyre-fuzz linalg",
            Self::Inductor => "generator of inductor",
            Self::Uop => "spyre-fuzz uop",
        }
    }

    /// Draws the program of a number.
    fn program(self, seed: u64, number: u64) -> Source {
        match self {
            Self::Recipes => {
                let program = shrink::program(Size::default(), seed, number);
                Source::Mlir(program.to_mlir(true))
            }
            Self::Shapes => {
                let program = draw::program(&VOCABULARY, draw::Size::default(), seed, number);
                Source::Mlir(program.to_mlir(program.has_hints()))
            }
            Self::Real => {
                let program = draw::real_program(&VOCABULARY, draw::Size::default(), seed, number);
                Source::Mlir(program.to_mlir(program.has_hints()))
            }
            Self::Linalg => Source::Mlir(linalg::program(seed, number).text),
            Self::Inductor => Source::Mlir(inductor::graph(seed, number)),
            Self::Uop => Source::Program(schema::write(&uop::Case::new(seed, number).file)),
        }
    }
}

impl Subject {
    fn name(&self, options: &Options) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Drawn(generator, number) => {
                let (generator, seed) = (generator.name(), options.seed);
                format!("{generator} --seed {seed} --first {number}")
            }
        }
    }

    /// Returns the program; `None` for a file without one.
    fn source(&self, options: &Options) -> io::Result<Option<Source>> {
        match self {
            Self::File(path) => {
                let extension = path.extension().unwrap_or_default().to_string_lossy();
                let text = fs::read_to_string(path).map_err(|err| {
                    io::Error::new(err.kind(), format!("{}: {err}", path.display()))
                })?;
                Ok(Source::of_file(&extension, text))
            }
            Self::Drawn(generator, number) => Ok(Some(generator.program(options.seed, *number))),
        }
    }
}

/// Checks all programs and prints the table. Returns whether no rule is broken.
pub(crate) fn run(options: &Options) -> io::Result<bool> {
    let checker = Checker {
        schema: options.schema.as_deref().map(read_schema).transpose()?,
    };
    let mut subjects = Vec::new();
    for path in &options.paths {
        collect(path, &mut subjects)?;
    }
    for generator in Generator::ALL {
        let numbers = options.first..options.first + options.cases;
        subjects.extend(numbers.map(|number| Subject::Drawn(generator, number)));
    }
    let (next, table) = (AtomicUsize::new(0), Mutex::new(Outcomes::default()));
    let all = || thread::available_parallelism().map_or(1, usize::from);
    let threads = options.threads.unwrap_or_else(all).max(1);
    let start = Instant::now();
    let work = || -> io::Result<()> {
        while let Some(subject) = subjects.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Some(source) = subject.source(options)? else {
                let mut outcomes = table.lock().expect("no thread panics with the table");
                outcomes.without_program += 1;
                continue;
            };
            let start = Instant::now();
            let outcome = checker.check(&source);
            let took = start.elapsed().as_secs_f64();
            let mut outcomes = table.lock().expect("no thread panics with the table");
            let name = subject.name(options);
            if took > outcomes.slowest.0 {
                outcomes.slowest = (took, name.clone());
            }
            outcomes.table.add(&name, outcome);
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| {
            let done = worker.join();
            done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    })?;
    let outcomes = table.into_inner().expect("no thread panics with the table");
    let (slowest, name) = &outcomes.slowest;
    spyre_files::print(&format!(
        "{}{} files have no program; {:.0} s; the slowest program, {name}, took {slowest:.1} s\n",
        outcomes.table,
        outcomes.without_program,
        start.elapsed().as_secs_f64()
    ))?;
    if outcomes.table.bundles() == 0 {
        return Err(io::Error::other("no program has a bundle"));
    }
    Ok(outcomes.table.faults() == 0)
}

/// The outcomes of all programs, the number of files without one, and the seconds and the name of the slowest one.
#[derive(Default)]
struct Outcomes {
    table: Table,
    without_program: usize,
    slowest: (f64, String),
}

/// Adds the files below a path, in order.
fn collect(path: &Path, subjects: &mut Vec<Subject>) -> io::Result<()> {
    let named = |err: io::Error| io::Error::new(err.kind(), format!("{}: {err}", path.display()));
    if !fs::metadata(path).map_err(named)?.is_dir() {
        subjects.push(Subject::File(path.to_owned()));
        return Ok(());
    }
    let entries = fs::read_dir(path).map_err(named)?;
    let entries = entries.map(|entry| Ok(entry?.path()));
    let mut entries: Vec<PathBuf> = entries.collect::<io::Result<_>>().map_err(named)?;
    entries.sort();
    let mut entries = entries.iter();
    entries.try_for_each(|entry| {
        let is_program = ["mlir", "py", "json", "txt"]
            .iter()
            .any(|end| entry.extension().is_some_and(|extension| extension == *end));
        match is_program || entry.is_dir() {
            true => collect(entry, subjects),
            false => Ok(()),
        }
    })
}

/// Reads the schema in a file.
fn read_schema(path: &Path) -> io::Result<Schema> {
    let wrong = |message: &dyn std::fmt::Display| {
        io::Error::other(format!("{}: {message}", path.display()))
    };
    let text = fs::read_to_string(path).map_err(|err| wrong(&err))?;
    Schema::from_text(&text).map_err(|err| wrong(&err))
}
