//! Prints what is wrong with bundles: those of `spyre-translate --verify-bundle DIR`, and those that this process writes.

use std::path::Path;

use spyre_bundle_files::{Bundles, Directory};
use spyre_verify::{Report, verify};

/// Checks a bundle, or those of a program of host and device. Prints the findings of each, then a line with its size. Returns whether
/// there is no error.
pub(crate) fn directory(path: &Path) -> bool {
    match Bundles::of(path) {
        Ok(bundles) => {
            let bundles = bundles.directories(path);
            bundles.iter().fold(true, |all, path| all & bundle(path))
        }
        Err(why) => {
            eprintln!("error: {why}");
            false
        }
    }
}

fn bundle(path: &Path) -> bool {
    let report = verify(&Directory(path));
    list(path, &report, true);
    if !report.is_right() {
        return false;
    }
    let summary = format!("{}: {}\n", path.display(), report.summary());
    let printed = spyre_files::print(&summary);
    printed.map_or_else(
        |why| {
            eprintln!("error: standard output: {why}");
            false
        },
        |()| true,
    )
}

/// Prints the findings in a bundle; warnings alone only if they are asked for.
pub(crate) fn list(path: &Path, report: &Report, warnings: bool) {
    if warnings || !report.is_right() {
        eprint!("{}", report.listed(path));
    }
}
