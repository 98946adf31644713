//! The root of a file: the cores, and the slice of each dimension that each core has.

use rustc_hash::{FxHashMap, FxHashSet};

use spyre_bundle_files::json::{Json, Member, Value};
use spyre_plan::Target;

use super::super::reader::{Fields, Fixed, Reader};
use super::super::rules::{
    CORE_TABLE, CORELETS, CORES, DIMS, KIND, OPFUNC, PROVENANCE, RELAYOUT_CORES, RELAYOUT_TABLES,
    ROOT, RUNTIME_DIM, Rule, SLICE_COVER, SLICES,
};
use super::dsc::{self, Root};
use super::names::{self, SHUFFLE};
use super::{RuntimeDim, Sdsc, Symbol, contract};

/// Largest number of dimensions of an operation; there are nine names.
const MAX_DIMS: usize = 16;

/// The work of the cores, as the root has it.
pub(super) struct Work<'j> {
    /// The number of cores that have a part.
    pub cores: usize,
    /// The cores that run the operation: all, except for a relayout of a value that only some have (K68).
    pub used: Vec<usize>,
    /// The dimensions, with the number of cores that divide each.
    pub splits: Vec<(&'j str, u64)>,
    /// The index of each dimension in `splits`.
    pub index: FxHashMap<&'j str, usize>,
    /// Whether tensors move between cores; then each has a separate division.
    pub is_shuffle: bool,
}

impl Work<'_> {
    /// Returns the number of cores that divide a dimension.
    pub(super) fn splits_of(&self, dim: &str) -> Option<u64> {
        let index = *self.index.get(dim)?;
        self.splits.get(index).map(|(_, splits)| *splits)
    }
}

/// Reads the file with the number `number`; `None` if it cannot be checked any further.
pub(crate) fn read(
    reader: &mut Reader,
    root: &Json<'_>,
    number: u64,
    target: &Target,
) -> Option<Sdsc> {
    let entries = reader.entries(root)?;
    let [entry] = entries else {
        let message = format!("the root has {} keys, but must have one", entries.len());
        reader.report(ROOT, root.offset, message);
        return None;
    };
    let op = operation(reader, entry, number);
    let mut fields = reader.fields(&entry.value)?;
    let debug_handle = fields.optional("debug_handle_");
    check_provenance(reader, debug_handle);
    check_time(reader, &mut fields);
    let core_fold = fields.required(reader, "coreFoldProp_");
    if let Some(value) = fields.required(reader, "coreletFoldProp_") {
        corelets(reader, value);
    }
    let running = fields.required(reader, "numCoresUsed_");
    let running = running.and_then(|value| core_count(reader, value, target));
    let is_shuffle = op == Some(SHUFFLE);
    let is_partial = is_shuffle && reader.is_contract();
    let cores = with_parts(reader, core_fold, running, is_partial);
    let to_dsc = fields.required(reader, "coreIdToDsc_");
    let num_slices = fields.required(reader, "numWkSlicesPerDim_");
    let to_slice = fields.required(reader, "coreIdToWkSlice_");
    let schedule = fields.required(reader, "coreIdToDscSchedule");
    let dscs = fields.required(reader, "dscs_");
    let runtime = [
        fields.optional("datadscs_"),
        fields.optional("dimToSymbolMappingOpcodeCorrection_"),
        fields.optional("inputSymbolsAndTags_"),
        fields.optional("symbolDefinitions_"),
    ];
    fields.finish(reader);

    let tables = CoreTables {
        running: running?,
        to_dsc,
        schedule,
        num_slices,
    };
    let work = tables.work(reader, cores?, is_shuffle)?;
    let slices = to_slice.and_then(|value| slices(reader, value, &work));
    // The contract has one form; the first revision of recordings lacks the keys that came with it.
    let is_r2 = debug_handle.is_some() || reader.is_contract();
    let root = Root {
        op,
        work: &work,
        is_r2,
        target,
    };
    let mut dsc = dscs.and_then(|value| dsc::read(reader, value, &root))?;
    tags(reader, &mut dsc.runtime_dims, runtime, entry.value.offset);
    if is_shuffle {
        report_by_rules_of_relayouts(reader);
    }
    Some(Sdsc {
        op: op.map(str::to_owned),
        is_r2,
        symbols: dsc.symbols.map(|addresses| {
            let sizes = dsc.runtime_dims.iter().map(|dim| Symbol {
                id: dim.id,
                is_size: true,
            });
            sizes.chain(addresses).collect()
        }),
        runtime: dsc.runtime_dims,
        slices: slices.unwrap_or_default(),
        tensors: dsc.tensors,
        masks: dsc.masks,
    })
}

