//! Floats of 8 bits, converted from the bits of `f32` and back: neither `arith` nor processors support them.
//!
//! The functions are from `Float8_e4m3fn.h` and `Float8_e5m2.h` in PyTorch: numbers are rounded to nearest,
//! ties to even.

use melior::ir::Type;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::r#type::IntegerType;
use spyre_mlir_rt::ir::Val;
use spyre_ods::arith;

use super::super::super::types::Float8;
use super::super::emit::{Binary, Emit, Is};

/// The byte without its sign that is NaN in both formats.
const NAN: i64 = 0x7F;

/// The bits of an infinite `f32`.
const INFINITY: i64 = 0x7F80_0000;

impl Float8 {
    /// Returns the number of bits of an `f32` below the fraction of this format.
    const fn below(self) -> i64 {
        match self {
            Self::E4M3Fn => 20,
            Self::E5M2 => 21,
        }
    }

    /// Returns how much less the exponent of 1 is than that of `f32`.
    const fn less(self) -> i64 {
        match self {
            Self::E4M3Fn => 127 - 7,
            Self::E5M2 => 127 - 15,
        }
    }

    /// Returns the bits of the `f32` that replaces all larger ones: its byte follows the byte of the largest
    /// number. It is NaN or infinite, unless the format saturates, which E5M2 does not.
    fn largest(self, saturates: bool) -> i64 {
        let largest = match (self, saturates) {
            (Self::E4M3Fn, true) => 448.0_f32,
            (Self::E4M3Fn, false) => 480.0,
            (Self::E5M2, _) => 65536.0,
        };
        i64::from(largest.to_bits())
    }
}

/// Builds operations on the bits of an `f32`.
struct Bits<'p> {
    emit: Emit<'p>,
    integer: Type<'p>,
}

impl<'p> Bits<'p> {
    fn of(emit: Emit<'p>) -> Self {
        let integer = IntegerType::new(emit.context, 32).into();
        Self { emit, integer }
    }

    fn constant(&self, value: i64) -> Val<'p> {
        let value = IntegerAttribute::new(self.integer, value).into();
        self.emit.constant(value, self.integer)
    }

    /// Builds an operation with a constant.
    fn with(&self, parts: Binary, value: Val<'p>, by: i64) -> Val<'p> {
        self.emit.same(parts(value, self.constant(by)))
    }

    fn bits(&self, value: Val<'p>) -> Val<'p> {
        self.emit.op(arith::bitcast(value), self.integer)
    }

    fn float(&self, bits: Val<'p>) -> Val<'p> {
        let single = Type::float32(self.emit.context);
        self.emit.op(arith::bitcast(bits), single)
    }
}

/// Builds the byte of a number. `saturates` is whether numbers that a format without infinities does not have are its largest one.
pub(super) fn byte<'p>(
    emit: Emit<'p>,
    number: Val<'p>,
    format: Float8,
    saturates: bool,
) -> Val<'p> {
    let number = emit.converted(number, Type::float32(emit.context), false);
    let on = Bits::of(emit);
    let (below, less) = (format.below(), format.less());
    let bits = on.bits(number);
    let size = on.with(arith::andi, bits, 0x7FFF_FFFF);
    let size = on.with(arith::minui, size, format.largest(saturates));
    // Half of the last bit is added, unless that bit is 0 and the rest is exactly half.
    let last = on.with(arith::shrui, size, below);
    let last = on.with(arith::andi, last, 1);
    let half = (1 << (below - 1)) - 1;
    let normal = on.with(arith::addi, size, half - (less << 23));
    let normal = emit.same(arith::addi(normal, last));
    let normal = on.with(arith::shrui, normal, below);
    // The sum with a power of 2 rounds a subnormal number at its last bit.
    let power = (less + below + 1) << 23;
    let sum = emit.same(arith::addf(on.float(size), on.float(on.constant(power))));
    let subnormal = on.with(arith::subi, on.bits(sum), power);
    let is_subnormal = emit.is(Is::Less, size, on.constant((less + 1) << 23));
    let byte = emit.select(is_subnormal, subnormal, normal);
    let byte = emit.select(emit.is_nan(number), on.constant(NAN), byte);
    let sign = on.with(arith::shrui, bits, 24);
    let sign = on.with(arith::andi, sign, 0x80);
    let byte = emit.same(arith::ori(byte, sign));
    let narrow = IntegerType::new(emit.context, 8).into();
    emit.op(arith::trunci(byte), narrow)
}

/// Builds the `f32` that a byte is.
pub(super) fn number<'p>(emit: Emit<'p>, byte: Val<'p>, format: Float8) -> Val<'p> {
    let on = Bits::of(emit);
    let byte = emit.op(arith::extui(byte), on.integer);
    let size = on.with(arith::andi, byte, 0x7F);
    let sign = on.with(arith::andi, byte, 0x80);
    let sign = on.with(arith::shli, sign, 24);
    let bits = on.with(arith::shli, size, format.below());
    // The exponents of both formats differ by a constant, so the float is multiplied by a power of 2. This is right for
    // subnormal numbers as well.
    let power = on.float(on.constant((format.less() + 127) << 23));
    let scaled = on.bits(emit.same(arith::mulf(on.float(bits), power)));
    let first = match format {
        Float8::E4M3Fn => NAN,
        Float8::E5M2 => 0x7C,
    };
    let special = match format {
        Float8::E4M3Fn => on.constant(i64::from(f32::NAN.to_bits())),
        Float8::E5M2 => on.with(arith::ori, bits, INFINITY),
    };
    let is_special = emit.is(Is::GreaterEqual, size, on.constant(first));
    let size = emit.select(is_special, special, scaled);
    on.float(emit.same(arith::ori(size, sign)))
}
