//! Executes one test.

use std::env;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::script::{self, RunLine, ScriptError};
use crate::substitute::{Substitutions, UnknownSubstitution};
use crate::suite::search_path;

/// The surroundings that all tests of a run share.
#[derive(Debug, Clone)]
pub struct Harness {
    /// Root of the repository.
    pub root: PathBuf,
    /// Directory of the tests; names are relative to it.
    pub tests: PathBuf,
    /// Directory of the tools under test.
    pub bin: PathBuf,
    /// Directory of LLVM's tools (`FileCheck`, `not`, stock `mlir-opt`).
    pub llvm_bin: PathBuf,
    /// Each test gets a separate directory below this one.
    pub scratch: PathBuf,
    /// The time that one test may take.
    pub timeout: Duration,
}

/// The reason why a test failed.
#[derive(Debug, Error)]
pub enum Failure {
    /// The file has no usable `RUN:` lines.
    #[error("{path}: {source}")]
    Script {
        /// The test file.
        path: String,
        /// The fault of the file.
        source: ScriptError,
    },
    /// A `RUN:` line has a `%{name}` that is not defined.
    #[error("{path}:{line}: {source}")]
    Substitution {
        /// The test file.
        path: String,
        /// Line of the command, counted from 1.
        line: usize,
        /// The unknown name.
        source: UnknownSubstitution,
    },
    /// A file operation of the harness itself failed.
    #[error("{path}: {source}")]
    Io {
        /// The file or directory.
        path: String,
        /// The system's error.
        source: io::Error,
    },
    /// A command failed.
    #[error("{0}")]
    Command(Box<CommandFailure>),
}

/// A test with a command that failed.
#[derive(Debug)]
pub struct CommandFailure {
    /// All commands of the test with their line numbers, paths filled in.
    pub commands: Vec<RunLine>,
    /// The exit status of the shell; `None` when the time was up.
    pub status: Option<ExitStatus>,
    /// The time that one test may take.
    pub timeout: Duration,
    /// Standard output of the commands.
    pub stdout: String,
    /// Standard error of the commands; its last line names the `RUN:` line that failed.
    pub stderr: String,
}

impl fmt::Display for CommandFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for run in &self.commands {
            writeln!(f, "RUN at line {}: {}", run.line, run.command)?;
        }
        match self.status {
            Some(status) => writeln!(f, "failed: {status}")?,
            None => writeln!(
                f,
                "failed: still running after {} s, ended",
                self.timeout.as_secs()
            )?,
        }
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                writeln!(f, "--- {name} ---\n{}", text.trim_end())?;
            }
        }
        Ok(())
    }
}

impl Harness {
    /// Runs the test at `relative` (below [`Harness::tests`]).
    ///
    /// The commands run in one `bash` with `pipefail`, one after the other until one fails, in a fresh directory.
    ///
    /// # Errors
    /// [`Failure`] when the file is not a test, a command fails or the time is up.
    pub fn run(&self, relative: &Path) -> Result<(), Failure> {
        let source = self.tests.join(relative);
        let path = source.display().to_string();
        let bytes = fs::read(&source).map_err(|e| io_failure(&source, e))?;
        let mut commands =
            script::parse(&String::from_utf8_lossy(&bytes)).map_err(|source| Failure::Script {
                path: path.clone(),
                source,
            })?;

        let scratch = self.scratch.join(relative);
        let substitutions = self.substitutions(source, &scratch);
        for run in &mut commands {
            let line = run.line;
            run.command =
                substitutions
                    .apply(&run.command)
                    .map_err(|source| Failure::Substitution {
                        path: path.clone(),
                        line,
                        source,
                    })?;
        }

        if scratch.exists() {
            fs::remove_dir_all(&scratch).map_err(|e| io_failure(&scratch, e))?;
        }
        fs::create_dir_all(&scratch).map_err(|e| io_failure(&scratch, e))?;
        self.execute(commands, &scratch)
    }

    fn substitutions(&self, source: PathBuf, scratch: &Path) -> Substitutions {
        let plugin = format!(
            "{}spyre_plugin{}",
            env::consts::DLL_PREFIX,
            env::consts::DLL_SUFFIX
        );
        let mut name = scratch.file_name().unwrap_or_default().to_owned();
        name.push(".tmp");
        Substitutions {
            source,
            temporary: scratch.join(name),
            root: self.root.clone(),
            plugin: self.bin.join(plugin),
            mlir_opt: self.llvm_bin.join("mlir-opt"),
            llvm_lib: self.llvm_bin.with_file_name("lib"),
        }
    }

