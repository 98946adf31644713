//! The tensors of an operation: a descriptor and an allocation each.

use std::collections::HashMap;

use spyre_layout::{Bytes, STICK_BYTES};
use spyre_plan::Target;

use super::super::geometry::{Axis, Shape};
use super::super::json::Json;
use super::super::reader::{Fields, Fixed, Reader};
use super::super::rules::{
    FORMAT, GAP, INDIRECT, KIND, LX_END, LX_OVERLAP, LX_SHARE, LX_START, PRESENT, PREVIOUS, START,
    STICK_SIZE, TENSOR_DIMS, TENSOR_NUMBER,
};
use super::dsc::{Extent, distinct};
use super::folds;
use super::format::{self, Format, Named};
use super::root::{Work, core_entries, core_slices, same_cores};
use super::{Memory, Symbol, Tensor};

/// A layout of `primaryDsInfo_`.
#[derive(Debug, Clone)]
pub struct Layout<'j> {
    /// Its label.
    pub label: &'j str,
    /// Its dimensions, innermost first.
    pub order: Vec<&'j str>,
    /// The dimensions along the stick, which are among them.
    pub stick: Vec<&'j str>,
    /// Elements in a stick.
    pub elements_per_stick: u64,
    /// Where the size of the stick is written.
    pub size_offset: usize,
}

/// An entry of `labeledDs_`.
#[derive(Debug, Clone)]
pub struct Descriptor<'j> {
    /// Its number.
    pub number: usize,
    /// Its layout.
    pub layout: Layout<'j>,
    /// The name of its format.
    pub format: &'j str,
    /// The sticks of its format.
    pub sticks: Option<Format>,
    /// 1 for each dimension that it has, in the order of the layout; -1 or -2 for the others.
    pub scales: Vec<i64>,
    /// The memories in which it is present.
    pub present: Vec<&'j str>,
}

impl Descriptor<'_> {
    /// The scale of a dimension; 1 if the layout does not have it.
    pub fn scale(&self, dim: &str) -> i64 {
        let at = self.layout.order.iter().position(|own| *own == dim);
        at.and_then(|at| self.scales.get(at)).copied().unwrap_or(1)
    }
}

/// What nodes are checked against.
pub struct Plan<'p, 'j> {
    /// The cores.
    pub work: &'p Work<'j>,
    /// The extents.
    pub extents: &'p [Extent<'j>],
    /// The card.
    pub target: &'p Target,
}

impl<'j> Plan<'_, 'j> {
    /// A dimension by its name.
    pub fn extent(&self, dim: &str) -> Option<Extent<'j>> {
        self.extents
            .iter()
            .find(|extent| extent.dim == dim)
            .copied()
    }
}

/// Whether a number is a symbol.
pub const fn is_symbol(id: i64) -> bool {
    id < 0
}

/// Reads `labeledDs_`. `None` if an entry is broken.
pub fn descriptors<'j>(
    reader: &mut Reader,
    json: &'j Json<'_>,
    layouts: &[Layout<'j>],
) -> Option<Vec<Descriptor<'j>>> {
    let items = reader.array(json)?;
    let read: Vec<_> = items
        .iter()
        .enumerate()
        .map(|(number, item)| descriptor(reader, item, number, layouts))
        .collect();
    if items.is_empty() {
        reader.report(KIND, json.offset, "there is no tensor");
    }
    read.into_iter().collect()
}

