//! The formula of each operation.
//!
//! Polynomials are minimax approximations in relative error, computed by Lawson's iteration on 400 points. Rounding to
//! even, signs of zeros, infinities and NaN come out as in C.

use std::f64::consts::{FRAC_1_PI, FRAC_PI_2, LN_2, LOG2_E};

use melior::ir::ValueLike;
use spyre_analysis::signs::is_non_negative;
use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::{arith, spyre};

use super::make::{Make, element_of, is_static};
use super::remainder::{self, Bits};

/// Pi in three parts (Cephes, `sinf`). The first has 8 bits and the second 14, so that their products with integers of 10 bits
/// are exact in `f32`.
const PI: [f64; 3] = [
    3.140_625,
    9.675_025_939_941_406e-4,
    1.509_957_990_978_376_4e-7,
];

/// `(sin(x) - x) / x^3` in `x^2`, for `x` up to pi / 2. The relative error of the sine is 6.1e-9.
const SIN: [f64; 4] = [
    -1.666_665_955_0e-1,
    8.333_066_246_1e-3,
    -1.980_960_290_4e-4,
    2.605_780_641_0e-6,
];

/// `(atan(x) - x) / x^3` in `x^2`, for `x` up to 1. The relative error of the arc tangent is 1.7e-8.
const ATAN: [f64; 8] = [
    -3.333_315_273_5e-1,
    1.999_377_281_7e-1,
    -1.421_105_516_8e-1,
    1.066_600_410_2e-1,
    -7.552_213_143_1e-2,
    4.321_184_737_1e-2,
    -1.636_791_976_6e-2,
    2.920_690_180_1e-3,
];

/// `atanh(erf(x)) / x` in `x^2`, for `x` up to [`ERF_IS_ONE`]. The relative error of the error function is 9.5e-8.
const ERF: [f64; 7] = [
    1.128_379_274_4,
    1.027_690_553_4e-1,
    -1.918_294_397_8e-4,
    -6.197_861_820_8e-4,
    8.763_801_693_5e-5,
    -5.668_604_532_1e-6,
    1.418_604_121_7e-7,
];

/// The error function is 1 from here on, in `f32`.
const ERF_IS_ONE: f64 = 3.93;

/// From this magnitude on, `sqrt(1 + x^2)` equals `x` in `f32`.
const FAR: f64 = 16_384.0;

/// The largest integer exponent, in magnitude, of a power that is computed by products.
const MOST_FACTORS: u32 = 16;

/// The largest exponent of a power that is computed by products in 16 bits.
const MOST_NARROW_FACTORS: u32 = 4;

/// The least finite numbers of the host's formats of 16 bits.
const F16_LEAST: f64 = -65_504.0;
const BF16_LEAST: f64 = -3.389_531_389_251_535_5e38;

/// Builds `x - n * pi`, where `n` is a multiple of 1/2, and clamps it to [-pi/2, pi/2], the interval of the polynomial
/// of the sine. The parts of [`PI`] are subtracted one by one, since the product with the whole of pi is rounded.
fn reduced<'p>(make: &Make<'p>, x: Val<'p>, n: Val<'p>) -> Val<'p> {
    let rest = PI.iter().fold(x, |rest, part| {
        make.binary(spyre::SUB, rest, make.with(spyre::MUL, n, *part))
    });
    let rest = make.with(spyre::MINIMUM, rest, FRAC_PI_2);
    make.with(spyre::MAXIMUM, rest, -FRAC_PI_2)
}

/// Builds `x + x^3 * p(x^2)`.
fn odd<'p>(make: &Make<'p>, x: Val<'p>, coefficients: &[f64]) -> Val<'p> {
    let square = make.binary(spyre::MUL, x, x);
    let p = make.polynomial(square, coefficients);
    let p = make.binary(spyre::MUL, p, square);
    make.binary(spyre::ADD, x, make.binary(spyre::MUL, p, x))
}

/// Builds 0 for an even integer and 1/2 for an odd one.
fn half_of_parity<'p>(make: &Make<'p>, n: Val<'p>) -> Val<'p> {
    let half = make.with(spyre::MUL, n, 0.5);
    make.binary(spyre::SUB, half, make.unary(spyre::FLOOR, half))
}

