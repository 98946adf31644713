//! The remainder of a division that is cut off at the point.
//!
//! A long division in `f32`: each stage takes the multiples of the divisor, times a power of two, that the stage before left. The
//! quotient of a stage has so few bits that its product with the divisor is exact, and so is the difference. A quotient
//! that is rounded up leaves a negative remainder, which the next stage corrects, and after the last stage a sum.

use melior::ir::TypeLike;
use spyre_mlir_rt::ir::Val;
use spyre_ods::spyre;

use super::make::{Make, element_of};

/// The number of stages. Each extends the largest quotient by the bits of a stage.
const STAGES: i32 = 3;

/// The bits of a stage's quotient, for a divisor of `f32` in two parts: 12 and 11 bits are 23.
const WIDE_BITS: i32 = 11;

/// The bits of a stage's quotient for a divisor of `f16`: its 11 bits and these are 24.
const HALF_BITS: i32 = 13;

/// The bits of a stage's quotient for a divisor of `bf16`: its 8 bits and these are 24.
const BRAIN_BITS: i32 = 16;

/// 1 and half the bits of a fraction, which splits an `f32` into two parts (Veltkamp).
const SPLIT: f64 = 4097.0;

/// The largest divisor: its product with [`SPLIT`] is finite. A larger one leaves every smaller dividend unchanged.
const LARGEST: f64 = 41_538_374_868_278_621_028_243_970_633_760_768.0;

/// Builds the magnitude of the remainder of `x` divided by `y`, both in `f32`. `bits` are the digits of the divisor.
pub(super) fn magnitude<'p>(make: &Make<'p>, x: Val<'p>, y: Val<'p>, bits: Bits) -> Val<'p> {
    let mut left = make.unary(spyre::ABS, x);
    let divisor = make.unary(spyre::ABS, y);
    for stage in (1..STAGES).rev() {
        let factor = 2f64.powi(stage * bits.of_quotient());
        let multiple = make.with(spyre::MUL, divisor, factor);
        left = take(
            make,
            left,
            make.with(spyre::MINIMUM, multiple, LARGEST),
            bits,
        );
    }
    let divisor = make.with(spyre::MINIMUM, divisor, LARGEST);
    left = take(make, left, divisor, bits);
    let is_less = make.compare_with(spyre::LESSERTHAN, left, 0.0);
    let more = make.binary(spyre::ADD, left, divisor);
    left = make.choose(is_less, more, left);
    let is_more = make.compare(spyre::GREATEREQUAL, left, divisor);
    let less = make.binary(spyre::SUB, left, divisor);
    make.choose(is_more, less, left)
}

/// The digits of a divisor, which limit the digits of a quotient.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bits {
    /// The digits of `f16`.
    Half,
    /// The digits of `bf16`.
    Brain,
    /// The digits of `f32`.
    Wide,
}

impl Bits {
    /// Returns the digits of the elements of a tensor of floats.
    pub(super) fn of<'p>(make: &Make<'p>, y: Val<'p>) -> Self {
        let element = element_of(y);
        if element == make.f32() {
            Self::Wide
        } else if element.is_f16() {
            Self::Half
        } else {
            Self::Brain
        }
    }

    fn of_quotient(self) -> i32 {
        match self {
            Self::Half => HALF_BITS,
            Self::Brain => BRAIN_BITS,
            Self::Wide => WIDE_BITS,
        }
    }
}

/// Builds `left - floor(left / divisor) * divisor`.
fn take<'p>(make: &Make<'p>, left: Val<'p>, divisor: Val<'p>, bits: Bits) -> Val<'p> {
    let quotient = make.unary(spyre::FLOOR, make.binary(spyre::REALDIV, left, divisor));
    let less = |left: Val<'p>, part: Val<'p>| {
        make.binary(spyre::SUB, left, make.binary(spyre::MUL, quotient, part))
    };
    if bits != Bits::Wide {
        return less(left, divisor);
    }
    let large = make.with(spyre::MUL, divisor, SPLIT);
    let high = make.binary(spyre::SUB, large, make.binary(spyre::SUB, large, divisor));
    let low = make.binary(spyre::SUB, divisor, high);
    less(less(left, high), low)
}
