//! Standard output.

use std::fmt::Display;

use spyre_mlir_rt::messages;
use spyre_sim::{RangeLoss, Report};

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
        messages::print(&format!("{severity}: {fault}"));
    }
}

/// Warns of elements that a simulated card has no number for, on standard error. `function` is the function of the device, if the
/// program has several.
pub(crate) fn range_losses(function: Option<&str>, losses: &[RangeLoss]) {
    for loss in losses {
        let function = function.map_or(String::new(), |name| format!("@{name}: "));
        messages::print(&format!("warning: {function}{loss}"));
    }
}
