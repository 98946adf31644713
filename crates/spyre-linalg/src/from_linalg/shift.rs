//! Shifts of integers of 32 bits by a constant.
//!
//! The device multiplies, adds and compares integers of 32 bits, and converts them to floats. A
//! left shift is a product, which wraps. A right shift is a quotient by a power of two, rounded
//! down: first of the float of the integer, and then of the remainder, which is small.
//!
//! Let `f` be the nearest float of `x`, `q = floor(f / 2^n)`, and `r = x - q * 2^n`; the quotient of `f` is exact. Below 24 bits,
//! `-2^n - 128 < r < 2^n + 128` is a float, so that `floor(r / 2^n)` is what `q` lacks. From 24 bits on, multiples of `2^n` are floats
//! themselves, and rounding to the nearest does not pass them: `q` is right, or one too large where `x` is rounded up to a multiple.
//! Then `r` is negative.

use melior::ir::Type;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::r#type::IntegerType;
use spyre_construct::build::{Build, ones};
use spyre_mlir_rt::ir::Val;
use spyre_ods::{arith, spyre};

/// The bits of an integer.
const WIDTH: u32 = 32;

/// The bits of the fraction of a float, with the first one.
const EXACT: u32 = 24;

/// A way to shift.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shift {
    /// To higher bits.
    Up,
    /// To lower bits, with copies of the sign.
    Signed,
    /// To lower bits, with zeros.
    Unsigned,
}

impl Shift {
    /// Returns the shift that an operation is.
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            arith::SHLI => Self::Up,
            arith::SHRSI => Self::Signed,
            arith::SHRUI => Self::Unsigned,
            _ => return None,
        })
    }
}

/// Builds integers of 32 bits, shifted by a number of bits.
///
/// # Errors
/// The number is not below the width.
pub(super) fn by<'p>(
    build: &Build<'p>,
    shift: Shift,
    x: Val<'p>,
    bits: i64,
) -> Result<Val<'p>, String> {
    let bits = u32::try_from(bits).ok().filter(|bits| *bits < WIDTH);
    let bits = bits.ok_or("a shift by the width of an integer or more has no result")?;
    if bits == 0 {
        return Ok(x);
    }
    let shifts = Shifts { build };
    Ok(match shift {
        Shift::Up => shifts.with(spyre::MUL, x, 1 << bits),
        Shift::Signed => shifts.down(x, bits),
        Shift::Unsigned => {
            // -1 where the sign is set: its copies are the product with 2^(32 - bits).
            let sign = shifts.sign(x);
            let copies = shifts.with(spyre::MUL, sign, 1 << (WIDTH - bits));
            let i32 = shifts.i32();
            build.pointwise(spyre::SUB, &[shifts.down(x, bits), copies], i32)
        }
    })
}

struct Shifts<'a, 'p> {
    build: &'a Build<'p>,
}

impl<'p> Shifts<'_, 'p> {
    fn i32(&self) -> Type<'p> {
        IntegerType::new(self.build.context, WIDTH).into()
    }

    /// Builds an operation with a number as its second operand, as 32 bits.
    fn with(&self, name: &str, x: Val<'p>, number: u32) -> Val<'p> {
        let ty = self.i32();
        let rank = self.build.shape(x).len();
        let number = IntegerAttribute::new(ty, number.cast_signed().into()).into();
        let number = self.build.fill(number, &ones(rank), ty);
        self.build.pointwise(name, &[x, number], ty)
    }

    /// Builds -1 where an integer is negative, and 0 elsewhere.
    fn sign(&self, x: Val<'p>) -> Val<'p> {
        let least = self.with(spyre::MINIMUM, x, 0);
        self.with(spyre::MAXIMUM, least, (-1_i32).cast_unsigned())
    }

    /// Builds the quotient of the nearest float by a power of two, rounded down.
    fn near(&self, x: Val<'p>, bits: u32) -> Val<'p> {
        let f32 = Type::float32(self.build.context);
        let float = self.build.pointwise(spyre::SITOFP, &[x], f32);
        let part = 1.0 / f64::from(1_u32 << bits);
        let part = self.build.scalar(part, self.build.shape(x).len(), f32);
        let quotient = self.build.pointwise(spyre::MUL, &[float, part], f32);
        let quotient = self.build.pointwise(spyre::FLOOR, &[quotient], f32);
        self.build.pointwise(spyre::FPTOSI, &[quotient], self.i32())
    }

    /// Builds the quotient by a power of two, rounded down.
    fn down(&self, x: Val<'p>, bits: u32) -> Val<'p> {
        let near = self.near(x, bits);
        let whole = self.with(spyre::MUL, near, 1 << bits);
        let rest = self.build.pointwise(spyre::SUB, &[x, whole], self.i32());
        let lacks = match bits < EXACT {
            true => self.near(rest, bits),
            false => self.sign(rest),
        };
        self.build.pointwise(spyre::ADD, &[near, lacks], self.i32())
    }
}
