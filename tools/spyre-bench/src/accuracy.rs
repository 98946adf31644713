//! `cargo xtask accuracy`: the errors of functions that tensor programs are decomposed to.

use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::Project;

/// The stride through the floats of 32 bits, by default: a prime, so that all exponents and fractions are in the
/// sample.
const STRIDE: u64 = 4_099;

/// The choice of measurements.
pub(crate) struct Options {
    /// All floats of 32 bits.
    pub(crate) all: bool,
    /// Measure every n-th float of 32 bits, for this n.
    pub(crate) stride: Option<u64>,
    /// One operation alone.
    pub(crate) op: Option<String>,
}

/// Measures, in release mode and on all cores, and prints the table.
///
/// # Errors
/// An error is larger than in the table of the specification, or the options contradict each other.
pub(crate) fn accuracy(project: &Project, options: &Options) -> Result<(), Error> {
    let stride = match (options.all, options.stride) {
        (true, Some(_)) => {
            return Err(Error::Usage("--all is --stride 1: give one of them".into()));
        }
        (true, None) => 1,
        (false, Some(0)) => return Err(Error::Usage("--stride must be at least 1".into())),
        (false, stride) => stride.unwrap_or(STRIDE),
    };
    let mut command = crate::example(project, "uop_accuracy");
    command.args(["--", &stride.to_string()]);
    process::run(command.args(&options.op))
}