/// With n the integer nearest to x / pi, the sine is `(-1)^n * sin(x - n * pi)`.
pub(super) fn sin<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    let turns = make.with(spyre::MUL, x, FRAC_1_PI);
    let n = make.unary(spyre::FLOOR, make.with(spyre::ADD, turns, 0.5));
    let parity = half_of_parity(make, n);
    let sign = make.with(spyre::ADD, make.with(spyre::MUL, parity, -4.0), 1.0);
    let sine = odd(make, reduced(make, x, n), &SIN);
    make.binary(spyre::MUL, sine, sign)
}

/// With n the integer below x / pi, the cosine is `-(-1)^n * sin(x - (n + 1/2) * pi)`.
pub(super) fn cos<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    let n = make.unary(spyre::FLOOR, make.with(spyre::MUL, x, FRAC_1_PI));
    let parity = half_of_parity(make, n);
    let sign = make.with(spyre::ADD, make.with(spyre::MUL, parity, 4.0), -1.0);
    let n = make.with(spyre::ADD, n, 0.5);
    let sine = odd(make, reduced(make, x, n), &SIN);
    make.binary(spyre::MUL, sine, sign)
}

/// Beyond 1 the arc tangent is a right angle less that of 1 / x.
pub(super) fn atan<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    let is_large = make.compare_with(spyre::GREATERTHAN, make.unary(spyre::ABS, x), 1.0);
    let small = make.choose(is_large, make.unary(spyre::RECIPROCAL, x), x);
    let near = odd(make, small, &ATAN);
    let is_negative = make.compare_with(spyre::LESSERTHAN, x, 0.0);
    let (left, right) = (make.number(-FRAC_PI_2, x), make.number(FRAC_PI_2, x));
    let angle = make.choose(is_negative, left, right);
    make.choose(is_large, make.binary(spyre::SUB, angle, near), near)
}

pub(super) fn tan<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    make.binary(spyre::REALDIV, sin(make, x), cos(make, x))
}

/// `atan(x / sqrt((1 - x) * (1 + x)))`: neither factor loses digits of the other.
pub(super) fn asin<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    let below = make.binary(spyre::SUB, make.number(1.0, x), x);
    let above = make.with(spyre::ADD, x, 1.0);
    let cosine = make.unary(spyre::SQRT, make.binary(spyre::MUL, below, above));
    atan(make, make.binary(spyre::REALDIV, x, cosine))
}

/// `2 * atan(sqrt((1 - x) / (1 + x)))`.
pub(super) fn acos<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    let below = make.binary(spyre::SUB, make.number(1.0, x), x);
    let above = make.with(spyre::ADD, x, 1.0);
    let ratio = make.binary(spyre::REALDIV, below, above);
    let half = atan(make, make.unary(spyre::SQRT, ratio));
    make.with(spyre::MUL, half, 2.0)
}

/// `(t / 2) * t + (r / 2) * r` where `t` is `e^(|x| / 2)` and `r` the reciprocal: it overflows where the result does.
pub(super) fn cosh<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    let half = make.with(spyre::MUL, make.unary(spyre::ABS, x), 0.5);
    let root = make.unary(spyre::EXP, half);
    let rest = make.unary(spyre::EXP, make.unary(spyre::NEG, half));
    let large = make.binary(spyre::MUL, make.with(spyre::MUL, root, 0.5), root);
    let small = make.binary(spyre::MUL, make.with(spyre::MUL, rest, 0.5), rest);
    make.binary(spyre::ADD, large, small)
}

/// `tanh(x) * cosh(x)`, without cancellation.
pub(super) fn sinh<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    make.binary(spyre::MUL, make.unary(spyre::TANH, x), cosh(make, x))
}

