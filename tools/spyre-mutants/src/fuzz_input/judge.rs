//! Runs a tool on a damaged program and decides whether its behaviour is acceptable.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::trace::frames;
use spyre_checkout::error::Error;
use spyre_checkout::process::{self, Finished};
use spyre_checkout::project::{Profile, Project};

/// The time limit for one run.
const LIMIT: Duration = Duration::from_secs(10);
/// A run that took longer than [`LIMIT`] is repeated with this limit: the machine may just have been busy.
const SECOND_LIMIT: Duration = Duration::from_secs(30);

/// Limits memory to 4 GiB and files to 1 GiB, so that a runaway is our finding and not the machine's end.
const LIMITED: &str = "ulimit -c 0 -v 4194304 -f 1048576; exec \"$@\"";

/// A way of calling a tool.
#[derive(Debug)]
pub(crate) struct Mode {
    /// The name of the mode, for file names and messages.
    pub name: &'static str,
    tool: &'static str,
    arguments: &'static [&'static str],
    /// The arguments with which stock `mlir-opt` does the upstream part of the same.
    upstream: &'static [&'static str],
}

/// The ways the fuzzer chooses from.
pub(crate) const MODES: [Mode; 9] = [
    Mode {
        name: "parse",
        tool: "spyre-opt",
        arguments: &[],
        upstream: &[],
    },
    Mode {
        name: "roundtrip",
        tool: "spyre-opt",
        arguments: &["--verify-roundtrip"],
        upstream: &["--verify-roundtrip"],
    },
    Mode {
        name: "canonicalize",
        tool: "spyre-opt",
        arguments: &["--canonicalize"],
        upstream: &["--canonicalize"],
    },
    Mode {
        name: "layouts",
        tool: "spyre-opt",
        arguments: &[
            "--spyre-pad-matmul",
            "--spyre-propagate-layouts",
            "--spyre-optimize-restickify",
            "--spyre-insert-restickify",
        ],
        upstream: &[],
    },
    Mode {
        name: "propagate-layouts",
        tool: "spyre-opt",
        arguments: &["--spyre-propagate-layouts"],
        upstream: &[],
    },
    Mode {
        name: "unroll",
        tool: "spyre-opt",
        arguments: &[
            "--pass-pipeline=builtin.module(func.func(coarse-tile,spyre-unroll-loops{max-operations=2000}))",
        ],
        upstream: &[],
    },
    Mode {
        name: "coarse-tile",
        tool: "spyre-opt",
        arguments: &["--coarse-tile"],
        upstream: &[],
    },
    Mode {
        name: "pipeline",
        tool: "spyre-opt",
        arguments: &["--spyre-pipeline"],
        upstream: &[],
    },
    Mode {
        name: "bundle",
        tool: "spyre-translate",
        arguments: &["--spyre-to-bundle"],
        upstream: &[],
    },
];

/// A way of ending that is a defect for every input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Crash {
    /// Ended by this signal.
    Signal(i32),
    /// An exit code other than 0 (accepted) and 1 (refused).
    Exit(i32),
    /// A Rust panic or a fatal error of LLVM, with any exit code.
    Fatal,
    /// Not finished in time.
    Timeout,
}

impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signal(number) => write!(f, "signal{number}"),
            Self::Exit(code) => write!(f, "exit{code}"),
            Self::Fatal => f.write_str("fatal"),
            Self::Timeout => f.write_str("timeout"),
        }
    }
}

/// A finding of the fuzzer.
#[derive(Debug)]
pub(crate) struct Finding {
    /// The way in which the tool ended.
    pub crash: Crash,
    /// Whether stock `mlir-opt` ends like this on the same file, outside of our code.
    pub upstream: bool,
    /// The command, to repeat it.
    pub command: String,
    /// The standard error of the tool.
    pub stderr: String,
}

impl Finding {
    /// Returns a text that is equal for findings that look like the same defect: the innermost frames of the stack, or
    /// the fatal message.
    pub(crate) fn signature(&self) -> String {
        let frames = frames(&self.stderr)
            .take(12)
            .map(|f| f.to_string())
            .collect::<Vec<_>>()
            .join(" ");
        format!(
            "{} {} {frames}",
            self.crash,
            fatal_message(&self.stderr).unwrap_or_default()
        )
    }
}

/// Runs `mode` on `file`; `out` is a directory that the tool may write. Returns `None` if the tool accepts the
/// file or reports an error, and a finding for a crash, a panic or a timeout.
///
/// # Errors
/// When the tool cannot be started.
pub(crate) fn judge(
    project: &Project,
    mode: &Mode,
    file: &Path,
    out: &Path,
) -> Result<Option<Finding>, Error> {
    let mut tool = project.tool(Profile::Debug, mode.tool);
    tool.arg(file).args(mode.arguments);
    // spyre-translate writes a directory.
    tool.arg("-o").arg(if mode.tool == "spyre-translate" {
        out
    } else {
        Path::new("/dev/null")
    });
    let (finished, crash) = attempt(&tool)?;
    let Some(crash) = crash else { return Ok(None) };
    let upstream = is_upstream(project, mode, file, &crash)?;
    Ok(Some(Finding {
        crash,
        upstream,
        command: process::line(&tool),
        stderr: finished.stderr(),
    }))
}

