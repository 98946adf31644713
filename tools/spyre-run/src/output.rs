//! Standard output.

use std::fmt::Display;
use std::io::{self, Write as _};

use spyre_sim::Report;

/// Prints a line. A reader that has gone does not need it; the exit code still says how things went.
pub fn line(text: impl Display) {
    let _ = writeln!(io::stdout(), "{text}");
}

/// Reports what a simulated card has found, on standard error.
pub fn faults(report: &Report) {
    for fault in report.faults() {
        let severity = if fault.kind.is_warning() {
            "warning"
        } else {
            "error"
        };
        eprintln!("{severity}: {fault}");
    }
}