/// `log1p(a + a^2 / (1 + sqrt(1 + a^2)))` of the magnitude `a`, and `log(a) + log(2)` where the square would overflow.
pub(super) fn asinh<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    let magnitude = make.unary(spyre::ABS, x);
    let square = make.binary(spyre::MUL, magnitude, magnitude);
    let root = make.unary(spyre::SQRT, make.with(spyre::ADD, square, 1.0));
    let rest = make.binary(spyre::REALDIV, square, make.with(spyre::ADD, root, 1.0));
    let near = log1p(make, make.binary(spyre::ADD, magnitude, rest));
    let far = make.with(spyre::ADD, make.unary(spyre::LOG, magnitude), LN_2);
    let is_far = make.compare_with(spyre::GREATERTHAN, magnitude, FAR);
    with_sign(make, make.choose(is_far, far, near), x)
}

/// `log1p(t + sqrt(t * (2 + t)))` where `t` is `x - 1`, and `log(x) + log(2)` where the square would overflow.
pub(super) fn acosh<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    let rest = make.with(spyre::SUB, x, 1.0);
    let square = make.binary(spyre::MUL, rest, make.with(spyre::ADD, x, 1.0));
    let sum = make.binary(spyre::ADD, rest, make.unary(spyre::SQRT, square));
    let far = make.with(spyre::ADD, make.unary(spyre::LOG, x), LN_2);
    let is_far = make.compare_with(spyre::GREATERTHAN, x, FAR);
    make.choose(is_far, far, log1p(make, sum))
}

/// `log1p(2 * a / (1 - a)) / 2` of the magnitude `a`.
pub(super) fn atanh<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    let magnitude = make.unary(spyre::ABS, x);
    let below = make.binary(spyre::SUB, make.number(1.0, x), magnitude);
    let twice = make.binary(spyre::ADD, magnitude, magnitude);
    let log = log1p(make, make.binary(spyre::REALDIV, twice, below));
    with_sign(make, make.with(spyre::MUL, log, 0.5), x)
}

/// Builds the value of an odd function from `value`, its value at the magnitude of `x`: negated where `x` is below 0, and
/// `x` itself where that is a zero.
fn with_sign<'p>(make: &Make<'p>, value: Val<'p>, x: Val<'p>) -> Val<'p> {
    let is_negative = make.compare_with(spyre::LESSERTHAN, x, 0.0);
    let signed = make.choose(is_negative, make.unary(spyre::NEG, value), value);
    let is_zero = make.compare_with(spyre::EQUAL, x, 0.0);
    make.choose(is_zero, x, signed)
}

/// Builds the floor of the magnitude of `x`, with the sign of `x`. Every step is exact.
pub(super) fn trunc<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    let below = make.unary(spyre::FLOOR, make.unary(spyre::ABS, x));
    let is_negative = make.compare_with(spyre::LESSERTHAN, x, 0.0);
    let signed = make.choose(is_negative, make.unary(spyre::NEG, below), below);
    let is_zero = make.compare_with(spyre::EQUAL, x, 0.0);
    make.choose(is_zero, x, signed)
}

pub(super) fn ceil<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    let below = make.unary(spyre::FLOOR, make.unary(spyre::NEG, x));
    make.unary(spyre::NEG, below)
}

/// Builds the hyperbolic tangent of an odd polynomial. It does not grow errors, and is exact where the result is 1.
pub(super) fn erf<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    let x = make.with(spyre::MINIMUM, x, ERF_IS_ONE);
    let x = make.with(spyre::MAXIMUM, x, -ERF_IS_ONE);
    let square = make.binary(spyre::MUL, x, x);
    let p = make.polynomial(square, &ERF);
    make.unary(spyre::TANH, make.binary(spyre::MUL, x, p))
}

pub(super) fn exp2<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    make.unary(spyre::EXP, make.with(spyre::MUL, x, LN_2))
}

/// `tanh(x / 2) * (e^x + 1)`, without cancellation.
pub(super) fn expm1<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    let half = make.unary(spyre::TANH, make.with(spyre::MUL, x, 0.5));
    let sum = make.with(spyre::ADD, make.unary(spyre::EXP, x), 1.0);
    make.binary(spyre::MUL, half, sum)
}

