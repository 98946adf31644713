//! Replaces infinities in constants by the largest numbers of the card.
//!
//! The 16-bit floats of the card have one code for infinity and NaN, and it behaves as NaN (contract, K1): a maximum
//! that starts from it stays NaN. Accumulators of maxima and minima start from infinities, and masks of front ends
//! contain them. So the constants in files of operations have finite numbers (K5, K7, K8), as have the constants that
//! the launcher copies.

use std::borrow::Cow;

use crate::{DType, TensorType};

/// The bits of an infinity without its sign, and the bits of its replacement.
struct Ends {
    infinity: u16,
    largest: u16,
}

/// The bits for `f16`: the replacement is 65504, the mask of a minimum (K7).
const F16: Ends = Ends {
    infinity: 0x7C00,
    largest: 0x7BFF,
};

/// The bits for `bf16`: the replacement is `2^33 - 2^25`, the largest number that the card has as well (K1). 65504
/// would be inside of the range.
const BF16: Ends = Ends {
    infinity: 0x7F80,
    largest: 0x4FFF,
};

/// The bit of the sign.
const SIGN: u16 = 0x8000;

/// Returns the elements of a constant as the launcher copies them to the card: an infinity of a 16-bit float, and a
/// number out of the card's range, becomes the largest number that both the type and the card have, with its sign.
/// Elements of other types do not change.
pub(crate) fn without_infinities<'b>(ty: &TensorType, bytes: Cow<'b, [u8]>) -> Cow<'b, [u8]> {
    let ends = match ty.element {
        DType::F16 => F16,
        DType::Bf16 => BF16,
        _ => return bytes,
    };
    let is_beyond = |bits: u16| (ends.largest + 1..=ends.infinity).contains(&(bits & !SIGN));
    let elements = bytes.as_chunks::<2>().0.iter();
    if !elements
        .clone()
        .any(|element| is_beyond(u16::from_ne_bytes(*element)))
    {
        return bytes;
    }
    let finite = elements.flat_map(|element| {
        let bits = u16::from_ne_bytes(*element);
        let bits = match is_beyond(bits) {
            true => bits & SIGN | ends.largest,
            false => bits,
        };
        bits.to_ne_bytes()
    });
    Cow::Owned(finite.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Array, Scalar};

    fn finite(element: DType, values: &[f32]) -> Vec<f64> {
        let array = Array::from_f32s(element, &[values.len()], values).expect("elements");
        let bytes = without_infinities(array.ty(), Cow::Borrowed(array.bytes()));
        let array = Array::new(element, &[values.len()], bytes.into_owned());
        let array = array.expect("as many elements");
        array.elements().map(Scalar::to_f64).collect()
    }

    #[test]
    fn infinities_of_16_bits_are_the_largest_numbers() {
        let values = [f32::NEG_INFINITY, 1.5, f32::INFINITY, -0.0];
        assert_eq!(finite(DType::F16, &values), [-65504.0, 1.5, 65504.0, 0.0]);
        let most = 2_f64.powi(33) - 2_f64.powi(25);
        assert_eq!(finite(DType::Bf16, &values), [-most, 1.5, most, 0.0]);
        // The lowest number of bf16, which front ends write for a mask.
        assert_eq!(finite(DType::Bf16, &[f32::MIN, 65536.0]), [-most, 65536.0]);
        let single = finite(DType::F32, &values);
        assert_eq!(single[0], f64::NEG_INFINITY);
    }

    #[test]
    fn nan_stays_and_numbers_are_not_copied() {
        assert!(finite(DType::F16, &[f32::NAN])[0].is_nan());
        let array = Array::from_f32s(DType::F16, &[1], &[2.0]).expect("an element");
        let same = without_infinities(array.ty(), Cow::Borrowed(array.bytes()));
        assert!(matches!(same, Cow::Borrowed(_)));
    }
}
