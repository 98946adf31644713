//! Differences between results.

use spyre_exec::{Array, compare};

use crate::error::Error;
use crate::options::Options;
use crate::output;

/// Prints the differences between results and the expected ones, and returns whether all are within the
/// tolerance.
pub(crate) fn results(
    expected: &[Array],
    actual: &[Array],
    options: &Options,
) -> Result<bool, Error> {
    let mut agree = true;
    let tolerances = options.tolerances(expected.len())?;
    for (result, ((expected, actual), tolerance)) in
        expected.iter().zip(actual).zip(tolerances).enumerate()
    {
        let comparison = compare(expected, actual, tolerance).map_err(|err| Error::Types {
            result,
            reason: err,
        })?;
        output::line(format_args!("result {result}: {comparison}"))?;
        agree &= comparison.agrees();
    }
    Ok(agree)
}
