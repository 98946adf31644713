//! `cargo xtask zoo`: models of wheels on PyPI, converted and run, against the results of ONNX Runtime and LiteRT.
//!
//! `python/zoo` does the work, since packages of Python convert models and compute their results. This command builds
//! the tool and passes the paths of the tool, the page and the directory.

use std::path::PathBuf;
use std::process::Command;

use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};

/// The page with the table.
const PAGE: &str = "docs/Testing.md";
/// The most seconds of a run, by default.
pub(crate) const DEFAULT_LIMIT: u32 = 300;

/// The options of the command line.
#[derive(Debug)]
pub(crate) struct Options {
    /// Whether the table goes into the page.
    pub write: bool,
    /// Whether the tool is that of `cargo build`, instead of the release build.
    pub debug: bool,
    /// Whether recorded runs are kept.
    pub keep: bool,
    /// The most seconds that a run may take.
    pub limit: u32,
    /// The Python that environments are made with, and that runs `python/zoo`; without one it is looked for.
    pub python: Option<String>,
    /// The tool, in place of one that is built.
    pub tool: Option<PathBuf>,
    /// The models; empty for all.
    pub names: Vec<String>,
}

/// Builds `spyre-run` and runs the models.
///
/// # Errors
/// When the build fails, or a package, a wheel or a Python is not there. A model that does not run is a row of the
/// table.
pub(crate) fn zoo(project: &Project, options: &Options) -> Result<(), Error> {
    let profile = if options.debug {
        Profile::Debug
    } else {
        Profile::Release
    };
    let tool = match &options.tool {
        Some(tool) => tool.clone(),
        None => {
            let mut build = project.cargo();
            build.args(["build", "--package", "spyre-run"]);
            if profile == Profile::Release {
                build.arg("--release");
            }
            process::run(&mut build)?;
            project.bin_dir(profile).join("spyre-run")
        }
    };
    let python = match &options.python {
        Some(python) => python.clone(),
        None => first_that_runs(&candidates())?,
    };
    let mut zoo = Command::new(&python);
    zoo.current_dir(&project.root)
        .env("PYTHONPATH", project.root.join("python"));
    zoo.args(["-m", "zoo", "--spyre-run"]).arg(tool);
    zoo.arg("--directory").arg(project.target.join("zoo"));
    zoo.args(["--python", &python]);
    zoo.args(["--limit", &options.limit.to_string()]);
    zoo.args(["--command", &shown(options)]);
    if options.keep {
        zoo.arg("--keep");
    }
    if options.write {
        zoo.args(["--write", PAGE]);
    }
    process::run(zoo.args(&options.names))
}

/// Returns the paths at which a Python 3.12 may be. A `python3.12` of pyenv is a script that fails where another
/// version is selected, so the list has pyenv's versions as well.
fn candidates() -> Vec<String> {
    let mut candidates: Vec<String> = ["python3.12", "python3", "/usr/bin/python3.12"]
        .map(str::to_owned)
        .into();
    let root = std::env::var_os("PYENV_ROOT").map(PathBuf::from);
    let root = root.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".pyenv")));
    let versions = root.and_then(|root| std::fs::read_dir(root.join("versions")).ok());
    let mut versions: Vec<PathBuf> = versions
        .into_iter()
        .flatten()
        .flatten()
        .map(|version| version.path().join("bin").join("python3.12"))
        .filter(|python| python.is_file())
        .collect();
    versions.sort();
    candidates.extend(versions.iter().map(|python| python.display().to_string()));
    candidates
}

/// Returns the first of the candidates that is a Python 3.12 and runs. Wheels of compiled packages, and their hashes,
/// are those of one version.
fn first_that_runs(candidates: &[String]) -> Result<String, Error> {
    let check = "import sys, venv; sys.exit(sys.version_info[:2] != (3, 12))";
    let runs = |python: &&String| {
        let outcome = Command::new(python).args(["-c", check]).output();
        outcome.is_ok_and(|outcome| outcome.status.success())
    };
    candidates.iter().find(runs).cloned().ok_or_else(|| {
        let message = format!(
            "no Python 3.12 runs, of {}: install one, or give its path with --python",
            candidates.join(", ")
        );
        Error::Verdict(message)
    })
}

/// Returns the command line as the page names it: without paths, which differ between machines, and without the options
/// that choose rows.
fn shown(options: &Options) -> String {
    let mut words = "cargo xtask zoo --write".to_owned();
    if options.debug {
        words.push_str(" --debug");
    }
    if options.limit != DEFAULT_LIMIT {
        words.push_str(&format!(" --limit {}", options.limit));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(debug: bool, limit: u32) -> Options {
        Options {
            write: true,
            debug,
            keep: true,
            limit,
            python: Some("/usr/bin/python3.12".into()),
            tool: Some("/opt/spyre-run".into()),
            names: vec!["magika".into()],
        }
    }

    #[test]
    fn the_page_names_the_build_and_the_limit_and_no_path() {
        assert_eq!(
            shown(&options(false, DEFAULT_LIMIT)),
            "cargo xtask zoo --write"
        );
        assert_eq!(
            shown(&options(true, 100)),
            "cargo xtask zoo --write --debug --limit 100"
        );
    }

    #[test]
    fn a_python_that_does_not_run_is_passed_over() {
        // `true` exits with 0 for any arguments, like a Python of the right version, and `false` with 1.
        let candidates = ["no-such-python", "false", "true"].map(str::to_owned);
        let python = first_that_runs(&candidates).expect("one of them runs");
        assert_eq!(python, "true");
        let none = first_that_runs(&candidates[..2]).expect_err("none of them runs");
        let text = none.to_string();
        assert!(
            text.contains("no Python 3.12 runs, of no-such-python, false:"),
            "{text}"
        );
    }

    #[test]
    fn the_page_has_the_lines_around_the_table() {
        let page = include_str!("../../../docs/Testing.md");
        let models = include_str!("../../../python/zoo/page.py");
        for mark in [
            "<!-- The table is written by `cargo xtask zoo --write`. -->",
            "<!-- The end of the table of the zoo. -->",
        ] {
            assert_eq!(page.matches(mark).count(), 1, "{mark}");
            assert!(models.contains(mark), "{mark}");
        }
    }
}
