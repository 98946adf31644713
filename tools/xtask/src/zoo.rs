//! `cargo xtask zoo`: models of wheels on PyPI, converted and run, against the results of ONNX Runtime and LiteRT.
//!
//! `python/zoo` does the work, since packages of Python convert models and compute their results. This command builds
//! the tool and passes the paths of the tool, the page and the directory.

use std::path::PathBuf;
use std::process::Command;

use crate::error::Error;
use crate::process;
use crate::project::{Profile, Project};

/// The page with the table.
const PAGE: &str = "docs/Zoo.md";
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
    /// The Python that environments are made with, and that runs `python/zoo`.
    pub python: String,
    /// The tool, in place of one that is built.
    pub tool: Option<PathBuf>,
    /// The models; empty for all.
    pub names: Vec<String>,
}

/// Builds `spyre-run` and runs the models.
///
/// # Errors
/// When the build fails, or a package, a wheel or a Python is not there. A model that does not run is a row of the table.
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
    let mut zoo = Command::new(&options.python);
    zoo.current_dir(&project.root)
        .env("PYTHONPATH", project.root.join("python"));
    zoo.args(["-m", "zoo", "--spyre-run"]).arg(tool);
    zoo.arg("--directory").arg(project.target.join("zoo"));
    zoo.args(["--python", &options.python]);
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
            python: "/usr/bin/python3.12".into(),
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
    fn the_page_has_the_lines_around_the_table() {
        let page = include_str!("../../../docs/Zoo.md");
        let models = include_str!("../../../python/zoo/page.py");
        for mark in [
            "<!-- The table is written by `cargo xtask zoo --write`. -->",
            "<!-- The end of the table. -->",
        ] {
            assert_eq!(page.matches(mark).count(), 1, "{mark}");
            assert!(models.contains(mark), "{mark}");
        }
    }
}
