//! `primaryDsInfo_`: the layouts that tensors share.

use rustc_hash::FxHashSet;

use spyre_bundle_files::json::{Json, Member};

use super::super::reader::{Fixed, Reader};
use super::super::rules::{LABEL, LAYOUT};
use super::names;
use super::root::{Work, dimension};

/// A layout of `primaryDsInfo_`.
#[derive(Debug, Clone)]
pub(super) struct Layout<'j> {
    /// The label.
    pub label: &'j str,
    /// The dimensions, innermost first.
    pub order: Vec<&'j str>,
    /// The place of the dimensions, in bytes from the beginning of the text.
    pub order_offset: usize,
    /// The dimensions along the stick, which are among them, outermost first.
    pub stick: Vec<&'j str>,
    /// The place of the dimensions along the stick, in bytes from the beginning of the text.
    pub stick_offset: usize,
    /// The elements of a stick along each of its dimensions.
    pub stick_sizes: Vec<i64>,
    /// Elements in a stick.
    pub elements_per_stick: u64,
    /// The place of the size of the stick, in bytes from the beginning of the text.
    pub size_offset: usize,
}

/// Reads the layouts with their labels.
pub(super) fn read<'j>(
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
        let message = format!("there are {} layouts, but only four labels", layouts.len());
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
    let order_json = order?;
    let order = distinct(reader, order_json, work)?;
    let stick_json = stick?;
    let stick = distinct(reader, stick_json, work)?;
    let mut is_complete = true;
    if stick.is_empty() {
        reader.report(LAYOUT, stick_json.offset, "the layout has no stick");
        is_complete = false;
    }
    for dim in stick.iter().filter(|dim| !order.contains(dim)) {
        let message = format!("the stick is along '{dim}', which the layout does not have");
        reader.report(LAYOUT, stick_json.offset, message);
        is_complete = false;
    }
    let size_json = size?;
    let sizes = reader.ints(size_json)?;
    if sizes.len() != stick.len() {
        let message = format!(
            "there are {} sizes, but the stick has {} dimensions",
            sizes.len(),
            stick.len()
        );
        reader.report(LAYOUT, size_json.offset, message);
        is_complete = false;
    }
    let elements = sizes.iter().try_fold(1u64, |product, (size, _)| {
        product.checked_mul(u64::try_from(*size).ok()?)
    });
    is_complete.then_some(Layout {
        label: &entry.key,
        order,
        order_offset: order_json.offset,
        stick,
        stick_offset: stick_json.offset,
        stick_sizes: sizes.iter().map(|(size, _)| *size).collect(),
        elements_per_stick: elements.unwrap_or(0),
        size_offset: size_json.offset,
    })
}

/// Reads names of dimensions of the operation, each once.
pub(super) fn distinct<'j>(
    reader: &mut Reader,
    json: &'j Json<'_>,
    work: &Work<'_>,
) -> Option<Vec<&'j str>> {
    let before = reader.problems.len();
    let mut seen = FxHashSet::default();
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
