//! `cargo xtask site`: the pages of the documentation as a site.
//!
//! MkDocs builds it, in a virtual environment below the target directory with the packages of
//! `tools/xtask/site/requirements.txt`. The configuration, and the changes to the pages, are in the same folder. A link
//! to a page or to a heading that does not exist fails the build.

use std::path::PathBuf;
use std::process::Command;

use crate::environment::environment;
use crate::pages;
use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::Project;

/// The folder with the configuration, in the repository.
const FOLDER: &str = "tools/xtask/site";

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
    let python = environment(project, "site", &folder.join("requirements.txt"))?;
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
