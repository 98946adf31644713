//! The rule of every operation: how an element of the result follows from elements of the operands.

use std::cmp::Ordering;
use std::f32::consts::FRAC_1_SQRT_2;

/// The rule of an operation.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Rule {
    /// The operand itself, rounded where the result is another float.
    Moved,
    /// The bits of the operand, in another type of as many.
    Bits,
    /// The float nearest to an integer.
    FromInteger,
    /// The integer of a float, towards 0.
    ToInteger,
    /// The second or the third operand, selected by the first.
    Select,
    /// A formula of one float.
    Unary(fn(f32) -> f32),
    /// A formula of one float and of two attributes.
    Parametric(fn(f32, [f32; 2]) -> f32, [&'static str; 2]),
    /// The mean and the mean of squares of each row, as a pair.
    Moments,
    /// A formula of a pair, and of an attribute.
    OfPair(fn([f32; 2], f32) -> f32, &'static str),
    /// A formula of five floats, of which the second is the first one of a pair.
    Five(fn(&[f32]) -> f32),
    /// A formula of two floats, and of two integers if it has one.
    Binary(fn(f32, f32) -> f32, Option<fn(i64, i64) -> i64>),
    /// Whether a comparison holds for elements in an order. NaN is in no order.
    Compare(fn(Option<Ordering>) -> bool),
    /// The combined elements along dimensions, from a number, and whether they are divided by their number.
    Reduce(f32, fn(f32, f32) -> f32, bool),
    /// A formula of the largest absolute value along dimensions and of three attributes.
    OfMagnitude(fn(f32, [f32; 3]) -> f32, [&'static str; 3]),
    /// The product of two matrices.
    Product,
    /// The product of two matrices of integers, exactly, rounded to a float.
    ProductOfIntegers,
    /// The sums of products of an image's windows with weights.
    Windows,
    /// The combined elements of each window of a channel, from a number, and whether they are divided by their number.
    Pool(f32, fn(f32, f32) -> f32, bool),
    /// The first elements along a dimension in descending order, or their positions.
    Search {
        /// Whether it is the positions.
        positions: bool,
    },
    /// The elements of a table at indices.
    Gather,
}

/// The operations that have a rule, by their names without `spyre.`.
static RULES: &[(&str, Rule)] = &[
    ("copy", Rule::Moved),
    ("restickify", Rule::Moved),
    ("dl16tofp32", Rule::Moved),
    ("fp32todl16", Rule::Moved),
    ("bitcast", Rule::Bits),
    ("sitofp", Rule::FromInteger),
    ("fptosi", Rule::ToInteger),
    ("where3", Rule::Select),
    ("abs", Rule::Unary(f32::abs)),
    ("exp", Rule::Unary(f32::exp)),
    ("fastexp", Rule::Unary(f32::exp)),
    ("fastsigmoid", Rule::Unary(|x| 1.0 / (1.0 + (-x).exp()))),
    ("floor", Rule::Unary(f32::floor)),
    (
        "gelufwd",
        Rule::Unary(|x| x * (0.5 * (1.0 + libm::erff(x * FRAC_1_SQRT_2)))),
    ),
    ("log", Rule::Unary(f32::ln)),
    ("mish", Rule::Unary(|x| x * x.exp().ln_1p().tanh())),
    ("neg", Rule::Unary(|x| -x)),
    ("reciprocal", Rule::Unary(|x| 1.0 / x)),
    ("relufwd", Rule::Unary(|x| larger(x, 0.0))),
    ("relu6fwd", Rule::Unary(|x| smaller(larger(x, 0.0), 6.0))),
    ("rsqrt", Rule::Unary(|x| 1.0 / x.sqrt())),
    ("sigmoid", Rule::Unary(|x| 1.0 / (1.0 + (-x).exp()))),
    ("silu", Rule::Unary(|x| x / (1.0 + (-x).exp()))),
    ("sqrt", Rule::Unary(f32::sqrt)),
    ("tanh", Rule::Unary(f32::tanh)),
    (
        "clip",
        Rule::Parametric(|x, [min, max]| smaller(larger(x, min), max), ["min", "max"]),
    ),
    (
        "softplus",
        Rule::Parametric(softplus, ["beta", "threshold"]),
    ),
    ("exx2", Rule::Moments),
    (
        "layernormscale",
        Rule::OfPair(
            |[mean, squares], eps| 1.0 / (squares - mean * mean + eps).sqrt(),
            "eps",
        ),
    ),
    (
        "layernormnorm",
        Rule::Five(|at| (at[0] - at[1]) * at[2] * at[3] + at[4]),
    ),
    ("sin", Rule::Unary(f32::sin)),
    ("cos", Rule::Unary(f32::cos)),
    ("tan", Rule::Unary(f32::tan)),
    ("asin", Rule::Unary(f32::asin)),
    ("acos", Rule::Unary(f32::acos)),
    ("atan", Rule::Unary(f32::atan)),
    ("sinh", Rule::Unary(f32::sinh)),
    ("cosh", Rule::Unary(f32::cosh)),
    ("asinh", Rule::Unary(libm::asinhf)),
    ("acosh", Rule::Unary(libm::acoshf)),
    ("atanh", Rule::Unary(libm::atanhf)),
    ("trunc", Rule::Unary(f32::trunc)),
    ("erf", Rule::Unary(libm::erff)),
    ("exp2", Rule::Unary(f32::exp2)),
    ("expm1", Rule::Unary(f32::exp_m1)),
    ("log2", Rule::Unary(f32::log2)),
    ("log1p", Rule::Unary(f32::ln_1p)),
    ("ceil", Rule::Unary(f32::ceil)),
    ("round", Rule::Unary(f32::round_ties_even)),
    ("roundaway", Rule::Unary(f32::round)),
    ("cbrt", Rule::Unary(f32::cbrt)),
    ("atan2", Rule::Binary(f32::atan2, None)),
    ("copysign", Rule::Binary(f32::copysign, None)),
    ("fmod", Rule::Binary(|a, b| a % b, None)),
    ("pow", Rule::Binary(f32::powf, None)),
    ("add", Rule::Binary(|a, b| a + b, Some(i64::wrapping_add))),
    ("sub", Rule::Binary(|a, b| a - b, Some(i64::wrapping_sub))),
    ("mul", Rule::Binary(|a, b| a * b, Some(i64::wrapping_mul))),
    ("maximum", Rule::Binary(larger, Some(Ord::max))),
    ("minimum", Rule::Binary(smaller, Some(Ord::min))),
    ("realdiv", Rule::Binary(|a, b| a / b, None)),
    ("revsub", Rule::Binary(|a, b| b - a, None)),
    ("biasadd", Rule::Binary(|a, b| a + b, None)),
    (
        "equal",
        Rule::Compare(|order| order == Some(Ordering::Equal)),
    ),
    (
        "notequal",
        Rule::Compare(|order| order != Some(Ordering::Equal)),
    ),
    (
        "greaterthan",
        Rule::Compare(|order| order == Some(Ordering::Greater)),
    ),
    (
        "greaterequal",
        Rule::Compare(|order| matches!(order, Some(Ordering::Greater | Ordering::Equal))),
    ),
    (
        "lesserthan",
        Rule::Compare(|order| order == Some(Ordering::Less)),
    ),
    (
        "lesserequal",
        Rule::Compare(|order| matches!(order, Some(Ordering::Less | Ordering::Equal))),
    ),
    ("sum", Rule::Reduce(0.0, |a, b| a + b, false)),
    ("mean", Rule::Reduce(0.0, |a, b| a + b, true)),
    ("prod", Rule::Reduce(1.0, |a, b| a * b, false)),
    ("max", Rule::Reduce(f32::NEG_INFINITY, larger, false)),
    ("min", Rule::Reduce(f32::INFINITY, smaller, false)),
    ("absmax", Rule::Reduce(0.0, magnitude, false)),
    (
        "quantscalepertokenfp8",
        Rule::OfMagnitude(
            |largest, [min, max, factor]| smaller(larger(largest, min), max) * factor,
            ["min", "max", "factor"],
        ),
    ),
    ("batchmatmul", Rule::Product),
    ("batchmatmulint8", Rule::ProductOfIntegers),
    ("conv2d", Rule::Windows),
    ("depthwiseconv2dnative", Rule::Windows),
    ("maxpoolfwd", Rule::Pool(f32::NEG_INFINITY, larger, false)),
    ("avgpoolfwd", Rule::Pool(0.0, |a, b| a + b, true)),
    ("topkvalue", Rule::Search { positions: false }),
    ("topkindex", Rule::Search { positions: true }),
    ("gather", Rule::Gather),
];

/// Returns the names of the operations that have a meaning here, without `spyre.`.
pub fn operations() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|(name, _)| *name)
}

/// Returns the rule of an operation; `None` if it has no meaning here.
pub(crate) fn rule(name: &str) -> Option<Rule> {
    let entry = RULES.iter().find(|(rule_name, _)| *rule_name == name);
    entry.map(|(_, rule)| *rule)
}

/// Returns the larger of two numbers, NaN if either is; a positive zero is larger than a negative one.
fn larger(a: f32, b: f32) -> f32 {
    if a.is_nan() || b.is_nan() {
        f32::NAN
    } else if a == b {
        if a.is_sign_negative() { b } else { a }
    } else if a > b {
        a
    } else {
        b
    }
}

/// Returns the larger of a number and an absolute value, NaN if either is.
pub(crate) fn magnitude(largest: f32, x: f32) -> f32 {
    larger(largest, x.abs())
}

/// Returns the smaller of two numbers, NaN if either is; a negative zero is smaller than a positive one.
fn smaller(a: f32, b: f32) -> f32 {
    -larger(-a, -b)
}

fn softplus(x: f32, [beta, threshold]: [f32; 2]) -> f32 {
    let scaled = beta * x;
    if scaled > threshold {
        x
    } else {
        scaled.exp().ln_1p() / beta
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_and_what_is_not_a_number() {
        assert!(larger(-0.0, 0.0).is_sign_positive() && larger(0.0, -0.0).is_sign_positive());
        assert!(smaller(0.0, -0.0).is_sign_negative() && smaller(-0.0, 0.0).is_sign_negative());
        assert!(larger(f32::NAN, 1.0).is_nan() && smaller(1.0, f32::NAN).is_nan());
        assert_eq!((larger(2.0, 3.0), smaller(2.0, 3.0)), (3.0, 2.0));
    }
}