/// Checks the handle of the program that the file was compiled from.
fn check_provenance(reader: &mut Reader, debug_handle: Option<&Json<'_>>) {
    if reader.is_contract() {
        contract::provenance(reader, debug_handle);
    } else if let Some(json) = debug_handle
        && !matches!(json.value, Value::Null | Value::Object(_))
    {
        let message = format!("expected null or an object, found {}", json.value.kind());
        reader.report(PROVENANCE, json.offset, message);
    }
}

/// Returns the number of cores that have a part: of a relayout, the ones over which tensors are folded.
fn with_parts(
    reader: &mut Reader,
    core_fold: Option<&Json<'_>>,
    running: Option<usize>,
    is_partial: bool,
) -> Option<usize> {
    let folded = match (core_fold, running) {
        (Some(value), Some(cores)) => {
            core_fold_count(reader, value, (!is_partial).then_some(cores))
        }
        _ => None,
    };
    if is_partial { folded } else { running }
}

/// The tables of cores in the root.
struct CoreTables<'j> {
    /// The number of cores that run the operation.
    running: usize,
    /// The description of each core.
    to_dsc: Option<&'j Json<'j>>,
    /// The schedule of each core.
    schedule: Option<&'j Json<'j>>,
    /// The number of cores that divide each dimension.
    num_slices: Option<&'j Json<'j>>,
}

impl<'j> CoreTables<'j> {
    /// Checks the tables, and returns the work of `cores` cores that have a part.
    fn work(&self, reader: &mut Reader, cores: usize, is_shuffle: bool) -> Option<Work<'j>> {
        let is_partial = is_shuffle && reader.is_contract();
        let used = match self.to_dsc.filter(|_| is_partial) {
            Some(json) => used_cores(reader, json, self.running, cores),
            None => (0..cores).collect(),
        };
        if let Some(value) = self.to_dsc {
            core_table(reader, value, &used, &Fixed::Int(0));
        }
        if let Some(value) = self.schedule {
            let entry = [-1, 0, 0, 0].map(Fixed::Int);
            core_table(reader, value, &used, &Fixed::Array(&[Fixed::Array(&entry)]));
        }
        let splits = self
            .num_slices
            .and_then(|value| splits(reader, value, cores, is_shuffle))?;
        let index = (splits.iter().enumerate())
            .map(|(index, (dim, _))| (*dim, index))
            .collect();
        Some(Work {
            cores,
            used,
            splits,
            index,
            is_shuffle,
        })
    }
}

/// Replaces the rules of cores by the ones of relayouts in all reports.
fn report_by_rules_of_relayouts(reader: &mut Reader) {
    for problem in &mut reader.problems {
        problem.rule = match problem.rule {
            CORES => RELAYOUT_CORES,
            CORE_TABLE => RELAYOUT_TABLES,
            rule => rule,
        };
    }
}

/// Returns the operation that the root is named after.
fn operation<'j>(reader: &mut Reader, root: &'j Member<'_>, number: u64) -> Option<&'j str> {
    let prefix = format!("{number}_");
    let op = root.key.strip_prefix(&prefix).filter(|op| !op.is_empty());
    match op {
        None => {
            let message = format!(
                "the root is '{}', but must be '{prefix}' and the operation",
                root.key.escape_default()
            );
            reader.report(ROOT, root.offset, message);
        }
        // The contract has a separate table (K70).
        Some(op) if !reader.is_contract() && names::unit(op).is_none() => {
            let message = format!(
                "'{}' is not an operation that the backend is known to have",
                op.escape_default()
            );
            reader.report(OPFUNC, root.offset, message);
        }
        Some(_) => {}
    }
    op
}

/// One step of time.
const TIME: Fixed<'static> =
    Fixed::Object(&[("factor_", Fixed::Int(1)), ("label_", Fixed::Text("time"))]);