fn descriptor<'j>(
    reader: &mut Reader,
    json: &'j Json<'_>,
    number: usize,
    layouts: &[Layout<'j>],
) -> Option<Descriptor<'j>> {
    let mut fields = reader.fields(json)?;
    numbered(reader, &mut fields, number);
    if let Some(value) = fields.required(reader, "dsName_")
        && let Some(name) = reader
            .text(value)
            .filter(|name| *name != format!("Tensor{number}"))
    {
        let message = format!(
            "is '{}', but must be 'Tensor{number}'",
            name.escape_default()
        );
        reader.report(TENSOR_NUMBER, value.offset, message);
    }
    let label = fields.required(reader, "dsType_");
    let scales = fields.required(reader, "scale_");
    let word = fields.required(reader, "wordLength");
    let format = fields.required(reader, "dataFormat_");
    let memories = fields.required(reader, "memOrg_");
    fields.finish(reader);

    let present = memories.map(|json| memories_of(reader, json));
    let (format, named) = format.and_then(|json| format_of(reader, json))?;
    if let (Some(json), Some(format)) = (word, named)
        && let Some(bytes) = reader.at_least(json, 1)
        && Bytes(bytes) != format.bytes
    {
        let message = format!("{bytes} bytes, but an element has {}", format.bytes.get());
        reader.report(FORMAT, json.offset, message);
    }
    let label_json = label?;
    let label = reader.text(label_json)?;
    let Some(layout) = layouts.iter().find(|layout| layout.label == label) else {
        let message = format!("primaryDsInfo_ has no '{}'", label.escape_default());
        reader.report(TENSOR_DIMS, label_json.offset, message);
        return None;
    };
    if let Some(format) = named
        && layout.elements_per_stick != format.per_stick
    {
        let message = format!(
            "a stick of '{label}' has {} elements, but one of tensor {number} has {}",
            layout.elements_per_stick, format.per_stick
        );
        reader.report(STICK_SIZE, layout.size_offset, message);
    }
    let scales_json = scales?;
    let scales = reader.ints(scales_json)?;
    if scales.len() != layout.order.len() {
        let message = format!(
            "{} scales, but '{label}' has {} dimensions",
            scales.len(),
            layout.order.len()
        );
        reader.report(TENSOR_DIMS, scales_json.offset, message);
        return None;
    }
    for (scale, offset) in scales
        .iter()
        .filter(|(scale, _)| !matches!(scale, 1 | -1 | -2))
    {
        reader.report(
            TENSOR_DIMS,
            *offset,
            format!("{scale} is no scale: 1, -1 or -2"),
        );
    }
    Some(Descriptor {
        number,
        layout: layout.clone(),
        format,
        sticks: named,
        scales: scales.iter().map(|(scale, _)| *scale).collect(),
        present: present?,
    })
}

/// `ldsIdx_` is the position in the list.
fn numbered(reader: &mut Reader, fields: &mut Fields<'_, '_>, number: usize) {
    if let Some(value) = fields.required(reader, "ldsIdx_")
        && let Some(index) = reader.int(value)
        && usize::try_from(index).ok() != Some(number)
    {
        let message = format!("has index {index}, but is number {number}");
        reader.report(TENSOR_NUMBER, value.offset, message);
    }
}

fn format_of<'j>(reader: &mut Reader, json: &'j Json<'_>) -> Option<(&'j str, Option<Format>)> {
    let name = reader.text(json)?;
    match format::named(name) {
        Named::Format(format) => Some((name, Some(format))),
        Named::Opaque => {
            let message = format!("no tensor can have the format '{name}'");
            reader.report(FORMAT, json.offset, message);
            Some((name, None))
        }
        Named::Unknown => {
            let message = format!("'{}' is no format", name.escape_default());
            reader.report(FORMAT, json.offset, message);
            Some((name, None))
        }
    }
}

/// The memories in which a tensor is present.
fn memories_of<'j>(reader: &mut Reader, json: &'j Json<'_>) -> Vec<&'j str> {
    let mut present = Vec::new();
    for entry in reader.entries(json).unwrap_or_default() {
        if !matches!(&*entry.key, "hbm" | "lx") {
            let message = format!("'{}' is no memory", entry.key.escape_default());
            reader.report(PRESENT, entry.offset, message);
            continue;
        }
        let Some(mut fields) = reader.fields(&entry.value) else {
            continue;
        };
        if let Some(value) = fields.required(reader, "isPresent") {
            reader.fixed(value, &Fixed::Int(1));
        }
        // Windowed operations say more.
        for key in ["isPadded", "isZeroPadded", "dsOffset", "allocateNode_"] {
            fields.optional(key);
        }
        fields.finish(reader);
        present.push(&*entry.key);
    }
    present
}

