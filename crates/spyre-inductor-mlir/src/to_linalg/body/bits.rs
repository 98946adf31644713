//! Functions of the bits of a float: its mantissa and exponent, and the float next to it.

use melior::ir::attribute::IntegerAttribute;
use melior::ir::r#type::IntegerType;
use melior::ir::{Type, ValueLike};
use spyre_mlir_rt::ir::Val;
use spyre_ods::{arith, math};

use super::super::super::types::width;
use super::super::emit::{Emit, Is};

/// A format of IEEE 754 in which bodies compute.
struct Format<'p> {
    float: Type<'p>,
    /// The integer of its width.
    integer: Type<'p>,
    /// The number of bits of the fraction.
    fraction: u32,
    /// The number of bits.
    width: u32,
}

impl<'p> Format<'p> {
    /// Returns the format of `f32` or `f64`; floats of 16 bits are computed in the former.
    fn of(emit: Emit<'p>, float: Type<'p>) -> Self {
        let width = width(float);
        Self {
            float,
            integer: IntegerType::new(emit.context, width).into(),
            fraction: if width == 64 { 52 } else { 23 },
            width,
        }
    }

    /// Returns the exponent of 1, as its bits.
    fn bias(&self) -> i64 {
        (1 << (self.width - self.fraction - 2)) - 1
    }

    /// Builds an integer of the width.
    fn integer(&self, emit: Emit<'p>, value: i64) -> Val<'p> {
        emit.constant(
            IntegerAttribute::new(self.integer, value).into(),
            self.integer,
        )
    }

    fn bits(&self, emit: Emit<'p>, value: Val<'p>) -> Val<'p> {
        emit.op(arith::bitcast(value), self.integer)
    }

    fn float(&self, emit: Emit<'p>, bits: Val<'p>) -> Val<'p> {
        emit.op(arith::bitcast(bits), self.float)
    }
}

/// Builds the mantissa of a float, from 0.5 up to 1 without its sign, and the exponent of 2 that it is
/// multiplied by, an integer of the float's width. For zeros, infinities and NaN the results are the
/// float and 0, as `frexp` of glibc returns them.
pub(super) fn mantissa_and_exponent<'p>(emit: Emit<'p>, x: Val<'p>) -> (Val<'p>, Val<'p>) {
    let format = Format::of(emit, x.r#type());
    let number = |value: f64| emit.number(value, format.float);
    let integer = |value: i64| format.integer(emit, value);
    let size = emit.same(math::absf(x));
    // A subnormal number has no separate exponent: a power of 2 makes it a normal one.
    let scale = i64::from(format.fraction) + 1;
    let (least, factor) = match format.width {
        64 => (f64::MIN_POSITIVE, 2.0_f64.powi(53)),
        _ => (f64::from(f32::MIN_POSITIVE), 2.0_f64.powi(24)),
    };
    let is_small = emit.is(Is::Less, size, number(least));
    let scaled = emit.same(arith::mulf(x, number(factor)));
    let normal = emit.select(is_small, scaled, x);
    let bits = format.bits(emit, normal);
    let shifted = emit.same(arith::shrui(bits, integer(i64::from(format.fraction))));
    let biased = emit.same(arith::andi(shifted, integer(2 * format.bias() + 1)));
    let half = format.bias() - 1;
    let less = emit.select(is_small, integer(half + scale), integer(half));
    let exponent = emit.same(arith::subi(biased, less));
    let exponents = (2 * format.bias() + 1) << format.fraction;
    let rest = emit.same(arith::andi(bits, integer(!exponents)));
    let halves = integer(half << format.fraction);
    let mantissa = format.float(emit, emit.same(arith::ori(rest, halves)));
    // Only numbers other than 0 are larger than 0 and smaller than infinity.
    let is_some = emit.is(Is::Greater, size, number(0.0));
    let is_finite = emit.is(Is::Less, size, number(f64::INFINITY));
    let is_number = emit.same(arith::andi(is_some, is_finite));
    (
        emit.select(is_number, mantissa, x),
        emit.select(is_number, exponent, integer(0)),
    )
}

/// Builds the float next to `a` on the way to `b`.
pub(super) fn next_after<'p>(emit: Emit<'p>, a: Val<'p>, b: Val<'p>) -> Val<'p> {
    let format = Format::of(emit, a.r#type());
    let zero = emit.number(0.0, format.float);
    let integer = |value: i64| format.integer(emit, value);
    // The bits of floats of one sign are in the order of their sizes.
    let bits = format.bits(emit, a);
    let is_up = emit.is(Is::Less, a, b);
    let is_positive = emit.is(Is::Greater, a, zero);
    let is_inward = emit.same(arith::xori(is_up, is_positive));
    let step = emit.select(is_inward, integer(-1), integer(1));
    let next = format.float(emit, emit.same(arith::addi(bits, step)));
    // The float next to 0 is the smallest subnormal number, with the sign of the direction.
    let least = format.float(emit, integer(1));
    let least = emit.same(math::copysign(least, b));
    let next = emit.select(emit.is(Is::Equal, a, zero), least, next);
    let next = emit.select(emit.is(Is::Equal, a, b), b, next);
    let is_nan = emit.same(arith::ori(emit.is_nan(a), emit.is_nan(b)));
    emit.select(is_nan, emit.same(arith::addf(a, b)), next)
}
