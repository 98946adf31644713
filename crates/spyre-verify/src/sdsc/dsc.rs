//! The description of the operation, part by part.

use spyre_bundle_files::json::Json;
use spyre_ops::contract::Published;
use spyre_plan::Target;

use super::super::reader::{Fixed, Reader};
use super::super::rules::{CORES, ROOT};
use super::contract::{self, Facts};
use super::nodes::{self, Plan};
use super::root::{Work, same_cores};
use super::sizes::Parts;
use super::{
    RuntimeDim, Symbol, Tensor, compute, constants, descriptors, layouts, mask_value, sizes,
    windows,
};

/// The parts of the description that other checks need.
pub(super) struct Dsc {
    /// The tensors without faults.
    pub tensors: Vec<Tensor>,
    /// The symbols of addresses in the order of their first use.
    pub symbols: Option<Vec<Symbol>>,
    /// The runtime dimensions, without names.
    pub runtime_dims: Vec<RuntimeDim>,
    /// The masked dimensions with their first masked position.
    pub masks: Vec<(usize, u64)>,
}

/// Reads `dscs_`.
pub(super) fn read(
    reader: &mut Reader,
    json: &Json<'_>,
    op: Option<&str>,
    work: &Work<'_>,
    is_r2: bool,
    target: &Target,
) -> Option<Dsc> {
    let items = reader.array(json)?;
    let [item] = items else {
        let message = format!("there are {} descriptions, but must be one", items.len());
        reader.report(ROOT, json.offset, message);
        return None;
    };
    let entries = reader.entries(item)?;
    let [entry] = entries else {
        let message = format!(
            "the description has {} keys, but must have one",
            entries.len()
        );
        reader.report(ROOT, item.offset, message);
        return None;
    };
    if let Some(op) = op.filter(|op| *op != entry.key) {
        let message = format!(
            "describes '{}', but the file is of '{}'",
            entry.key.escape_default(),
            op.escape_default()
        );
        reader.report(ROOT, entry.offset, message);
    }
    let mut fields = reader.fields(&entry.value)?;
    if let Some(value) = fields.required(reader, "numCoresUsed_") {
        same_cores(reader, value, work.used.len());
    }
    if let Some(value) = fields.required(reader, "numCoreletsUsed_") {
        reader.fixed(value, &Fixed::Int(1));
    }
    if let Some(value) = fields.required(reader, "coreIdsUsed_") {
        core_ids(reader, value, work);
    }
    let extents_json = fields.required(reader, "N_");
    let extents = extents_json.and_then(|value| sizes::extents_of(reader, value, work));
    let masking = fields.required(reader, "coordinateMasking_");
    let mask_constant = fields.required(reader, "maskingConstId_");
    let symbols = fields.optional("dimToSymbolMapping_");
    let stages = fields.required(reader, "dataStageParam_");
    let layouts = fields.required(reader, "primaryDsInfo_");
    let relation = fields.optional("pdsRelation_");
    let nodes = fields.required(reader, "scheduleTree_");
    let descriptors = fields.required(reader, "labeledDs_");
    let constants = fields.required(reader, "constantInfo_");
    let compute = fields.required(reader, "computeOp_");
    fields.finish(reader);

    let constants = constants.and_then(|value| constants::read(reader, value, work.cores));
    let (extents_json, extents) = (extents_json?, extents?);
    let windows = windows::read(reader, extents_json, &extents, work, &entry.key);
    windows::relation(reader, relation, &windows);
    let masks = sizes::mask(reader, masking, mask_constant, constants.as_ref(), &extents);
    if let (false, false, Some(constants)) = (reader.is_contract(), masks.is_empty(), &constants) {
        mask_value::check(reader, &entry.key, constants);
    }
    let mut runtime_dims = symbols
        .map(|value| sizes::runtime(reader, value, &extents, work))
        .unwrap_or_default();
    // The sizes on a core are judged by the sticks.
    let layouts = layouts.and_then(|value| layouts::read(reader, value, work));
    if let Some(value) = stages {
        let per_core = |reader: &mut Reader, json: &Json<'_>| {
            windows::stage(reader, json, &extents, &windows, &entry.key);
        };
        let parts = Parts {
            extents: &extents,
            layouts: layouts.as_deref().unwrap_or_default(),
            is_r2,
        };
        sizes::stage(reader, value, &parts, &mut runtime_dims, per_core);
    }
    let descriptors = descriptors.and_then(|value| match &layouts {
        Some(layouts) => descriptors::read(reader, value, layouts, &entry.key),
        None => None,
    });
    let indices =
        compute.map(|value| compute::check(reader, value, &entry.key, descriptors.as_deref()));
    let plan = Plan {
        work,
        extents: &extents,
        windows: &windows,
        layouts: layouts.as_deref().unwrap_or_default(),
        target,
    };
    let nodes = nodes.and_then(|json| nodes::read(reader, json, descriptors.as_deref(), &plan));
    if reader.is_contract() {
        let facts = Facts {
            op: &entry.key,
            row: Published::by_name(&entry.key),
            offset: entry.offset,
            plan: &plan,
            tensors: descriptors.as_deref().unwrap_or(&[]),
            nodes: nodes.as_ref().map_or(&[], |nodes| &nodes.nodes),
            indices: indices.as_deref(),
            constants: constants.as_ref(),
            masks: &masks,
        };
        contract::check(reader, &facts);
    }
    let (tensors, symbols) = match nodes {
        Some(nodes) => (nodes.tensors, nodes.symbols),
        None => (Vec::new(), None),
    };
    Some(Dsc {
        tensors,
        symbols,
        runtime_dims,
        masks: masks.iter().map(|mask| (mask.dim, mask.start)).collect(),
    })
}

/// Checks that the cores are listed in order. The operation runs on all of them.
fn core_ids(reader: &mut Reader, json: &Json<'_>, work: &Work<'_>) {
    let Some(ids) = reader.ints(json) else {
        return;
    };
    let ids = ids.iter().map(|(id, _)| usize::try_from(*id).ok());
    if ids.ne(work.used.iter().copied().map(Some)) {
        let message = match work.used.len() == work.cores {
            true => format!("the cores must be 0 to {} in order", work.cores - 1),
            false => {
                let used: Vec<String> = work.used.iter().map(usize::to_string).collect();
                format!("the cores must be {} in order", used.join(", "))
            }
        };
        reader.report(CORES, json.offset, message);
    }
}
