//! The encoding of constants.

use spyre_layout::{DeviceFormat, Dl16};

/// Encodes an operation constant as the backend reads it (SDSC bundle specification, section 7.4): the bit
/// pattern of a `float` for [`DeviceFormat::IeeeFp32`], of a DL16 number for every other format.
///
/// A value that is zero in DL16 has code 0, whatever its sign. One beyond the largest number of DL16, infinity included, has the
/// code of that number, as a missing bound of a `clip` has it: the code of all ones is NaN on the card (contract, K1, K5).
pub fn encode_constant(value: f64, format: DeviceFormat) -> u32 {
    match format {
        DeviceFormat::IeeeFp32 => encode_recorded_constant(value, format),
        _ => {
            let most = Dl16::MAX.to_f64();
            encode_recorded_constant(value.clamp(-most, most), format)
        }
    }
}

/// Encodes an operation constant as the revisions before the contract do: as [`encode_constant`], but a value beyond the largest
/// number of DL16 has the code of all ones, which those revisions took for infinity (SDSC bundle specification, section 7.4).
pub(crate) fn encode_recorded_constant(value: f64, format: DeviceFormat) -> u32 {
    match format {
        DeviceFormat::IeeeFp32 => (value as f32).to_bits(),
        _ => match Dl16::from_f64(value) {
            zero if zero.is_zero() => 0,
            code => u32::from(code.to_bits()),
        },
    }
}

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
        // By hand: 1.0 is exponent 31, mantissa 0; -1.5 has the top mantissa bit and the sign.
        assert_eq!(dl16(1.0), 31 << 9);
        assert_eq!(dl16(-1.5), 0x8000 | (31 << 9) | 0x100);
        assert_eq!(dl16(f64::INFINITY), 0x7FFE);
        assert_eq!(dl16(f64::NEG_INFINITY), 0xFFFE);
        assert_eq!(dl16(1e300), 0x7FFE);
        assert_eq!(dl16(f64::NAN), 0x7FFF);
        assert_eq!(dl16(1e-300), 0);
        assert_eq!(dl16(-1e-300), 0);
        assert_eq!(dl16(-0.0), 0);
    }

    #[test]
    fn recorded_infinities_are_the_code_of_all_ones() {
        let dl16 = |value| encode_recorded_constant(value, DeviceFormat::Sen169Fp16);
        assert_eq!(dl16(f64::INFINITY), 0x7FFF);
        assert_eq!(dl16(f64::NEG_INFINITY), 0xFFFF);
        assert_eq!(dl16(1e300), 0x7FFF);
        // Values in range have one code.
        assert_eq!(dl16(1e-5), 7327);
        assert_eq!(dl16(-0.0), 0);
    }

    #[test]
    fn fp32_is_the_float_pattern() {
        assert_eq!(encode_constant(1.0, DeviceFormat::IeeeFp32), 0x3F80_0000);
        // Infinities of 32 bits are numbers of their own.
        let infinity = encode_constant(f64::INFINITY, DeviceFormat::IeeeFp32);
        assert_eq!(infinity, 0x7F80_0000);
    }
}
