//! The description of the operation, part by part.

use spyre_bundle_files::json::{Json, Member};
use spyre_ops::contract::Published;
use spyre_plan::Target;

use super::super::reader::{Fields, Fixed, Reader};
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

/// The parts of the root of a file that its description is checked against.
pub(super) struct Root<'r, 'j> {
    /// The operation, if the root is named after one.
    pub op: Option<&'r str>,
    pub work: &'r Work<'j>,
    /// Whether the file has the keys of the second revision.
    pub is_r2: bool,
    pub target: &'r Target,
}

/// Returns the only description.
fn description<'j, 't>(
    reader: &mut Reader,
    json: &'j Json<'t>,
    op: Option<&str>,
) -> Option<&'j Member<'t>> {
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
    Some(entry)
}

/// Reads `dscs_`.
pub(super) fn read(reader: &mut Reader, json: &Json<'_>, root: &Root<'_, '_>) -> Option<Dsc> {
    let work = root.work;
    let entry = description(reader, json, root.op)?;
    let mut fields = reader.fields(&entry.value)?;
    check_cores(reader, &mut fields, work);
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
    check_mask_value(reader, &entry.key, &masks, constants.as_ref());
    let mut runtime_dims = symbols.map_or_else(Vec::new, |value| {
        sizes::runtime(reader, value, &extents, work)
    });
    // The sizes on a core are judged by the sticks.
    let layouts = layouts.and_then(|value| layouts::read(reader, value, work));
    let parts = Parts {
        extents: &extents,
        layouts: layouts.as_deref().unwrap_or_default(),
        is_r2: root.is_r2,
    };
    if let Some(value) = stages {
        sizes::stage(reader, value, &parts, &mut runtime_dims, |reader, json| {
            windows::stage(reader, json, &extents, &windows, &entry.key);
        });
    }
    let descriptors = descriptors
        .zip(layouts.as_ref())
        .and_then(|(value, layouts)| descriptors::read(reader, value, layouts, &entry.key));
    let indices =
        compute.map(|value| compute::check(reader, value, &entry.key, descriptors.as_deref()));
    let plan = Plan {
        work,
        extents: &extents,
        windows: &windows,
        layouts: parts.layouts,
        target: root.target,
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
    let (tensors, symbols) =
        nodes.map_or_else(Default::default, |nodes| (nodes.tensors, nodes.symbols));
    Some(Dsc {
        tensors,
        symbols,
        runtime_dims,
        masks: masks.iter().map(|mask| (mask.dim, mask.start)).collect(),
    })
}

/// Checks the value of masked elements in a recorded file, by the operation.
fn check_mask_value(
    reader: &mut Reader,
    op: &str,
    masks: &[sizes::Mask],
    constants: Option<&constants::Constants>,
) {
    if let (false, false, Some(constants)) = (reader.is_contract(), masks.is_empty(), constants) {
        mask_value::check(reader, op, constants);
    }
}

/// Checks the number of cores and corelets, and the list of cores.
fn check_cores(reader: &mut Reader, fields: &mut Fields<'_, '_>, work: &Work<'_>) {
    if let Some(value) = fields.required(reader, "numCoresUsed_") {
        same_cores(reader, value, work.used.len());
    }
    if let Some(value) = fields.required(reader, "numCoreletsUsed_") {
        reader.fixed(value, &Fixed::Int(1));
    }
    if let Some(value) = fields.required(reader, "coreIdsUsed_") {
        core_ids(reader, value, work);
    }
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
