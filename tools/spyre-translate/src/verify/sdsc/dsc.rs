//! The description of the operation: sizes, masks, layouts, tensors, constants, operands.

use std::collections::HashSet;

use spyre_plan::Target;

use super::super::json::{Json, Member};
use super::super::reader::{Fixed, Reader};
use super::super::rules::{
    COMPUTE, CORES, DIM_NAMES, DIMS, KIND, LABEL, LAYOUT, MASK, MASK_CONSTANT, OPERANDS, ROOT,
    RUNTIME_DIM, STAGE,
};
use super::constants::{self, Constants};
use super::root::{Work, dimension, same_cores};
use super::tensors::{self, Descriptor, Layout, Plan, is_symbol};
use super::{RuntimeDim, Symbol, Tensor, names};

/// What the description says beyond itself.
pub struct Dsc {
    /// The tensors that are in order.
    pub tensors: Vec<Tensor>,
    /// The symbols of addresses in the order of their first use.
    pub symbols: Option<Vec<Symbol>>,
    /// The runtime dimensions, without names.
    pub runtime_dims: Vec<RuntimeDim>,
}

/// A dimension of the operation.
#[derive(Debug, Clone, Copy)]
pub struct Extent<'j> {
    /// Its name.
    pub dim: &'j str,
    /// Its index in the root.
    pub index: usize,
    /// Its padded extent; the largest one if it is known at launch.
    pub extent: u64,
    /// The cores that divide it.
    pub splits: u64,
}

/// Reads `dscs_`.
pub fn read(
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
        same_cores(reader, value, work.cores);
    }
    if let Some(value) = fields.required(reader, "numCoreletsUsed_") {
        reader.fixed(value, &Fixed::Int(1));
    }
    if let Some(value) = fields.required(reader, "coreIdsUsed_") {
        core_ids(reader, value, work);
    }
    let extents = fields.required(reader, "N_");
    let extents = extents.and_then(|value| extents_of(reader, value, work));
    let masking = fields.required(reader, "coordinateMasking_");
    let mask_constant = fields.required(reader, "maskingConstId_");
    let symbols = fields.optional("dimToSymbolMapping_");
    let stages = fields.required(reader, "dataStageParam_");
    let layouts = fields.required(reader, "primaryDsInfo_");
    let nodes = fields.required(reader, "scheduleTree_");
    let descriptors = fields.required(reader, "labeledDs_");
    let constants = fields.required(reader, "constantInfo_");
    let compute = fields.required(reader, "computeOp_");
    fields.finish(reader);

    let constants = constants.and_then(|value| constants::read(reader, value, work.cores));
    let extents = extents?;
    mask(reader, masking, mask_constant, constants.as_ref(), &extents);
    let mut runtime_dims = symbols
        .map(|value| runtime(reader, value, &extents, work))
        .unwrap_or_default();
    if let Some(value) = stages {
        stage(reader, value, &extents, is_r2, &mut runtime_dims);
    }
    let layouts = layouts.and_then(|value| layouts_of(reader, value, work));
    let descriptors = descriptors.and_then(|value| match &layouts {
        Some(layouts) => tensors::descriptors(reader, value, layouts),
        None => None,
    });
    if let Some(value) = compute {
        operation(reader, value, &entry.key, descriptors.as_deref());
    }
    let plan = Plan {
        work,
        extents: &extents,
        target,
    };
    let (tensors, symbols) = match nodes {
        Some(nodes) => tensors::nodes(reader, nodes, descriptors.as_deref(), &plan),
        None => (Vec::new(), None),
    };
    Some(Dsc {
        tensors,
        symbols,
        runtime_dims,
    })
}

/// The cores in order. The operation runs on all of them.
fn core_ids(reader: &mut Reader, json: &Json<'_>, work: &Work<'_>) {
    let Some(ids) = reader.ints(json) else {
        return;
    };
    let expected: Vec<i64> = (0i64..).take(work.cores).collect();
    if ids.iter().map(|(id, _)| id).ne(&expected) {
        let message = format!("the cores must be 0 to {} in order", work.cores - 1);
        reader.report(CORES, json.offset, message);
    }
}

