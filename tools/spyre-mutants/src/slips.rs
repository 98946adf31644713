//! `cargo xtask slips`: drops statements of the compiler, one at a time, and expects an error for each.
//!
//! A compiler loses an operation by a slip: a statement that should append it to a list is not reached.
//! `test/slips/sites.txt` lists the statements that append operations, loops, addresses, symbols, values and cores. In
//! a copy of the tree, each is put into `if ::spyre_slips::keeps() { ... }`, so that one build has every slip. The test
//! `test/slips/slips.rs` then drops one after the other, and finds for each a program that fails to compile. The
//! product has neither the guards nor the crate `spyre-slips`, which is `test/slips`.

mod list;
mod scan;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::mutants::tree::Tree;
use list::Site;
use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::Project;

/// The package that runs the test.
const TESTED: &str = "spyre-exec";

/// The file with the places of the statements, which the test reads in the copy.
const PLACES: &str = "test/slips/places.txt";

/// Guards the statements in a copy of the tree and runs the test there, which prints the sites that are reached, and
/// those that slip without an error.
///
/// # Errors
/// The list and the tree differ, the copy does not build, or the test fails.
pub(crate) fn slips(project: &Project) -> Result<(), Error> {
    let tree = Tree::new(project)?;
    fs::create_dir_all(&tree.project.root).map_err(Error::io(&tree.project.root))?;
    run(&tree)
}

/// Runs the slips in a copy, and leaves it as the original.
///
/// # Errors
/// The errors of [`slips`].
pub(crate) fn run(tree: &Tree) -> Result<(), Error> {
    tree.restore()?;
    let sites = list::read(&tree.project.root)?;
    guard(&tree.project.root, &sites)?;
    let mut test = tree.project.cargo();
    test.args(["test", "--quiet", "--package", TESTED, "--test", "slips"]);
    // The test prints the numbers of sites.
    test.args(["--", "--nocapture"]);
    let verdict = process::run(&mut test);
    tree.restore()?;
    verdict
}

/// Guards the statements below a root, and adds the crate, the test, and [`PLACES`].
fn guard(root: &Path, sites: &[Site]) -> Result<(), Error> {
    let mut places = String::new();
    let mut errors = Vec::new();
    for (file, sites) in list::by_file(sites) {
        let path = root.join(file);
        let source = fs::read_to_string(&path).map_err(Error::io(&path))?;
        let guarded = match list::guard(&source, &sites) {
            Ok(guarded) => guarded,
            Err(reasons) => {
                errors.extend(reasons);
                continue;
            }
        };
        fs::write(&path, guarded.source).map_err(Error::io(&path))?;
        for (site, line) in sites.iter().zip(guarded.lines) {
            // Writing to a String cannot fail.
            let _ = writeln!(places, "{file}:{line}: {}", site.text);
            if let Some(note) = &site.note {
                let _ = writeln!(places, "  {note}");
            }
        }
    }
    if !errors.is_empty() {
        return Err(Error::Verdict(errors.join("\n")));
    }
    let path = root.join(PLACES);
    fs::write(&path, places).map_err(Error::io(&path))?;
    let packages: BTreeSet<&str> = sites.iter().map(Site::package).collect();
    for package in packages {
        edit_manifest(root, package, |text| with_dependency(text, "dependencies"))?;
    }
    edit_manifest(root, TESTED, |text| {
        let manifest = with_dependency(text, "dev-dependencies")?;
        let test = "\n[[test]]\nname = \"slips\"\npath = \"../../test/slips/slips.rs\"\n";
        Some(manifest + test)
    })
}

/// Edits the manifest of a crate.
fn edit_manifest(
    root: &Path,
    package: &str,
    edit: impl Fn(&str) -> Option<String>,
) -> Result<(), Error> {
    let path = root.join("crates").join(package).join("Cargo.toml");
    let text = fs::read_to_string(&path).map_err(Error::io(&path))?;
    let edited = edit(&text).ok_or_else(|| {
        let path = path.display();
        Error::Verdict(format!("{path} has no section to add spyre-slips to"))
    })?;
    fs::write(&path, edited).map_err(Error::io(&path))
}

/// Adds the crate to a section of a manifest. `None` if there is no such section. A crate at the end of a path is a
/// member of the workspace, so that the list of members stays.
fn with_dependency(manifest: &str, section: &str) -> Option<String> {
    let head = format!("\n[{section}]\n");
    let (before, after) = manifest.split_once(&head)?;
    let dependency = "spyre-slips = { path = \"../../test/slips\" }";
    Some(format!("{before}{head}{dependency}\n{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutants::patch;

    #[test]
    fn manifests_have_the_crate_in_their_section() {
        let manifest = "[package]\nname = \"a\"\n\n[dependencies]\nb = \"1\"\n";
        assert_eq!(
            with_dependency(manifest, "dependencies").unwrap(),
            "[package]\nname = \"a\"\n\n[dependencies]\nspyre-slips = { path = \"../../test/slips\" }\nb = \"1\"\n"
        );
        assert_eq!(with_dependency(manifest, "dev-dependencies"), None);
    }

    #[test]
    fn every_crate_of_the_list_has_a_section() -> Result<(), Error> {
        let root = patch::root();
        let sites = list::read(&root)?;
        let packages = sites.iter().map(|site| (site.package(), "dependencies"));
        for (package, section) in packages.chain([(TESTED, "dev-dependencies")]) {
            let path = root.join("crates").join(package).join("Cargo.toml");
            let text = fs::read_to_string(&path).map_err(Error::io(&path))?;
            assert!(with_dependency(&text, section).is_some(), "{package}");
        }
        Ok(())
    }
}
