//! Searches: how many elements one finds, and on how many cores (K28).

use super::super::super::reader::Reader;
use super::super::super::rules::SEARCH_SIZES;
use super::super::sizes::Extent;
use super::Facts;

/// Most elements that a search finds.
const MOST: u64 = 128;
/// Most elements that a core finds.
const MOST_ON_A_CORE: u64 = 4;

/// The dimensions of a search.
pub(super) struct Dims<'j> {
    /// The one that is searched.
    pub searched: Option<Extent<'j>>,
    /// The dimension of the results.
    pub dim: Option<Extent<'j>>,
}

/// Returns the dimensions that one side of a search has and the other does not have.
pub(super) fn dims<'j>(facts: &Facts<'_, 'j>) -> Dims<'j> {
    let Some((inputs, output)) = facts.sides() else {
        return Dims {
            searched: None,
            dim: None,
        };
    };
    let is_input = |dim: &str| inputs.iter().any(|input| input.has(dim));
    let mut extents = facts.plan.extents.iter().copied();
    let result_dim = extents.find(|extent| output.has(extent.dim) && !is_input(extent.dim));
    Dims {
        searched: facts.reduced().first().copied(),
        dim: result_dim,
    }
}

/// Checks the sizes of a search.
pub(super) fn check(reader: &mut Reader, facts: &Facts<'_, '_>) {
    if !matches!(facts.op, "topkvalue" | "topkindex") {
        return;
    }
    let Dims {
        searched,
        dim: result_dim,
    } = dims(facts);
    if let Some(searched) = searched.filter(|searched| searched.splits > 1) {
        let message = format!(
            "'{}' is searched, and divided among {} cores; do not divide it",
            searched.dim, searched.splits
        );
        reader.report(SEARCH_SIZES, searched.offset, message);
    }
    let Some(result_dim) = result_dim else {
        return;
    };
    if result_dim.extent > MOST {
        let message = format!(
            "finds {} along '{}', but at most {MOST}",
            result_dim.extent, result_dim.dim
        );
        reader.report(SEARCH_SIZES, result_dim.offset, message);
    }
    if let Some(part) = result_dim.part().filter(|part| *part > MOST_ON_A_CORE) {
        let message = format!(
            "a core finds {part} of {} along '{}', but at most {MOST_ON_A_CORE}; divide the dimension by its smallest divisor that \
             leaves no more",
            result_dim.extent, result_dim.dim
        );
        reader.report(SEARCH_SIZES, result_dim.offset, message);
    }
}
