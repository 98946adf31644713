//! Runs the commands of a page and compares their output with the output in the page.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::time::Duration;

use thiserror::Error;

use crate::diff::Diff;
use crate::markdown::{self, Command, PageError, Step};
use crate::run::wait;
use crate::suite::search_path;

/// Environment variable; when it is `1`, pages are rewritten with the output of their commands.
pub const BLESS_VARIABLE: &str = "SPYRE_BLESS";

/// The surroundings in which the commands of a page run.
#[derive(Debug, Clone)]
pub struct Console {
    /// Root of the repository, with the `examples/` of the commands.
    pub root: PathBuf,
    /// Directory of the tools; the commands find them on `PATH` and as `target/debug`.
    pub bin: PathBuf,
    /// Directory of LLVM's tools, next on `PATH`.
    pub llvm_bin: PathBuf,
    /// The time that one command may take.
    pub timeout: Duration,
    /// Texts of the page, and their replacements in commands and files.
    pub replaced: Vec<(String, String)>,
    /// Variables that are set for commands in addition to the environment of this process, or with `None` removed.
    pub variables: Vec<(String, Option<OsString>)>,
}

/// The reason why a page fails.
#[derive(Debug, Error)]
pub enum PageFailure {
    /// The page is not well formed.
    #[error("{path}, {source}")]
    Page {
        /// The page.
        path: String,
        /// The fault of the page.
        source: PageError,
    },
    /// The page has no checks.
    #[error("{0} has no ```console block, so nothing in it is checked")]
    NoCommand(String),
    /// A file operation failed.
    #[error("{path}: {source}")]
    Io {
        /// The file or directory.
        path: String,
        /// The system's error.
        source: io::Error,
    },
    /// Outputs or exit statuses differ from the page.
    #[error("{0}\nWith {BLESS_VARIABLE}=1 the outputs in the page are rewritten.")]
    Differs(String),
}

impl Console {
    /// Runs the commands of the page at `relative` (below the root) one after the other, in one fresh directory with a
    /// copy of `examples/`; each command has a separate shell. Trailing white space is ignored.
    ///
    /// With `bless`, outputs that differ are written into the page. Exit statuses are not.
    ///
    /// # Errors
    /// [`PageFailure`] when the page cannot be read, has no command, or differs from the outputs.
    pub fn check(&self, relative: &Path, bless: bool) -> Result<(), PageFailure> {
        let page = self.root.join(relative);
        let path = relative.display().to_string();
        let text = fs::read_to_string(&page).map_err(failure(&page))?;
        let lines = markdown::lines(&text);
        let steps = markdown::steps(&lines).map_err(|source| PageFailure::Page {
            path: path.clone(),
            source,
        })?;
        if !steps.iter().any(|step| matches!(step, Step::Command(_))) {
            return Err(PageFailure::NoCommand(path));
        }

        let directory = self.directory()?;
        let mut report = String::new();
        let mut corrections = Vec::new();
        for step in &steps {
            match step {
                Step::File { name, text } => {
                    let file = directory.path().join(name);
                    if let Some(parent) = file.parent() {
                        fs::create_dir_all(parent).map_err(failure(parent))?;
                    }
                    fs::write(&file, self.replace(text)).map_err(failure(&file))?;
                }
                Step::Command(command) => {
                    let (status, output) = self.run(command, directory.path())?;
                    let wanted = trimmed(lines[command.output.clone()].iter().copied());
                    let trimmed_lines = trimmed(output.lines());
                    let diff = Diff::new(&wanted, &trimmed_lines);
                    let differs = !diff.is_match();
                    if differs {
                        let correction = diff.corrected().into_iter().map(str::to_owned);
                        corrections.push((command.output.clone(), correction.collect::<Vec<_>>()));
                    }
                    let bad_exit = status != Some(command.exit);
                    if bad_exit || differs && !bless {
                        // Writing to a String cannot fail.
                        let _ = writeln!(report, "{path}:{}: $ {}", command.line, command.text);
                        if bad_exit {
                            let status = status.map_or("no exit status".into(), |s| s.to_string());
                            let _ = writeln!(report, "exit {status}, expected {}", command.exit);
                        }
                        let _ = write!(report, "{diff}");
                    }
                }
            }
        }
        if bless && !corrections.is_empty() {
            fs::write(&page, corrected(&lines, corrections)).map_err(failure(&page))?;
        }
        if report.is_empty() {
            Ok(())
        } else {
            Err(PageFailure::Differs(report))
        }
    }

