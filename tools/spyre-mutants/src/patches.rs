//! `cargo xtask patches`: follows the pages on how to add something, as far as a machine can.
//!
//! `test/patches` has changes that add an operation or a pass, in the steps of ARCHITECTURE.md. Each is applied to a copy of the
//! tree, which is built, and its tests have to pass there. Its head has the addition and the tests:
//!
//! ```text
//! Adds: the operation leakyrelufwd
//! Passes: test -p spyre-fuzz --test op_funcs
//! Passes: lit patches/leakyrelufwd.mlir
//! ```
//!
//! The program `test/patches/Inputs/NAME.mlir` is a test only in the copy, as `test/patches/NAME.mlir`.

use std::fs;

use crate::mutants::patch::{self, ADDITION, Patch};
use crate::mutants::tree::Tree;
use crate::mutants::{build, execute, passed};
use spyre_checkout::error::Error;
use spyre_checkout::project::Project;

/// Applies the patches, or the named ones, one by one to a copy of the tree, and runs their tests.
///
/// # Errors
/// A patch does not apply or does not build, or a test of it fails or runs no test.
pub(crate) fn patches(project: &Project, names: &[String]) -> Result<(), Error> {
    let patches = patch::read(&project.root.join("test").join("patches"), ADDITION, names)?;
    let tree = Tree::new(project)?;
    fs::create_dir_all(&tree.project.root).map_err(Error::io(&tree.project.root))?;
    for patch in &patches {
        println!("{}: {}", patch.name, patch.about);
        tree.restore()?;
        try_out(&tree, patch)?;
    }
    tree.restore()
}

fn try_out(tree: &Tree, patch: &Patch) -> Result<(), Error> {
    let name = &patch.name;
    if !tree.apply(&patch.file)? {
        return Err(Error::Verdict(format!("{name} does not apply")));
    }
    let directory = tree.project.root.join("test").join("patches");
    let file = format!("{name}.mlir");
    let input = directory.join("Inputs").join(&file);
    fs::copy(&input, directory.join(&file)).map_err(Error::io(&input))?;
    for tests in &patch.tests {
        println!("  {tests}");
        if let Some(reason) = build(tree, tests)? {
            return Err(Error::Verdict(format!("{name} does not build:\n{reason}")));
        }
        let finished = execute(tree, tests)?;
        let output = String::from_utf8_lossy(&finished.stdout);
        if !finished.success() || passed(&output) == 0 {
            let output = format!("{output}{}", finished.stderr());
            return Err(Error::Verdict(format!(
                "{name}: `{tests}` does not pass:\n{output}"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most files of a patch, and the most lines that it adds and removes. One of the files is a table of
    /// operations, which `cargo xtask ods` writes.
    const MOST: (usize, usize) = (7, 60);

    /// The same of a patch that adds a front end, which has a dialect, a pass and a reader.
    const MOST_OF_FRONT_END: (usize, usize) = (13, 150);

    /// Checks that every patch still applies and is small. Running them takes minutes.
    #[test]
    fn every_patch_applies_and_is_small() -> Result<(), Error> {
        let root = patch::root();
        let patches = patch::read(&root.join("test").join("patches"), ADDITION, &[])?;
        assert!(!patches.is_empty());
        for patch in patches {
            patch.check(&root)?;
            let text = fs::read_to_string(&patch.file).map_err(Error::io(&patch.file))?;
            let (heads, lines): (Vec<&str>, Vec<&str>) = text
                .lines()
                .filter(|line| line.starts_with(['+', '-']))
                .partition(|line| line.starts_with("+++ ") || line.starts_with("--- "));
            let size = (heads.len() / 2, lines.len());
            let most = match patch.about.starts_with("the front end") {
                true => MOST_OF_FRONT_END,
                false => MOST,
            };
            assert!(
                size.0 <= most.0 && size.1 <= most.1,
                "{}: {size:?}",
                patch.name
            );
        }
        Ok(())
    }
}