/// Returns whether stock `mlir-opt` ends in the same way on `file`.
///
/// Its plugin is our code too, so there must be a stack trace that shows that none of it was involved. Without one (a
/// caught panic, a timeout) the finding counts as ours.
fn is_upstream(project: &Project, mode: &Mode, file: &Path, crash: &Crash) -> Result<bool, Error> {
    let mut stock = project.stock_mlir_opt(Profile::Debug);
    stock
        .arg(file)
        .args(mode.upstream)
        .args(["-o", "/dev/null"]);
    let (finished, stock_crash) = attempt(&stock)?;
    Ok(stock_crash.as_ref() == Some(crash) && is_foreign(&finished.stderr()))
}

/// Returns whether there is a stack trace without a frame in the plugin.
fn is_foreign(stderr: &str) -> bool {
    frames(stderr).next().is_some() && !frames(stderr).any(|f| f.module.contains("spyre_plugin"))
}

/// Runs `command` within limits, twice if it does not end in time.
fn attempt(command: &Command) -> Result<(Finished, Option<Crash>), Error> {
    let mut limited = Command::new("bash");
    limited
        .args(["-c", LIMITED, "bash"])
        .arg(command.get_program())
        .args(command.get_args());
    // Module and symbol of each frame are enough, and quick.
    limited.env("LLVM_DISABLE_SYMBOLIZATION", "1");
    if let Some(directory) = command.get_current_dir() {
        limited.current_dir(directory);
    }
    let mut finished = process::limited(&mut limited, None, LIMIT)?;
    if finished.status.is_none() {
        finished = process::limited(&mut limited, None, SECOND_LIMIT)?;
    }
    let crash = crash(&finished);
    Ok((finished, crash))
}

fn crash(finished: &Finished) -> Option<Crash> {
    let Some(status) = finished.status else {
        return Some(Crash::Timeout);
    };
    match (status.signal(), status.code()) {
        _ if fatal_message(&finished.stderr()).is_some() => Some(Crash::Fatal),
        (Some(signal), _) => Some(Crash::Signal(signal)),
        (None, Some(0 | 1)) => None,
        (None, code) => Some(Crash::Exit(code.unwrap_or(-1))),
    }
}

/// Returns the last message of Rust or LLVM, without the thread number before it; `None` if there is none.
fn fatal_message(stderr: &str) -> Option<&str> {
    stderr.lines().find_map(|line| {
        let at = line
            .find("panicked")
            .or_else(|| line.starts_with("LLVM ERROR").then_some(0))?;
        line.get(at..)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Option<Crash> {
        attempt(Command::new("sh").args(["-c", script])).unwrap().1
    }

    #[test]
    fn refusing_is_no_crash() {
        assert_eq!(sh("exit 0"), None);
        assert_eq!(
            sh("echo 'x.mlir:1:1: error: expected type' >&2; exit 1"),
            None
        );
    }

    #[test]
    fn crashes_are_told_apart() {
        assert_eq!(sh("kill -SEGV $$"), Some(Crash::Signal(11)));
        assert_eq!(sh("exit 101"), Some(Crash::Exit(101)));
        assert_eq!(
            sh("echo \"error: pass 'x' panicked: index\" >&2; exit 1"),
            Some(Crash::Fatal)
        );
        assert_eq!(
            sh("echo 'LLVM ERROR: out of memory' >&2; exit 1"),
            Some(Crash::Fatal)
        );
    }

    #[test]
    fn only_a_trace_without_our_code_is_foreign() {
        let theirs = "0  libMLIR.so.22.1 0x00007fd95aeba8f5 mlir::parse() + 1\n";
        let ours = "1  libspyre_plugin.so 0x00007fd95aeba8f5 spyre::parse() + 1\n";
        assert!(is_foreign(theirs));
        assert!(!is_foreign(&format!("{theirs}{ours}")));
        assert!(!is_foreign("error: panicked\n"));
    }

    #[test]
    fn signatures_tell_places_apart_and_ignore_threads() {
        let signature = |stderr: &str| {
            let stderr = stderr.to_owned();
            Finding {
                crash: Crash::Fatal,
                upstream: false,
                command: String::new(),
                stderr,
            }
            .signature()
        };
        let base = signature("\nthread 'main' (12) panicked at a.rs:1:2:\n");
        assert_eq!(signature("thread 'main' (7) panicked at a.rs:1:2:\n"), base);
        assert_ne!(
            signature("thread 'main' (12) panicked at a.rs:3:2:\n"),
            base
        );
        let trace =
            |symbol: &str| signature(&format!("0  libMLIR.so 0x00007fd95aeba8f5 {symbol}\n"));
        assert_eq!(trace("f() + 1"), trace("f() + 1"));
        assert_ne!(trace("f() + 1"), trace("g() + 1"));
    }
}