    /// Returns the text with the replacements for texts of the page.
    fn replace(&self, text: &str) -> String {
        let pairs = self.replaced.iter();
        pairs.fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
    }

    /// Creates a directory with the layout of the root of a repository after a build.
    fn directory(&self) -> Result<tempfile::TempDir, PageFailure> {
        let directory = tempfile::tempdir().map_err(failure(Path::new("temporary directory")))?;
        let target = directory.path().join("target");
        fs::create_dir(&target).map_err(failure(&target))?;
        std::os::unix::fs::symlink(&self.bin, target.join("debug")).map_err(failure(&target))?;
        let examples = self.root.join("examples");
        copy(&examples, &directory.path().join("examples")).map_err(failure(&examples))?;
        // Scripts of tools, which commands call by their paths in the repository.
        let tools = directory.path().join("tools");
        std::os::unix::fs::symlink(self.root.join("tools"), &tools).map_err(failure(&tools))?;
        Ok(directory)
    }

    /// Runs a command. Returns its exit status, `None` when the time was up or a signal ended it, and both outputs as a terminal
    /// shows them.
    fn run(
        &self,
        command: &Command,
        directory: &Path,
    ) -> Result<(Option<i32>, String), PageFailure> {
        let bash = failure(Path::new("bash"));
        // A file instead of a pipe: a background process that outlives its command cannot block us.
        let log = tempfile::NamedTempFile::new().map_err(&bash)?;
        let log_path = log.path();
        let out = File::create(log_path).map_err(failure(log_path))?;
        let err = out.try_clone().map_err(failure(log_path))?;
        let mut bash_process = Process::new("bash");
        for (name, value) in &self.variables {
            match value {
                Some(value) => bash_process.env(name, value),
                None => bash_process.env_remove(name),
            };
        }
        let mut child = bash_process
            .args(["-o", "pipefail", "-c", &self.replace(&command.text)])
            .current_dir(directory)
            .env("PATH", search_path(&self.bin, &self.llvm_bin))
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(err)
            .process_group(0)
            .spawn()
            .map_err(&bash)?;
        let status = wait(&mut child, self.timeout).map_err(&bash)?;
        let bytes = fs::read(log_path).map_err(failure(log_path))?;
        Ok((
            status.and_then(|status| status.code()),
            String::from_utf8_lossy(&bytes).into_owned(),
        ))
    }
}

/// Returns the lines without white space at their ends and without empty lines at the end.
fn trimmed<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut lines: Vec<&str> = lines.map(str::trim_end).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

