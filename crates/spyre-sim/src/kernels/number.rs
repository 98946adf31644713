//! Stored codes of elements and the numbers that they encode.

use half::{bf16, f16};
use spyre_layout::{DeviceFormat, Dl16};

/// The way in which the device's 16-bit float, `SEN169_FP16`, is read and written.
///
/// The device computes in DL16, with 6 bits of exponent and 9 of fraction. A program on tensors computes with the 16-bit
/// floats of its types. To compare a bundle with its program bit for bit, memory holds the program's.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum Rounding {
    /// As `f16`, like programs on `f16`.
    #[default]
    F16,
    /// As `bf16`, like programs on `bf16`.
    Bf16,
    /// As DL16, like the device.
    Dl16,
}

impl Rounding {
    /// The format of the elements in memory where a bundle has `format`. It has as many bytes.
    #[must_use]
    pub const fn stored(self, format: DeviceFormat) -> DeviceFormat {
        match (format, self) {
            (DeviceFormat::Sen169Fp16, Self::F16) => DeviceFormat::IeeeFp16,
            (DeviceFormat::Sen169Fp16, Self::Bf16) => DeviceFormat::Bfloat16,
            _ => format,
        }
    }
}

/// The kind of the elements of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// Numbers that `f32` holds exactly.
    Float,
    /// Signed integers of this many bits.
    Signed(u32),
    /// Codes that can be moved and not computed with.
    Opaque,
}

impl Number {
    pub(crate) fn for_format(format: DeviceFormat) -> Self {
        match format {
            DeviceFormat::Sen169Fp16
            | DeviceFormat::IeeeFp32
            | DeviceFormat::IeeeFp16
            | DeviceFormat::Bfloat16 => Self::Float,
            DeviceFormat::SenInt8 => Self::Signed(8),
            DeviceFormat::SenInt16 => Self::Signed(16),
            DeviceFormat::IeeeInt32 => Self::Signed(32),
            DeviceFormat::Sen143Fp8 | DeviceFormat::Sen152Fp8 | DeviceFormat::SenUint32 => {
                Self::Opaque
            }
        }
    }
}

/// Reads the numbers of codes of a float format, or of integers of 8 bits, one after the other.
pub(crate) fn floats(format: DeviceFormat, codes: &[u32], numbers: &mut Vec<f32>) {
    numbers.clear();
    let codes = codes.iter().copied();
    match format {
        DeviceFormat::IeeeFp32 => numbers.extend(codes.map(f32::from_bits)),
        DeviceFormat::IeeeFp16 => {
            numbers.extend(codes.map(|code| f16::from_bits(code as u16).to_f32()));
        }
        DeviceFormat::Bfloat16 => {
            numbers.extend(codes.map(|code| bf16::from_bits(code as u16).to_f32()));
        }
        DeviceFormat::Sen169Fp16 => {
            numbers.extend(codes.map(|code| Dl16::from_bits(code as u16).to_f32()));
        }
        // `f32` has them all.
        DeviceFormat::SenInt8 => numbers.extend(codes.map(|code| integer(8, code) as f32)),
        _ => unreachable!("{format} is no float; operations on it compute with codes"),
    }
}

/// Returns the code of a number in a float format, rounded once to nearest, ties to even.
///
/// A NaN in DL16 is the code without a sign: which sign a computed NaN has differs between hosts.
pub(crate) fn float_code(format: DeviceFormat, number: f32) -> u32 {
    match format {
        DeviceFormat::IeeeFp32 => number.to_bits(),
        DeviceFormat::IeeeFp16 => u32::from(f16::from_f32(number).to_bits()),
        DeviceFormat::Bfloat16 => u32::from(bf16::from_f32(number).to_bits()),
        DeviceFormat::Sen169Fp16 if number.is_nan() => u32::from(Dl16::NAN.to_bits()),
        DeviceFormat::Sen169Fp16 => u32::from(Dl16::from_f32(number).to_bits()),
        _ => unreachable!("{format} is no float; operations on it compute with codes"),
    }
}

/// Returns the integer of a code of `bits` bits.
pub(crate) fn integer(bits: u32, code: u32) -> i32 {
    let unused = 32 - bits;
    (code << unused) as i32 >> unused
}

/// Returns the code of an integer of `bits` bits, which wraps.
pub(crate) fn integer_code(bits: u32, value: i32) -> u32 {
    let unused = 32 - bits;
    (value as u32) << unused >> unused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap() {
        assert_eq!(integer(8, 0xFF), -1);
        assert_eq!(integer(32, 0x8000_0000), i32::MIN);
        assert_eq!(integer_code(8, 128), 0x80);
        assert_eq!(integer_code(8, -1), 0xFF);
        assert_eq!(integer_code(32, -1), u32::MAX);
    }

    #[test]
    fn the_sixteen_bits_of_a_rule() {
        // 0.1 has a longer fraction than either: 0x2E66 in f16, and in DL16 exponent 27, fraction 0.6 * 512 = 307.2.
        let f16 = Rounding::F16.stored(DeviceFormat::Sen169Fp16);
        let dl16 = Rounding::Dl16.stored(DeviceFormat::Sen169Fp16);
        assert_eq!(float_code(f16, 0.1), 0x2E66);
        assert_eq!(float_code(dl16, 0.1), 27 * 512 + 307);
        let mut numbers = Vec::new();
        floats(dl16, &[27 * 512 + 307], &mut numbers);
        assert_eq!(numbers, [(1.0 + 307.0 / 512.0) / 16.0]);
        // There is no infinity, and one NaN.
        floats(dl16, &[0x7FFE, 0x7FFF, 0xFFFF], &mut numbers);
        assert_eq!(numbers[0], 2_f32.powi(33) - 2_f32.powi(24));
        assert!(numbers[1].is_nan() && numbers[2].is_nan());
        assert_eq!(float_code(dl16, f32::INFINITY), 0x7FFF);
        assert_eq!(float_code(dl16, -1e10), 0xFFFF);
        assert_eq!(float_code(dl16, -f32::NAN), 0x7FFF);
    }
}
