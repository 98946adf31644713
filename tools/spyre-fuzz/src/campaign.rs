//! Runs many programs, on several threads.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread;

use indicatif::{ProgressBar, ProgressStyle};
use spyre_fuzz::shrink::{self, Minimal};
use spyre_fuzz::{Program, Runner, Verdict};
use thiserror::Error;

use crate::options::Options;
use crate::outcomes::Outcomes;

/// Programs that a context runs before a new one takes its place: a context keeps every type and attribute.
const PER_CONTEXT: usize = 2000;

/// The reason why the tool stops.
#[derive(Debug, Error)]
pub(crate) enum Error {
    /// The directory of the programs that fail cannot be written.
    #[error("{}: {reason}", path.display())]
    Write {
        /// The path.
        path: PathBuf,
        /// The error of the system.
        reason: io::Error,
    },
}

/// Runs all programs.
pub(crate) fn run(options: &Options) -> Result<Outcomes, Error> {
    let write = |err| Error::Write {
        path: options.output.clone(),
        reason: err,
    };
    fs::create_dir_all(&options.output).map_err(write)?;
    let style = ProgressStyle::with_template("[{bar:40}] {pos}/{len} {msg} ({eta} left)");
    let progress = ProgressBar::new(options.cases);
    // The template is a constant.
    if let Ok(style) = style {
        progress.set_style(style.progress_chars("#>-"));
    }
    let campaign = Campaign {
        options,
        next: Mutex::default(),
        outcomes: Mutex::default(),
        progress,
    };
    let result = thread::scope(|scope| {
        let workers: Vec<_> = (0..options.threads())
            .map(|thread| {
                let campaign = &campaign;
                scope.spawn(move || campaign.work(thread))
            })
            .collect();
        workers.into_iter().try_for_each(|worker| {
            let done = worker.join();
            done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    });
    campaign.progress.finish_and_clear();
    result.map_err(write)?;
    Ok(campaign
        .outcomes
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner))
}

/// The state that the threads share.
struct Campaign<'o> {
    options: &'o Options,
    next: Mutex<Next>,
    outcomes: Mutex<Outcomes>,
    progress: ProgressBar,
}

/// The progress of the threads.
#[derive(Default)]
struct Next {
    /// Number of programs that have been taken.
    numbers: u64,
    /// The number of programs that count as cases.
    cases: u64,
}

impl Campaign<'_> {
    /// Takes the next case; `None` if there is none left.
    fn take(&self) -> Option<(u64, Program)> {
        let Options {
            seed,
            first,
            cases,
            tiled_only,
            ..
        } = *self.options;
        // One thread draws at a time, so that programs do not depend on the number of threads.
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        while next.cases < cases {
            let number = first.wrapping_add(next.numbers);
            next.numbers += 1;
            let program = shrink::program(self.options.size(), seed, number);
            if !tiled_only || program.has_hints() {
                next.cases += 1;
                return Some((number, program));
            }
        }
        None
    }

    /// Takes programs until there are none left.
    fn work(&self, thread: usize) -> io::Result<()> {
        // A crash ends the process; then this file has the program.
        let running = self.options.output.join(format!("running-{thread}.mlir"));
        let mut left = true;
        while left {
            let runner = Runner::new();
            for _ in 0..PER_CONTEXT {
                let Some((number, program)) = self.take() else {
                    left = false;
                    break;
                };
                self.one(&runner, number, &program, &running)?;
                self.progress.inc(1);
            }
        }
        if running.exists() {
            fs::remove_file(running)?;
        }
        Ok(())
    }

    fn one(
        &self,
        runner: &Runner,
        number: u64,
        program: &Program,
        running: &PathBuf,
    ) -> io::Result<()> {
        let Options { seed, output, .. } = self.options;
        let (size, checks) = (self.options.size(), self.options.checks(number));
        fs::write(running, program.to_string())?;
        let verdict = runner.run(program, number, checks);
        let minimal = match &verdict {
            Verdict::Failed(failure) if self.locked(|outcomes| outcomes.is_new(&verdict)) => {
                let smaller = shrink::minimize(runner, size, *seed, number, checks);
                // A program that does not fail a second time is written as it was.
                Some(smaller.unwrap_or_else(|| Minimal {
                    program: program.clone(),
                    failure: failure.clone(),
                }))
            }
            _ => None,
        };
        if let Some(minimal) = &minimal {
            let path = crate::outcomes::write(output, *seed, number, minimal)?;
            let failure = &minimal.failure;
            self.progress.println(format!(
                "{:?}, {}: {}",
                failure.phase,
                failure.kind,
                path.display()
            ));
        }
        self.locked(|outcomes| outcomes.add(number, program, &verdict));
        let summary = self.locked(|outcomes| outcomes.summary());
        self.progress.set_message(summary);
        Ok(())
    }

    fn locked<T>(&self, with: impl FnOnce(&mut Outcomes) -> T) -> T {
        with(&mut self.outcomes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
