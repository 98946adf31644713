//! `cargo xtask fuzz-input`: damaged programs must be accepted or refused, never crash a tool.

mod judge;
mod mutate;
mod rng;
mod trace;

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use judge::{Finding, MODES, judge};
use rng::Rng;
use spyre_checkout::error::Error;
use spyre_checkout::project::Project;

const THREADS: u64 = 2;
const DEFAULT_SECONDS: u64 = 60;

/// The start and the end of a run. Without limits: [`DEFAULT_SECONDS`].
#[derive(Debug)]
pub(crate) struct Options {
    /// The time after which to stop, in seconds.
    pub seconds: Option<u64>,
    /// The number of programs after which each thread stops. Then the same seed always means the same programs.
    pub cases: Option<u64>,
    /// The seed of the random numbers; taken from the clock if not given.
    pub seed: Option<u64>,
}

/// Runs the fuzzer; reproducers go to `target/fuzz-input`.
///
/// # Errors
/// When the build fails, the corpus is empty, or a crash was found that stock `mlir-opt` does not have.
pub(crate) fn fuzz(project: &Project, options: &Options) -> Result<(), Error> {
    project.build_workspace()?;
    let corpus = corpus(project)?;
    let directory = project.target.join("fuzz-input");
    fs::create_dir_all(&directory).map_err(Error::io(&directory))?;
    let seed = options.seed.unwrap_or_else(clock_seed);
    let seconds = options
        .seconds
        .or(options.cases.is_none().then_some(DEFAULT_SECONDS));
    println!(
        "fuzz-input: {} programs to start from, seed {seed}, findings in {}",
        corpus.len(),
        directory.display()
    );

    let run = SharedState {
        project,
        corpus: &corpus,
        directory: &directory,
        seed,
        cases: options.cases.unwrap_or(u64::MAX),
        end: seconds.map(|s| Instant::now() + Duration::from_secs(s)),
        executed: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
        findings: Mutex::default(),
    };
    let result = thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|stream| {
                scope.spawn({
                    let run = &run;
                    move || run.work(stream)
                })
            })
            .collect();
        run.show_progress(|| workers.iter().all(thread::ScopedJoinHandle::is_finished));
        workers
            .into_iter()
            .try_for_each(|w| w.join().unwrap_or_else(|p| std::panic::resume_unwind(p)))
    });
    result?;

    let findings = run.findings.into_inner().unwrap_or_else(|e| e.into_inner());
    let executed = run.executed.into_inner();
    let summary = format!("{executed} executed, {findings}, seed {seed}");
    if findings.ours == 0 {
        println!("fuzz-input: {summary}");
        Ok(())
    } else {
        Err(Error::Verdict(format!("fuzz-input: {summary}")))
    }
}

/// The state that the threads share.
struct SharedState<'a> {
    project: &'a Project,
    corpus: &'a [Vec<u8>],
    directory: &'a Path,
    seed: u64,
    cases: u64,
    end: Option<Instant>,
    executed: AtomicUsize,
    stop: AtomicBool,
    findings: Mutex<FindingCounts>,
}

/// Counts of findings.
#[derive(Debug, Default)]
struct FindingCounts {
    ours: usize,
    upstream: usize,
    signatures: BTreeSet<String>,
}

impl std::fmt::Display for FindingCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (ours, upstream, distinct) = (self.ours, self.upstream, self.signatures.len());
        write!(
            f,
            "{ours} crashes, {upstream} more that stock mlir-opt has too ({distinct} distinct in all)"
        )
    }
}

impl SharedState<'_> {
    fn work(&self, stream: u64) -> Result<(), Error> {
        let mut rng = Rng::new(self.seed, stream);
        let result = (0..self.cases)
            .take_while(|_| !self.is_over())
            .try_for_each(|case| {
                self.one_case(&mut rng, &format!("{}-{stream}-{case}", self.seed))
            });
        if result.is_err() {
            // The other threads need not continue.
            self.stop.store(true, Ordering::Relaxed);
        }
        result
    }

    /// Runs one program, and keeps its file if that is a new finding.
    fn one_case(&self, rng: &mut Rng, case: &str) -> Result<(), Error> {
        let program = mutate::mutate(self.corpus, rng);
        let mode = &MODES[rng.below(MODES.len())];
        let name = format!("{}-{case}", mode.name);
        let file = self.directory.join(format!("{name}.mlir"));
        let out = self.directory.join(format!("{name}.out"));
        fs::write(&file, &program).map_err(Error::io(&file))?;
        let finding = judge(self.project, mode, &file, &out)?;
        remove(&out)?;
        self.executed.fetch_add(1, Ordering::Relaxed);
        match finding {
            Some(finding) if self.is_new(&finding) => {
                let what = if finding.upstream {
                    "stock mlir-opt has it too"
                } else {
                    "ours"
                };
                println!("\r{} ({what}): {}", finding.crash, file.display());
                let log = self.directory.join(format!("{name}.log"));
                let text = format!(
                    "{}\n{} ({what})\n\n{}",
                    finding.command, finding.crash, finding.stderr
                );
                fs::write(&log, text).map_err(Error::io(&log))
            }
            _ => remove(&file),
        }
    }

    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// Counts the finding, and returns whether none that looks the same was counted before.
    fn is_new(&self, finding: &Finding) -> bool {
        let mut findings = self.findings.lock().unwrap_or_else(|e| e.into_inner());
        if finding.upstream {
            findings.upstream += 1;
        } else {
            findings.ours += 1;
        }
        findings.signatures.insert(finding.signature())
    }

    /// Writes one line over and over, on a terminal, until `done`.
    fn show_progress(&self, done: impl Fn() -> bool) {
        let terminal = io::stdout().is_terminal();
        while !done() {
            thread::sleep(Duration::from_millis(200));
            if terminal {
                let findings = self.findings.lock().unwrap_or_else(|e| e.into_inner());
                print!(
                    "\r{} executed, {} crashes ",
                    self.executed.load(Ordering::Relaxed),
                    findings.ours
                );
                // Only cosmetic.
                let _ = io::stdout().flush();
            }
        }
        if terminal {
            println!();
        }
    }
}

/// Returns every program under `test/` and `examples/`.
fn corpus(project: &Project) -> Result<Vec<Vec<u8>>, Error> {
    let mut files = Vec::new();
    let mut pending = vec![project.root.join("test"), project.root.join("examples")];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory).map_err(Error::io(&directory))? {
            let path: PathBuf = entry.map_err(Error::io(&directory))?.path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|e| e == "mlir") {
                files.push(path);
            }
        }
    }
    // Directory order differs from machine to machine, and the seed chooses by number.
    files.sort();
    let mut corpus = Vec::new();
    for file in files {
        let bytes = fs::read(&file).map_err(Error::io(&file))?;
        corpus.extend(mutate::programs(&String::from_utf8_lossy(&bytes)));
    }
    if corpus.is_empty() {
        return Err(Error::Verdict(
            "fuzz-input: no .mlir files under test/ and examples/".into(),
        ));
    }
    Ok(corpus)
}

/// Removes a file or a directory, if there is one.
fn remove(path: &Path) -> Result<(), Error> {
    let result = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    match result {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io(path)(error)),
        _ => Ok(()),
    }
}

fn clock_seed() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_nanos() as u64)
}
