//! Standard output, and the files of results.

use std::fmt::Display;
use std::io;
use std::path::Path;

use spyre_exec::{Array, TensorType, npy};
use spyre_files::Staged;
use spyre_mlir_rt::messages;
use spyre_sim::{RangeLoss, Report};

use crate::error::Error;
use crate::options::Options;

/// Prints a line. An error of a closed reader is ignored; the exit code still has the outcome.
pub(crate) fn line(text: impl Display) -> Result<(), Error> {
    spyre_files::print(&format!("{text}\n")).map_err(Error::Stdout)
}

/// Files with results, staged until all of them are: the results of one run are written together or not at all.
#[derive(Default)]
pub(crate) struct Files<'p>(Vec<(&'p Path, Staged)>);

impl<'p> Files<'p> {
    /// Stages a tensor as a `.npy` file.
    pub(crate) fn add_tensor(
        &mut self,
        path: &'p Path,
        ty: &TensorType,
        bytes: &[u8],
    ) -> Result<(), Error> {
        self.0.push((path, npy::stage_bytes(path, ty, bytes)?));
        Ok(())
    }

    /// Stages bytes.
    pub(crate) fn add_bytes(&mut self, path: &'p Path, bytes: &[u8]) -> Result<(), Error> {
        let staged = Staged::new(path, &[bytes]).map_err(|err| write_error(path, err))?;
        self.0.push((path, staged));
        Ok(())
    }

    /// Writes the files.
    pub(crate) fn commit(self) -> Result<(), Error> {
        for (path, staged) in self.0 {
            staged.commit().map_err(|err| write_error(path, err))?;
        }
        Ok(())
    }
}

/// Writes results to the files of the command line, or prints them where there are none.
pub(crate) fn results(results: &[Array], options: &Options) -> Result<(), Error> {
    if options.outputs.is_empty() {
        for (index, result) in results.iter().enumerate() {
            line(format_args!("result {index}: {result}"))?;
        }
    }
    let mut files = Files::default();
    for (path, result) in options.outputs.iter().zip(results) {
        files.add_tensor(path, result.ty(), result.bytes())?;
    }
    files.commit()
}

fn write_error(path: &Path, reason: io::Error) -> Error {
    Error::Write {
        path: path.to_owned(),
        reason,
    }
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
