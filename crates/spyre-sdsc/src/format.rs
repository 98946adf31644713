//! Device element formats and the encoding of constants.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::units::{Bytes, Elements};

/// Bytes in a stick, the unit of device memory.
pub const STICK_BYTES: u64 = 128;

/// Why a format cannot be used for a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FormatError {
    /// The number of elements per stick is not published.
    #[error("{0:?} has no documented stick size")]
    NoStick(DeviceFormat),
    /// Less than one byte per element: byte addresses cannot express it.
    #[error(
        "{format:?} has {per_stick} elements per stick: sub-byte data formats are not supported"
    )]
    SubByte {
        /// The format.
        format: DeviceFormat,
        /// Its elements per stick.
        per_stick: u64,
    },
}

/// An element format of the device (SDSC bundle specification, section 7.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)] // the names are the documentation; the table below gives sizes
pub enum DeviceFormat {
    /// 1-6-9 float ("DL16", exponent bias 31): host fp16, bf16 and bool.
    #[serde(rename = "SEN169_FP16")]
    Sen169Fp16,
    #[serde(rename = "IEEE_FP32")]
    IeeeFp32,
    #[serde(rename = "INVALID")]
    Invalid,
    #[serde(rename = "SEN143_FP8")]
    Sen143Fp8,
    #[serde(rename = "SEN152_FP8")]
    Sen152Fp8,
    #[serde(rename = "SEN153_FP9")]
    Sen153Fp9,
    #[serde(rename = "SENINT2")]
    SenInt2,
    #[serde(rename = "SENINT4")]
    SenInt4,
    #[serde(rename = "SENINT8")]
    SenInt8,
    #[serde(rename = "SENINT16")]
    SenInt16,
    #[serde(rename = "SENINT24")]
    SenInt24,
    #[serde(rename = "IEEE_INT64")]
    IeeeInt64,
    /// Host int32 and int64.
    #[serde(rename = "IEEE_INT32")]
    IeeeInt32,
    /// Host uint8 and quint8; also the form in which index tensors are read.
    #[serde(rename = "SENUINT32")]
    SenUint32,
    #[serde(rename = "SENUINT2")]
    SenUint2,
    #[serde(rename = "IEEE_FP16")]
    IeeeFp16,
    #[serde(rename = "BOOL")]
    Bool,
    #[serde(rename = "BFLOAT16")]
    Bfloat16,
    #[serde(rename = "SEN18F_FP24")]
    Sen18fFp24,
}

impl DeviceFormat {
    /// Elements in one stick, where documented.
    pub const fn elements_per_stick(self) -> Option<Elements> {
        let count = match self {
            Self::Sen169Fp16 | Self::SenInt16 | Self::IeeeFp16 | Self::Bfloat16 => 64,
            Self::IeeeFp32 | Self::IeeeInt32 | Self::SenUint32 => 32,
            Self::Sen143Fp8 | Self::Sen152Fp8 | Self::SenInt8 => 128,
            Self::SenInt4 => 256,
            Self::SenInt2 => 512,
            Self::Invalid
            | Self::Sen153Fp9
            | Self::SenInt24
            | Self::IeeeInt64
            | Self::SenUint2
            | Self::Bool
            | Self::Sen18fFp24 => return None,
        };
        Some(Elements::new(count))
    }

    /// The elements per stick and bytes per element of a format that tensors may have.
    ///
    /// # Errors
    /// Formats without a documented stick size, and formats of less than one byte.
    pub fn stick(self) -> Result<(Elements, Bytes), FormatError> {
        let per_stick = self
            .elements_per_stick()
            .ok_or(FormatError::NoStick(self))?;
        match STICK_BYTES.checked_div(per_stick.get()) {
            Some(bytes) if bytes > 0 => Ok((per_stick, Bytes::new(bytes))),
            _ => Err(FormatError::SubByte {
                format: self,
                per_stick: per_stick.get(),
            }),
        }
    }
}

/// Encodes an operation constant as the backend reads it (SDSC bundle specification, section 7.4): the bit
/// pattern of a `float` for [`DeviceFormat::IeeeFp32`], of a DL16 number for every other format.
pub fn encode_constant(value: f64, format: DeviceFormat) -> u32 {
    match format {
        DeviceFormat::IeeeFp32 => (value as f32).to_bits(),
        _ => u32::from(encode_dl16(value)),
    }
}

/// Rounds to the nearest DL16 number: sign, 6 exponent bits with bias 31, 9 mantissa bits.
///
/// Values too small for a normal number become zero; too large and infinite ones become the largest code,
/// `0x7FFF` or `0xFFFF`, which stands for infinity.
fn encode_dl16(value: f64) -> u16 {
    const BIAS: i64 = 31;
    const MANTISSA_BITS: u32 = 9;
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let bits = value.to_bits();
    let exponent = ((bits >> 52) & 0x7FF) as i64;
    if exponent == 0 {
        // Zero or an f64 denormal, far below the smallest DL16.
        return 0;
    }
    if exponent == 0x7FF {
        return sign | 0x7FFF;
    }
    // Round the 52-bit mantissa to 9 bits, ties to even; a carry moves into the exponent by itself.
    let shift = 52 - MANTISSA_BITS;
    let mantissa = bits & ((1 << 52) - 1);
    let low = mantissa & ((1 << shift) - 1);
    let half = 1_u64 << (shift - 1);
    let mut code =
        (((exponent - 1023 + BIAS) << MANTISSA_BITS) as i128) + i128::from(mantissa >> shift);
    if low > half || (low == half && (mantissa >> shift) & 1 == 1) {
        code += 1;
    }
    if code <= 0 {
        return 0;
    }
    u16::try_from(code)
        .ok()
        .filter(|code| *code < 0x7FFF)
        .map_or(sign | 0x7FFF, |code| sign | code)
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
        assert_eq!(dl16(f64::INFINITY), 0x7FFF);
        assert_eq!(dl16(f64::NEG_INFINITY), 0xFFFF);
        assert_eq!(dl16(1e300), 0x7FFF);
        assert_eq!(dl16(1e-300), 0);
    }

    #[test]
    fn fp32_is_the_float_pattern() {
        assert_eq!(encode_constant(1.0, DeviceFormat::IeeeFp32), 0x3F80_0000);
    }

    #[test]
    fn stick_sizes() {
        assert_eq!(
            DeviceFormat::Sen169Fp16.stick(),
            Ok((Elements::new(64), Bytes::new(2)))
        );
        assert_eq!(
            DeviceFormat::IeeeFp32.stick(),
            Ok((Elements::new(32), Bytes::new(4)))
        );
        assert_eq!(
            DeviceFormat::Sen143Fp8.stick(),
            Ok((Elements::new(128), Bytes::new(1)))
        );
        assert!(matches!(
            DeviceFormat::SenInt4.stick(),
            Err(FormatError::SubByte { per_stick: 256, .. })
        ));
        assert!(matches!(
            DeviceFormat::Invalid.stick(),
            Err(FormatError::NoStick(_))
        ));
    }
}