/// The extents of all dimensions, in the order of the iteration space.
fn extents_of<'j>(
    reader: &mut Reader,
    json: &'j Json<'_>,
    work: &Work<'_>,
) -> Option<Vec<Extent<'j>>> {
    let mut fields = reader.fields(json)?;
    if let Some(name) = fields.required(reader, "name_") {
        reader.fixed(name, &Fixed::Text("n"));
    }
    let mut extents = Vec::new();
    let mut complete = true;
    for entry in reader
        .entries(json)?
        .iter()
        .filter(|entry| entry.key.ends_with('_'))
    {
        let dim = entry.key.strip_suffix('_').unwrap_or_default();
        if dim == "name" {
            continue;
        }
        fields.optional(&entry.key);
        if dim == "paddingSizes" {
            continue;
        }
        if !names::DIMS.contains(&dim) {
            let message = format!("'{}' is no name of a dimension", dim.escape_default());
            reader.report(DIM_NAMES, entry.offset, message);
        }
        let index = dimension(reader, dim, entry.offset, work);
        let extent = reader.at_least(&entry.value, 1);
        if extents.iter().any(|known: &Extent<'_>| known.dim == dim) {
            continue;
        }
        match (index, extent) {
            (Some(index), Some(extent)) => extents.push(Extent {
                dim,
                index,
                extent,
                splits: work.splits_of(dim).unwrap_or(1),
            }),
            _ => complete = false,
        }
    }
    fields.finish(reader);
    for (dim, _) in &work.splits {
        if complete && extents.iter().all(|extent| extent.dim != *dim) {
            let message = format!("dimension '{}' is missing", dim.escape_default());
            reader.report(DIMS, json.offset, message);
            complete = false;
        }
    }
    complete.then_some(extents)
}

/// Padding at the end of dimensions, and the constant that stands there.
fn mask(
    reader: &mut Reader,
    masking: Option<&Json<'_>>,
    id: Option<&Json<'_>>,
    constants: Option<&Constants>,
    extents: &[Extent<'_>],
) {
    let Some(entries) = masking.and_then(|json| reader.entries(json)) else {
        return;
    };
    for entry in entries {
        let Some(extent) = extent_of(reader, entry, extents) else {
            continue;
        };
        for range in reader.array(&entry.value).unwrap_or_default() {
            mask_range(reader, range, extent);
        }
    }
    let Some((json, id)) = id.and_then(|json| Some((json, reader.int(json)?))) else {
        return;
    };
    let Some(constants) = constants else {
        return;
    };
    match usize::try_from(id) {
        _ if entries.is_empty() => {
            if id != -1 {
                let message = format!("is {id}, but nothing is masked");
                reader.report(MASK, json.offset, message);
            }
        }
        Ok(index) => match constants.names.get(index) {
            None => {
                let count = constants.names.len();
                let message = format!("is constant {id}, but there are {count}");
                reader.report(MASK, json.offset, message);
            }
            Some(name) if name != constants::MASK_VALUE => {
                let message = format!(
                    "is constant {id}, which is '{}', not '{}'",
                    name.escape_default(),
                    constants::MASK_VALUE
                );
                reader.report(MASK_CONSTANT, json.offset, message);
            }
            Some(_) => {}
        },
        Err(_) => {
            let message = format!("is {id}, but dimensions are masked");
            reader.report(MASK, json.offset, message);
        }
    }
}

fn extent_of<'e, 'j>(
    reader: &mut Reader,
    entry: &Member<'_>,
    extents: &'e [Extent<'j>],
) -> Option<&'e Extent<'j>> {
    let found = extents.iter().find(|extent| extent.dim == entry.key);
    if found.is_none() {
        let message = format!(
            "'{}' is no dimension of the operation",
            entry.key.escape_default()
        );
        reader.report(DIMS, entry.offset, message);
    }
    found
}

/// `[start, length]`, up to the end of the dimension.
fn mask_range(reader: &mut Reader, json: &Json<'_>, extent: &Extent<'_>) {
    let Some(range) = reader.ints(json) else {
        return;
    };
    let [(start, _), (length, _)] = range.as_slice() else {
        reader.report(KIND, json.offset, "must be a start and a length");
        return;
    };
    let end = start
        .checked_add(*length)
        .and_then(|end| u64::try_from(end).ok());
    if *start < 0 || *length <= 0 || end != Some(extent.extent) {
        let message = format!(
            "masks {length} from {start}, but '{}' ends at {}",
            extent.dim, extent.extent
        );
        reader.report(MASK, json.offset, message);
    }
}