/// Kahan: `log(u) * (x / (u - 1))` where `u` is `1 + x`, rounded, and `x` where that is 1. The quotient takes back the rounding.
pub(super) fn log1p<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    let sum = make.with(spyre::ADD, x, 1.0);
    let rest = make.with(spyre::SUB, sum, 1.0);
    let log = make.unary(spyre::LOG, sum);
    let ratio = make.binary(spyre::REALDIV, x, rest);
    let corrected = make.binary(spyre::MUL, log, ratio);
    // Infinity divided by itself is not 1.
    let is_exact = make.compare(spyre::EQUAL, rest, x);
    let log = make.choose(is_exact, log, corrected);
    let is_tiny = make.compare_with(spyre::EQUAL, sum, 1.0);
    make.choose(is_tiny, x, log)
}

pub(super) fn log2<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    make.with(spyre::MUL, make.unary(spyre::LOG, x), LOG2_E)
}

/// Builds the integer below the magnitude, and 1 if the rest is above 1/2, or is 1/2 and the integer is odd. Every step is exact.
pub(super) fn round<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    let magnitude = make.unary(spyre::ABS, x);
    let below = make.unary(spyre::FLOOR, magnitude);
    let rest = make.binary(spyre::SUB, magnitude, below);
    let parity = half_of_parity(make, below);
    let odd = make.binary(spyre::ADD, parity, parity);
    let is_tie = make.compare_with(spyre::EQUAL, rest, 0.5);
    let is_above = make.compare_with(spyre::GREATERTHAN, rest, 0.5);
    let up = make.choose(is_above, make.number(1.0, x), make.number(0.0, x));
    let up = make.choose(is_tie, odd, up);
    let rounded = make.binary(spyre::ADD, below, up);
    let is_negative = make.compare_with(spyre::LESSERTHAN, x, 0.0);
    let rounded = make.choose(is_negative, make.unary(spyre::NEG, rounded), rounded);
    // Integers are not changed, and zeros keep their signs.
    let is_integer = make.compare_with(spyre::EQUAL, rest, 0.0);
    make.choose(is_integer, x, rounded)
}

/// Builds the integer below the magnitude, and 1 if the rest is 1/2 or more, with the sign of `x`. Every step is exact.
pub(super) fn round_away<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    let magnitude = make.unary(spyre::ABS, x);
    let below = make.unary(spyre::FLOOR, magnitude);
    let rest = make.binary(spyre::SUB, magnitude, below);
    let is_below = make.compare_with(spyre::LESSERTHAN, rest, 0.5);
    let up = make.choose(is_below, make.number(0.0, x), make.number(1.0, x));
    let rounded = make.binary(spyre::ADD, below, up);
    // Integers and infinities are not changed, and zeros keep their signs.
    let is_integer = make.compare(spyre::EQUAL, below, magnitude);
    let signed = make.choose(is_integer, magnitude, rounded);
    magnitude_with_sign(make, signed, x)
}

/// `e^(log(a) / 3)` of the magnitude `a`, and a step of Newton: `y - (y - a / y^2) / 3`.
pub(super) fn cbrt<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    let magnitude = make.unary(spyre::ABS, x);
    let log = make.unary(spyre::LOG, magnitude);
    let root = make.unary(spyre::EXP, make.with(spyre::MUL, log, 1.0 / 3.0));
    let square = make.binary(spyre::MUL, root, root);
    let rest = make.binary(spyre::REALDIV, magnitude, square);
    let rest = make.binary(spyre::SUB, root, rest);
    let root = make.binary(spyre::SUB, root, make.with(spyre::MUL, rest, 1.0 / 3.0));
    let is_infinite = make.compare_with(spyre::GREATERTHAN, magnitude, f64::from(f32::MAX));
    let root = make.choose(is_infinite, magnitude, root);
    with_sign(make, root, x)
}

/// Builds the angle of the point, in `f32`, rounded to the format of the result.
pub(super) fn atan2<'p>(make: &Make<'p>, [y, x]: [Val<'p>; 2], result: Val<'p>) -> Val<'p> {
    let angle = angle(make, make.widened(y), make.widened(x));
    make.narrowed(angle, element_of(result))
}