    fn execute(&self, commands: Vec<RunLine>, scratch: &Path) -> Result<(), Failure> {
        // Files instead of pipes: a test's background process that outlives it cannot block us.
        let (out, err) = (scratch.join("stdout.log"), scratch.join("stderr.log"));
        let create = |path: &Path| File::create(path).map_err(|e| io_failure(path, e));
        let mut child = Command::new("bash")
            .args(["-o", "pipefail", "-c", &shell_script(&commands)])
            .current_dir(scratch)
            .env("PATH", search_path(&self.bin, &self.llvm_bin))
            .stdin(Stdio::null())
            .stdout(create(&out)?)
            .stderr(create(&err)?)
            .process_group(0)
            .spawn()
            .map_err(|e| io_failure(Path::new("bash"), e))?;
        let status =
            wait(&mut child, self.timeout).map_err(|e| io_failure(Path::new("bash"), e))?;
        if status.is_some_and(|s| s.success()) {
            return Ok(());
        }
        let read = |path: &Path| {
            fs::read(path)
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                .map_err(|e| io_failure(path, e))
        };
        let (stdout, stderr) = (read(&out)?, read(&err)?);
        Err(Failure::Command(Box::new(CommandFailure {
            commands,
            status,
            timeout: self.timeout,
            stdout,
            stderr,
        })))
    }
}

/// Returns one script for all commands, so that they share a shell.
///
/// Not `set -e`: it ignores a failure inside `a && b` and after `!`, and such a test could not fail.
fn shell_script(commands: &[RunLine]) -> String {
    let mut script = String::new();
    for RunLine { line, command } in commands {
        script.push_str(&format!(
            "{{ {command}\n}} || {{ status=$?; echo \"RUN at line {line} failed: exit code $status\" >&2; exit $status; }}\n"
        ));
    }
    script
}

/// Waits for the child and its whole process group; `None` when the time was up and the group was ended.
pub(crate) fn wait(child: &mut Child, timeout: Duration) -> io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() >= timeout {
            // The shell's builtin `kill`: a minimal system has no program of that name.
            let end = format!("kill -KILL -- -{}", child.id());
            Command::new("bash").args(["-c", &end]).status()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(2));
    }
}

fn io_failure(path: &Path, source: io::Error) -> Failure {
    Failure::Io {
        path: path.display().to_string(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Tree {
        dir: tempfile::TempDir,
        harness: Harness,
    }

    impl Tree {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let at = |name: &str| dir.path().join(name);
            let harness = Harness {
                root: at("."),
                tests: at("test"),
                bin: at("bin"),
                llvm_bin: at("llvm"),
                scratch: at("scratch"),
                timeout: Duration::from_secs(60),
            };
            fs::create_dir_all(at("test/D")).unwrap();
            Self { dir, harness }
        }

        fn run(&self, text: &str) -> Result<(), Failure> {
            fs::write(self.dir.path().join("test/D/x.mlir"), text).unwrap();
            self.harness.run(Path::new("D/x.mlir"))
        }

        fn failure(&self, text: &str) -> CommandFailure {
            match self.run(text) {
                Err(Failure::Command(failure)) => *failure,
                other => panic!("expected a failing command, got {other:?}"),
            }
        }
    }

    #[test]
    fn commands_that_succeed() {
        let tree = Tree::new();
        tree.run("// RUN: grep -q needle %s\n// RUN: echo one > %t && mkdir %t.d\n// RUN: grep one %t\n// needle\n")
            .unwrap();
        assert!(
            tree.dir
                .path()
                .join("scratch/D/x.mlir/x.mlir.tmp.d")
                .is_dir()
        );
    }

    #[test]
    fn every_way_of_failing_fails() {
        let tree = Tree::new();
        for command in [
            "false",
            "false | cat",
            "false && true",
            "! true",
            "true; false",
            "exit 3",
            "no-such-program-of-ours",
            "if",
        ] {
            tree.failure(&format!("// RUN: {command}\n// RUN: true\n"));
            tree.failure(&format!("// RUN: true\n// RUN: {command}\n"));
        }
    }

    #[test]
    fn a_failure_says_what_ran_and_where_it_stopped() {
        let tree = Tree::new();
        let failure =
            tree.failure("// RUN: echo fine\n// RUN: echo bad >&2; (exit 7)\n// RUN: echo never\n");
        assert_eq!(failure.status.and_then(|s| s.code()), Some(7));
        assert_eq!(failure.stdout, "fine\n");
        let text = failure.to_string();
        assert!(text.contains("RUN at line 2 failed: exit code 7"), "{text}");
        assert!(
            text.contains("RUN at line 2: echo bad >&2; (exit 7)"),
            "{text}"
        );
        assert!(!failure.stdout.contains("never"));
    }

    #[test]
    fn the_temporary_directory_is_fresh() {
        let tree = Tree::new();
        for _ in 0..2 {
            tree.run("// RUN: test ! -e %t\n// RUN: touch %t\n")
                .unwrap();
        }
    }

    #[test]
    fn the_tools_come_first_on_the_path() {
        let tree = Tree::new();
        tree.run("// RUN: case \"$PATH\" in *bin:*llvm:*) ;; *) exit 1 ;; esac\n")
            .unwrap();
    }

    #[test]
    fn the_time_is_limited() {
        let mut tree = Tree::new();
        tree.harness.timeout = Duration::from_millis(200);
        let start = Instant::now();
        let failure = tree.failure("// RUN: sleep 60 | cat\n");
        assert!(failure.status.is_none());
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn files_that_are_no_tests_fail() {
        let tree = Tree::new();
        assert!(matches!(
            tree.run("module {}\n"),
            Err(Failure::Script { .. })
        ));
        assert!(matches!(
            tree.run("// RUN: %{nothing}\n"),
            Err(Failure::Substitution { line: 1, .. })
        ));
    }
}
