//! `cargo xtask site`: the pages of the documentation as a site.
//!
//! MkDocs builds it, in a virtual environment below the target directory with the packages of
//! `tools/xtask/site/requirements.txt`. The configuration, and the changes to the pages, are in the same folder. A link
//! to a page or to a heading that does not exist fails the build.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::pages;
use crate::setup;
use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::Project;

/// The folder with the configuration, in the repository.
const FOLDER: &str = "tools/xtask/site";
/// The Python of the virtual environment.
const PYTHON: &str = "python3";

/// The options of the command line.
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// The folder of the site; `target/site` by default.
    pub out: Option<PathBuf>,
    /// Open the pages in a browser.
    pub check: bool,
    /// Install the browser if there is none.
    pub install: bool,
}

/// Builds the site, and with `check` opens every page of it in a browser. Without a browser it prints that it skips the
/// check.
///
/// # Errors
/// When packages cannot be installed, a link leads nowhere, a docstring cannot be read, or a page has an error in the
/// browser.
pub(crate) fn site(project: &Project, options: &Options) -> Result<(), Error> {
    let folder = project.root.join(FOLDER);
    let python = environment(project, &folder)?;
    let out = options.out.clone();
    let out = out.unwrap_or_else(|| project.target.join("site"));
    let mut build = Command::new(&python);
    // Not `--quiet`: `--strict` counts the warnings that are printed.
    build
        .args(["-m", "mkdocs", "build", "--strict", "--clean"])
        .arg("--config-file")
        .arg(folder.join("mkdocs.yml"))
        .arg("--site-dir")
        .arg(std::path::absolute(&out).map_err(Error::io(&out))?)
        .current_dir(&project.root)
        // A notice about later versions, which the pinned one does not need.
        .env("NO_MKDOCS_2_WARNING", "1")
        .env("PYTHONDONTWRITEBYTECODE", "1");
    process::run(&mut build)?;
    println!("site: {}", out.join("index.html").display());
    if !options.check {
        return Ok(());
    }
    let Some(browser) = pages::browser(options.install) else {
        println!("site: no check of the pages, there is no browser");
        return Ok(());
    };
    let script = folder.join("browser.py");
    process::run(Command::new(&python).arg(script).args([&out, &browser]))
}

/// Returns the Python of the environment with the packages of the site. An environment with other packages is replaced.
fn environment(project: &Project, folder: &Path) -> Result<PathBuf, Error> {
    let requirements = folder.join("requirements.txt");
    let wanted = fs::read_to_string(&requirements).map_err(Error::io(&requirements))?;
    let directory = project.target.join("site-environment");
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
    process::run(Command::new(&python).args(install).arg(&requirements))?;
    fs::write(&installed, wanted).map_err(Error::io(&installed))?;
    Ok(python)
}
