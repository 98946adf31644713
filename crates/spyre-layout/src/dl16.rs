//! DL16, the 16-bit float in which the device computes.

use half::f16;

/// A number in DL16 (`SEN169_FP16`), the 16-bit float in which the device computes.
///
/// One sign bit, 6 exponent bits with bias 31, 9 fraction bits. The code `e * 512 + f` of exponent
/// field `e` and fraction `f` is the number `2^(e - 31) * (1 + f / 512)`. The largest number has code
/// `0x7FFE`. The codes of all ones after the sign, `0x7FFF` and `0xFFFF`, have one meaning: "NaN or
/// infinity", which behaves as NaN, so a maximum over it is NaN (contract, K1). There is no infinity.
///
/// From the SDSC bundle specification, section 7.4: the widths, the bias, rounding to nearest,
/// and that 0 has code 0. From the published description of the format (DLFloat, ARITH 2019): there
/// are no subnormal numbers, and NaN and infinity share a code.
///
/// Assumed, since it is not published:
/// * a tie rounds to the even code;
/// * codes with `e = 0` are numbers like all others, except for 0 itself;
/// * NaN, the infinities and finite numbers that round past the largest one become the NaN code with the
///   sign of the number: recorded constants of infinities have both signs, and a copy to the host and back
///   changes no code;
/// * numbers are rounded on the grid of their exponent, and a result at or below `2^-31`, which would have
///   code 0, is zero;
/// * zero keeps its sign.
///
/// Two values are equal if they are the same code, so the two zeros differ, and so do the two NaNs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Dl16(u16);

/// Fraction bits.
const FRACTION_BITS: u32 = 9;
/// Added to the exponent of a number to give its exponent field.
const BIAS: u32 = 31;
/// The sign bit.
const SIGN: u16 = 0x8000;
/// All ones: the code that NaN and infinity share.
const NAN: u16 = 0x7FFF;
/// Fraction bits of an `f32` that DL16 does not have.
const F32_EXTRA: u32 = f32::MANTISSA_DIGITS - 1 - FRACTION_BITS;
/// The code that an `f32` of the code 0 has, without its extra fraction bits.
const F32_ZERO_CODE: u32 = (127 - BIAS) << FRACTION_BITS;
/// The same for an `f64`.
const F64_ZERO_CODE: u64 = (1023 - BIAS as u64) << FRACTION_BITS;
/// The exponent field of an `f16` has a smaller bias.
const F16_REBIAS: u16 = (BIAS as u16 - 15) << FRACTION_BITS;
/// The first `f16` code above the subnormal ones.
const F16_NORMAL: u16 = 0x0400;
/// The `f16` code of infinity.
const F16_INFINITE: u16 = 0x7C00;
/// The `f16` code of a quiet NaN.
const F16_NAN: u16 = 0x7E00;
/// The `f32` code of a quiet NaN.
const F32_NAN: u32 = f32::INFINITY.to_bits() | 1 << (f32::MANTISSA_DIGITS - 2);

/// An `f16` as an `f32`, which is exact.
///
/// The same as [`f16::to_f32`], but without branches, so that loops over it become vector code.
#[inline(always)]
pub(crate) const fn widen(value: f16) -> f32 {
    const EXTRA: u32 = f32::MANTISSA_DIGITS - f16::MANTISSA_DIGITS;
    const REBIAS: u32 = (127 - 15) << (f32::MANTISSA_DIGITS - 1);
    // The exponent that subnormal numbers have, with the leading one that they lack.
    const ONE: f32 = f32::from_bits(REBIAS + (1 << (f32::MANTISSA_DIGITS - 1)));
    let sign = ((value.to_bits() & SIGN) as u32) << 16;
    let code = (value.to_bits() & !SIGN) as i32;
    let shifted = (code as u32) << EXTRA;
    let subnormal = (f32::from_bits(shifted + ONE.to_bits()) - ONE).to_bits();
    let magnitude = if code >= F16_NORMAL as i32 {
        shifted + REBIAS
    } else {
        subnormal
    };
    let magnitude = if code >= F16_INFINITE as i32 {
        shifted | f32::INFINITY.to_bits()
    } else {
        magnitude
    };
    // Every NaN becomes a quiet one.
    let magnitude = if code > F16_INFINITE as i32 {
        magnitude | (1 << (f32::MANTISSA_DIGITS - 2))
    } else {
        magnitude
    };
    f32::from_bits(sign | magnitude)
}

impl Dl16 {
    /// Zero.
    pub const ZERO: Self = Self(0);
    /// One.
    pub const ONE: Self = Self((BIAS as u16) << FRACTION_BITS);
    /// The largest finite number, `2^33 - 2^24`.
    pub const MAX: Self = Self(NAN - 1);
    /// The smallest number above zero, `2^-31 + 2^-40`.
    pub const MIN_POSITIVE: Self = Self(1);
    /// NaN, with the code that also means infinity.
    pub const NAN: Self = Self(NAN);

    /// The number of a code.
    #[must_use]
    #[inline(always)]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// The code of the number.
    #[must_use]
    #[inline(always)]
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// Returns whether this is a zero of either sign.
    #[must_use]
    #[inline(always)]
    pub const fn is_zero(self) -> bool {
        self.0 & !SIGN == 0
    }