/// Builds the angle between the point and the nearer axis, with a tangent of at most 1, mapped to the octant of the
/// point.
fn angle<'p>(make: &Make<'p>, y: Val<'p>, x: Val<'p>) -> Val<'p> {
    let [high, wide] = [y, x].map(|side| make.unary(spyre::ABS, side));
    let least = make.binary(spyre::MINIMUM, high, wide);
    let most = make.binary(spyre::MAXIMUM, high, wide);
    let ratio = make.binary(spyre::REALDIV, least, most);
    // The ratio of two zeros is set to 0, and the ratio of two infinities to 1.
    let is_zero = make.compare_with(spyre::EQUAL, most, 0.0);
    let ratio = make.choose(is_zero, make.number(0.0, ratio), ratio);
    let is_infinite = make.compare_with(spyre::GREATERTHAN, least, f64::from(f32::MAX));
    let ratio = make.choose(is_infinite, make.number(1.0, ratio), ratio);
    let near = odd(make, ratio, &ATAN);
    let is_steep = make.compare(spyre::GREATERTHAN, high, wide);
    let rest = make.binary(spyre::SUB, make.number(FRAC_PI_2, near), near);
    let angle = make.choose(is_steep, rest, near);
    let behind = make.binary(spyre::SUB, make.number(std::f64::consts::PI, angle), angle);
    let angle = make.choose(has_sign(make, x), behind, angle);
    magnitude_with_sign(make, angle, y)
}

/// Builds the magnitude of a number with the sign of another, in their format.
pub(super) fn copysign<'p>(make: &Make<'p>, [x, sign]: [Val<'p>; 2], _: Val<'p>) -> Val<'p> {
    magnitude_with_sign(make, x, sign)
}

/// Builds the remainder of a division, in `f32`, rounded to the format of the result.
pub(super) fn fmod<'p>(make: &Make<'p>, [x, y]: [Val<'p>; 2], result: Val<'p>) -> Val<'p> {
    let (wide, bits) = (make.widened(x), Bits::of(make, y));
    let rest = remainder::magnitude(make, wide, make.widened(y), bits);
    make.narrowed(magnitude_with_sign(make, rest, wide), element_of(result))
}

/// Builds the magnitude of `x` with the sign of another number, which has one if it is a zero as well.
fn magnitude_with_sign<'p>(make: &Make<'p>, x: Val<'p>, sign: Val<'p>) -> Val<'p> {
    let magnitude = make.unary(spyre::ABS, x);
    let negative = make.unary(spyre::NEG, magnitude);
    make.choose(has_sign(make, sign), negative, magnitude)
}

/// Builds whether a number is negative, or a negative zero: its sum with its reciprocal is below 0 for both.
fn has_sign<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    let sum = make.binary(spyre::ADD, x, make.unary(spyre::RECIPROCAL, x));
    make.compare_with(spyre::LESSERTHAN, sum, 0.0)
}

/// Powers with constant exponents are products and roots where that is possible.
pub(super) fn pow<'p>(make: &Make<'p>, [x, exponent]: [Val<'p>; 2], result: Val<'p>) -> Val<'p> {
    let constant = ir::defining_op(exponent).and_then(splat);
    if let Some(constant) = constant
        && let Some(value) = pow_of_constant(make, x, constant, result)
    {
        return value;
    }
    let y = match constant {
        Some(constant) => make.number_of(constant, exponent, make.f32()),
        None => make.widened(exponent),
    };
    let power = pow_of_tensor(make, make.widened(x), y);
    make.narrowed(power, element_of(result))
}

