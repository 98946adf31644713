//! Runs kernels with the KTIR interpreters of other projects, each in a separate process.
//!
//! A kernel is passed as a folder with `planned.mlir`, `kernel.mlir`, and numbered `input_N.npy` and `output_N.npy`. A
//! request is one line of JSON with the folder. The response is one line: the largest error of the results, or the
//! reason why the run fails. One process serves all requests, since it takes longer to start than a kernel to run.

use std::cell::RefCell;
use std::fs;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::{Deserialize, Serialize};
use spyre_exec::npy;
use tempfile::TempDir;

use super::Kernel;
use crate::case::{Failure, Phase};

/// The results of a kernel that are as expected.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Agreement {
    /// The largest error of an element, `|a - b| / (1 + |b|)`.
    pub error: f64,
    /// Whether all results are the expected ones in every bit; NaNs have no bits.
    #[serde(rename = "equal")]
    pub is_equal: bool,
    /// The number of cores.
    pub cores: usize,
    /// The number of functions that are launched.
    pub launches: usize,
}

/// A machine that runs kernels and compares their results.
pub trait Machine {
    /// Runs a kernel in both orders of cores.
    ///
    /// # Errors
    /// The kernel does not run, or has other results.
    fn run(&self, kernel: &Kernel) -> Result<Agreement, Failure>;
}

/// A request: the folder of a kernel.
#[derive(Debug, Serialize)]
struct Request<'p> {
    folder: &'p Path,
}

/// An answer.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Answer {
    Failed { failed: String, message: String },
    Agrees(Agreement),
}

/// An interpreter of KTIR as a process.
#[derive(Debug)]
pub struct Interpreter {
    command: RefCell<Command>,
    folder: TempDir,
    /// `None` before the first kernel, and after the process has ended.
    process: RefCell<Option<Process>>,
}

#[derive(Debug)]
struct Process {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Interpreter {
    /// Returns an interpreter that the command starts. It starts with the first kernel, and again if it has ended.
    ///
    /// # Errors
    /// No folder for kernels.
    pub fn new(mut command: Command) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        Ok(Self {
            command: RefCell::new(command),
            folder: tempfile::tempdir()?,
            process: RefCell::default(),
        })
    }

    /// Returns the line of the answer to a kernel.
    fn answer(&self, kernel: &Kernel) -> io::Result<String> {
        let folder = self.folder.path();
        write(folder, kernel)?;
        let mut process = self.process.borrow_mut();
        let process = match &mut *process {
            Some(process) => process,
            none => none.insert(Process::start(&mut self.command.borrow_mut())?),
        };
        let request = serde_json::to_string(&Request { folder })?;
        writeln!(process.requests, "{request}")?;
        process.requests.flush()?;
        let mut line = String::new();
        match process.answers.read_line(&mut line)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(line),
        }
    }
}

impl Machine for Interpreter {
    fn run(&self, kernel: &Kernel) -> Result<Agreement, Failure> {
        match self.answer(kernel) {
            Ok(line) => outcome(&line),
            Err(err) => {
                // A process that has ended has no answers to later kernels either.
                self.process.take();
                Err(failure("no answer of the interpreter", err.to_string()))
            }
        }
    }
}

impl Process {
    fn start(command: &mut Command) -> io::Result<Self> {
        let mut child = command.spawn()?;
        let requests = child.stdin.take();
        let answers = child.stdout.take();
        Ok(Self {
            requests: requests.expect("the input is a pipe"),
            answers: BufReader::new(answers.expect("the output is a pipe")),
            child,
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It is idle, or it has ended: an error means the latter.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes the files of a kernel into a folder, which has no others afterwards.
///
/// # Errors
/// The system refuses.
pub fn write(folder: &Path, kernel: &Kernel) -> io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    fs::write(folder.join("planned.mlir"), &kernel.planned)?;
    fs::write(folder.join("kernel.mlir"), &kernel.text)?;
    for (name, arrays) in [("input", &kernel.inputs), ("output", &kernel.results)] {
        for (number, array) in arrays.iter().enumerate() {
            let path = folder.join(format!("{name}_{number}.npy"));
            npy::write(&path, array).map_err(io::Error::other)?;
        }
    }
    Ok(())
}

/// Reads an answer.
fn outcome(line: &str) -> Result<Agreement, Failure> {
    match serde_json::from_str(line) {
        Ok(Answer::Agrees(agreement)) => Ok(agreement),
        Ok(Answer::Failed { failed, message }) => Err(failure(&failed, message)),
        Err(err) => Err(failure(
            "an answer of another form",
            format!("{err}: {}", line.trim_end()),
        )),
    }
}

fn failure(kind: &str, message: String) -> Failure {
    Failure {
        phase: Phase::Kernel,
        kind: kind.to_owned(),
        message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_agreements_or_failures() {
        let agreement =
            outcome(r#"{"error": 0.5, "equal": false, "cores": 4, "launches": 2, "lx": 64}"#);
        let expected = Agreement {
            error: 0.5,
            is_equal: false,
            cores: 4,
            launches: 2,
        };
        assert_eq!(agreement, Ok(expected));
        let failed = outcome(r#"{"failed": "cores", "message": "[0] of 4 ran"}"#);
        assert_eq!(failed, Err(failure("cores", "[0] of 4 ran".to_owned())));
        let other = outcome("Traceback");
        assert!(other.is_err_and(|it| it.kind == "an answer of another form"));
    }
}
