//! The encoding of constants.

use spyre_layout::{DeviceFormat, Dl16};

/// Encodes an operation constant as the backend reads it (SDSC bundle specification, section 7.4): the bit
/// pattern of a `float` for [`DeviceFormat::IeeeFp32`], of a DL16 number for every other format.
///
/// A value that is zero in DL16 has code 0, whatever its sign. One beyond the largest number of DL16, infinity included, has the
/// code of all ones, which is NaN on the card (contract, K1): [`encode_number`] avoids it.
pub fn encode_constant(value: f64, format: DeviceFormat) -> u32 {
    match format {
        DeviceFormat::IeeeFp32 => (value as f32).to_bits(),
        _ => match Dl16::from_f64(value) {
            zero if zero.is_zero() => 0,
            code => u32::from(code.to_bits()),
        },
    }
}

/// Encodes an operation constant as a number of the card that keeps its value (contract, K1, K5): as
/// [`encode_constant`] does, but
///
/// * one beyond the largest number of DL16, infinity included, has the code of that number, as a missing bound of a `clip` has it;
/// * one that is not zero has the code of the smallest number where it would be zero, so that a divisor or the eps of a norm stays
///   one;
/// * one that `f16` has is not rounded beyond the largest of `f16`, 65504: the bound of a `clip` to that number would be infinity on
///   the host.
pub fn encode_number(value: f64, format: DeviceFormat) -> u32 {
    if format == DeviceFormat::IeeeFp32 {
        return encode_constant(value, format);
    }
    let most = Dl16::MAX.to_f64();
    let code = encode_constant(value.clamp(-most, most), format);
    if code == 0 && value != 0.0 {
        return if value < 0.0 { SIGN | 1 } else { 1 };
    }
    let largest = match value.abs() <= LARGEST_F16 {
        true => BELOW_LARGEST_F16,
        false => !SIGN,
    };
    code & SIGN | (code & !SIGN).min(largest)
}

/// The bit of the sign in a code of DL16.
const SIGN: u32 = 1 << 15;

/// The largest number of `f16`, which DL16 does not have.
const LARGEST_F16: f64 = 65504.0;

/// The code of the number of DL16 below it, 65472.
const BELOW_LARGEST_F16: u32 = 0x5DFF;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dl16_samples() {
        // The four samples of the specification.
        let dl16 = |value| encode_constant(value, DeviceFormat::Sen169Fp16);
        assert_eq!(dl16(0.0), 0);
        assert_eq!(dl16(2.0_f64.powi(-8)), 11776);
        assert_eq!(dl16(1e-5), 7327);
        assert_eq!(dl16(1.0 / 2880.0), 9944);
        // Computed by hand: 1.0 is exponent 31, mantissa 0; -1.5 has the top mantissa bit and the sign.
        assert_eq!(dl16(1.0), 31 << 9);
        assert_eq!(dl16(-1.5), 0x8000 | (31 << 9) | 0x100);
        assert_eq!(dl16(f64::INFINITY), 0x7FFF);
        assert_eq!(dl16(f64::NEG_INFINITY), 0xFFFF);
        assert_eq!(dl16(1e300), 0x7FFF);
        assert_eq!(dl16(1e-300), 0);
        assert_eq!(dl16(-1e-300), 0);
        assert_eq!(dl16(-0.0), 0);
    }

    #[test]
    fn numbers_are_none_of_the_codes_of_nan() {
        let dl16 = |value| encode_number(value, DeviceFormat::Sen169Fp16);
        assert_eq!(dl16(f64::INFINITY), 0x7FFE);
        assert_eq!(dl16(f64::NEG_INFINITY), 0xFFFE);
        assert_eq!(dl16(1e300), 0x7FFE);
        assert_eq!(dl16(-1.5), encode_constant(-1.5, DeviceFormat::Sen169Fp16));
        assert_eq!(
            (dl16(1e-12), dl16(-1e-12), dl16(0.0), dl16(-0.0)),
            (1, 0x8001, 0, 0)
        );
        assert_eq!((dl16(65504.0), dl16(-65504.0)), (0x5DFF, 0xDDFF));
        assert_eq!(dl16(65536.0), 0x5E00);
        let infinite = encode_number(f64::INFINITY, DeviceFormat::IeeeFp32);
        assert_eq!(infinite, f32::INFINITY.to_bits());
    }

    #[test]
    fn fp32_is_the_float_pattern() {
        assert_eq!(encode_constant(1.0, DeviceFormat::IeeeFp32), 0x3F80_0000);
    }
}
