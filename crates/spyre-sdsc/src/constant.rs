//! The encoding of constants.

use spyre_layout::DeviceFormat;

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
}