const TIME_FOLDS: Fixed<'static> = Fixed::Object(&[
    (
        "dim_prop_func",
        Fixed::Array(&[Fixed::Object(&[(
            "Affine",
            Fixed::Object(&[("alpha_", Fixed::Int(1)), ("beta_", Fixed::Int(0))]),
        )])]),
    ),
    ("dim_prop_attr", Fixed::Array(&[TIME])),
    ("data_", Fixed::Object(&[("[0]", Fixed::Text("0"))])),
]);

/// Checks the folds of time, which has one step.
fn check_time(reader: &mut Reader, fields: &mut Fields<'_, '_>) {
    if let Some(value) = fields.required(reader, "sdscFoldProps_") {
        reader.fixed(value, &Fixed::Array(&[TIME]));
    }
    if let Some(value) = fields.required(reader, "sdscFolds_") {
        reader.fixed(value, &TIME_FOLDS);
    }
}

/// Checks the number of corelets: the front end writes one; the interface document has two.
fn corelets(reader: &mut Reader, json: &Json<'_>) {
    let Some(mut fields) = reader.fields(json) else {
        return;
    };
    if let Some(value) = fields.required(reader, "factor_")
        && let Some(factor) = reader.int(value)
        && !(1..=2).contains(&factor)
    {
        reader.report(
            CORELETS,
            value.offset,
            format!("{factor} corelets, but a core has 2"),
        );
    }
    if let Some(value) = fields.required(reader, "label_") {
        reader.fixed(value, &Fixed::Text("corelet"));
    }
    fields.finish(reader);
}

/// Reads the number of cores, of which the card has as many. So tables that are sized by it stay small.
fn core_count(reader: &mut Reader, json: &Json<'_>, target: &Target) -> Option<usize> {
    let cores = reader.at_least(json, 1)?;
    if cores > u64::from(target.cores) {
        let message = format!("{cores} cores, but the card has {}", target.cores);
        reader.report(CORES, json.offset, message);
        return None;
    }
    usize::try_from(cores).ok()
}

/// Reads the number of cores over which tensors are folded, and compares it with the one that the root has.
fn core_fold_count(reader: &mut Reader, json: &Json<'_>, cores: Option<usize>) -> Option<usize> {
    let mut fields = reader.fields(json)?;
    let factor = fields.required(reader, "factor_");
    let folded = match (factor, cores) {
        (Some(value), Some(cores)) => {
            same_cores(reader, value, cores);
            Some(cores)
        }
        (Some(value), None) => core_count(reader, value, &Target::CARD),
        (None, _) => None,
    };
    if let Some(value) = fields.required(reader, "label_") {
        reader.fixed(value, &Fixed::Text("core"));
    }
    fields.finish(reader);
    folded
}

/// Returns the cores that run a relayout, which its first table lists (K68).
fn used_cores(reader: &mut Reader, json: &Json<'_>, running: usize, cores: usize) -> Vec<usize> {
    let entries = reader.entries(json).unwrap_or(&[]);
    let ids = entries.iter().filter_map(|entry| entry.key.parse().ok());
    let mut used: Vec<usize> = ids.filter(|core| *core < cores).collect();
    used.sort_unstable();
    used.dedup();
    if used.len() != running {
        let message = format!("{} cores, but numCoresUsed_ is {running}", used.len());
        reader.report(CORES, json.offset, message);
    }
    used
}

/// Checks a count against the count of the root.
pub(super) fn same_cores(reader: &mut Reader, json: &Json<'_>, cores: usize) {
    if let Some(count) = reader.at_least(json, 1)
        && usize::try_from(count).ok() != Some(cores)
    {
        let message = format!("{count} cores, but numCoresUsed_ is {cores}");
        reader.report(CORES, json.offset, message);
    }
}

