//! Checks the files of a bundle: those of `spyre-translate --verify-bundle DIR`, and those that this process writes.

use std::path::Path;

use spyre_bundle_files::{Bundles, Directory, Files, InMemory};
use spyre_verify::{Report, Severity, verify};

/// Checks a bundle, or those of a program of host and device. Prints the findings of each, then a line with its size. Returns whether
/// there is no error.
pub(crate) fn directory(path: &Path) -> bool {
    match Bundles::of(path) {
        Ok(Bundles::One) => bundle(path),
        Ok(Bundles::Several(bundles)) => {
            let checked = bundles.iter().map(|path| bundle(path));
            checked.fold(true, |all, is_right| all & is_right)
        }
        Err(why) => {
            eprintln!("error: {why}");
            false
        }
    }
}

fn bundle(path: &Path) -> bool {
    let report = verify(&Directory(path));
    if !passes(path, &report) {
        return false;
    }
    let size = report.size;
    let what = [
        of(size.files, "file"),
        of(size.operations, "operation"),
        of(size.loops, "loop"),
        of(size.params, "parameter"),
        of(report.count(Severity::Warning), "warning"),
    ];
    let summary = format!("{}: {}\n", path.display(), what.join(", "));
    match spyre_files::print(&summary) {
        Ok(()) => true,
        Err(why) => {
            eprintln!("error: standard output: {why}");
            false
        }
    }
}

/// Checks the files of a bundle before they are written, and prints the findings; warnings only if they are asked for. Returns
/// whether there is no error.
pub(crate) fn in_memory(files: &InMemory, warnings: bool) -> bool {
    let mut report = verify(files);
    if !warnings && report.is_right() {
        report.findings.clear();
    }
    passes(files.root(), &report)
}

/// Prints the findings, and the number of errors if there are any. Returns whether there are none.
fn passes(path: &Path, report: &Report) -> bool {
    for found in &report.findings {
        eprintln!("{found}");
    }
    let [errors, warnings] =
        [Severity::Error, Severity::Warning].map(|severity| report.count(severity));
    if errors > 0 {
        let (errors, warnings) = (of(errors, "error"), of(warnings, "warning"));
        eprintln!("{}: {errors}, {warnings}", path.display());
    }
    errors == 0
}

/// Returns a count and a noun, with an `s` unless the count is 1.
fn of(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
