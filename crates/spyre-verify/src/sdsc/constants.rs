//! `constantInfo_`: numbers that the operation needs.

use rustc_hash::FxHashSet;

use spyre_bundle_files::json::{Json, Value};

use super::super::reader::{Fixed, Reader};
use super::super::rules::{CONSTANTS, FORMAT};
use super::format::{self, Named};
use super::root::core_folds;

/// The constant that takes the place of masked elements.
pub(super) const MASK_VALUE: &str = "samv-maskvalue";

/// The constants of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Constants {
    /// Their names, by their numbers.
    pub names: Vec<String>,
    /// Their codes, where they are in order.
    pub codes: Vec<Option<Code>>,
}

/// An encoded constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Code {
    /// The bits.
    pub bits: u64,
    /// Whether the bits are those of an `IEEE_FP32` number; all others are DL16 (section 7.4).
    pub is_single: bool,
    /// The place of the code, in bytes from the beginning of the text.
    pub offset: usize,
}

/// Reads the constants: the string `{}` if there are none, an object otherwise. `None` if they are broken.
pub(super) fn read(reader: &mut Reader, json: &Json<'_>, cores: usize) -> Option<Constants> {
    if let Value::String(text) = &json.value {
        if text != "{}" {
            let message = format!("the string '{}' must be '{{}}'", text.escape_default());
            reader.report(CONSTANTS, json.offset, message);
            return None;
        }
        return Some(Constants {
            names: Vec::new(),
            codes: Vec::new(),
        });
    }
    let (mut names, mut codes) = (Vec::new(), Vec::new());
    let mut seen = FxHashSet::default();
    for (number, entry) in reader.entries(json)?.iter().enumerate() {
        if entry.key != number.to_string() {
            let message = format!(
                "constant '{}' is number {number}",
                entry.key.escape_default()
            );
            reader.report(CONSTANTS, entry.offset, message);
        }
        let (name, offset, code) = constant(reader, &entry.value, cores)?;
        if !seen.insert(name) {
            let message = format!("another constant is '{}'", name.escape_default());
            reader.report(CONSTANTS, offset, message);
        }
        names.push(name.to_owned());
        codes.push(code);
    }
    if names.is_empty() {
        let message = "without constants, this is the string '{}'";
        reader.report(CONSTANTS, json.offset, message);
    }
    Some(Constants { names, codes })
}

/// Reads a constant: its name, the place of the name in bytes, and its code.
fn constant<'j>(
    reader: &mut Reader,
    json: &'j Json<'_>,
    cores: usize,
) -> Option<(&'j str, usize, Option<Code>)> {
    let mut fields = reader.fields(json)?;
    let format_json = fields.required(reader, "dataFormat_");
    let name = fields.required(reader, "name_");
    let data = fields.required(reader, "data_");
    fields.finish(reader);
    let largest = format_json.and_then(|json| {
        let name = reader.text(json)?;
        if format::named(name) == Named::Unknown {
            let message = format!("'{}' is no format", name.escape_default());
            reader.report(FORMAT, json.offset, message);
            return None;
        }
        // All formats but one are encoded as DL16 (section 7.4).
        Some(if name == "IEEE_FP32" {
            u64::from(u32::MAX)
        } else {
            u64::from(u16::MAX)
        })
    });
    let code = data.and_then(|json| value(reader, json, cores, largest));
    let json = name?;
    Some((reader.text(json)?, json.offset, code))
}

/// Reads the encoded value, which is the same on all cores.
fn value(reader: &mut Reader, json: &Json<'_>, cores: usize, largest: Option<u64>) -> Option<Code> {
    let mut fields = reader.fields(json)?;
    if let Some(json) = fields.required(reader, "dim_prop_func") {
        let constant = || Fixed::Object(&[("Const", Fixed::Object(&[]))]);
        let map = Fixed::Object(&[("Map", Fixed::Object(&[]))]);
        reader.fixed(json, &Fixed::Array(&[constant(), constant(), map]));
    }
    let attributes = fields.required(reader, "dim_prop_attr");
    let data = fields.required(reader, "data_");
    fields.finish(reader);
    if let Some(json) = attributes {
        core_folds(reader, json, cores, CONSTANTS);
    }
    let mut fields = reader.fields(data?)?;
    let encoded = fields.required(reader, "[0, 0, 0]");
    fields.finish(reader);
    let json = encoded?;
    let values = reader.ints(json)?;
    let [(value, offset)] = values.as_slice() else {
        let message = format!("{} values, but must be one", values.len());
        reader.report(CONSTANTS, json.offset, message);
        return None;
    };
    let largest = largest?;
    let Some(bits) = u64::try_from(*value).ok().filter(|bits| *bits <= largest) else {
        let message = format!("{value} is no encoding of the format: 0 to {largest}");
        reader.report(CONSTANTS, *offset, message);
        return None;
    };
    Some(Code {
        bits,
        is_single: largest == u64::from(u32::MAX),
        offset: *offset,
    })
}
