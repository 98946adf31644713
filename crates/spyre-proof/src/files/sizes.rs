//! Runtime sizes: a core has its share of the largest size, and its share of the granularity (SDSC bundle
//! specification, section 8, item 3). The addresses of such an operation are products of a size and a part, which are not
//! modelled; the numbers are compared.

use spyre_bundle_files::Function;

use super::function::{Execution, Quantity};
use super::json::{Extent, Sdsc};
use super::operation::{Fault, descriptor, wrong};

/// Returns whether some dimension has a runtime size.
pub(super) fn has_sizes(sdsc: &Sdsc) -> bool {
    descriptor(sdsc).is_ok_and(|dsc| !dsc.symbolic_dims.0.is_empty())
}

/// Checks the runtime sizes of a file.
pub(super) fn check(sdsc: &Sdsc, execution: &Execution, function: &Function) -> Result<(), Fault> {
    let dsc = descriptor(sdsc)?;
    for node in dsc.nodes.iter().filter(|node| node.symbolic.0) {
        for (core, start) in &node.starts.data.0 {
            if let Some(Quantity::Number(_) | Quantity::Size(_) | Quantity::Addresses) =
                execution.symbols.get(&start.0)
            {
                let key = format!(
                    "scheduleTree_/{}/startAddressCoreCorelet_/data_/{core}",
                    node.tensor
                );
                return wrong(key, "its symbol is bound to no address");
            }
        }
    }
    for (name, symbols) in &dsc.symbolic_dims.0 {
        let key = format!("dimToSymbolMapping_/{name}");
        let [symbol] = &symbols[..] else {
            return wrong(key, format!("{} symbols for one size", symbols.len()));
        };
        let position = match execution.symbols.get(&symbol.0) {
            Some(Quantity::Size(position)) => *position,
            Some(_) => return wrong(key, format!("symbol {} is bound to no size", symbol.0)),
            None => return wrong(key, format!("symbol {} is bound to nothing", symbol.0)),
        };
        let bounds = function.params[position].bounds;
        let slices = sdsc.slices.get(name).copied().unwrap_or(1);
        let of_name = format!("{name}_");
        if let (Some(Extent::Number(extent)), Some(most)) =
            (dsc.extents.get(&of_name), bounds.max_value)
            && *extent != most
        {
            let message = format!("it is {extent}, and the size has at most {most}");
            return wrong(format!("N_/{of_name}"), message);
        }
        let stages = dsc.stages.0.iter();
        let parts = stages.flat_map(|(stage, parts)| {
            [(stage, "ss_", &parts.steady), (stage, "el_", &parts.last)]
        });
        for (stage, part, extents) in parts {
            let Some(Extent::Sizes(sizes)) = extents.get("symbolicDimInfo_") else {
                continue;
            };
            let key = format!("dataStageParam_/{stage}/{part}/symbolicDimInfo_/{name}");
            let Some(share) = sizes.get(name) else {
                return wrong(key, "the size of a core is missing");
            };
            let numbers = [
                ("maxSize_", share.most, bounds.max_value),
                ("granularity_", share.granularity, bounds.granularity),
            ];
            for (field, of_core, whole) in numbers {
                let Some(whole) = whole.filter(|whole| slices > 0 && whole % slices == 0) else {
                    continue;
                };
                if of_core != whole / slices {
                    let message = format!(
                        "it is {of_core}, and {slices} cores have {} of {whole} each",
                        whole / slices
                    );
                    return wrong(format!("{key}/{field}"), message);
                }
            }
        }
    }
    Ok(())
}
