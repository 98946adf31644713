//! Searches for the largest elements of a dimension.

use spyre_ops::OpClass;

use super::Planned;
use crate::codegen::{PlannedDim, PlannedTensor};

/// The most elements that a search can find.
const MOST: u64 = 128;

/// The most elements that one core can find.
const MOST_OF_CORE: u64 = 4;

/// A search: the input, the output, and the dimension of the elements that are found.
struct Search<'a> {
    input: &'a PlannedTensor,
    output: &'a PlannedTensor,
    dim: Option<&'a PlannedDim>,
}

impl<'a> Search<'a> {
    fn from_planned(planned: &Planned<'a>) -> Option<Self> {
        if planned.class() != OpClass::TopK {
            return None;
        }
        let [input, .., output] = planned.descriptor.tensors.as_slice() else {
            return None;
        };
        let mut dims = planned.descriptor.dims.iter();
        let result_dim =
            dims.find(|dim| !Planned::has(input, dim.dim) && Planned::has(output, dim.dim));
        Some(Self {
            input,
            output,
            dim: result_dim,
        })
    }
}

/// Checks that neither the searched dimension nor the dimension of the results is along the stick, and that the output
/// has the stick of the input (contract, K26).
pub(super) fn sticks(planned: &Planned<'_>) -> Option<String> {
    const WAY_OUT: &str =
        "put another dimension along the stick, with a restickify before the search";
    let Search {
        input,
        output,
        dim: searched_dim,
    } = Search::from_planned(planned)?;
    let searched = planned.reduced();
    if let Some(dim) = searched.iter().find(|dim| input.stick == Some(dim.dim)) {
        return Some(format!(
            "searches {}, which is along the stick of its input; {WAY_OUT}",
            dim.dim
        ));
    }
    if let Some(dim) = searched_dim.filter(|dim| output.stick == Some(dim.dim)) {
        return Some(format!(
            "leaves the elements that it finds, {}, along the stick of its output; {WAY_OUT}",
            dim.dim
        ));
    }
    let name = |tensor: &PlannedTensor| match tensor.stick {
        Some(dim) => format!("{dim} along the stick"),
        None => "one element per stick".to_owned(),
    };
    (input.stick != output.stick).then(|| {
        format!(
            "has an input with {} and an output with {}, which must be alike; {WAY_OUT}",
            name(input),
            name(output)
        )
    })
}

/// Checks that positions are numbers in the format of the input (contract, K27).
pub(super) fn format(planned: &Planned<'_>) -> Option<String> {
    let Search { input, output, .. } = Search::from_planned(planned)?;
    (input.format != output.format).then(|| {
        format!(
            "reads {} and leaves {}: the result of a search has the format of the input; convert it afterwards",
            input.format, output.format
        )
    })
}

/// Checks that a search finds few elements, on every core (contract, K28).
pub(super) fn size(planned: &Planned<'_>) -> Option<String> {
    let dim = Search::from_planned(planned)?.dim?;
    let slice_extent = dim.extent / dim.slices;
    if dim.extent > MOST {
        return Some(format!(
            "finds {} elements, at most {MOST} are possible; search parts of the dimension, and then the results of these searches",
            dim.extent
        ));
    }
    if slice_extent <= MOST_OF_CORE {
        return None;
    }
    let mut slices = (1..=dim.extent).filter(|slices| dim.extent.is_multiple_of(*slices));
    let enough = slices.find(|slices| dim.extent / slices <= MOST_OF_CORE)?;
    Some(format!(
        "a core finds {slice_extent} of {} elements along {}, at most {MOST_OF_CORE} are possible; divide it into {enough} slices",
        dim.extent, dim.dim
    ))
}
