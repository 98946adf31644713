//! The number that takes the place of masked elements in recordings: it changes no result (SDSC bundle specification, section 4.6).
//! The contract has other numbers (K7).

use super::super::reader::Reader;
use super::super::rules::MASK_VALUE;
use super::constants::{Code, Constants, MASK_VALUE as NAME};

/// A number with its codes as DL16 and as a `float` (SDSC bundle specification, section 7.4).
struct Neutral {
    text: &'static str,
    dl16: u64,
    single: u64,
    /// The code of the published number (contract, K7), which a bundle with addresses as numbers may have.
    published: u64,
}

const LEAST: Neutral = Neutral {
    text: "-inf",
    dl16: 0xffff,
    single: 0xff80_0000,
    published: 0xde00,
};
const MOST: Neutral = Neutral {
    text: "+inf",
    dl16: 0x7fff,
    single: 0x7f80_0000,
    published: 0x5e00,
};
const ZERO: Neutral = Neutral {
    text: "0",
    dl16: 0,
    single: 0,
    published: 0,
};
const ONE: Neutral = Neutral {
    text: "1",
    dl16: 0x3e00,
    single: 0x3f80_0000,
    published: 0x3e00,
};

/// Returns the number that changes no result of an operation; `None` if the operation does not determine one.
fn neutral(op: &str) -> Option<&'static Neutral> {
    Some(match op.strip_suffix("nonstick").unwrap_or(op) {
        "max" | "exp" => &LEAST,
        "min" => &MOST,
        "sum" | "mean" | "absmax" => &ZERO,
        "prod" => &ONE,
        _ => return None,
    })
}

/// Checks the mask constant of an operation that masks elements.
pub(super) fn check(reader: &mut Reader, op: &str, constants: &Constants) {
    let (Some(code), Some(neutral)) = (constants.code(NAME), neutral(op)) else {
        return;
    };
    let Code {
        bits,
        is_single,
        offset,
    } = code;
    let expected = if is_single {
        neutral.single
    } else {
        neutral.dl16
    };
    if bits != expected && (is_single || bits != neutral.published) {
        let message = format!(
            "{bits} is the value of masked elements of '{op}', but only {expected}, the code of {}, changes no result",
            neutral.text
        );
        reader.report(MASK_VALUE, offset, message);
    }
}
