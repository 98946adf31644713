//! Operations that are the same in terms of others.

use super::{Emit, Formulas, Made};
use crate::dtype::DType;
use crate::op::Elementwise as O;

impl<E: Emit> Formulas<'_, '_, E> {
    /// Returns an operation that needs no approximation. A quotient is a product with a reciprocal, which is rounded.
    pub(super) fn exact(&mut self, op: O, operands: &[E::Value]) -> Made<E> {
        let a = &operands[0];
        match op {
            O::Neg if self.emit.dtype(a).is_float() => self.times(a, -1.0),
            O::Neg => self.with(O::Mul, a, -1),
            O::Not => self.not(a),
            O::Sub => {
                let minus = self.op(O::Neg, &operands[1..])?;
                self.add(a, &minus)
            }
            O::Div => {
                let reciprocal = self.op(O::Recip, &operands[1..])?;
                self.mul(a, &reciprocal)
            }
            O::CmpGt => self.less(&operands[1], a),
            O::CmpGe => {
                let less = self.less(a, &operands[1])?;
                self.not(&less)
            }
            O::CmpLe => {
                let greater = self.less(&operands[1], a)?;
                self.not(&greater)
            }
            O::CmpEq => {
                let differs = self.differs(a, &operands[1])?;
                self.not(&differs)
            }
            O::Mulacc => {
                let product = self.mul(a, &operands[1])?;
                self.add(&product, &operands[2])
            }
            other => unreachable!("{} is no operation of others that are exact", other.name()),
        }
    }

    pub(super) fn not(&mut self, a: &E::Value) -> Made<E> {
        let truth = self.truth(true, a)?;
        self.differs(a, &truth)
    }

    pub(super) fn and(&mut self, a: &E::Value, b: &E::Value) -> Made<E> {
        self.two(O::And, a, b)
    }

    /// Returns whether an operand equals a float.
    pub(super) fn is(&mut self, a: &E::Value, value: f64) -> Made<E> {
        let value = self.float(value, a)?;
        let differs = self.differs(a, &value)?;
        self.not(&differs)
    }

    /// Returns random bits: 20 rounds of Threefry 2x32.
    pub(super) fn threefry(&mut self, counter: &E::Value, key: &E::Value) -> Made<E> {
        let (mut low, mut high) = self.words(counter)?;
        let (first, second) = self.words(key)?;
        let mixed = self.two(O::Xor, &first, &second)?;
        let mixed = self.with(O::Xor, &mixed, 0x1BD1_1BDA)?;
        let keys = [second.clone(), mixed, first.clone()];
        low = self.add(&low, &first)?;
        high = self.add(&high, &second)?;
        for group in 0..5_usize {
            for rotation in [[13, 15, 26, 6], [17, 29, 16, 24]][group % 2] {
                low = self.add(&low, &high)?;
                let (up, down) = (
                    self.with(O::Shl, &high, rotation)?,
                    self.with(O::Shr, &high, 32 - rotation)?,
                );
                let rotated = self.two(O::Or, &up, &down)?;
                high = self.two(O::Xor, &rotated, &low)?;
            }
            low = self.add(&low, &keys[group % 3])?;
            high = self.add(&high, &keys[(group + 1) % 3])?;
            let number = i64::try_from(group + 1).expect("there are five");
            high = self.with(O::Add, &high, number)?;
        }
        let high = self.emit.cast(DType::U64, &high)?;
        let low = self.emit.cast(DType::U64, &low)?;
        let high = self.with(O::Shl, &high, 32)?;
        self.two(O::Or, &high, &low)
    }

    /// Returns the low and the high word of 64 bits.
    fn words(&mut self, value: &E::Value) -> Result<(E::Value, E::Value), E::Error> {
        let low = self.emit.cast(DType::U32, value)?;
        let high = self.with(O::Shr, value, 32)?;
        Ok((low, self.emit.cast(DType::U32, &high)?))
    }
}
