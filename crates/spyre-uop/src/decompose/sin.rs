//! Sines of floats of 32 bits.
//!
//! Below 30, a multiple of pi is subtracted in three parts, the largest first, so that each difference but the last is
//! exact. Above, the angle is multiplied by the relevant bits of 2/pi, which gives a number of quadrants with 62
//! fraction bits (Payne and Hanek). The remainder is centred, so that the polynomials need to hold for an eighth of a
//! turn only.

use super::{Emit, Formulas, Made};
use crate::dtype::DType;
use crate::op::Elementwise as O;
use crate::schema::Datum;

/// The parts of pi. Products of the first two with small integers are exact.
const PI: [f64; 3] = [
    3.141_479_492_187_5,
    1.131_594_181_060_791e-4,
    1.984_187_258_941_006e-9,
];

/// Coefficients of `(sin(d) / d - 1) / d^2`, the highest first.
const SINE: [f64; 4] = [
    2.608_315_980_978_659_4e-6,
    -1.981_069_071_916_863_3e-4,
    8.333_078_585_565_09e-3,
    -0.166_666_597_127_914_43,
];

/// Coefficients of `(cos(r) - 1 + r^2 / 2) / r^4`, the highest first.
const COSINE: [f64; 3] = [
    2.443_315_711_809_948e-5,
    -1.388_731_625_493_765e-3,
    4.166_664_568_298_827e-2,
];

/// The bits of 2/pi, in words of 32. The point is after the first 34 bits, which are 0.
const TWO_OVER_PI: [i64; 8] = [
    0,
    0x28BE_60DB,
    0x9391_054A,
    0x7F09_D5F4,
    0x7D4D_3770,
    0x36D8_A566,
    0x4F10_E410,
    0,
];

/// Words of 2/pi at which an angle of 32 bits may begin.
const STARTS: usize = 5;

/// The magnitude from which the reduction of angles uses the bits of 2/pi.
const LARGE: f64 = 30.0;

/// A quarter of a turn by 2^62.
const QUARTER: f64 = 3.406_121_580_086_554_5e-19;

impl<E: Emit> Formulas<'_, '_, E> {
    pub(super) fn sin(&mut self, x: &E::Value) -> Made<E> {
        let negative = self.sign_bit(x)?;
        let minus = self.one(O::Neg, x)?;
        let angle = self.select(&negative, &minus, x)?;
        let is_finite = self.below(&angle, f64::INFINITY)?;
        let zero = self.float(0.0, x)?;
        let angle = self.select(&is_finite, &angle, &zero)?;
        let is_small = self.below(&angle, LARGE)?;
        let large = self.float(LARGE, x)?;
        // Each formula gets only angles of its domain.
        let small = self.select(&is_small, &angle, &zero)?;
        let large = self.select(&is_small, &large, &angle)?;
        let (small, large) = (self.sin_small(&small)?, self.sin_large(&large)?);
        let sine = self.select(&is_small, &small, &large)?;
        let minus = self.one(O::Neg, &sine)?;
        let sine = self.select(&negative, &minus, &sine)?;
        let nan = self.float(f64::NAN, x)?;
        self.select(&is_finite, &sine, &nan)
    }

    /// Returns the sine of an angle from 0 to 30.
    fn sin_small(&mut self, angle: &E::Value) -> Made<E> {
        let turns = self.times(angle, std::f64::consts::FRAC_1_PI)?;
        let turns = self.nearest(&turns)?;
        let mut rest = angle.clone();
        for part in PI {
            let part = self.times(&turns, -part)?;
            rest = self.add(&rest, &part)?;
        }
        let sine = self.sine(&rest)?;
        let number = self.emit.cast(DType::I32, &turns)?;
        let odd = self.with(O::And, &number, 1)?;
        self.turned(&odd, &sine)
    }

