//! Standard output.

use std::fmt::Display;

use spyre_mlir_rt::diagnostic::shortened;
use spyre_sim::Report;

use crate::error::Error;

/// Prints a line. A reader that has gone does not need it; the exit code still says how things went.
pub fn line(text: impl Display) -> Result<(), Error> {
    spyre_files::print(&format!("{text}\n")).map_err(Error::Stdout)
}

/// Reports what a simulated card has found, on standard error.
pub fn faults(report: &Report) {
    for fault in report.faults() {
        let severity = if fault.kind.is_warning() {
            "warning"
        } else {
            "error"
        };
        eprintln!("{severity}: {}", shortened(&fault.to_string()));
    }
}
