//! Extents of the operation, sizes on a core, masks, and sizes that are known at launch.

use spyre_bundle_files::json::{Json, Member, Value};

use super::super::reader::{Fixed, Reader};
use super::super::rules::{
    DIM_NAMES, DIMS, KIND, MASK, MASK_CONSTANT, MASK_END, RUNTIME_DIM, Rule, STAGE,
    WHOLE_STICKS_STAGE,
};
use super::constants::{self, Constants};
use super::layouts::Layout;
use super::root::{Work, dimension};
use super::{RuntimeDim, is_symbol, names};

/// A dimension of the operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent<'j> {
    /// The name.
    pub dim: &'j str,
    /// The index in the root.
    pub index: usize,
    /// The padded extent; the largest one if it is known at launch.
    pub extent: u64,
    /// The number of cores that divide it.
    pub splits: u64,
    /// The place of the extent, in bytes from the beginning of the text.
    pub offset: usize,
}

impl Extent<'_> {
    /// Returns the part of a core; `None` where the cores do not divide the extent.
    pub(super) fn part(&self) -> Option<u64> {
        let part = self.extent.checked_div(self.splits)?;
        self.extent.is_multiple_of(self.splits).then_some(part)
    }
}

/// The masked end of a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mask {
    /// The index of the dimension in the root.
    pub dim: usize,
    /// The first masked position.
    pub start: u64,
    /// The place of the range, in bytes from the beginning of the text.
    pub offset: usize,
}