/// The tensors that are in order, and the symbols of addresses if all nodes are.
pub fn nodes(
    reader: &mut Reader,
    json: &Json<'_>,
    descriptors: Option<&[Descriptor<'_>]>,
    plan: &Plan<'_, '_>,
) -> (Vec<Tensor>, Option<Vec<Symbol>>) {
    let Some(items) = reader.array(json) else {
        return (Vec::new(), None);
    };
    if let Some(descriptors) = descriptors.filter(|known| known.len() != items.len()) {
        let message = format!("{} nodes for {} tensors", items.len(), descriptors.len());
        reader.report(TENSOR_NUMBER, json.offset, message);
    }
    let mut tensors = Vec::new();
    let mut names: HashMap<&str, usize> = HashMap::new();
    let mut links = Vec::new();
    let mut complete = true;
    for (number, item) in items.iter().enumerate() {
        let descriptor = descriptors.and_then(|known| known.get(number));
        let Some(node) = node(reader, item, number, descriptor, plan, &names) else {
            complete = false;
            continue;
        };
        if let Some(name) = node.name {
            names.insert(name, number);
        }
        links.push((number, node.link));
        let (starts, memory) = (node.starts, node.memory);
        if let (Some(starts), Some(memory)) = (starts, memory) {
            tensors.push(Tensor {
                number,
                is_output: number + 1 == items.len(),
                memory,
                starts,
                shape: node.shape,
            });
        } else {
            complete = false;
        }
    }
    related(reader, &links, &names);
    overlaps(reader, json.offset, &tensors);
    let symbols = complete.then(|| {
        let mut seen = std::collections::HashSet::new();
        tensors
            .iter()
            .filter(|tensor| tensor.memory == Memory::Symbolic)
            .flat_map(|tensor| &tensor.starts)
            .filter(|id| seen.insert(**id))
            .map(|id| Symbol {
                id: *id,
                is_size: false,
            })
            .collect()
    });
    (tensors, symbols)
}

/// What a node says.
struct Node<'j> {
    name: Option<&'j str>,
    link: Link<'j>,
    memory: Option<Memory>,
    starts: Option<Vec<i64>>,
    shape: Option<Shape>,
}

/// How a node takes part in indirect access.
struct Link<'j> {
    kind: &'j str,
    related: Option<(&'j str, usize)>,
    offset: usize,
}

fn node<'j>(
    reader: &mut Reader,
    json: &'j Json<'_>,
    number: usize,
    descriptor: Option<&Descriptor<'_>>,
    plan: &Plan<'_, '_>,
    names: &HashMap<&str, usize>,
) -> Option<Node<'j>> {
    let mut fields = reader.fields(json)?;
    if let Some(value) = fields.required(reader, "nodeType_") {
        reader.fixed(value, &Fixed::Text("allocate"));
    }
    let name_json = fields.required(reader, "name_");
    if let Some(value) = fields.required(reader, "prev_")
        && let Some(previous) = reader.text(value)
        && !previous.is_empty()
        && !names.contains_key(previous)
    {
        let message = format!("no node before this one is '{}'", previous.escape_default());
        reader.report(PREVIOUS, value.offset, message);
    }
    numbered(reader, &mut fields, number);
    let component_json = fields.required(reader, "component_");
    let symbolic = fields.optional("isStartAddrSymbolic_");
    let order = fields.required(reader, "layoutDimOrder_");
    let max_sizes = fields.required(reader, "maxDimSizes_");
    let kind = fields.required(reader, "indirectAllocType_");
    let related = fields.optional("relatedIndirectAccessAlloc_");
    let index_type = fields.optional("indexTensorType_");
    let starts = fields.required(reader, "startAddressCoreCorelet_");
    let gaps = fields.optional("backGapCore_");
    fields.optional("padding_");
    let coordinates = fields.required(reader, "coordinates_");
    fields.finish(reader);

    let component = component_json.and_then(|value| component(reader, value, descriptor));
    let name = name_json.and_then(|value| reader.text(value));
    if let (Some(json), Some(name), Some(component)) = (name_json, name, component) {
        let expected = format!("allocate-Tensor{number}_{component}");
        if name != expected {
            let message = format!("is '{}', but must be '{expected}'", name.escape_default());
            reader.report(TENSOR_NUMBER, json.offset, message);
        }
    }
    let is_symbolic = symbolic.is_some();
    if let Some(value) = symbolic {
        reader.fixed(value, &Fixed::Int(1));
        if component == Some("lx") {
            reader.report(
                START,
                value.offset,
                "addresses in the scratchpad are no symbols",
            );
        }
    }
    let memory = component.map(|component| match (component, is_symbolic) {
        ("lx", _) => Memory::Lx,
        (_, true) => Memory::Symbolic,
        (_, false) => Memory::Concrete,
    });
    let order_offset = order.map(|json| json.offset);
    let order = order.and_then(|json| distinct(reader, json, plan.work));
    if let (Some(order), Some(json)) = (&order, max_sizes) {
        largest(reader, json, order.len());
    }
    if let (Some(order), Some(offset), Some(descriptor)) = (&order, order_offset, descriptor) {
        let layout = &descriptor.layout;
        // Both have each dimension once.
        if order.len() != layout.order.len() || order.iter().any(|dim| !layout.order.contains(dim))
        {
            let message = format!(
                "has dimensions {}, but '{}' has {}",
                order.join(", "),
                layout.label,
                layout.order.join(", ")
            );
            reader.report(TENSOR_DIMS, offset, message);
        }
    }
    let starts = match (starts, memory) {
        (Some(json), Some(memory)) => start_addresses(reader, json, memory, plan),
        _ => None,
    };
    if let (Some(Memory::Lx), Some(starts), false) = (memory, &starts, plan.work.is_shuffle)
        && let Some(first) = starts.first()
        && let Some((core, start)) = starts.iter().enumerate().find(|(_, start)| *start != first)
    {
        let message =
            format!("starts at {first} in the scratchpad of core 0, but at {start} on core {core}");
        reader.report(LX_START, json.offset, message);
    }
    let gaps = gaps.and_then(|json| gaps_of(reader, json, component?, order.as_deref()?, plan));
    if let (Some(json), Some(descriptor)) = (coordinates, descriptor) {
        folds::coordinates(reader, json, descriptor, plan);
    }
    let link = Link {
        kind: kind.and_then(|json| reader.text(json)).unwrap_or_default(),
        related: related.and_then(|json| Some((reader.text(json)?, json.offset))),
        offset: kind.map_or(json.offset, |json| json.offset),
    };
    indirection(reader, &link, index_type);
    let is_direct = link.kind == "no_indirection" && !plan.work.is_shuffle;
    let shape = match (descriptor, order) {
        (Some(descriptor), Some(order)) if is_direct => {
            shape(descriptor, &order, &gaps.unwrap_or_default(), plan)
        }
        _ => None,
    };
    if let (Some(Memory::Lx), Some(starts), Some(shape)) = (memory, &starts, &shape) {
        lx_end(reader, json.offset, number, starts, shape, plan.target);
    }
    Some(Node {
        name,
        link,
        memory,
        starts,
        shape,
    })
}