/// Returns the page with the given ranges of lines, in ascending order, replaced.
fn corrected(lines: &[&str], corrections: Vec<(std::ops::Range<usize>, Vec<String>)>) -> String {
    let mut result = String::new();
    let mut add = |line: &str| {
        result.push_str(line);
        result.push('\n');
    };
    let mut at = 0;
    for (range, replacement) in corrections {
        lines[at..range.start].iter().for_each(|line| add(line));
        replacement.iter().for_each(|line| add(line));
        at = range.end;
    }
    lines[at..].iter().for_each(|line| add(line));
    result
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

fn failure(path: &Path) -> impl Fn(io::Error) -> PageFailure + use<> {
    let path = path.display().to_string();
    move |source| PageFailure::Io {
        path: path.clone(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Repository(tempfile::TempDir);

    impl Repository {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir_all(dir.path().join("examples/sub")).unwrap();
            fs::create_dir(dir.path().join("bin")).unwrap();
            fs::write(dir.path().join("examples/sub/e"), "example\n").unwrap();
            fs::write(dir.path().join("bin/tool"), "a tool\n").unwrap();
            Self(dir)
        }

        fn check(&self, page: &str, bless: bool) -> Result<(), PageFailure> {
            let console = Console {
                root: self.0.path().to_owned(),
                bin: self.0.path().join("bin"),
                llvm_bin: self.0.path().join("llvm"),
                timeout: Duration::from_secs(60),
                replaced: vec![("/path/to".into(), "examples".into())],
                variables: vec![("PAGE".into(), Some("a variable".into()))],
            };
            fs::write(self.0.path().join("P.md"), page).unwrap();
            console.check(Path::new("P.md"), bless)
        }

        fn differs(&self, page: &str) -> String {
            match self.check(page, false) {
                Err(PageFailure::Differs(report)) => report,
                other => panic!("expected a difference, got {other:?}"),
            }
        }
    }

    #[test]
    fn pages_that_hold() {
        let repository = Repository::new();
        repository
            .check(
                "```console\n$ cat examples/sub/e target/debug/tool\nexample\na tool\n$ true\n$ printf 'a\\nb\\nc\\n\\n'\na\n...\n```\n",
                false,
            )
            .unwrap();
        repository
            .check(
                "```text file=f\nx\n```\n```console\n$ cat f\nx\n$ echo y >g\n$ cat g\ny\n```\n",
                false,
            )
            .unwrap();
        repository
            .check(
                "```text file=.a/b\nin /path/to\n```\n```console\n$ cat .a/b /path/to/sub/e\nin examples\nexample\n$ echo $PAGE\na variable\n```\n",
                false,
            )
            .unwrap();
        repository
            .check(
                "```console exit=3\n$ echo bad >&2; exit 3\nbad\n```\n",
                false,
            )
            .unwrap();
    }

    #[test]
    fn pages_that_do_not_hold() {
        let repository = Repository::new();
        let report = repository.differs("x\n```console\n$ echo one\ntwo\n$ echo three\n```\n");
        assert_eq!(
            report,
            "P.md:3: $ echo one\n- two\n+ one\nP.md:5: $ echo three\n+ three\n"
        );
        let report = repository.differs("```console\n$ false\n```\n");
        assert_eq!(report, "P.md:2: $ false\nexit 1, expected 0\n");
        repository.differs("```console exit=1\n$ true\n```\n");
        repository.differs("```console\n$ no-such-program-of-ours\n```\n");
        repository.differs("```console\n$ echo a; false | cat\na\n```\n");
    }

    #[test]
    fn a_page_without_commands_fails() {
        let repository = Repository::new();
        for page in [
            "",
            "```sh\ncargo xtask demo\n```\n",
            "```text file=f\n```\n",
        ] {
            let result = repository.check(page, false);
            assert!(matches!(result, Err(PageFailure::NoCommand(_))), "{page}");
        }
    }

    #[test]
    fn the_time_is_limited() {
        let repository = Repository::new();
        fs::write(
            repository.0.path().join("P.md"),
            "```console\n$ sleep 60 | cat\n```\n",
        )
        .unwrap();
        let console = Console {
            root: repository.0.path().to_owned(),
            bin: repository.0.path().join("bin"),
            llvm_bin: repository.0.path().join("llvm"),
            timeout: Duration::from_millis(200),
            replaced: Vec::new(),
            variables: Vec::new(),
        };
        let failure = console.check(Path::new("P.md"), false).unwrap_err();
        assert!(failure.to_string().contains("no exit status, expected 0"));
    }

    #[test]
    fn blessing_rewrites_outputs_only() {
        let repository = Repository::new();
        let page = "a\n```console\n$ printf 'x\\ny\\nz\\n'\nold\n...\nz\n$ echo b\n```\nend\n";
        repository.check(page, true).unwrap();
        let blessed = fs::read_to_string(repository.0.path().join("P.md")).unwrap();
        assert_eq!(
            blessed,
            "a\n```console\n$ printf 'x\\ny\\nz\\n'\n...\nz\n$ echo b\nb\n```\nend\n"
        );
        repository.check(&blessed, false).unwrap();
        // A status is not rewritten.
        let result = repository.check("```console\n$ echo a; false\n```\n", true);
        assert!(matches!(result, Err(PageFailure::Differs(_))));
    }
}
