//! The outcomes of all programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use spyre_exec::npy;
use spyre_fuzz::program::Program;
use spyre_fuzz::shrink::Minimal;
use spyre_fuzz::{Phase, Verdict, case};

/// Largest number of messages of refusals that are printed.
const MOST_MESSAGES: usize = 12;

/// The outcomes of all programs.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    passed: u64,
    tiled: u64,
    open: u64,
    gathers: u64,
    failures: BTreeMap<(Phase, String), u64>,
    /// The number of refusals of each kind, and the number of the first program of the kind.
    refusals: BTreeMap<(Phase, String), (u64, u64)>,
    kinds: BTreeSet<(Phase, String)>,
}

impl Outcomes {
    /// Returns the number of programs that failed.
    pub(crate) fn failed(&self) -> u64 {
        self.failures.values().sum()
    }

    fn refused(&self) -> u64 {
        self.refusals.values().map(|(count, _)| count).sum()
    }

    /// Returns whether a failure is the first of its kind.
    pub(crate) fn is_new(&mut self, verdict: &Verdict) -> bool {
        match verdict {
            Verdict::Failed(failure) => self.kinds.insert((failure.phase, failure.kind.clone())),
            _ => false,
        }
    }

    /// Counts the outcome of a program.
    pub(crate) fn add(&mut self, number: u64, program: &Program, verdict: &Verdict) {
        match verdict {
            Verdict::Passed { tiled, open, .. } => {
                self.passed += 1;
                self.tiled += u64::from(*tiled);
                self.open += u64::from(*open > 0);
                self.gathers += u64::from(program.has_gathers());
            }
            Verdict::Refused { phase, message } => {
                let kind = (*phase, class(message));
                let (count, first) = self.refusals.entry(kind).or_insert((0, number));
                *count += 1;
                *first = number.min(*first);
            }
            Verdict::Failed(failure) => {
                let kind = (failure.phase, failure.kind.clone());
                *self.failures.entry(kind).or_default() += 1;
            }
        }
    }

    /// Returns the counts in a few words.
    pub(crate) fn summary(&self) -> String {
        format!(
            "{} passed, {} of them tiled, {} with a dimension left open as well, {} with a gather, {} refused, {} failed",
            self.passed,
            self.tiled,
            self.open,
            self.gathers,
            self.refused(),
            self.failed()
        )
    }
}

impl fmt::Display for Outcomes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.summary())?;
        for ((phase, kind), count) in &self.failures {
            writeln!(f, "  failed {count} times, {phase:?}: {kind}")?;
        }
        let mut refusals: Vec<_> = self.refusals.iter().collect();
        refusals.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        for ((phase, message), (count, first)) in refusals.iter().take(MOST_MESSAGES) {
            writeln!(
                f,
                "  refused {count} times, first number {first}, {phase:?}: {message}"
            )?;
        }
        Ok(())
    }
}

/// Returns a message without its numbers.
fn class(message: &str) -> String {
    let mut class = String::new();
    let mut digits = false;
    for letter in message.lines().next().unwrap_or_default().chars() {
        match letter.is_ascii_digit() {
            true if digits => {}
            true => class.push('N'),
            false => class.push(letter),
        }
        digits = letter.is_ascii_digit();
    }
    class
}

/// Writes a program that fails, with its inputs, and returns the path.
pub(crate) fn write(
    directory: &Path,
    seed: u64,
    number: u64,
    minimal: &Minimal,
) -> io::Result<PathBuf> {
    let path = directory.join(format!("{seed}-{number}.mlir"));
    let failure = &minimal.failure;
    let mut text = format!(
        "// Made smaller from: spyre-fuzz --seed {seed} --first {number} --cases 1\n// {:?}, {}\n",
        failure.phase, failure.kind
    );
    for line in failure.message.lines() {
        // Writing to a string does not fail.
        let _ = writeln!(text, "// {line}");
    }
    let mut command = format!(
        "// spyre-run {} --check-pipeline='builtin.module(spyre-pipeline)'",
        path.display()
    );
    for (at, input) in case::inputs(&minimal.program, number).iter().enumerate() {
        let file = directory.join(format!("{seed}-{number}.{at}.npy"));
        npy::write(&file, input).map_err(io::Error::other)?;
        let _ = write!(command, " -i {}", file.display());
    }
    fs::write(&path, format!("{text}{command}\n{}", minimal.program))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_differ_in_numbers() {
        assert_eq!(class("12 of 3 in \"D1\""), "N of N in \"DN\"");
    }
}
