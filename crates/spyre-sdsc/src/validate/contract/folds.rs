//! Folds of coordinates.

use super::Planned;

/// Checks that every dimension has elements: a factor counts the indices of a fold and is at least 1 (contract, K57).
pub(super) fn factors(planned: &Planned<'_>) -> Option<String> {
    let mut dims = planned.descriptor.dims.iter();
    let empty = dims.find(|dim| dim.extent == 0)?;
    Some(format!(
        "runs over 0 elements along {}, and a file counts at least 1; leave the operation out",
        empty.dim
    ))
}