fn component<'j>(
    reader: &mut Reader,
    json: &'j Json<'_>,
    descriptor: Option<&Descriptor<'_>>,
) -> Option<&'j str> {
    let component = reader.text(json)?;
    if !matches!(component, "hbm" | "lx") {
        let message = format!("'{}' is no memory", component.escape_default());
        reader.report(PRESENT, json.offset, message);
        return None;
    }
    if descriptor.is_some_and(|descriptor| !descriptor.present.contains(&component)) {
        let message = format!("is in '{component}', but memOrg_ says that it is not present there");
        reader.report(PRESENT, json.offset, message);
    }
    Some(component)
}

/// `maxDimSizes_`: -1 or a size for each dimension.
fn largest(reader: &mut Reader, json: &Json<'_>, rank: usize) {
    let Some(sizes) = reader.ints(json) else {
        return;
    };
    if sizes.len() != rank {
        let message = format!("{} sizes for {rank} dimensions", sizes.len());
        reader.report(TENSOR_DIMS, json.offset, message);
    }
    for (size, offset) in sizes.iter().filter(|(size, _)| *size != -1 && *size < 1) {
        let message = format!("{size} is no size, and not -1");
        reader.report(TENSOR_DIMS, *offset, message);
    }
}

/// `startAddressCoreCorelet_`: a start for each core.
fn start_addresses(
    reader: &mut Reader,
    json: &Json<'_>,
    memory: Memory,
    plan: &Plan<'_, '_>,
) -> Option<Vec<i64>> {
    let cores = plan.work.cores;
    let mut fields = reader.fields(json)?;
    if let Some(value) = fields.required(reader, "dim_prop_func") {
        let empty = |name| [(name, Fixed::Object(&[]))];
        let (map, first, second) = (empty("Map"), empty("Const"), empty("Const"));
        let functions = [
            Fixed::Object(&map),
            Fixed::Object(&first),
            Fixed::Object(&second),
        ];
        reader.fixed(value, &Fixed::Array(&functions));
    }
    if let Some(value) = fields.required(reader, "dim_prop_attr") {
        start_attributes(reader, value, cores);
    }
    let data = fields.required(reader, "data_");
    fields.finish(reader);
    let data = data?;
    let mut starts = vec![None; cores];
    for entry in reader.entries(data)? {
        let start = reader.decimal(&entry.value);
        let Some(core) = core_of(&entry.key, cores) else {
            let message = format!(
                "'{}' is not '[core, 0, 0]' of one of the {cores} cores",
                entry.key.escape_default()
            );
            reader.report(START, entry.offset, message);
            continue;
        };
        let Some(start) = start else {
            continue;
        };
        if memory == Memory::Symbolic {
            if !is_symbol(start) {
                let message = format!("{start} is no symbol: symbols are negative");
                reader.report(START, entry.value.offset, message);
                continue;
            }
        } else if start < 0 || start.cast_unsigned() % STICK_BYTES.get() != 0 {
            let message =
                format!("address {start} is not a whole number of sticks of 128 bytes from 0");
            reader.report(START, entry.value.offset, message);
            continue;
        }
        if let Some(place) = starts.get_mut(core) {
            *place = Some(start);
        }
    }
    let present = reader.entries(data)?;
    if present.len() < cores {
        let message = format!("{} start addresses for {cores} cores", present.len());
        reader.report(START, data.offset, message);
    }
    starts.into_iter().collect()
}

