//! The owners of the tensors of a relayout (contract, K66; LX Relayout SHUFFLE Contract, "Descriptor shape").

use super::error::{Resolved, error};
use super::json::{Compute, Dsc};
use super::operation::{Core, Dim, Distribution, Relayout};

/// The function that copies between scratchpads.
const SHUFFLE: &str = "shuffle";

/// Returns the owners of both tensors, if the computation is a relayout.
pub(super) fn resolve(dsc: &Dsc, compute: &Compute, dims: &[Dim]) -> Resolved<Option<Relayout>> {
    if compute.function != SHUFFLE {
        return Ok(None);
    }
    let ([input], [output]) = (compute.inputs.as_slice(), compute.outputs.as_slice()) else {
        return error("computeOp_/0", "a relayout has one input and one output");
    };
    if !dsc.masks.0.is_empty() {
        return error("coordinateMasking_", "a relayout copies all elements");
    }
    Ok(Some(Relayout {
        source: distribution(dsc, input, dims)?,
        destination: distribution(dsc, output, dims)?,
    }))
}

fn distribution(dsc: &Dsc, name: &str, dims: &[Dim]) -> Resolved<Distribution> {
    let index = name.rsplit_once("idx").and_then(|(_, at)| at.parse().ok());
    let node = dsc.nodes.iter().find(|node| Some(node.tensor) == index);
    let Some(node) = node else {
        return error("scheduleTree_", format!("'{name}' has no place"));
    };
    let at = |key: &str| format!("scheduleTree_/{}/{key}", node.tensor);
    if node.component != "lx" {
        let message = format!(
            "a relayout is between scratchpads; '{name}' is in {}",
            node.component
        );
        return error(at("component_"), message);
    }
    let mut slices = Vec::new();
    for dim in dims {
        let folds = node.coordinates.dims.get(&dim.name);
        let factor = folds.and_then(|coordinate| coordinate.folds.factors.first());
        // A dimension without coordinates is not divided.
        let count = factor.map_or(1, |factor_entry| factor_entry.factor);
        if count == 0 || dim.extent % count != 0 {
            let message = format!("{} elements are not {count} equal slices", dim.extent);
            return error(at(&format!("coordinates_/coordInfo/{}", dim.name)), message);
        }
        slices.push(count);
    }
    let mut cores = Vec::new();
    for (key, core_slices) in &node.coordinates.core_slices.0 {
        let at = || at(&format!("coordinates_/coreIdToWkSlice_/{key}"));
        // The largest number means several cores in the history of memory.
        let number = key.parse().ok().filter(|core| *core < u16::MAX);
        let Some(number) = number else {
            let message = format!(
                "the key must be the number of a core below {}, got '{key}'",
                u16::MAX
            );
            return error(at(), message);
        };
        let mut of_core = Vec::new();
        for (dim, count) in dims.iter().zip(&slices) {
            let slice = core_slices.get(&dim.name).copied();
            // The only one.
            let slice = slice.or((*count == 1).then_some(0));
            match slice.filter(|slice| slice < count) {
                Some(slice) => of_core.push(slice),
                None => {
                    let message = format!("no slice of the {count} of '{}'", dim.name);
                    return error(at(), message);
                }
            }
        }
        cores.push(Core {
            number,
            slices: of_core,
        });
    }
    if cores.is_empty() {
        let message = format!("'{name}' has no owners");
        return error(at("coordinates_/coreIdToWkSlice_"), message);
    }
    Ok(Distribution { slices, cores })
}
