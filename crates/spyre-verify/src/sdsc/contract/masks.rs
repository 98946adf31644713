//! Masks: their places, and the values that masked elements read as (K7 to K11).

use spyre_ops::contract::Category;

use super::super::super::reader::Reader;
use super::super::super::rules::{MASK_DIVIDED, MASK_NAN, MASK_NUMBER, MASK_PLACE, MASK_WIDTH};
use super::super::constants::{Code, MASK_VALUE};
use super::super::sizes::{Extent, Mask};
use super::Facts;

/// The two codes of `SEN169_FP16` that are NaN or infinity (K1).
pub(super) const NAN: [u64; 2] = [0x7fff, 0xffff];

/// Widest element that is masked, in bytes (K10).
const WIDEST: u64 = 2;

/// A number that masked elements read as, and its codes in `SEN169_FP16`.
struct Number {
    text: &'static str,
    /// The code to the nearest number, and the one where digits are cut off.
    codes: [u64; 2],
}

/// Returns the number that masked elements of an operation read as (K7); `None` for a product, for which 0 is wrong and no source
/// gives another number.
fn number(op: &str) -> Option<Number> {
    let (text, codes) = match op.strip_suffix("nonstick").unwrap_or(op) {
        "max" => ("-65504", [0xde00, 0xddff]),
        "min" => ("65504", [0x5e00, 0x5dff]),
        "exp" => ("-10000", [0xd871, 0xd871]),
        "prod" => return None,
        _ => ("0", [0, 0]),
    };
    Some(Number { text, codes })
}

/// Checks the masks and their constant.
pub(super) fn check(reader: &mut Reader, facts: &Facts<'_, '_>) {
    let Some(first) = facts.masks.first() else {
        return;
    };
    match facts
        .constants
        .and_then(|constants| constants.code(MASK_VALUE))
    {
        Some(code) if !code.is_single => value(reader, facts, code),
        // Wider elements are not masked at all.
        _ => {}
    }
    for mask in facts.masks {
        let mut extents = facts.plan.extents.iter();
        if let Some(extent) = extents.find(|extent| extent.index == mask.dim) {
            dimension(reader, facts, mask, extent);
        }
    }
    let wide = facts.data().into_iter().find_map(|tensor| {
        let bytes = tensor.sticks?.bytes.get();
        (bytes > WIDEST).then_some((tensor, bytes * 8))
    });
    if let Some((tensor, bits)) = wide {
        let message = format!(
            "tensor {} has elements of {bits} bits, and only those of up to 16 are masked; give it whole sticks of data, reduce \
             off the stick, or compute in SEN169_FP16",
            tensor.number
        );
        reader.report(MASK_WIDTH, first.offset, message);
    }
}

/// Checks the code that masked elements read as.
fn value(reader: &mut Reader, facts: &Facts<'_, '_>, code: Code) {
    let Code { bits, offset, .. } = code;
    let number = number(facts.op);
    let expected = match &number {
        Some(Number { text, codes }) => {
            format!("'{}' takes {}, the code of {text}", facts.op, codes[0])
        }
        None => format!(
            "no source has a number for '{}'; leave the mask out",
            facts.op
        ),
    };
    if NAN.contains(&bits) {
        let message = format!("{bits} is the code of NaN, which spoils the result; {expected}");
        reader.report(MASK_NAN, offset, message);
    } else if number.is_none_or(|number| !number.codes.contains(&bits)) {
        let message = format!("masked elements read as {bits}, but {expected}");
        reader.report(MASK_NUMBER, offset, message);
    }
}

/// Checks the place of a mask, and that one core has all of the dimension.
fn dimension(reader: &mut Reader, facts: &Facts<'_, '_>, mask: &Mask, extent: &Extent<'_>) {
    let dim = extent.dim;
    if let Some((_, output)) = facts.sides() {
        let is_on_stick = output.layout.stick.contains(&dim);
        let scale = output.scale(dim);
        let is_place = match facts.op {
            "exp" => is_on_stick && scale > 0,
            _ => facts.is(Category::Reduction) && is_on_stick && scale == -2,
        };
        if !is_place {
            let message = format!(
                "masks '{dim}' of '{}'; a mask must be on the reduced stick of a reduction (scale -2), or on the stick of \
                 the result of 'exp'",
                facts.op
            );
            reader.report(MASK_PLACE, mask.offset, message);
        }
    }
    if extent.splits > 1 {
        let message = format!(
            "'{dim}' is masked, and divided among {} cores; do not divide it",
            extent.splits
        );
        reader.report(MASK_DIVIDED, mask.offset, message);
    }
}
