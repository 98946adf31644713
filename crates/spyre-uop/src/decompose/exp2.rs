//! Powers of 2.
//!
//! `2^x = 2^q * 2^s` with the integer `q` next to `x`. The second factor is a polynomial, for `s` from -1/2 to 1/2; the
//! first is an exponent, in two halves because a float does not represent all of its values.

use super::{Emit, Formulas, Layout, Made, layout};
use crate::dtype::DType;
use crate::op::Elementwise as O;

const SINGLE: [f64; 7] = [
    1.535_920_892e-4,
    1.339_262_701e-3,
    9.618_384_764e-3,
    5.550_347_269e-2,
    2.402_264_476e-1,
    6.931_471_825e-1,
    1.0,
];

const DOUBLE: [f64; 12] = [
    4.434_359_082_926_529_5e-10,
    7.073_164_598_085_707_4e-9,
    1.017_819_260_921_760_5e-7,
    1.321_543_872_511_327_6e-6,
    1.525_273_353_551_758_4e-5,
    1.540_353_045_101_147_8e-4,
    1.333_355_814_670_499e-3,
    9.618_129_107_597_6e-3,
    5.550_410_866_482_046_6e-2,
    2.402_265_069_591_012_2e-1,
    std::f64::consts::LN_2,
    1.0,
];

impl<E: Emit> Formulas<'_, '_, E> {
    pub(super) fn exp2(&mut self, x: &E::Value) -> Made<E> {
        let dtype = self.emit.dtype(x);
        let layout = layout(dtype);
        // Outside of these, the result is 0 or infinite.
        let (coefficients, least, most): (&[f64], _, _) = match dtype {
            DType::F64 => (&DOUBLE, -2000.0, 1024.0),
            _ => (&SINGLE, -150.0, 128.0),
        };
        let is_small = self.below(x, least)?;
        // NaN satisfies neither comparison.
        let is_moderate = self.below(x, most)?;
        let is_known = self.not(&is_small)?;
        let is_known = self.and(&is_known, &is_moderate)?;
        let zero = self.float(0.0, x)?;
        let safe = self.select(&is_known, x, &zero)?;
        let nearest = self.nearest(&safe)?;
        let minus = self.one(O::Neg, &nearest)?;
        let rest = self.add(&safe, &minus)?;
        let power = self.polynomial(&rest, coefficients)?;
        let exponent = self.emit.cast(layout.integer, &nearest)?;
        let half = self.with(O::Shr, &exponent, 1)?;
        let minus = self.one(O::Neg, &half)?;
        let other = self.add(&exponent, &minus)?;
        let (half, other) = (
            self.power_of_two(&half, layout, dtype)?,
            self.power_of_two(&other, layout, dtype)?,
        );
        let power = self.mul(&power, &half)?;
        let power = self.mul(&power, &other)?;
        let infinity = self.float(f64::INFINITY, x)?;
        let power = self.select(&is_moderate, &power, &infinity)?;
        let power = self.select(&is_small, &zero, &power)?;
        self.unless_nan(x, &power)
    }

    /// Returns the float with an exponent and the fraction 0.
    fn power_of_two(&mut self, exponent: &E::Value, layout: Layout, dtype: DType) -> Made<E> {
        let biased = self.with(O::Add, exponent, layout.bias)?;
        let bits = self.with(O::Shl, &biased, layout.fraction)?;
        self.emit.bitcast(dtype, &bits)
    }

    /// Returns a result, or NaN where the operand is NaN.
    pub(super) fn unless_nan(&mut self, x: &E::Value, result: &E::Value) -> Made<E> {
        let is_nan = self.differs(x, x)?;
        self.select(&is_nan, x, result)
    }
}