/// The folds of start addresses: cores, one corelet, one time.
fn start_attributes(reader: &mut Reader, json: &Json<'_>, cores: usize) {
    let Some(items) = reader.array(json) else {
        return;
    };
    let labels = ["core", "corelet", "time"];
    if items.len() != labels.len() {
        let message = format!("{} folds, but there must be 3", items.len());
        reader.report(START, json.offset, message);
    }
    for (item, label) in items.iter().zip(labels) {
        let Some(mut fields) = reader.fields(item) else {
            continue;
        };
        if let Some(value) = fields.required(reader, "factor_") {
            if label == "core" {
                same_cores(reader, value, cores);
            } else {
                reader.fixed(value, &Fixed::Int(1));
            }
        }
        if let Some(value) = fields.required(reader, "label_") {
            reader.fixed(value, &Fixed::Text(label));
        }
        fields.finish(reader);
    }
}

/// The core of a key `[core, 0, 0]`.
fn core_of(key: &str, cores: usize) -> Option<usize> {
    let core = key.strip_prefix('[')?.strip_suffix(", 0, 0]")?;
    let number = core.parse::<usize>().ok()?;
    (number < cores && number.to_string() == core).then_some(number)
}

/// The gap at the end of each dimension, in elements.
fn gaps_of<'j>(
    reader: &mut Reader,
    json: &'j Json<'_>,
    component: &str,
    order: &[&str],
    plan: &Plan<'_, '_>,
) -> Option<HashMap<&'j str, u64>> {
    let mut gaps = HashMap::new();
    for entry in reader.entries(json)? {
        if !order.contains(&&*entry.key) {
            let message = format!(
                "'{}' is no dimension of the tensor",
                entry.key.escape_default()
            );
            reader.report(GAP, entry.offset, message);
            continue;
        }
        let sizes: Vec<_> = if component == "lx" {
            core_entries(reader, &entry.value, plan.work.cores)
                .into_iter()
                .map(|(_, entry)| &entry.value)
                .collect()
        } else {
            let mut fields = reader.fields(&entry.value)?;
            let size = fields.required(reader, "-1");
            fields.finish(reader);
            size.into_iter().collect()
        };
        let mut known = None;
        for json in sizes {
            let Some(gap) = reader.decimal(json) else {
                continue;
            };
            match u64::try_from(gap).ok().filter(|gap| *gap > 0) {
                Some(gap) if known.is_none_or(|known| known == gap) => known = Some(gap),
                Some(gap) => {
                    let message = format!("gap {gap} differs from that of another core");
                    reader.report(GAP, json.offset, message);
                }
                None => {
                    let message = format!("{gap} is no gap: it must be positive");
                    reader.report(GAP, json.offset, message);
                }
            }
        }
        if let Some(gap) = known {
            gaps.insert(&*entry.key, gap);
        }
    }
    Some(gaps)
}

/// How the tensor lies in memory.
fn shape(
    descriptor: &Descriptor<'_>,
    order: &[&str],
    gaps: &HashMap<&str, u64>,
    plan: &Plan<'_, '_>,
) -> Option<Shape> {
    // The two sticks of weights in fp8 are interleaved.
    let [stick] = descriptor.layout.stick.as_slice() else {
        return None;
    };
    let per_stick = descriptor.sticks?.per_stick;
    let mut axes = Vec::new();
    for dim in order.iter().filter(|dim| descriptor.scale(dim) > 0) {
        let extent = plan.extent(dim)?;
        let stored = extent
            .extent
            .checked_add(gaps.get(dim).copied().unwrap_or(0))?;
        let unit = if dim == stick { per_stick } else { 1 };
        axes.push(Axis {
            dim: extent.index,
            extent: extent.extent.div_ceil(unit),
            stored: stored.div_ceil(unit),
            splits: extent.splits,
        });
    }
    Some(Shape { axes })
}