/// Checks the folds of a table of addresses or constants: all cores, one corelet, one time.
pub(super) fn core_folds(reader: &mut Reader, json: &Json<'_>, cores: usize, rule: Rule) {
    let Some(items) = reader.array(json) else {
        return;
    };
    let labels = ["core", "corelet", "time"];
    if items.len() != labels.len() {
        let message = format!("{} folds, but must be {}", items.len(), labels.len());
        reader.report(rule, json.offset, message);
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

/// Checks a table with one equal entry for each core.
fn core_table(reader: &mut Reader, json: &Json<'_>, cores: &[usize], expected: &Fixed<'_>) {
    for (_, entry) in entries_of(reader, json, cores) {
        reader.fixed(&entry.value, expected);
    }
}

/// Reads the entries of a table with exactly the cores as keys.
pub(super) fn core_entries<'j, 't>(
    reader: &mut Reader,
    json: &'j Json<'t>,
    cores: usize,
) -> Vec<(usize, &'j Member<'t>)> {
    let all: Vec<usize> = (0..cores).collect();
    entries_of(reader, json, &all)
}

/// Reads the entries of a table with exactly some cores, given in ascending order, as keys.
pub(super) fn entries_of<'j, 't>(
    reader: &mut Reader,
    json: &'j Json<'t>,
    cores: &[usize],
) -> Vec<(usize, &'j Member<'t>)> {
    let Some(entries) = reader.entries(json) else {
        return Vec::new();
    };
    let count = cores.len();
    let mut is_present = vec![false; count];
    let mut entries_by_core = Vec::with_capacity(count);
    for entry in entries {
        let core = entry
            .key
            .parse::<usize>()
            .ok()
            .filter(|core| core.to_string() == entry.key);
        let at = core.and_then(|core| Some((core, cores.binary_search(&core).ok()?)));
        match at {
            Some((core, at)) => {
                if let Some(is_seen) = is_present.get_mut(at) {
                    *is_seen = true;
                }
                entries_by_core.push((core, entry));
            }
            None => {
                let message = format!(
                    "'{}' is not one of the {count} cores",
                    entry.key.escape_default()
                );
                reader.report(CORE_TABLE, entry.offset, message);
            }
        }
    }
    for (core, _) in cores
        .iter()
        .zip(&is_present)
        .filter(|(_, is_seen)| !**is_seen)
    {
        let message = format!("core {core} of {count} is missing");
        reader.report(CORE_TABLE, json.offset, message);
    }
    entries_by_core
}

/// Reads the dimensions, with the number of slices that each is divided into.
fn splits<'j>(
    reader: &mut Reader,
    json: &'j Json<'_>,
    cores: usize,
    is_shuffle: bool,
) -> Option<Vec<(&'j str, u64)>> {
    let entries = reader.entries(json)?;
    if entries.len() > MAX_DIMS {
        let message = format!(
            "{} dimensions, but an operation has at most {MAX_DIMS}",
            entries.len()
        );
        reader.report(DIMS, json.offset, message);
        return None;
    }
    let splits: Vec<(&str, u64)> = entries
        .iter()
        .map(|entry| Some((&*entry.key, reader.at_least(&entry.value, 1)?)))
        .collect::<Option<_>>()?;
    if splits.is_empty() {
        reader.report(KIND, json.offset, "there is no dimension");
        return None;
    }
    // In a relayout, each tensor has a separate division.
    let is_contract = reader.is_contract();
    let product =
        (splits.iter()).try_fold(1u64, |product, (_, splits)| product.checked_mul(*splits));
    let fits = |product| {
        usize::try_from(product).is_ok_and(|product| {
            product == cores || is_shuffle && (is_contract || product >= cores)
        })
    };
    if !product.is_some_and(fits) {
        let product = product.map_or("too many".to_owned(), |product| product.to_string());
        let message = format!("the slices multiply to {product}, but there are {cores} cores");
        reader.report(SLICES, json.offset, message);
        return None;
    }
    Some(splits)
}

/// Reads the slices of each core, which are all different. `None` if the table is broken.
fn slices(reader: &mut Reader, json: &Json<'_>, work: &Work<'_>) -> Option<Vec<Vec<u64>>> {
    let before = reader.problems.len();
    let mut table = vec![Vec::new(); work.cores];
    let mut seen = FxHashSet::default();
    for (core, entry) in core_entries(reader, json, work.cores) {
        let Some(slices) = core_slices(reader, &entry.value, work, SliceLimit::OfOperation) else {
            continue;
        };
        if !work.is_shuffle && !seen.insert(slices.clone()) {
            let message = format!("core {core} has the same slices as a core before it");
            reader.report(SLICE_COVER, entry.offset, message);
        }
        if let Some(row) = table.get_mut(core) {
            *row = slices;
        }
    }
    (reader.problems.len() == before).then_some(table)
}

/// The number of slices that a dimension may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SliceLimit {
    /// The number that the root has.
    OfOperation,
    /// The number that a tensor with a separate division needs.
    OfTensor,
}