/// The dimensions whose size is a symbol.
fn runtime(
    reader: &mut Reader,
    json: &Json<'_>,
    extents: &[Extent<'_>],
    work: &Work<'_>,
) -> Vec<RuntimeDim> {
    let entries = reader.entries(json).unwrap_or_default();
    if entries.is_empty() {
        reader.report(RUNTIME_DIM, json.offset, "names no runtime dimension");
    }
    let mut dims = Vec::new();
    for entry in entries {
        let extent = extent_of(reader, entry, extents);
        let Some(ids) = reader.ints(&entry.value) else {
            continue;
        };
        let ([(id, _)], Some(extent)) = (ids.as_slice(), extent) else {
            if extent.is_some() {
                let message = format!(
                    "'{}' has {} symbols, but must have one",
                    entry.key,
                    ids.len()
                );
                reader.report(RUNTIME_DIM, entry.value.offset, message);
            }
            continue;
        };
        if !is_symbol(*id) {
            let message = format!("{id} is no symbol: symbols are negative");
            reader.report(RUNTIME_DIM, entry.value.offset, message);
            continue;
        }
        if dims
            .iter()
            .any(|known: &RuntimeDim| known.dim == extent.dim)
        {
            continue;
        }
        dims.push(RuntimeDim {
            dim: extent.dim.to_owned(),
            id: *id,
            tag: None,
            bounds: None,
            splits: work.splits_of(extent.dim).unwrap_or(1),
        });
    }
    dims
}

/// The sizes on each core.
fn stage(
    reader: &mut Reader,
    json: &Json<'_>,
    extents: &[Extent<'_>],
    is_r2: bool,
    runtime: &mut [RuntimeDim],
) {
    let Some(mut stages) = reader.fields(json) else {
        return;
    };
    let stage = stages.required(reader, "0");
    stages.finish(reader);
    let Some(mut fields) = stage.and_then(|json| reader.fields(json)) else {
        return;
    };
    for key in ["ss_", "el_"] {
        if let Some(value) = fields.required(reader, key) {
            sizes(reader, value, extents, is_r2, runtime);
        }
    }
    fields.finish(reader);
}

fn sizes(
    reader: &mut Reader,
    json: &Json<'_>,
    extents: &[Extent<'_>],
    is_r2: bool,
    runtime: &mut [RuntimeDim],
) {
    let Some(mut fields) = reader.fields(json) else {
        return;
    };
    if let Some(name) = fields.required(reader, "name_") {
        reader.fixed(name, &Fixed::Text("core"));
    }
    for extent in extents {
        let key = format!("{}_", extent.dim);
        if let Some(value) = fields.required(reader, &key)
            && let Some(size) = reader.int(value)
            && u64::try_from(size)
                .ok()
                .and_then(|size| size.checked_mul(extent.splits))
                != Some(extent.extent)
        {
            let message = format!(
                "{size} on each of {} slices of '{}' are not its {}",
                extent.splits, extent.dim, extent.extent
            );
            reader.report(STAGE, value.offset, message);
        }
    }
    if is_r2 {
        if let Some(value) = fields.required(reader, "symbolicDimInfo_") {
            runtime_bounds(reader, value, runtime);
        }
        for key in [
            "maxSymbolicVolume_",
            "coreletSplit_",
            "rowSplit_",
            "peSfpSplit_",
        ] {
            if let Some(value) = fields.required(reader, key) {
                reader.fixed(value, &Fixed::Object(&[]));
            }
        }
        if let Some(value) = fields.required(reader, "paddingSizes_") {
            reader.entries(value);
        }
    }
    fields.finish(reader);
}

/// The bounds of runtime dimensions on a core.
fn runtime_bounds(reader: &mut Reader, json: &Json<'_>, runtime: &mut [RuntimeDim]) {
    let Some(entries) = reader.entries(json) else {
        return;
    };
    for entry in entries {
        let mut fields = reader.fields(&entry.value);
        let mut number = |reader: &mut Reader, key| {
            let value = fields.as_mut()?.required(reader, key)?;
            reader.at_least(value, 1)
        };
        let bounds = (number(reader, "maxSize_"), number(reader, "granularity_"));
        if let Some(fields) = fields {
            fields.finish(reader);
        }
        match runtime.iter_mut().find(|dim| dim.dim == entry.key) {
            Some(dim) => {
                if let (Some(max), Some(granularity)) = bounds {
                    if dim.bounds.is_some_and(|known| known != (max, granularity)) {
                        let message = format!("'{}' has other bounds in ss_", dim.dim);
                        reader.report(RUNTIME_DIM, entry.value.offset, message);
                    }
                    dim.bounds = Some((max, granularity));
                }
            }
            None => {
                let message = format!(
                    "'{}' is not a runtime dimension",
                    entry.key.escape_default()
                );
                reader.report(RUNTIME_DIM, entry.offset, message);
            }
        }
    }
    for dim in runtime.iter() {
        if entries.iter().all(|entry| entry.key != dim.dim) {
            let message = format!("runtime dimension '{}' has no bounds", dim.dim);
            reader.report(RUNTIME_DIM, json.offset, message);
        }
    }
}

/// The layouts by their labels.
fn layouts_of<'j>(
    reader: &mut Reader,
    json: &'j Json<'_>,
    work: &Work<'_>,
) -> Option<Vec<Layout<'j>>> {
    let mut layouts = Vec::new();
    let mut complete = true;
    for entry in reader.entries(json)? {
        if !names::LABELS.contains(&&*entry.key) {
            let message = format!("'{}' is no label of a layout", entry.key.escape_default());
            reader.report(LABEL, entry.offset, message);
        }
        match layout(reader, entry, work) {
            Some(layout) => layouts.push(layout),
            None => complete = false,
        }
    }
    if layouts.len() > names::LABELS.len() {
        let message = format!("{} layouts, but there are four labels", layouts.len());
        reader.report(LAYOUT, json.offset, message);
        return None;
    }
    complete.then_some(layouts)
}

fn layout<'j>(reader: &mut Reader, entry: &'j Member<'_>, work: &Work<'_>) -> Option<Layout<'j>> {
    let mut fields = reader.fields(&entry.value)?;
    let order = fields.required(reader, "layoutDimOrder_");
    let stick = fields.required(reader, "stickDimOrder_");
    let size = fields.required(reader, "stickSize_");
    let replication = fields.optional("stickRepl_");
    let relation = fields.optional("pdsRelation_");
    fields.finish(reader);
    if let Some(json) = replication {
        reader.fixed(json, &Fixed::Array(&[Fixed::Int(1)]));
    }
    if let Some(json) = relation {
        reader.fixed(json, &Fixed::Object(&[("isPdsReuse", Fixed::Int(1))]));
    }
    let order = distinct(reader, order?, work)?;
    let stick_json = stick?;
    let stick = distinct(reader, stick_json, work)?;
    let mut known = true;
    if stick.is_empty() {
        reader.report(LAYOUT, stick_json.offset, "the layout has no stick");
        known = false;
    }
    for dim in stick.iter().filter(|dim| !order.contains(dim)) {
        let message = format!("the stick is along '{dim}', which the layout does not have");
        reader.report(LAYOUT, stick_json.offset, message);
        known = false;
    }
    let size_json = size?;
    let sizes = reader.ints(size_json)?;
    if sizes.len() != stick.len() {
        let message = format!(
            "{} sizes for a stick of {} dimensions",
            sizes.len(),
            stick.len()
        );
        reader.report(LAYOUT, size_json.offset, message);
        known = false;
    }
    let elements = sizes.iter().try_fold(1u64, |product, (size, _)| {
        product.checked_mul(u64::try_from(*size).ok()?)
    });
    known.then_some(Layout {
        label: &entry.key,
        order,
        stick,
        elements_per_stick: elements.unwrap_or(0),
        size_offset: size_json.offset,
    })
}

