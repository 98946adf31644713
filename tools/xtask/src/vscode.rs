//! `cargo xtask vscode`: tests and packs the extension for Visual Studio Code, `editors/vscode`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};

use crate::dist;

/// The oldest major version of Node that the packer runs on.
const OLDEST_NODE: u32 = 20;

/// Installs the packages of the lock file, runs the tests, and writes the extension into `out`, by default `dist` in cargo's
/// target directory. The tests run the tools too, where they are built.
///
/// # Errors
/// When there is no Node, a test fails, or the extension has another version than the workspace.
pub(crate) fn vscode(project: &Project, out: Option<PathBuf>) -> Result<(), Error> {
    check_node()?;
    let directory = project.root.join("editors/vscode");
    let version = dist::version(project)?;
    check_version(&directory, &version)?;
    // Scripts of packages are not run: neither tests nor the packer need one.
    let install = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    process::run(npm(&directory).args(install))?;
    let mut test = npm(&directory);
    let tools = project.bin_dir(Profile::Debug);
    if tools.join("spyre-opt").is_file() && tools.join("spyre-translate").is_file() {
        test.env("SPYRE_BIN_DIR", &tools);
    }
    process::run(test.arg("test"))?;

    let out = match out {
        Some(out) => std::path::absolute(&out).map_err(Error::io(&out))?,
        None => project.target.join("dist"),
    };
    fs::create_dir_all(&out).map_err(Error::io(&out))?;
    // The packer takes the licence from the folder of the extension.
    let license = directory.join("LICENSE");
    fs::copy(project.root.join("LICENSE"), &license).map_err(Error::io(&license))?;
    let extension = out.join(format!("spyre-mlir-{version}.vsix"));
    let mut package = npm(&directory);
    package.args(["run", "package", "--", "--out"]);
    process::run(package.arg(&extension))
}

fn npm(directory: &Path) -> Command {
    let mut command = Command::new("npm");
    command.current_dir(directory);
    command
}

fn check_node() -> Result<(), Error> {
    let version = process::output(Command::new("node").arg("--version"));
    match version.as_deref().ok().and_then(major) {
        Some(major) if major >= OLDEST_NODE => Ok(()),
        other => Err(Error::Verdict(format!(
            "vscode: it needs Node {OLDEST_NODE} or later with npm, and there is {}; https://nodejs.org has it",
            other.map_or("none".to_owned(), |major| format!("Node {major}"))
        ))),
    }
}

/// Reads the major version of a line such as `v20.20.2`.
fn major(line: &str) -> Option<u32> {
    line.trim()
        .strip_prefix('v')?
        .split('.')
        .next()?
        .parse()
        .ok()
}

fn check_version(directory: &Path, version: &str) -> Result<(), Error> {
    let manifest = directory.join("package.json");
    let text = fs::read_to_string(&manifest).map_err(Error::io(&manifest))?;
    match text.contains(&format!("\n  \"version\": \"{version}\",\n")) {
        true => Ok(()),
        false => Err(Error::Verdict(format!(
            "{}: the version is not that of the workspace, {version}",
            manifest.display()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_node() {
        assert_eq!(major("v20.20.2\n"), Some(20));
        assert_eq!(major("20.1"), None);
    }

    #[test]
    fn the_extension_has_the_version_of_the_workspace() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode");
        check_version(&directory, env!("CARGO_PKG_VERSION")).unwrap();
        assert!(check_version(&directory, "9.9.9").is_err());
    }
}