/// Reads the slices of one core, in the order of the dimensions of the root.
pub(super) fn core_slices(
    reader: &mut Reader,
    json: &Json<'_>,
    work: &Work<'_>,
    limit: SliceLimit,
) -> Option<Vec<u64>> {
    let entries = reader.entries(json)?;
    let mut counts = vec![None; work.splits.len()];
    for entry in entries {
        let index = dimension(reader, &entry.key, entry.offset, work);
        let slice = reader.at_least(&entry.value, 0);
        let (Some(index), Some(slice)) = (index, slice) else {
            continue;
        };
        let splits = work.splits.get(index).map_or(0, |(_, splits)| *splits);
        if limit == SliceLimit::OfOperation && slice >= splits {
            let message = format!("slice {slice} of '{}', which has {splits}", entry.key);
            reader.report(SLICE_COVER, entry.value.offset, message);
        } else if let Some(place) = counts.get_mut(index) {
            *place = Some(slice);
        }
    }
    if entries.len() < work.splits.len() {
        let missing = (work.splits.iter()).find(|(dim, _)| entries.iter().all(|e| e.key != *dim));
        let dim = missing.map_or("", |(dim, _)| dim);
        let message = format!("dimension '{}' is missing", dim.escape_default());
        reader.report(DIMS, json.offset, message);
    }
    counts.into_iter().collect()
}

/// Returns the index of a dimension by its name. Reports a name that is not one of the operation.
pub(super) fn dimension(
    reader: &mut Reader,
    dim: &str,
    offset: usize,
    work: &Work<'_>,
) -> Option<usize> {
    let index = work.index.get(dim).copied();
    if index.is_none() {
        let message = format!(
            "'{}' is no dimension of the operation",
            dim.escape_default()
        );
        reader.report(DIMS, offset, message);
    }
    index
}

/// Checks the names of the runtime sizes, and the other keys of the root that come with them.
fn tags(
    reader: &mut Reader,
    dims: &mut [RuntimeDim],
    [data, correction, tags, definitions]: [Option<&Json<'_>>; 4],
    offset: usize,
) {
    let all = [data, correction, tags, definitions];
    if dims.is_empty() {
        for json in all.into_iter().flatten() {
            let message = "is for runtime dimensions, but there is none";
            reader.report(RUNTIME_DIM, json.offset, message);
        }
        return;
    }
    if let Some(json) = data {
        reader.fixed(json, &Fixed::Array(&[]));
    }
    for json in [correction, definitions].into_iter().flatten() {
        reader.fixed(json, &Fixed::Object(&[]));
    }
    let keys = [
        "datadscs_",
        "dimToSymbolMappingOpcodeCorrection_",
        "inputSymbolsAndTags_",
        "symbolDefinitions_",
    ];
    for (key, _) in keys.iter().zip(all).filter(|(_, json)| json.is_none()) {
        let message = format!("there are runtime dimensions, but no key '{key}'");
        reader.report(RUNTIME_DIM, offset, message);
    }
    let Some((json, entries)) = tags.and_then(|json| Some((json, reader.entries(json)?))) else {
        return;
    };
    for entry in entries {
        let tag = reader.text(&entry.value);
        let mut is_named = false;
        for dim in dims
            .iter_mut()
            .filter(|dim| dim.id.to_string() == entry.key)
        {
            dim.tag = tag.map(str::to_owned);
            is_named = true;
        }
        if !is_named {
            let message = format!(
                "symbol '{}' belongs to no dimension",
                entry.key.escape_default()
            );
            reader.report(RUNTIME_DIM, entry.offset, message);
        }
    }
    for dim in dims.iter().filter(|dim| dim.tag.is_none()) {
        let message = format!("symbol {} of '{}' has no name", dim.id, dim.dim);
        reader.report(RUNTIME_DIM, json.offset, message);
    }
}