/// Names of dimensions of the operation, each once.
pub fn distinct<'j>(
    reader: &mut Reader,
    json: &'j Json<'_>,
    work: &Work<'_>,
) -> Option<Vec<&'j str>> {
    let before = reader.problems.len();
    let mut seen = HashSet::new();
    let mut names = Vec::new();
    for (name, offset) in reader.texts(json)? {
        if dimension(reader, name, offset, work).is_some() && !seen.insert(name) {
            let message = format!("dimension '{name}' occurs twice");
            reader.report(LAYOUT, offset, message);
        }
        names.push(name);
    }
    (reader.problems.len() == before).then_some(names)
}

/// `computeOp_`: what is computed of which tensors.
fn operation(reader: &mut Reader, json: &Json<'_>, op: &str, tensors: Option<&[Descriptor<'_>]>) {
    let Some(items) = reader.array(json) else {
        return;
    };
    let [item] = items else {
        let message = format!("there are {} operations, but must be one", items.len());
        reader.report(COMPUTE, json.offset, message);
        return;
    };
    let Some(mut fields) = reader.fields(item) else {
        return;
    };
    if let Some(value) = fields.required(reader, "exUnit")
        && let Some(unit) = reader.text(value)
    {
        let expected = names::unit(op);
        if !matches!(unit, "pt" | "sfp") || expected.is_some_and(|expected| expected != unit) {
            let message = format!(
                "'{}' runs on '{}', not on '{}'",
                op.escape_default(),
                expected.unwrap_or("pt' or 'sfp"),
                unit.escape_default()
            );
            reader.report(COMPUTE, value.offset, message);
        }
    }
    if let Some(value) = fields.required(reader, "opFuncName")
        && let Some(name) = reader.text(value).filter(|name| *name != op)
    {
        let (name, op) = (name.escape_default(), op.escape_default());
        let message = format!("computes '{name}', but the description is of '{op}'");
        reader.report(COMPUTE, value.offset, message);
    }
    let attributes = fields.required(reader, "attributes_");
    if let Some(value) = fields.required(reader, "location") {
        reader.fixed(value, &Fixed::Text("Inner"));
    }
    let inputs = fields.required(reader, "inputLabeledDs");
    let outputs = fields.required(reader, "outputLabeledDs");
    let indices = fields.optional("indirectAccessIndexLabeledDs");
    fields.finish(reader);
    if let Some(value) = attributes {
        compute_attributes(reader, value, tensors, indices.is_some());
    }
    if let Some(tensors) = tensors {
        operands(reader, item.offset, [inputs, outputs, indices], tensors);
    }
}

