//! Constants: the names of the table, in the format of the tensors (K5).

use super::super::super::reader::Reader;
use super::super::super::rules::{CONSTANT_NAMES, CONSTANT_OF_REFERENCE};
use super::super::constants::{Constants, MASK_VALUE};
use super::{Facts, listed};

/// A constant that the reference compiler writes with `exx2`, and that the table lacks.
const USE_ZERO_MEAN: &str = "useZeroMean";

/// Checks the names and the formats of the constants.
pub(super) fn check(reader: &mut Reader, facts: &Facts<'_, '_>) {
    let (Some(constants), Some(row)) = (facts.constants, facts.row) else {
        return;
    };
    for (name, offset) in constants.names.iter().zip(&constants.offsets) {
        if row.constants.contains(&name.as_str()) || name == MASK_VALUE && !facts.masks.is_empty() {
            continue;
        }
        let shown = name.escape_default();
        if facts.op == "exx2" && name == USE_ZERO_MEAN {
            let message = format!(
                "'{shown}' is no constant of 'exx2' in the table; the reference compiler writes it"
            );
            reader.report(CONSTANT_OF_REFERENCE, *offset, message);
            continue;
        }
        let message = match name.as_str() {
            MASK_VALUE => {
                format!("'{shown}' stands for masked elements, but nothing is masked; leave it out")
            }
            _ => format!(
                "'{shown}' is no constant of '{}', which has {}",
                facts.op,
                listed(row.constants.iter().copied())
            ),
        };
        reader.report(CONSTANT_NAMES, *offset, message);
    }
    let is_missing = |name: &&&str| !constants.names.iter().any(|own| own == **name);
    for name in row.constants.iter().filter(is_missing) {
        let message = format!("constant '{name}' of '{}' is missing", facts.op);
        reader.report(CONSTANT_NAMES, constants.offset, message);
    }
    formats(reader, facts, constants);
}

/// Checks that constants have the format of the first data tensor, which they are applied to.
fn formats(reader: &mut Reader, facts: &Facts<'_, '_>, constants: &Constants) {
    let data = facts.data();
    let Some(tensor) = data.first() else {
        return;
    };
    let named = constants.names.iter().zip(&constants.offsets);
    for ((name, offset), format) in named.zip(&constants.formats) {
        if let Some(format) = format.as_deref().filter(|format| *format != tensor.format) {
            let message = format!(
                "'{}' is {}, but tensor {}, which it is applied to, is {}; encode it in that format",
                name.escape_default(),
                format.escape_default(),
                tensor.number,
                tensor.format
            );
            reader.report(CONSTANT_NAMES, *offset, message);
        }
    }
}
