//! Constants: the names of the table, in the format of the tensors, and numbers (K5).

use super::super::super::reader::Reader;
use super::super::super::rules::{CONSTANT_NAMES, CONSTANT_NAN, CONSTANT_OF_REFERENCE};
use super::super::constants::{Code, Constants, MASK_VALUE};
use super::masks::NAN;
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
                format!(
                    "'{shown}' is the value of masked elements, but nothing is masked; leave it out"
                )
            }
            _ => format!(
                "'{shown}' is no constant of '{}', which has {}",
                facts.op,
                listed(row.constants.iter().copied())
            ),
        };
        reader.report(CONSTANT_NAMES, *offset, message);
    }
    let is_missing = |name: &&&str| {
        !constants
            .names
            .iter()
            .any(|constant_name| constant_name == **name)
    };
    for name in row.constants.iter().filter(is_missing) {
        let message = format!("constant '{name}' of '{}' is missing", facts.op);
        reader.report(CONSTANT_NAMES, constants.offset, message);
    }
    formats(reader, facts, constants);
    numbers(reader, facts, constants);
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

/// Checks that constants are numbers. The value that masked elements read as has a separate rule (K8).
fn numbers(reader: &mut Reader, facts: &Facts<'_, '_>, constants: &Constants) {
    let named = constants.names.iter().zip(&constants.codes);
    for (name, code) in named.filter(|(name, _)| *name != MASK_VALUE) {
        if let Some(Code { bits, offset, .. }) = code.filter(|code| is_nan(*code)) {
            let message = format!(
                "{bits} is the code of NaN, which spoils the result of '{}'; '{}' must be a number",
                facts.op,
                name.escape_default()
            );
            reader.report(CONSTANT_NAN, offset, message);
        }
    }
}

/// Returns whether a code is NaN. `IEEE_FP32` has infinities in addition, and `SEN169_FP16` has one code for both
/// (K1).
fn is_nan(code: Code) -> bool {
    match code.is_single {
        true => u32::try_from(code.bits).is_ok_and(|bits| f32::from_bits(bits).is_nan()),
        false => NAN.contains(&code.bits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_nan_are_those_of_the_format() {
        let code = |bits: u64, is_single| Code {
            bits,
            is_single,
            offset: 0,
        };
        let single = |number: f32| code(u64::from(number.to_bits()), true);
        for nan in [code(0x7fff, false), code(0xffff, false), single(f32::NAN)] {
            assert!(is_nan(nan), "{nan:?}");
        }
        let largest = [code(0x7ffe, false), code(0xfffe, false)];
        for number in [single(f32::INFINITY), single(0.5), code(0x7fff, true)]
            .iter()
            .chain(&largest)
        {
            assert!(!is_nan(*number), "{number:?}");
        }
    }
}
