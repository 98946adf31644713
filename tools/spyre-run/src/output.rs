//! Standard output.

use std::fmt::Display;

use spyre_mlir_rt::diagnostic::shortened;
use spyre_sim::Report;

use crate::error::Error;

/// Prints a line. An error of a closed reader is ignored; the exit code still has the outcome.
pub(crate) fn line(text: impl Display) -> Result<(), Error> {
    spyre_files::print(&format!("{text}\n")).map_err(Error::Stdout)
}

/// Reports the faults that a simulated card has found, on standard error.
pub(crate) fn faults(report: &Report) {
    for fault in report.faults() {
        let severity = if fault.kind.is_warning() {
            "warning"
        } else {
            "error"
        };
        eprintln!("{severity}: {}", shortened(&fault.to_string()));
    }
}
