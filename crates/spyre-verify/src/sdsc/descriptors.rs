//! `labeledDs_`: layout and format of each tensor.

use rustc_hash::FxHashSet;

use spyre_bundle_files::json::{Json, Value};
use spyre_layout::Bytes;
use spyre_ops::contract::{Category, Published};

use super::super::reader::{Fields, Fixed, Reader};
use super::super::rules::{
    CAST_STICK_SIZE, FORMAT, KIND, PRESENT, Rule, STICK_SIZE, TENSOR_DIMS, TENSOR_NUMBER,
};
use super::format::{self, Format, Named};
use super::layouts::Layout;

/// An entry of `labeledDs_`.
#[derive(Debug, Clone)]
pub(super) struct Descriptor<'j> {
    /// The number.
    pub number: usize,
    /// The place, in bytes from the beginning of the text.
    pub offset: usize,
    /// The layout.
    pub layout: Layout<'j>,
    /// Whether the tensor is the first one with its layout.
    pub is_first_of_layout: bool,
    /// The name of its format.
    pub format: &'j str,
    /// The sticks of its format.
    pub sticks: Option<Format>,
    /// 1 for each dimension that it has, in the order of the layout; -1 or -2 for the others.
    pub scales: Vec<i64>,
    /// The place of the scales, in bytes from the beginning of the text.
    pub scales_offset: usize,
    /// The memories in which it is present.
    pub present: Vec<&'j str>,
}

impl Descriptor<'_> {
    /// Returns whether it has a dimension, which the layout has too.
    pub(super) fn has(&self, dim: &str) -> bool {
        self.layout.order.contains(&dim) && self.scale(dim) > 0
    }

    /// Returns the scale of a dimension; 1 if the layout does not have it.
    pub(super) fn scale(&self, dim: &str) -> i64 {
        let at = self
            .layout
            .order
            .iter()
            .position(|layout_dim| *layout_dim == dim);
        at.and_then(|at| self.scales.get(at)).copied().unwrap_or(1)
    }
}

/// Reads `labeledDs_` of an operation. `None` if an entry is broken.
pub(super) fn read<'j>(
    reader: &mut Reader,
    json: &'j Json<'_>,
    layouts: &[Layout<'j>],
    op: &str,
) -> Option<Vec<Descriptor<'j>>> {
    let is_cast = Published::by_name(op).is_some_and(|row| row.category == Category::Quantization);
    let stick_rule = if is_cast { CAST_STICK_SIZE } else { STICK_SIZE };
    let items = reader.array(json)?;
    let read: Vec<_> = items
        .iter()
        .enumerate()
        .map(|(number, item)| descriptor(reader, item, number, layouts, stick_rule))
        .collect();
    if items.is_empty() {
        reader.report(KIND, json.offset, "there is no tensor");
    }
    let mut read: Vec<Descriptor<'j>> = read.into_iter().collect::<Option<_>>()?;
    let mut seen = FxHashSet::default();
    for tensor in &mut read {
        tensor.is_first_of_layout = seen.insert(tensor.layout.label);
    }
    Some(read)
}

fn descriptor<'j>(
    reader: &mut Reader,
    json: &'j Json<'_>,
    number: usize,
    layouts: &[Layout<'j>],
    stick_rule: Rule,
) -> Option<Descriptor<'j>> {
    let mut fields = reader.fields(json)?;
    numbered(reader, &mut fields, number);
    check_name(reader, &mut fields, number);
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
        reader.report(stick_rule, layout.size_offset, message);
    }
    let scales_json = scales?;
    let scales = scales_of(reader, scales_json, layout)?;
    Some(Descriptor {
        number,
        offset: json.offset,
        layout: layout.clone(),
        is_first_of_layout: false,
        format,
        sticks: named,
        scales,
        scales_offset: scales_json.offset,
        present: present?,
    })
}

/// Checks that `dsName_` has the position in the list.
fn check_name(reader: &mut Reader, fields: &mut Fields<'_, '_>, number: usize) {
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
}

/// Reads the scales of a tensor, one for each dimension of its layout.
fn scales_of(reader: &mut Reader, json: &Json<'_>, layout: &Layout<'_>) -> Option<Vec<i64>> {
    let scales = reader.ints(json)?;
    if scales.len() != layout.order.len() {
        let message = format!(
            "there are {} scales, but '{}' has {} dimensions",
            scales.len(),
            layout.label,
            layout.order.len()
        );
        reader.report(TENSOR_DIMS, json.offset, message);
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
    Some(scales.iter().map(|(scale, _)| *scale).collect())
}

/// Checks that `ldsIdx_` is the position in the list.
pub(super) fn numbered(reader: &mut Reader, fields: &mut Fields<'_, '_>, number: usize) {
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

/// Reads the memories in which a tensor is present.
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
        let mut is_present = true;
        if let Some(value) = fields.required(reader, "isPresent") {
            // The contract has 0 for a memory without the tensor (K63); recordings leave it out.
            is_present = !(reader.is_contract()
                && matches!(&value.value, Value::Number(zero) if *zero == "0"));
            if is_present {
                reader.fixed(value, &Fixed::Int(1));
            }
        }
        // Windowed operations have more keys.
        for key in ["isPadded", "isZeroPadded", "dsOffset", "allocateNode_"] {
            fields.optional(key);
        }
        fields.finish(reader);
        if is_present {
            present.push(&*entry.key);
        }
    }
    present
}
