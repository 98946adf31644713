//! The features of shared dependencies: a build of one tool alone, or of the demo, has the same features as a build of
//! the workspace.

use std::collections::BTreeSet;

use crate::demo;
use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Project, TOOLS};

/// Checks that no tool by itself, nor the tools of the demo, have other features of a dependency than the workspace
/// with its tests has: cargo would compile that dependency, and all crates above it, once more.
///
/// # Errors
/// The dependencies that differ, with both lists of features.
pub(crate) fn features(project: &Project) -> Result<(), Error> {
    let all = dependencies(project, &["--workspace", "--edges", "normal,build,dev"])?;
    let mut differences = Vec::new();
    let edges = ["--edges", "normal,build"];
    let packages = demo::TOOLS.iter().flat_map(|tool| ["--package", tool]);
    let demo = packages.chain([demo::FEATURES]).chain(edges).collect();
    let mut selections = vec![("the demo", demo)];
    selections.extend(TOOLS.map(|tool| (tool, [&["--package", tool], &edges[..]].concat())));
    for (tool, selection) in selections {
        let mut alone = dependencies(project, &selection)?;
        // The features of a tool itself are its selection, and no crate is above it.
        alone.retain(|line| {
            let name = line.split(' ').next().expect("a text has a first part");
            !TOOLS.contains(&name)
        });
        differences.extend(alone.difference(&all).map(|line| {
            let name = line.split('[').next().expect("a text has a first part");
            let others = all.iter().filter(|other| other.starts_with(name));
            let others: Vec<&str> = others.map(String::as_str).collect();
            format!(
                "{tool} alone has {line}, the workspace has {}",
                others.join(" and ")
            )
        }));
    }
    if differences.is_empty() {
        println!("features: the same for each tool, for the demo and for the workspace");
        return Ok(());
    }
    Err(Error::Verdict(format!(
        "features: name the features that are missing in crates/spyre-features/Cargo.toml\n  {}",
        differences.join("\n  ")
    )))
}

/// Returns the dependencies of a selection of packages, each with its version and features, such as
/// `libc v0.2.1 [default,std]`.
fn dependencies(project: &Project, selection: &[&str]) -> Result<BTreeSet<String>, Error> {
    let mut tree = project.cargo();
    tree.args([
        "tree",
        "--quiet",
        "--prefix",
        "none",
        "--format",
        "{p} [{f}]",
    ]);
    let text = process::output(tree.args(selection))?;
    Ok(text.lines().map(dependency).collect())
}

/// Returns a line without the marks of repeated and of procedural crates.
fn dependency(line: &str) -> String {
    line.replace(" (*)", "").replace(" (proc-macro)", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_the_tree_are_no_features() {
        let line = "serde_derive v1.0.0 (proc-macro) [default] (*)";
        assert_eq!(dependency(line), "serde_derive v1.0.0 [default]");
    }
}
