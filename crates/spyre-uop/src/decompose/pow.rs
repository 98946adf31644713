//! Powers.
//!
//! `a^b = 2^(log2(|a|) * b)`, with the sign of `a` where `b` is odd. The special values follow C's
//! `pow`.

use super::{Emit, Formulas, Made, layout};
use crate::op::Elementwise as O;
use crate::schema::Datum;

impl<E: Emit> Formulas<'_, '_, E> {
    /// Returns a power. `given` are the operands before widening, where constants are still
    /// visible.
    pub(super) fn pow(&mut self, given: &[E::Value], operands: &[E::Value]) -> Made<E> {
        let (a, b) = (&operands[0], &operands[1]);
        // Products are exact where logarithms are not.
        let exponent = match self.emit.constant_of(&given[1]) {
            Some(Datum::Float(value)) => Some(value),
            Some(other) => other.as_integer().map(|value| value as f64),
            None => None,
        };
        match exponent {
            Some(2.0) => return self.mul(a, a),
            Some(3.0) => {
                let square = self.mul(a, a)?;
                return self.mul(&square, a);
            }
            Some(-1.0) => return self.one(O::Recip, a),
            Some(0.5) => return self.root(a),
            _ => {}
        }
        let (zero, one) = (self.float(0.0, a)?, self.float(1.0, a)?);
        let negative = self.sign_bit(a)?;
        let minus = self.one(O::Neg, a)?;
        let magnitude = self.select(&negative, &minus, a)?;
        let logarithm = self.one(O::Log2, &magnitude)?;
        let product = self.mul(&logarithm, b)?;
        let power = self.op(O::Exp2, &[product])?;
        // 1 to an infinite power is 1, where 0 times infinity is not 0.
        let is_one = self.is(&magnitude, 1.0)?;
        let power = self.select(&is_one, &one, &power)?;
        let whole = self.one(O::Trunc, b)?;
        let is_fraction = self.differs(&whole, b)?;
        let half = self.times(b, 0.5)?;
        let whole = self.one(O::Trunc, &half)?;
        let is_not_even = self.differs(&whole, &half)?;
        let is_integer = self.not(&is_fraction)?;
        let is_odd = self.and(&is_integer, &is_not_even)?;
        let changes_sign = self.and(&negative, &is_odd)?;
        let minus = self.one(O::Neg, &power)?;
        let power = self.select(&changes_sign, &minus, &power)?;
        // A root of a negative number is NaN; of the negative infinity it is infinite.
        let is_negative = self.less(a, &zero)?;
        let least = self.float(f64::NEG_INFINITY, a)?;
        let is_finite = self.less(&least, a)?;
        let is_none = self.and(&is_negative, &is_finite)?;
        let is_none = self.and(&is_none, &is_fraction)?;
        let nan = self.float(f64::NAN, a)?;
        let power = self.select(&is_none, &nan, &power)?;
        let power = self.one_where_it_is(a, b, &power)?;
        let is_nothing = self.is(b, 0.0)?;
        self.select(&is_nothing, &one, &power)
    }

    /// Returns a power, or 1 where the base is 1, even for an exponent that is NaN; and NaN where the exponent is NaN otherwise.
    fn one_where_it_is(&mut self, a: &E::Value, b: &E::Value, power: &E::Value) -> Made<E> {
        let power = self.unless_nan(b, power)?;
        let one = self.float(1.0, a)?;
        let is_one = self.is(a, 1.0)?;
        self.select(&is_one, &one, &power)
    }

    /// Returns a power of 1/2: a root, but positive for -0 and for the negative infinity.
    fn root(&mut self, a: &E::Value) -> Made<E> {
        let root = self.one(O::Sqrt, a)?;
        let root = self.plus(&root, 0.0)?;
        let is_infinite = self.is(a, f64::NEG_INFINITY)?;
        let infinity = self.float(f64::INFINITY, a)?;
        self.select(&is_infinite, &infinity, &root)
    }

    /// Returns whether the sign bit of a float is set: -0 has it.
    pub(super) fn sign_bit(&mut self, a: &E::Value) -> Made<E> {
        let dtype = self.emit.dtype(a);
        let integer = layout(dtype).integer;
        let bits = self.emit.bitcast(integer, a)?;
        let zero = self.integer(integer, 0, a)?;
        self.less(&bits, &zero)
    }
}