fn compute_attributes(
    reader: &mut Reader,
    json: &Json<'_>,
    tensors: Option<&[Descriptor<'_>]>,
    is_indirect: bool,
) {
    let Some(mut fields) = reader.fields(json) else {
        return;
    };
    if let Some(value) = fields.required(reader, "dataFormat_")
        && let Some(format) = reader.text(value)
        && let Some(tensor) = tensors.and_then(|tensors| tensors.get(usize::from(is_indirect)))
        && tensor.format != format
    {
        let message = format!(
            "is '{}', but tensor {} has '{}'",
            format.escape_default(),
            tensor.number,
            tensor.format
        );
        reader.report(COMPUTE, value.offset, message);
    }
    if let Some(value) = fields.required(reader, "fidelity_") {
        reader.fixed(value, &Fixed::Text("regular"));
    }
    fields.finish(reader);
}

/// Inputs, outputs and index tensors by their names `Tensor{i}-idx{i}`.
fn operands(
    reader: &mut Reader,
    offset: usize,
    [inputs, outputs, indices]: [Option<&Json<'_>>; 3],
    tensors: &[Descriptor<'_>],
) {
    let mut used = vec![false; tensors.len()];
    let mut list = |reader: &mut Reader, json: &Json<'_>| -> Vec<usize> {
        let mut numbers = Vec::new();
        for (name, offset) in reader.texts(json).unwrap_or_default() {
            let number = name
                .strip_prefix("Tensor")
                .and_then(|rest| rest.split_once("-idx"))
                .and_then(|(number, _)| number.parse::<usize>().ok())
                .filter(|number| {
                    *number < tensors.len() && name == format!("Tensor{number}-idx{number}")
                });
            match number {
                Some(number) => {
                    if let Some(used) = used.get_mut(number) {
                        *used = true;
                    }
                    numbers.push(number);
                }
                None => {
                    let message = format!("'{}' is no tensor of the file", name.escape_default());
                    reader.report(OPERANDS, offset, message);
                }
            }
        }
        numbers
    };
    if let Some(json) = inputs {
        list(reader, json);
    }
    if let Some(json) = outputs {
        let numbers = list(reader, json);
        let last = tensors.len().checked_sub(1);
        if numbers.as_slice() != last.as_slice() {
            let last = last.map_or("none".to_owned(), |last| last.to_string());
            let message = format!("the result must be the last tensor, {last}");
            reader.report(OPERANDS, json.offset, message);
        }
    }
    if let Some(json) = indices {
        list(reader, json);
    }
    for (number, _) in used.iter().enumerate().filter(|(_, used)| !**used) {
        let message = format!("tensor {number} is no operand of the operation");
        reader.report(OPERANDS, offset, message);
    }
}
