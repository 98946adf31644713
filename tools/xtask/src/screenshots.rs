//! `cargo xtask screenshots`: the pictures of pages in `docs/images`.
//!
//! A script in Python takes them, since the package writes the pages of plans and executes the notebooks. Its packages are
//! in a virtual environment below the target directory.

use std::process::Command;

use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::Project;

use crate::environment::environment;
use crate::{pages, python, site};

/// The folder of the script, in the repository.
const FOLDER: &str = "tools/xtask/screenshots";

/// The bytes of the largest picture: a page with all pictures loads at once, and the history keeps each version.
const LARGEST: u64 = 150 * 1024;

/// Builds the Python package and the site, and writes pictures of the plans, the site and a notebook to docs/images. With
/// `install`, the browser is installed if there is none.
///
/// # Errors
/// When there is no browser, a build fails, or a picture is too large.
pub(crate) fn screenshots(project: &Project, install: bool) -> Result<(), Error> {
    let browser = pages::browser(install).ok_or_else(|| {
        Error::Verdict(
            "screenshots: there is no browser: use --install, or install chromium".into(),
        )
    })?;
    python::module(project)?;
    site::site(project, &site::Options::default())?;
    let folder = project.root.join(FOLDER);
    let python = environment(project, "screenshots", &folder.join("requirements.txt"))?;
    let mut script = Command::new(python);
    script
        .arg(folder.join("take.py"))
        .arg(project.target.join("site"))
        .arg(browser)
        .arg(format!("--largest={LARGEST}"))
        .env("PYTHONPATH", project.root.join(python::FOLDER))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(&project.root);
    process::run(&mut script)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::LARGEST;

    #[test]
    fn pictures_are_small() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/images");
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        let pictures =
            entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "png"));
        let sizes: Vec<_> = pictures
            .map(|entry| (entry.path(), entry.metadata().unwrap().len()))
            .collect();
        assert!(sizes.len() > 4, "{sizes:?}");
        assert!(sizes.iter().all(|(_, size)| *size <= LARGEST), "{sizes:?}");
    }
}