    /// Returns the sine of an angle from 30.
    fn sin_large(&mut self, angle: &E::Value) -> Made<E> {
        let bits = self.emit.bitcast(DType::U32, angle)?;
        let biased = self.with(O::Shr, &bits, 23)?;
        // The angle is a fraction from 1/2 to 1, of 32 bits, by a power of two.
        let exponent = self.with(O::Add, &biased, -126)?;
        let fraction = self.with(O::And, &bits, 0x7F_FFFF)?;
        let fraction = self.with(O::Or, &fraction, 0x80_0000)?;
        let fraction = self.with(O::Shl, &fraction, 8)?;
        let fraction = self.emit.cast(DType::U64, &fraction)?;
        let start = self.with(O::Shr, &exponent, 5)?;
        let shift = self.with(O::And, &exponent, 31)?;
        let shift = self.emit.cast(DType::U64, &shift)?;
        let words: Vec<E::Value> = (0..4)
            .map(|word| self.word(&start, word))
            .collect::<Result<_, _>>()?;
        let high = self.joined(&words[0], &words[1], &shift)?;
        let middle = self.joined(&words[1], &words[2], &shift)?;
        let low = self.joined(&words[2], &words[3], &shift)?;
        let high = self.mul(&fraction, &high)?;
        let high = self.with(O::Shl, &high, 32)?;
        let middle = self.mul(&fraction, &middle)?;
        let low = self.mul(&fraction, &low)?;
        let low = self.with(O::Shr, &low, 32)?;
        let sum = self.add(&high, &middle)?;
        let quadrants = self.add(&sum, &low)?;
        // The next quadrant is nearer where the first fraction bit is set.
        let half = self.with(O::Shr, &quadrants, 61)?;
        let next = self.with(O::Add, &half, 1)?;
        let quadrant = self.with(O::Shr, &next, 1)?;
        let quadrant = self.emit.cast(DType::I32, &quadrant)?;
        // The lowest 62 bits, with the highest of them as their sign.
        let up = self.with(O::Shl, &quadrants, 2)?;
        let up = self.emit.cast(DType::I64, &up)?;
        let centred = self.with(O::Shr, &up, 2)?;
        let rest = self.emit.cast(DType::F32, &centred)?;
        let rest = self.times(&rest, QUARTER)?;
        let (sine, cosine) = (self.sine(&rest)?, self.cosine(&rest)?);
        let odd = self.with(O::And, &quadrant, 1)?;
        let zero = self.integer(DType::I32, 0, &odd)?;
        let is_odd = self.differs(&odd, &zero)?;
        let result = self.select(&is_odd, &cosine, &sine)?;
        let second = self.with(O::And, &quadrant, 2)?;
        self.turned(&second, &result)
    }

    /// Returns word `start + offset` of 2/pi, as 64 bits.
    fn word(&mut self, start: &E::Value, offset: usize) -> Made<E> {
        let word = |number: usize| Datum::integer(TWO_OVER_PI[number + offset]);
        let mut result = self.emit.constant(DType::U64, word(STARTS - 1), start)?;
        for number in (0..STARTS - 1).rev() {
            let word_value = self.emit.constant(DType::U64, word(number), start)?;
            let number = i64::try_from(number).expect("there are five");
            let is_other = self.with(O::CmpNe, start, number)?;
            result = self.select(&is_other, &result, &word_value)?;
        }
        Ok(result)
    }

    /// Returns the high word of two words that are shifted up by less than a word.
    fn joined(&mut self, high: &E::Value, low: &E::Value, shift: &E::Value) -> Made<E> {
        let high = self.with(O::Shl, high, 32)?;
        let both = self.two(O::Or, &high, low)?;
        let up = self.two(O::Shl, &both, shift)?;
        self.with(O::Shr, &up, 32)
    }

    /// Returns the sine of a small angle.
    fn sine(&mut self, angle: &E::Value) -> Made<E> {
        let square = self.mul(angle, angle)?;
        let series = self.polynomial(&square, &SINE)?;
        let series = self.mul(&square, &series)?;
        let series = self.mul(angle, &series)?;
        self.add(angle, &series)
    }

    /// Returns the cosine of a small angle.
    fn cosine(&mut self, angle: &E::Value) -> Made<E> {
        let square = self.mul(angle, angle)?;
        let series = self.polynomial(&square, &COSINE)?;
        let fourth = self.mul(&square, &square)?;
        let series = self.mul(&fourth, &series)?;
        let half = self.times(&square, -0.5)?;
        let sum = self.plus(&half, 1.0)?;
        self.add(&sum, &series)
    }

    /// Returns a value with the other sign where a number is not 0.
    fn turned(&mut self, number: &E::Value, value: &E::Value) -> Made<E> {
        let zero = self.integer(DType::I32, 0, number)?;
        let is_turned = self.differs(number, &zero)?;
        let minus = self.one(O::Neg, value)?;
        self.select(&is_turned, &minus, value)
    }
}
