//! The start of a tensor on each core, and the gaps in it.

use rustc_hash::FxHashMap;

use spyre_bundle_files::json::Json;
use spyre_layout::STICK_BYTES;

use super::super::reader::{Fixed, Reader};
use super::super::rules::{GAP, LX_ADDRESS, START};
use super::root::{core_entries, core_folds};
use super::{Memory, is_symbol};

/// Reads `startAddressCoreCorelet_`: a start for each core.
pub(super) fn addresses(
    reader: &mut Reader,
    json: &Json<'_>,
    memory: Memory,
    cores: usize,
) -> Option<Vec<i64>> {
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
        core_folds(reader, value, cores, START);
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
            let rule = match memory {
                Memory::Lx => LX_ADDRESS,
                _ => START,
            };
            reader.report(rule, entry.value.offset, message);
            continue;
        }
        if let Some(place) = starts.get_mut(core) {
            *place = Some(start);
        }
    }
    let present = reader.entries(data)?;
    if present.len() < cores {
        let message = format!(
            "has {} start addresses, expected {cores}, one for each core",
            present.len()
        );
        reader.report(START, data.offset, message);
    }
    starts.into_iter().collect()
}

/// Returns the core of a key `[core, 0, 0]`; `None` for other keys.
fn core_of(key: &str, cores: usize) -> Option<usize> {
    let core = key.strip_prefix('[')?.strip_suffix(", 0, 0]")?;
    let number = core.parse::<usize>().ok()?;
    (number < cores && number.to_string() == core).then_some(number)
}

/// Returns the gap of a tensor in device memory, which has the key -1.
fn unified<'j, 't>(reader: &mut Reader, json: &'j Json<'t>) -> Option<Option<&'j Json<'t>>> {
    if !reader.is_contract() {
        let mut fields = reader.fields(json)?;
        let size = fields.required(reader, "-1");
        fields.finish(reader);
        return Some(size);
    }
    let entries = reader.entries(json)?;
    for entry in entries.iter().filter(|entry| entry.key != "-1") {
        let key = entry.key.escape_default();
        let message = format!("the gap of '{key}' is in device memory, whose key is '-1'");
        reader.report(GAP, entry.offset, message);
    }
    let default_entry = entries.iter().find(|entry| entry.key == "-1");
    Some(default_entry.map(|entry| &entry.value))
}

/// Reads the gap at the end of each dimension, in elements.
pub(super) fn gaps<'j>(
    reader: &mut Reader,
    json: &'j Json<'_>,
    component: &str,
    order: &[&str],
    cores: usize,
) -> Option<FxHashMap<&'j str, u64>> {
    let mut gaps = FxHashMap::default();
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
            core_entries(reader, &entry.value, cores)
                .into_iter()
                .map(|(_, entry)| &entry.value)
                .collect()
        } else {
            unified(reader, &entry.value)?.into_iter().collect()
        };
        let mut common_gap = None;
        for json in sizes {
            let Some(gap) = reader.decimal(json) else {
                continue;
            };
            match u64::try_from(gap).ok().filter(|gap| *gap > 0) {
                Some(gap) if common_gap.is_none_or(|common| common == gap) => {
                    common_gap = Some(gap)
                }
                Some(gap) => {
                    let message = format!("gap {gap} differs from the gap of another core");
                    reader.report(GAP, json.offset, message);
                }
                None => {
                    let message = format!("{gap} is no gap: it must be positive");
                    reader.report(GAP, json.offset, message);
                }
            }
        }
        if let Some(gap) = common_gap {
            gaps.insert(&*entry.key, gap);
        }
    }
    Some(gaps)
}
