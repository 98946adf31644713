//! A copy of the working tree, to put mistakes into.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::Project;

/// The copy, with a separate target directory that is file_set between runs.
#[derive(Debug)]
pub(crate) struct Tree {
    original: PathBuf,
    /// The root of the copy. It has the paths of the original.
    pub project: Project,
    files: Vec<PathBuf>,
}

impl Tree {
    /// Returns the copy of a project in its target directory.
    ///
    /// # Errors
    /// git does not list the files.
    pub(crate) fn new(project: &Project) -> Result<Self, Error> {
        let directory = project.target.join("mutants");
        let mut git = Command::new("git");
        git.current_dir(&project.root).args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ]);
        let files = process::output(&mut git)?;
        let files = files.split_terminator('\0').map(PathBuf::from);
        let copy = Project {
            root: directory.join("tree"),
            target: directory.join("target"),
            ..project.clone()
        };
        Ok(Self {
            original: project.root.clone(),
            project: copy,
            files: files.collect(),
        })
    }

    /// Makes the copy equal to the original. Files that are equal keep their times, so that cargo builds little.
    ///
    /// # Errors
    /// Errors of the file system.
    pub(crate) fn restore(&self) -> Result<(), Error> {
        let root = &self.project.root;
        let mut file_set = BTreeSet::new();
        for file in &self.files {
            let (from, to) = (self.original.join(file), root.join(file));
            // Listed, and deleted in the working tree.
            let Ok(contents) = fs::read(&from) else {
                continue;
            };
            file_set.insert(to.clone());
            if fs::read(&to).is_ok_and(|old| old == contents) {
                continue;
            }
            if let Some(directory) = to.parent() {
                fs::create_dir_all(directory).map_err(Error::io(directory))?;
            }
            fs::write(&to, contents).map_err(Error::io(&to))?;
            if let Ok(metadata) = fs::metadata(&from) {
                fs::set_permissions(&to, metadata.permissions()).map_err(Error::io(&to))?;
            }
        }
        remove_others(root, &file_set)
    }

    /// Applies a patch. Returns `false` if it does not apply.
    ///
    /// # Errors
    /// git cannot be started.
    pub(crate) fn apply(&self, patch: &Path) -> Result<bool, Error> {
        let mut git = Command::new("git");
        // The copy is inside the repository and not part of it: git would take the paths from the repository's root.
        git.current_dir(&self.project.root)
            .env(
                "GIT_CEILING_DIRECTORIES",
                self.project.root.parent().unwrap_or(&self.original),
            )
            // A patch may have no lines around the changed one, where the neighbouring lines change often.
            .args(["apply", "--unidiff-zero"])
            .arg(patch);
        match process::output(&mut git) {
            Ok(_) => Ok(true),
            Err(Error::Failed { stderr, .. }) => {
                eprint!("{stderr}");
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }
}

/// Removes files that the original does not have.
fn remove_others(directory: &Path, file_set: &BTreeSet<PathBuf>) -> Result<(), Error> {
    for entry in fs::read_dir(directory).map_err(Error::io(directory))? {
        let path = entry.map_err(Error::io(directory))?.path();
        if path.is_dir() && !path.is_symlink() {
            remove_others(&path, file_set)?;
        } else if !file_set.contains(&path) {
            fs::remove_file(&path).map_err(Error::io(&path))?;
        }
    }
    Ok(())
}
