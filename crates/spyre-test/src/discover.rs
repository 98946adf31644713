//! Finds the test files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Suffixes of files that are tests; `test/lit.cfg.py` has the same list.
pub const SUFFIXES: [&str; 2] = ["mlir", "test"];

/// Name of directories with files that tests read and that are not tests.
pub const INPUTS: &str = "Inputs";

/// Returns every test file below `root`, as sorted paths relative to it.
///
/// A file with a test's suffix is a test wherever it lies, except under a directory named [`INPUTS`]. This function does not
/// check for `RUN:` lines: a file without any is a mistake that must show.
///
/// # Errors
/// When `root` or a directory below it cannot be read.
pub fn tests(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut pending = vec![PathBuf::new()];
    while let Some(relative) = pending.pop() {
        for entry in fs::read_dir(root.join(&relative))? {
            let entry = entry?;
            let path = relative.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                if entry.file_name() != INPUTS {
                    pending.push(path);
                }
            } else if path
                .extension()
                .is_some_and(|e| SUFFIXES.iter().any(|s| e == *s))
            {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_tests_and_skips_inputs() {
        let dir = tempfile::tempdir().unwrap();
        for file in [
            "b.mlir",
            "A/a.test",
            "A/Inputs/helper.mlir",
            "A/notes.md",
            "A/B/c.mlir",
        ] {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let expected: Vec<PathBuf> = ["A/B/c.mlir", "A/a.test", "b.mlir"]
            .map(PathBuf::from)
            .into();
        assert_eq!(tests(dir.path()).unwrap(), expected);
    }

    #[test]
    fn a_missing_root_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        assert!(tests(&dir.path().join("nowhere")).is_err());
    }
}
