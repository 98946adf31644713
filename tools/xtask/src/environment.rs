//! Virtual environments of Python, below the target directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::Project;

use crate::setup;

/// The Python of the environments.
const PYTHON: &str = "python3";

/// Returns the Python of the environment `NAME-environment` below the target directory, with the packages of a file of
/// requirements. An environment with other packages is replaced.
///
/// # Errors
/// When the file cannot be read, or packages cannot be installed.
pub(crate) fn environment(
    project: &Project,
    name: &str,
    requirements: &Path,
) -> Result<PathBuf, Error> {
    let wanted = fs::read_to_string(requirements).map_err(Error::io(requirements))?;
    let directory = project.target.join(format!("{name}-environment"));
    let python = directory.join("bin/python");
    // Written when all packages are there.
    let installed = directory.join("requirements.txt");
    if fs::read_to_string(&installed).is_ok_and(|text| text == wanted) {
        return Ok(python);
    }
    // Debian has the module in a separate package.
    let mut module = Command::new(PYTHON);
    module
        .args(["-c", "import ensurepip, venv"])
        .stderr(Stdio::null());
    if !module.status().is_ok_and(|status| status.success()) {
        setup::install_package("python3-venv")?;
    }
    let create = ["-m", "venv", "--clear"];
    process::run(Command::new(PYTHON).args(create).arg(&directory))?;
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--requirement",
    ];
    process::run(Command::new(&python).args(install).arg(requirements))?;
    fs::write(&installed, wanted).map_err(Error::io(&installed))?;
    Ok(python)
}