/// A tensor ends inside the scratchpad, and better inside the part that the backend leaves.
fn lx_end(
    reader: &mut Reader,
    offset: usize,
    number: usize,
    starts: &[i64],
    shape: &Shape,
    target: &Target,
) {
    let end = starts.iter().max().and_then(|start| {
        let start = Bytes(u64::try_from(*start).ok()?);
        start.checked_add(shape.compact()?)
    });
    let shown = end.map_or("beyond 64 bits".to_owned(), |end| {
        format!("at {}", end.get())
    });
    let ends = format!("tensor {number} ends {shown} in the scratchpad");
    if end.is_none_or(|end| end > target.lx_bytes) {
        let message = format!("{ends}, which has {} bytes", target.lx_bytes.get());
        reader.report(LX_END, offset, message);
    } else if end > Some(target.usable_lx()) {
        let usable = target.usable_lx().get();
        let message = format!("{ends}, of which {usable} bytes are not the backend's");
        reader.report(LX_SHARE, offset, message);
    }
}

/// `indirectAllocType_` fits to the other keys of indirect access.
fn indirection(reader: &mut Reader, link: &Link<'_>, index_type: Option<&Json<'_>>) {
    if !matches!(
        link.kind,
        "no_indirection" | "index_tensor" | "value_tensor"
    ) {
        let message = format!("'{}' is no kind of access", link.kind.escape_default());
        reader.report(INDIRECT, link.offset, message);
    }
    match (link.kind, index_type) {
        ("index_tensor", Some(json)) => reader.fixed(json, &Fixed::Text("index")),
        (_, Some(json)) => {
            let message = "is for index tensors, but this is none";
            reader.report(INDIRECT, json.offset, message);
        }
        _ => {}
    }
    if link.kind == "no_indirection"
        && let Some((_, offset)) = link.related
    {
        let message = "is for indirect access, but this node has none";
        reader.report(INDIRECT, offset, message);
    }
}

/// A node that is related to another one is its counterpart.
fn related(reader: &mut Reader, links: &[(usize, Link<'_>)], names: &HashMap<&str, usize>) {
    let by_number: HashMap<usize, &Link<'_>> =
        links.iter().map(|(number, link)| (*number, link)).collect();
    for (_, link) in links {
        let Some((name, offset)) = link.related else {
            continue;
        };
        let counterpart = match link.kind {
            "index_tensor" => "value_tensor",
            "value_tensor" => "index_tensor",
            _ => continue,
        };
        let other = names.get(name).and_then(|number| by_number.get(number));
        if other.is_none_or(|other| other.kind != counterpart) {
            let message = format!("'{}' is no {counterpart}", name.escape_default());
            reader.report(INDIRECT, offset, message);
        }
    }
}

/// Two tensors in the scratchpad are apart, or one is updated in place.
fn overlaps(reader: &mut Reader, offset: usize, tensors: &[Tensor]) {
    let mut ranges: Vec<(u64, u64, usize)> = tensors
        .iter()
        .filter(|tensor| tensor.memory == Memory::Lx)
        .filter_map(|tensor| {
            let start = u64::try_from(*tensor.starts.first()?).ok()?;
            let size = tensor.shape.as_ref()?.compact()?.get();
            Some((start, start.checked_add(size)?, tensor.number))
        })
        .collect();
    ranges.sort_unstable();
    for pair in ranges.windows(2) {
        let [(start, end, number), (next, _, other)] = pair else {
            continue;
        };
        if next < end && next != start {
            let message = format!(
                "tensors {number} and {other} overlap in the scratchpad: {start} to {end}, and from {next}"
            );
            reader.report(LX_OVERLAP, offset, message);
        }
    }
}

/// The table of slices in the coordinates of a tensor that moves between cores.
pub fn own_slices(reader: &mut Reader, json: &Json<'_>, work: &Work<'_>) {
    let is_empty = reader.entries(json).is_none_or(<[_]>::is_empty);
    if is_empty {
        return;
    }
    for (_, entry) in core_entries(reader, json, work.cores) {
        core_slices(reader, &entry.value, work);
    }
}
