//! The numbers of an operation that are no elements: its constants (contract, K5), and the positions that a reduction
//! does not count (K7, K9).
//!
//! The constants of an operation are attributes of the program, or follow from the extents that it reduces. A file has
//! them as codes, and a code is right if no number of its format is nearer. `spyre-translate verify` checks the number
//! that masked elements read as: it depends on the function alone.

use spyre_layout::Dl16;

use super::compare::{Comparison, verdict_of};
use super::json::{Constants, Dsc};
use super::matching::Matching;
use super::operation::{Fault, wrong};
use crate::claim::{By, Verdict};
use crate::program::{Extent, Statement};

/// The constant that masked elements read as.
const MASK: &str = "samv-maskvalue";
/// The format whose codes are those of 32-bit floats.
const SINGLE: &str = "IEEE_FP32";
/// The code of no number.
const NO_NUMBER: u16 = 0x7fff;
/// The bit of the sign.
const SIGN: u16 = 0x8000;

/// A constant of a file.
#[derive(Clone, Debug)]
pub(super) struct Constant {
    /// The name of the file's format.
    format: String,
    name: String,
    code: u64,
}

/// Returns the constants of a file, by their numbers.
///
/// # Errors
/// A constant has no code, or is none of text.
pub(super) fn constants(dsc: &Dsc) -> Result<Vec<Constant>, Fault> {
    let entries = match &dsc.constants {
        Constants::Object(entries) => &entries.0[..],
        Constants::Text(text) if text == "{}" => &[],
        Constants::Text(text) => {
            return wrong("constantInfo_", format!("it is '{text}', not '{{}}'"));
        }
    };
    let constant = |(number, entry): &(String, super::json::Constant)| {
        let Some((_, [code])) = entry.data.data.only().map(|(key, codes)| (key, &codes[..])) else {
            return wrong(
                format!("constantInfo_/{number}/data_"),
                "it is not one code",
            );
        };
        Ok(Constant {
            format: entry.format.clone(),
            name: entry.name.clone(),
            code: *code,
        })
    };
    entries.iter().map(constant).collect()
}

impl Comparison<'_> {
    /// Compares the constants of the file with those of the operation, and its masks with the extents.
    pub(super) fn numbers(&self, matching: &Matching) -> Verdict {
        let checked = self.constants().and_then(|()| self.masks(matching));
        checked.map_or_else(verdict_of, |()| Verdict::Proved(By::Form))
    }

    fn constants(&self) -> Result<(), Fault> {
        let expected = constants_of(self.statement)?;
        let of_file = &self.operation.constants;
        for (number, constant) in of_file.iter().enumerate() {
            let Constant { format, name, code } = constant;
            let key = format!("constantInfo_/{number}/name_");
            if of_file[..number].iter().any(|other| other.name == *name) {
                return wrong(key, format!("'{name}' occurs twice"));
            }
            if name == MASK {
                continue; // Its number depends on the function alone.
            }
            let Some((_, value)) = expected.iter().find(|(of, _)| of == name) else {
                let operation = &self.statement.key.name;
                return wrong(
                    key,
                    format!("'{operation}' has no constant '{name}' in the program"),
                );
            };
            let format_of_tensor = &self.operation.format;
            if format != format_of_tensor {
                let message = format!(
                    "'{name}' is {format}, and the operation computes in {format_of_tensor}"
                );
                return wrong(format!("constantInfo_/{number}/dataFormat_"), message);
            }
            if !is_nearest(*code, format, *value) {
                let message = format!(
                    "'{name}' has code {code}, which is {}, and {value} in the program",
                    number_of(*code, format)
                );
                return wrong(format!("constantInfo_/{number}/data_"), message);
            }
        }
        let mut names = expected.iter();
        match names.find(|(name, _)| of_file.iter().all(|constant| constant.name != *name)) {
            Some((name, value)) => wrong(
                "constantInfo_",
                format!("there is no '{name}', which is {value} in the program"),
            ),
            None => Ok(()),
        }
    }

    /// Checks that a sum along sticks does not count the positions after the extent of the program, and no others.
    fn masks(&self, matching: &Matching) -> Result<(), Fault> {
        let statement = self.statement;
        for (dim, of) in self.operation.dims.iter().zip(matching) {
            let key = || format!("coordinateMasking_/{}", dim.name);
            let masked = self.operation.masks.get(&dim.name);
            let extent = of.map_or(1, |of| self.program.largest(statement.space[of]));
            let padding = [extent, dim.extent - extent];
            match masked.map(Vec::as_slice) {
                Some([of_file]) if of_file[..] == padding => {}
                Some(of_file) => {
                    let message = format!(
                        "{of_file:?} is masked, and the positions that are none of the operation are [{}, {}]",
                        padding[0], padding[1]
                    );
                    return wrong(key(), message);
                }
                None if of.is_some_and(|of| self.counts(of, dim.extent)) => {
                    let message = format!(
                        "'{}' counts positions {extent} to {}, of which the program has {extent}",
                        statement.key.name,
                        dim.extent - 1
                    );
                    return wrong(key(), message);
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Returns whether an operation combines the elements after the extent of a dimension with the others. Products do
    /// not: the rows of the right operand are zero there (K17 to K19).
    fn counts(&self, dim: usize, extent: i64) -> bool {
        let statement = self.statement;
        let is_reduced = dim >= statement.kept();
        let has_factors = statement.operands.len() > 1;
        is_reduced && !has_factors && extent > self.program.largest(statement.space[dim])
    }
}

/// Returns the constants of an operation of the program, by their names in files.
fn constants_of(statement: &Statement) -> Result<Vec<(&'static str, f64)>, Fault> {
    let attribute = |name: &'static str, attribute: &str| {
        let mut texts = statement.key.attributes.iter();
        let text = texts.find_map(|text| text.strip_prefix(attribute)?.strip_prefix(" = "));
        let value = text.and_then(float);
        let missing = || Fault::Unmodelled(format!("'{attribute}' of '{}'", statement.key.name));
        Ok((name, value.ok_or_else(missing)?))
    };
    let reduced = &statement.space[statement.kept()..];
    let scale = |name: &'static str| {
        let extents = reduced.iter().map(|extent| match extent {
            Extent::Fixed(extent) => Some(*extent),
            Extent::Dynamic(_) => None,
        });
        let count: Option<i64> = extents.product();
        #[expect(
            clippy::cast_precision_loss,
            reason = "numbers of elements are below 2^53"
        )]
        let scale = count.map(|count| (name, 1.0 / count as f64));
        scale.into_iter().collect::<Vec<_>>()
    };
    Ok(match &statement.key.name[..] {
        "clip" => vec![attribute("clipMin", "min")?, attribute("clipMax", "max")?],
        "softplus" => vec![
            attribute("softplusBeta", "beta")?,
            attribute("softplusThresh", "threshold")?,
        ],
        "layernormscale" => vec![attribute("eps", "eps")?],
        "quantscalepertokenfp8" => vec![
            attribute("clipMin", "min")?,
            attribute("clipMax", "max")?,
            attribute("mulConst", "factor")?,
        ],
        "mean" => scale("scaling_factor"),
        "exx2" => scale("exx2scale"),
        "avgpoolfwd" => scale("nmap"),
        _ => Vec::new(),
    })
}