/// Builds a power with a constant exponent; `None` where it is no simpler than one with any exponent.
fn pow_of_constant<'p>(
    make: &Make<'p>,
    x: Val<'p>,
    exponent: f64,
    result: Val<'p>,
) -> Option<Val<'p>> {
    let element = element_of(result);
    if exponent == 0.0 {
        return is_static(result).then(|| make.fill(1.0, result.r#type(), element));
    }
    if exponent == 0.5 {
        return Some(make.unary(spyre::SQRT, base_of_root(make, x)));
    }
    if exponent == -0.5 {
        return Some(make.unary(spyre::RSQRT, base_of_root(make, x)));
    }
    if !exponent.is_finite() {
        return None;
    }
    if exponent.fract() != 0.0 {
        let log = make.unary(spyre::LOG, without_infinite_sign(make, make.widened(x)));
        let power = make.unary(spyre::EXP, make.with(spyre::MUL, log, exponent));
        return Some(make.narrowed(power, element));
    }
    if exponent.abs() > f64::from(MOST_FACTORS) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a small integer"
    )]
    let factors = exponent.abs() as u32;
    let is_narrow = factors == 1 || (exponent > 0.0 && factors <= MOST_NARROW_FACTORS);
    let base = if is_narrow { x } else { make.widened(x) };
    let product = product(make, base, factors);
    let power = if exponent < 0.0 {
        make.unary(spyre::RECIPROCAL, product)
    } else {
        product
    };
    Some(make.narrowed(power, element))
}

/// Builds the operand of the root for a power: a power of negative infinity equals that of infinity, and that of a
/// negative zero has no sign, but their roots are NaN and a negative zero.
fn base_of_root<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    if is_non_negative(x) {
        return x;
    }
    without_infinite_sign(make, make.with(spyre::ADD, x, 0.0))
}

/// Builds infinity in place of negative infinity, and every other number as it is.
fn without_infinite_sign<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    if is_non_negative(x) {
        return x;
    }
    let least = match (ir::bits(element_of(x)), ir::is_bf16(element_of(x))) {
        (Some(16), true) => BF16_LEAST,
        (Some(16), false) => F16_LEAST,
        _ => f64::from(f32::MIN),
    };
    let is_infinite = make.compare_with(spyre::LESSERTHAN, x, least);
    make.choose(is_infinite, make.unary(spyre::ABS, x), x)
}

/// Builds the product of `factors` times `x`, by squares.
fn product<'p>(make: &Make<'p>, x: Val<'p>, factors: u32) -> Val<'p> {
    if factors == 1 {
        return x;
    }
    let root = product(make, x, factors / 2);
    let square = make.binary(spyre::MUL, root, root);
    if factors.is_multiple_of(2) {
        square
    } else {
        make.binary(spyre::MUL, square, x)
    }
}

/// Builds `e^(y * log|x|)`, with the sign of `x` for an odd `y`. It is not a number for a negative `x` and a `y` that is no
/// integer: the logarithm of `x` itself is not.
fn pow_of_tensor<'p>(make: &Make<'p>, x: Val<'p>, y: Val<'p>) -> Val<'p> {
    let is_integer = make.compare(spyre::EQUAL, make.unary(spyre::FLOOR, y), y);
    let magnitude = make.unary(spyre::ABS, x);
    let base = make.choose(is_integer, magnitude, x);
    // A power of negative infinity without a sign equals the power of infinity.
    let is_infinite = make.compare_with(spyre::LESSERTHAN, x, f64::from(f32::MIN));
    let base = make.choose(is_infinite, magnitude, base);
    let log = make.binary(spyre::MUL, make.unary(spyre::LOG, base), y);
    let power = make.unary(spyre::EXP, log);
    let is_one = make.compare_with(spyre::EQUAL, base, 1.0);
    let power = make.choose(is_one, make.number(1.0, power), power);
    let parity = half_of_parity(make, y);
    let is_odd = make.compare_with(spyre::EQUAL, parity, 0.5);
    let (one, minus) = (make.number(1.0, y), make.number(-1.0, y));
    let sign = make.choose(is_odd, minus, one);
    let sign = make.choose(has_sign(make, x), sign, one);
    let power = make.binary(spyre::MUL, power, sign);
    let is_zero = make.compare_with(spyre::EQUAL, y, 0.0);
    make.choose(is_zero, make.number(1.0, power), power)
}

/// Returns the one number that a constant holds everywhere.
fn splat(op: Op<'_>) -> Option<f64> {
    let is_constant = matches!(ir::name(op), spyre::FILL | arith::CONSTANT);
    let value = is_constant.then(|| ir::attribute(op, "value")).flatten()?;
    attr::number(attr::splat(value)?)
}