/// Reads the extents of all dimensions, in the order of the iteration space.
pub(super) fn extents_of<'j>(
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
        // The contract has one more name than recordings (K64).
        let is_name = names::DIMS.contains(&dim) || reader.is_contract() && dim == "x1";
        if !is_name {
            let message = format!("'{}' is no name of a dimension", dim.escape_default());
            reader.report(DIM_NAMES, entry.offset, message);
        }
        let index = dimension(reader, dim, entry.offset, work);
        let extent = match &entry.value.value {
            Value::Number(unset) if *unset == "-1" && reader.is_contract() => {
                let message = format!(
                    "'{}' is -1, the published form of a size that is known at launch; only the form that has run on the card is \
                     read, which has the largest size here",
                    dim.escape_default()
                );
                reader.report(RUNTIME_DIM, entry.value.offset, message);
                None
            }
            _ => reader.at_least(&entry.value, 1),
        };
        if extents
            .iter()
            .any(|other_extent: &Extent<'_>| other_extent.dim == dim)
        {
            continue;
        }
        match (index, extent) {
            (Some(index), Some(extent)) => extents.push(Extent {
                dim,
                index,
                extent,
                splits: work.splits_of(dim).unwrap_or(1),
                offset: entry.value.offset,
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

/// Checks the padding at the end of dimensions, and the constant that stands there. Returns the masks.
pub(super) fn mask(
    reader: &mut Reader,
    masking: Option<&Json<'_>>,
    id: Option<&Json<'_>>,
    constants: Option<&Constants>,
    extents: &[Extent<'_>],
) -> Vec<Mask> {
    let mut masks = Vec::new();
    let Some(entries) = masking.and_then(|json| reader.entries(json)) else {
        return masks;
    };
    for entry in entries {
        let Some(extent) = extent_of(reader, entry, extents) else {
            continue;
        };
        for range in reader.array(&entry.value).unwrap_or_default() {
            if let Some(start) = mask_range(reader, range, extent) {
                masks.push(Mask {
                    dim: extent.index,
                    start,
                    offset: range.offset,
                });
            }
        }
    }
    let Some((json, id)) = id.and_then(|json| Some((json, reader.int(json)?))) else {
        return masks;
    };
    let Some(constants) = constants else {
        return masks;
    };
    match usize::try_from(id) {
        _ if entries.is_empty() => {
            if id != -1 {
                let message = format!("must be -1, as nothing is masked, got {id}");
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
    masks
}

fn extent_of<'e, 'j>(
    reader: &mut Reader,
    entry: &Member<'_>,
    extents: &'e [Extent<'j>],
) -> Option<&'e Extent<'j>> {
    let dim_extent = extents.iter().find(|extent| extent.dim == entry.key);
    if dim_extent.is_none() {
        let message = format!(
            "'{}' is no dimension of the operation",
            entry.key.escape_default()
        );
        reader.report(DIMS, entry.offset, message);
    }
    dim_extent
}

/// Checks a range `[start, length]`, which has to end where the dimension ends. Returns the start.
fn mask_range(reader: &mut Reader, json: &Json<'_>, extent: &Extent<'_>) -> Option<u64> {
    let range = reader.ints(json)?;
    let [(start, _), (length, _)] = range.as_slice() else {
        reader.report(KIND, json.offset, "must be a start and a length");
        return None;
    };
    let end = start
        .checked_add(*length)
        .and_then(|end| u64::try_from(end).ok());
    if *start < 0 || *length <= 0 || end != Some(extent.extent) {
        let message = format!(
            "masks {length} from {start}, but '{}' ends at {}",
            extent.dim, extent.extent
        );
        reader.report(MASK_END, json.offset, message);
        return None;
    }
    u64::try_from(*start).ok()
}

/// Reads the dimensions with a symbol as size.
pub(super) fn runtime(
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
        let Some(ids) = symbols(reader, &entry.value) else {
            continue;
        };
        let ([id], Some(extent)) = (ids.as_slice(), extent) else {
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
            .any(|runtime_dim: &RuntimeDim| runtime_dim.dim == extent.dim)
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

/// Reads the symbols of a size: integers, or the strings of the contract (K54).
fn symbols(reader: &mut Reader, json: &Json<'_>) -> Option<Vec<i64>> {
    let items = reader.array(json)?.iter();
    items
        .map(|item| match &item.value {
            Value::String(_) if reader.is_contract() => reader.decimal(item),
            _ => reader.int(item),
        })
        .collect()
}

/// The facts that determine the sizes on a core.
pub(super) struct Parts<'p, 'j> {
    /// The extents of the operation.
    pub extents: &'p [Extent<'j>],
    /// The layouts, unless they are broken.
    pub layouts: &'p [Layout<'j>],
    /// Whether the file has the keys of the second revision of recordings.
    pub is_r2: bool,
}

impl Parts<'_, '_> {
    /// Returns the rule that a size breaks which is not the part of a core: K36 where it is not whole sticks.
    fn rule(&self, dim: &str, size: i64) -> Rule {
        let is_cut = |layout: &Layout<'_>| {
            let mut sticks = layout.stick.iter().zip(&layout.stick_sizes);
            sticks.any(|(stick_dim, stick)| {
                *stick_dim == dim && size.checked_rem(*stick).is_some_and(|rest| rest != 0)
            })
        };
        match self.layouts.iter().any(is_cut) {
            true => WHOLE_STICKS_STAGE,
            false => STAGE,
        }
    }
}

/// Checks the sizes on each core. `windows` checks the windows there.
pub(super) fn stage(
    reader: &mut Reader,
    json: &Json<'_>,
    parts: &Parts<'_, '_>,
    runtime: &mut [RuntimeDim],
    windows: impl Fn(&mut Reader, &Json<'_>),
) {
    let Some(mut stages) = reader.fields(json) else {
        return;
    };
    let stage = stages.required(reader, "0");
    stages.finish(reader);
    let Some(mut fields) = stage.and_then(|json| reader.fields(json)) else {
        return;
    };
    if reader.is_contract()
        && let Some(name) = fields.optional("name_")
    {
        reader.fixed(name, &Fixed::Text("core"));
    }
    for key in ["ss_", "el_"] {
        if let Some(value) = fields.required(reader, key) {
            sizes(reader, value, parts, runtime, &windows);
        }
    }
    fields.finish(reader);
}

fn sizes(
    reader: &mut Reader,
    json: &Json<'_>,
    parts: &Parts<'_, '_>,
    runtime: &mut [RuntimeDim],
    windows: &impl Fn(&mut Reader, &Json<'_>),
) {
    let Some(mut fields) = reader.fields(json) else {
        return;
    };
    if let Some(name) = fields.required(reader, "name_") {
        reader.fixed(name, &Fixed::Text("core"));
    }
    for extent in parts.extents {
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
            reader.report(parts.rule(extent.dim, size), value.offset, message);
        }
    }
    if parts.is_r2 {
        // The schema of the contract requires none of these; recordings have all of them.
        let is_contract = reader.is_contract();
        let mut detail = |reader: &mut Reader, key: &str| match is_contract {
            true => fields.optional(key),
            false => fields.required(reader, key),
        };
        if let Some(value) = detail(reader, "symbolicDimInfo_") {
            runtime_bounds(reader, value, runtime);
        }
        for key in [
            "maxSymbolicVolume_",
            "coreletSplit_",
            "rowSplit_",
            "peSfpSplit_",
        ] {
            if let Some(value) = detail(reader, key) {
                reader.fixed(value, &Fixed::Object(&[]));
            }
        }
        if let Some(value) = detail(reader, "paddingSizes_") {
            windows(reader, value);
        }
    }
    fields.finish(reader);
}

/// Reads the bounds of runtime dimensions on a core.
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
                    if dim
                        .bounds
                        .is_some_and(|stated_bounds| stated_bounds != (max, granularity))
                    {
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