    /// Returns whether this is the code that NaN and infinity share, with either sign.
    #[must_use]
    #[inline(always)]
    pub const fn is_nan(self) -> bool {
        self.0 & !SIGN == NAN
    }

    /// The nearest DL16 number; see the [type](Self) for ties, NaN and the ends of the range.
    #[must_use]
    #[inline(always)]
    pub const fn from_f32(value: f32) -> Self {
        let bits = value.to_bits();
        let magnitude = bits & 0x7FFF_FFFF;
        // To nearest, ties to even. A carry moves into the exponent by itself. NaN carries at most
        // into the sign bit.
        let odd = (magnitude >> F32_EXTRA) & 1;
        let code = (magnitude + (1 << (F32_EXTRA - 1)) - 1 + odd) >> F32_EXTRA;
        // The codes are compared as signed integers, since vector units have these comparisons.
        let code = code as i32 - F32_ZERO_CODE as i32;
        let code = if code < 0 { 0 } else { code };
        let code = if code < NAN as i32 { code } else { NAN as i32 };
        Self((((bits >> 16) & SIGN as u32) | code as u32) as u16)
    }

    /// The nearest DL16 number, rounded once; see the [type](Self) for ties, NaN and the ends of
    /// the range.
    #[must_use]
    #[inline(always)]
    pub const fn from_f64(value: f64) -> Self {
        const EXTRA: u32 = f64::MANTISSA_DIGITS - 1 - FRACTION_BITS;
        let bits = value.to_bits();
        let magnitude = bits & (u64::MAX >> 1);
        let odd = (magnitude >> EXTRA) & 1;
        let code = (magnitude + (1 << (EXTRA - 1)) - 1 + odd) >> EXTRA;
        // A number that is too small becomes zero.
        let code = code.saturating_sub(F64_ZERO_CODE);
        let code = if code < NAN as u64 { code as u16 } else { NAN };
        Self(((bits >> 48) as u16 & SIGN) | code)
    }

    /// The number as an `f32`, which is exact. The NaN code is a quiet NaN with the sign of the code.
    #[must_use]
    #[inline(always)]
    pub const fn to_f32(self) -> f32 {
        let sign = ((self.0 & SIGN) as u32) << 16;
        let code = (self.0 & !SIGN) as u32;
        let magnitude = if code == 0 {
            0
        } else if code == NAN as u32 {
            F32_NAN
        } else {
            (code + F32_ZERO_CODE) << F32_EXTRA
        };
        f32::from_bits(sign | magnitude)
    }

    /// The number as an `f64`, which is exact. The NaN code is NaN.
    #[must_use]
    #[inline(always)]
    pub const fn to_f64(self) -> f64 {
        self.to_f32() as f64
    }

    /// The nearest DL16 number. Every finite `f16` is in range, and subnormal ones are exact.
    #[must_use]
    #[inline(always)]
    pub const fn from_f16(value: f16) -> Self {
        // All of this is without branches and in signed numbers: loops over it become vector code.
        let sign = value.to_bits() & SIGN;
        let code = (value.to_bits() & !SIGN) as i16;
        // The target has one fraction bit less, so every odd code is halfway between two codes.
        let normal = (code >> 1) + (code & (code >> 1) & 1) + F16_REBIAS as i16;
        // A subnormal f16 is a whole number of 2^-24, with no more digits than DL16 has.
        const WHOLE_ZERO: i32 = F32_ZERO_CODE as i32 + (24 << FRACTION_BITS);
        let whole = ((code as f32).to_bits() >> F32_EXTRA) as i32 - WHOLE_ZERO;
        let subnormal = if whole < 0 { 0 } else { whole } as i16;
        let finite = if code >= F16_NORMAL as i16 {
            normal
        } else {
            subnormal
        };
        let code = if code >= F16_INFINITE as i16 {
            NAN
        } else {
            finite as u16
        };
        Self(sign | code)
    }

    /// The nearest `f16`, ties to even. Numbers from `2^16` become infinity, numbers up to `2^-25` zero,
    /// and the NaN code NaN with its sign.
    ///
    /// The same as rounding [`Dl16::to_f32`], without the way through `f32`.
    #[must_use]
    #[inline(always)]
    pub const fn to_f16(self) -> f16 {
        let code = self.0 & !SIGN;
        // Codes below the codes of normal numbers are taken from `subnormal`.
        let normal = code.saturating_sub(F16_REBIAS) << 1;
        // Neighbours of 0.5 are 2^-24 apart in f32, and in subnormal f16.
        let half = 0.5_f32;
        let shifted = Self(code).to_f32() + half;
        let subnormal = (shifted.to_bits() - half.to_bits()) as u16;
        let bits = if code >= F16_REBIAS + (F16_INFINITE >> 1) {
            F16_INFINITE
        } else if code >= F16_REBIAS + (F16_NORMAL >> 1) {
            normal
        } else {
            subnormal
        };
        let bits = if code == NAN { F16_NAN } else { bits };
        f16::from_bits((self.0 & SIGN) | bits)
    }
}
