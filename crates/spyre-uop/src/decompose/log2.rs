//! Logarithms to the base 2, and roots.
//!
//! `log2(x) = e + log2(m)` with `m` from 3/4 to 3/2, and `log2(m)` by the series of `t = (m - 1) / (m + 1)`, with the
//! first coefficient in two parts for floats of 32 bits.

use super::{Emit, Formulas, Made, layout};
use crate::dtype::DType;
use crate::op::Elementwise as O;

const SINGLE: [f64; 3] = [0.437_455_028_3, 0.576_479_017_7, 0.961_801_290_512_0];

const DOUBLE: [f64; 7] = [
    0.221_194_175_045_608_15,
    0.220_076_869_315_227_77,
    0.262_370_805_748_851_47,
    0.320_597_747_794_449_55,
    0.412_198_594_548_532_47,
    0.577_078_016_299_705_9,
    0.961_796_693_926_080_9,
];

/// Below, a float is multiplied by this power of two: its exponent is in its bits then.
const SMALL: f64 = 1e-4;
const SCALE: i64 = 64;

impl<E: Emit> Formulas<'_, '_, E> {
    pub(super) fn log2(&mut self, x: &E::Value) -> Made<E> {
        let dtype = self.emit.dtype(x);
        let layout = layout(dtype);
        let (zero, infinity) = (self.float(0.0, x)?, self.float(f64::INFINITY, x)?);
        let (is_positive, is_finite) = (self.less(&zero, x)?, self.less(x, &infinity)?);
        let is_known = self.and(&is_positive, &is_finite)?;
        let one = self.float(1.0, x)?;
        let safe = self.select(&is_known, x, &one)?;
        // The bits of a subnormal float do not have its exponent.
        let is_small = self.below(&safe, SMALL)?;
        let scaled = self.times(&safe, 2_f64.powi(64))?;
        let safe = self.select(&is_small, &scaled, &safe)?;
        let turned = self.times(&safe, 1.0 / 0.75)?;
        let bits = self.emit.bitcast(layout.integer, &turned)?;
        let biased = self.with(O::Shr, &bits, layout.fraction)?;
        let exponent = self.with(O::Add, &biased, -layout.bias)?;
        let minus = self.one(O::Neg, &exponent)?;
        let minus = self.with(O::Shl, &minus, layout.fraction)?;
        let bits = self.emit.bitcast(layout.integer, &safe)?;
        let bits = self.add(&bits, &minus)?;
        let m = self.emit.bitcast(dtype, &bits)?;
        let (above, below) = (self.plus(&m, -1.0)?, self.plus(&m, 1.0)?);
        let t = self.two(O::Div, &above, &below)?;
        let square = self.mul(&t, &t)?;
        let cube = self.mul(&t, &square)?;
        let (scale, none) = (
            self.integer(layout.integer, -SCALE, x)?,
            self.integer(layout.integer, 0, x)?,
        );
        let scale = self.select(&is_small, &scale, &none)?;
        let exponent = self.add(&exponent, &scale)?;
        let exponent = self.emit.cast(dtype, &exponent)?;
        let result = if dtype == DType::F64 {
            let series = self.polynomial(&square, &DOUBLE)?;
            let series = self.mul(&series, &cube)?;
            let linear = self.times(&t, 2.885_390_081_777_926_8)?;
            let sum = self.add(&exponent, &linear)?;
            self.add(&series, &sum)?
        } else {
            let series = self.polynomial(&square, &SINGLE)?;
            let series = self.mul(&series, &cube)?;
            let high = self.times(&t, 2.885_390_043_258_667)?;
            let low = self.times(&t, 3.273_447_448_356_849e-8)?;
            let sum = self.add(&series, &exponent)?;
            let sum = self.add(&sum, &high)?;
            self.add(&sum, &low)?
        };
        let result = self.select(&is_finite, &result, &infinity)?;
        let least = self.float(f64::NEG_INFINITY, x)?;
        let is_zero = self.is(x, 0.0)?;
        let result = self.select(&is_zero, &least, &result)?;
        let nan = self.float(f64::NAN, x)?;
        let is_negative = self.less(x, &zero)?;
        let result = self.select(&is_negative, &nan, &result)?;
        self.unless_nan(x, &result)
    }

    /// Returns `2^(log2(x) / 2)`. The root of -0 is -0.
    pub(super) fn sqrt(&mut self, x: &E::Value) -> Made<E> {
        let logarithm = self.one(O::Log2, x)?;
        let half = self.times(&logarithm, 0.5)?;
        let root = self.op(O::Exp2, &[half])?;
        let is_zero = self.is(x, 0.0)?;
        self.select(&is_zero, x, &root)
    }
}