/// Reads the text of a float attribute: `1.000000e-05 : f64`, or the bits of it, `0xFFF0000000000000 : f64`.
fn float(text: &str) -> Option<f64> {
    let number = text.split(" : ").next()?.trim();
    match number.strip_prefix("0x") {
        Some(bits) => u64::from_str_radix(bits, 16).ok().map(f64::from_bits),
        None => number.parse().ok(),
    }
}

/// Returns the number of a code as text.
fn number_of(code: u64, format: &str) -> String {
    let number = match format {
        SINGLE => u32::try_from(code)
            .ok()
            .map(|bits| f64::from(f32::from_bits(bits))),
        _ => u16::try_from(code)
            .ok()
            .map(|bits| Dl16::from_bits(bits).to_f64()),
    };
    number.map_or_else(|| "no number".to_owned(), |number| number.to_string())
}

/// Returns whether no number of a format is nearer to a value than that of a code. A number beyond the largest one is
/// the largest, and one that is not zero stays so (K1, K5).
fn is_nearest(code: u64, format: &str, value: f64) -> bool {
    if format == SINGLE {
        #[expect(clippy::cast_possible_truncation, reason = "the format has 32 bits")]
        let bits = (value as f32).to_bits();
        return code == u64::from(bits);
    }
    let Ok(code) = u16::try_from(code) else {
        return false;
    };
    let magnitude = code & !SIGN;
    let of = |magnitude: u16| Dl16::from_bits(magnitude).to_f64();
    if magnitude == NO_NUMBER || value.is_nan() {
        return false;
    }
    if magnitude == 0 || value == 0.0 {
        return magnitude == 0 && value == 0.0;
    }
    let least = match magnitude {
        1 => 0.0,
        _ => f64::midpoint(of(magnitude - 1), of(magnitude)),
    };
    let greatest = match magnitude + 1 {
        NO_NUMBER => f64::INFINITY,
        next => f64::midpoint(of(magnitude), of(next)),
    };
    (code & SIGN != 0) == value.is_sign_negative() && (least..=greatest).contains(&value.abs())
}

#[cfg(test)]
mod tests {
    use super::{float, is_nearest};

    #[test]
    fn codes_are_nearest_numbers() {
        let nearest = |value| {
            let codes = 0..=0xffff;
            codes
                .filter(move |code| is_nearest(*code, "SEN169_FP16", value))
                .collect::<Vec<_>>()
        };
        // The samples of the specification.
        assert_eq!(nearest(2.0_f64.powi(-8)), [11776]);
        assert_eq!(nearest(1e-5), [7327]);
        assert_eq!(nearest(1.0 / 2880.0), [9944]);
        assert_eq!(nearest(0.0), [0, 0x8000]);
        assert_eq!(nearest(1e-12), [1]);
        assert_eq!(nearest(-1e300), [0xfffe]);
        assert_eq!(nearest(f64::INFINITY), [0x7ffe]);
        // Halfway between two numbers.
        assert_eq!(nearest(65504.0), [0x5dff, 0x5e00]);
        assert!(nearest(f64::NAN).is_empty());
        assert!(is_nearest(0x3f80_0000, "IEEE_FP32", 1.0));
        assert!(!is_nearest(0x3f80_0001, "IEEE_FP32", 1.0));
    }

    #[test]
    fn attributes_are_numbers_or_bits() {
        assert_eq!(float("1.000000e-05 : f64"), Some(1e-5));
        assert_eq!(float("0xFFF0000000000000 : f64"), Some(f64::NEG_INFINITY));
        assert_eq!(float("-6.000000e+00 : f64"), Some(-6.0));
        assert_eq!(float("dense<1>"), None);
    }
}
