//! `constantInfo_`: numbers that the operation needs.

use rustc_hash::FxHashSet;

use spyre_bundle_files::json::{Json, Value};

use super::super::reader::{Fixed, Reader};
use super::super::rules::{CONSTANT_DATA, CONSTANTS, FORMAT};
use super::format;
use super::root::core_folds;

/// The constant that takes the place of masked elements.
pub(super) const MASK_VALUE: &str = "samv-maskvalue";

/// The constants of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Constants {
    /// The name of each constant, by its number.
    pub names: Vec<String>,
    /// The code of each constant; `None` if the file has an error in it.
    pub codes: Vec<Option<Code>>,
    /// The format of each constant; `None` if it is not known.
    pub formats: Vec<Option<String>>,
    /// The places of their names, in bytes from the beginning of the text.
    pub offsets: Vec<usize>,
    /// The place of the constants, in bytes from the beginning of the text.
    pub offset: usize,
}

/// An encoded constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Code {
    /// The bits.
    pub bits: u64,
    /// Whether the bits encode an `IEEE_FP32` number; all others are DL16 (section 7.4).
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
        return Some(Constants::none(json.offset));
    }
    let mut constants = Constants::none(json.offset);
    let mut seen = FxHashSet::default();
    for (number, entry) in reader.entries(json)?.iter().enumerate() {
        if entry.key != number.to_string() {
            let message = format!(
                "constant '{}' is number {number}",
                entry.key.escape_default()
            );
            reader.report(CONSTANTS, entry.offset, message);
        }
        let (name, offset, code, format) = constant(reader, &entry.value, cores)?;
        if !seen.insert(name) {
            let message = format!("another constant is '{}'", name.escape_default());
            reader.report(CONSTANTS, offset, message);
        }
        constants.names.push(name.to_owned());
        constants.codes.push(code);
        constants.formats.push(format.map(str::to_owned));
        constants.offsets.push(offset);
    }
    if constants.names.is_empty() {
        let message = "without constants, this is the string '{}'";
        reader.report(CONSTANTS, json.offset, message);
    }
    Some(constants)
}

impl Constants {
    const fn none(offset: usize) -> Self {
        Self {
            names: Vec::new(),
            codes: Vec::new(),
            formats: Vec::new(),
            offsets: Vec::new(),
            offset,
        }
    }

    /// Returns the code of a constant; `None` if there is no such constant, or no code of it.
    pub(super) fn code(&self, name: &str) -> Option<Code> {
        let named = self.names.iter().zip(&self.codes);
        named
            .filter(|(constant_name, _)| *constant_name == name)
            .find_map(|(_, code)| *code)
    }
}

/// A constant: its name, the place of the name in bytes, its code, and its format.
type Named<'j> = (&'j str, usize, Option<Code>, Option<&'j str>);

/// Reads a constant.
fn constant<'j>(reader: &mut Reader, json: &'j Json<'_>, cores: usize) -> Option<Named<'j>> {
    let mut fields = reader.fields(json)?;
    let format_json = fields.required(reader, "dataFormat_");
    let name = fields.required(reader, "name_");
    let data = fields.required(reader, "data_");
    fields.finish(reader);
    let largest = format_json.and_then(|json| {
        let name = reader.text(json)?;
        if format::named(name) == format::Named::Unknown {
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
    let format = match format_json.map(|json| &json.value) {
        Some(Value::String(name)) => Some(&**name),
        _ => None,
    };
    let json = name?;
    Some((reader.text(json)?, json.offset, code, format))
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
    fields.finish_by(CONSTANT_DATA, reader);
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
