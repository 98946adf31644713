//! Floats of every type, as `f64`.

use crate::dtype::DType;

/// Returns the widths of the exponent and of the fraction.
fn layout(dtype: DType) -> (u32, u32) {
    match dtype {
        DType::F16 => (5, 10),
        DType::Bf16 => (8, 7),
        DType::F32 => (8, 23),
        DType::F64 => (11, 52),
        other => panic!("{other} is no float"),
    }
}

/// Returns the value of an element, which is exact.
pub(super) fn decode(dtype: DType, element: u64) -> f64 {
    // The cast truncates bits that are 0.
    let single = |bits: u64| f64::from(f32::from_bits(bits as u32));
    match dtype {
        DType::F64 => f64::from_bits(element),
        DType::F32 => single(element),
        DType::Bf16 => single(element << 16),
        DType::F16 => half(element),
        other => panic!("{other} is no float"),
    }
}

fn half(element: u64) -> f64 {
    let sign = (element >> 15) << 63;
    let (exponent, fraction) = ((element >> 10) & 0x1F, element & 0x3FF);
    let magnitude = match exponent {
        // Subnormal: multiples of 2^-24.
        0 => return f64::from_bits((fraction as f64 / f64::from(1 << 24)).to_bits() | sign),
        0x1F => 0x7FF << 52,
        _ => (exponent + 1023 - 15) << 52,
    };
    f64::from_bits(sign | magnitude | (fraction << 42))
}

/// Returns the element next to a value, to even between two.
pub(super) fn encode(dtype: DType, value: f64) -> u64 {
    match dtype {
        DType::F64 => value.to_bits(),
        DType::F32 => (value as f32).to_bits().into(),
        _ => narrow(dtype, value),
    }
}

/// Rounds to a type of 16 bits.
fn narrow(dtype: DType, value: f64) -> u64 {
    let (exponents, fractions) = layout(dtype);
    let sign = (value.to_bits() >> 63) << (exponents + fractions);
    let infinity = ((1 << exponents) - 1) << fractions;
    if value.is_nan() {
        let payload = (value.to_bits() & ((1 << 52) - 1)) >> (52 - fractions);
        return sign | infinity | (1 << (fractions - 1)) | payload;
    }
    let magnitude = value.abs();
    // The exponent of the smallest normal value; below, the distance of neighbours is that above it.
    let least = 2 - (1_i32 << (exponents - 1));
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(least);
    if exponent > -least + 1 {
        return sign | infinity;
    }
    let neighbours = 2_f64.powi(exponent - fractions.cast_signed());
    // A power of two divides exactly. The sum carries into the exponent where the fraction is rounded up to 1.
    let fraction = (magnitude / neighbours).round_ties_even() as u64;
    let above = u64::from((exponent - least).cast_unsigned()) << fractions;
    sign | (above + fraction).min(infinity)
}

/// Returns the element next to an integer of at most 65 bits, to even between two.
pub(super) fn of_integer(dtype: DType, value: i128) -> u64 {
    match dtype {
        DType::F64 => (value as f64).to_bits(),
        DType::F32 => (value as f32).to_bits().into(),
        _ => {
            // 53 bits, with a sticky last bit: rounding them to fewer bits equals rounding the
            // integer.
            let magnitude = value.unsigned_abs();
            let surplus = (128 - magnitude.leading_zeros()).saturating_sub(53);
            let top = magnitude >> surplus;
            let is_exact = top << surplus == magnitude;
            let odd = if is_exact { top } else { top | 1 };
            let float = odd as f64 * 2_f64.powi(surplus.cast_signed());
            narrow(dtype, if value < 0 { -float } else { float })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ends, their middle and its neighbours: the cases of rounding.
    fn between(low: f64, high: f64) -> [f64; 5] {
        let middle = f64::midpoint(low, high);
        [low, middle.next_down(), middle, middle.next_up(), high]
    }

    #[test]
    fn all_halves_are_read_and_rounded_as_by_the_crate_half() {
        for bits in 0..=u16::MAX {
            let half = half::f16::from_bits(bits);
            let number = decode(DType::F16, bits.into());
            assert!(
                number == half.to_f64() || (number.is_nan() && half.is_nan()),
                "{bits:x}"
            );
            assert!(
                number.is_nan() || encode(DType::F16, number) == u64::from(bits),
                "{bits:x}"
            );
            let brain = half::bf16::from_bits(bits);
            let number = decode(DType::Bf16, bits.into());
            assert!(
                number == brain.to_f64() || (number.is_nan() && brain.is_nan()),
                "{bits:x}"
            );
            assert!(
                number.is_nan() || encode(DType::Bf16, number) == u64::from(bits),
                "{bits:x}"
            );
        }
    }

    #[test]
    fn ties_go_to_even() {
        for dtype in [DType::F16, DType::Bf16] {
            let infinity = encode(dtype, f64::INFINITY);
            for bits in 0..infinity - 1 {
                let values = between(decode(dtype, bits), decode(dtype, bits + 1));
                let even = bits + (bits & 1);
                let expected = [bits, bits, even, bits + 1, bits + 1];
                assert_eq!(
                    values.map(|value| encode(dtype, value)),
                    expected,
                    "{bits:x}"
                );
            }
        }
    }

    #[test]
    fn singles_are_rounded_as_by_the_crate_half() {
        // A sample of all floats, and the neighbours of ties.
        for step in 0..1_u32 << 20 {
            let single = f32::from_bits(step.wrapping_mul(4099).rotate_left(7));
            if single.is_nan() {
                continue; // A NaN equals no value.
            }
            let number = encode(DType::F16, single.into());
            assert_eq!(
                number,
                u64::from(half::f16::from_f32(single).to_bits()),
                "{single:e}"
            );
            let number = encode(DType::Bf16, single.into());
            assert_eq!(
                number,
                u64::from(half::bf16::from_f32(single).to_bits()),
                "{single:e}"
            );
        }
    }

    #[test]
    fn integers_are_rounded_once() {
        // Between 2^60 and its neighbour in 8 bits, and one above: 53 bits alone would take it for the middle.
        let middle = (1_i128 << 60) + (1 << 52);
        let low = encode(DType::Bf16, (1_u64 << 60) as f64);
        assert_eq!(of_integer(DType::Bf16, middle), low);
        assert_eq!(of_integer(DType::Bf16, middle + 1), low + 1);
        assert_eq!(of_integer(DType::F16, 65519), encode(DType::F16, 65504.0));
        assert_eq!(
            of_integer(DType::F16, -65520),
            encode(DType::F16, f64::NEG_INFINITY)
        );
    }
}
