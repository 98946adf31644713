//! The definition of every operation function.
//!
//! Floats of 16 bits are widened to `f32`, the whole operation is computed in `f32`, and its result is rounded once to
//! the format of the output, to nearest with ties to even. Reductions and products of matrices accumulate in `f32`, from
//! their start, in ascending order; work that is split over the reduced dimension is added up in the order of the
//! slices. Integers are signed and wrap. A truth value is 0 or 1 in the format of the output.

use std::cmp::Ordering;

/// A function of an element and two named constants.
pub type Parametric = fn(f32, [f32; 2]) -> f32;

/// The definition of an operation function.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    /// The operand itself: its code if the formats are the same, else the number, rounded.
    Move,
    /// One of two operands, chosen by the first, bit by bit.
    Select,
    /// Of one float.
    Unary(fn(f32) -> f32),
    /// A function of one float and of constants with these names.
    Parametric(Parametric, [&'static str; 2]),
    /// Of two numbers.
    Binary(fn(f32, f32) -> f32, Option<fn(i32, i32) -> i32>),
    /// Of two numbers, to a truth value. Floats that are not ordered compare to `None`.
    Compare(fn(Option<Ordering>) -> bool),
    /// Of five floats.
    Five(fn([f32; 5]) -> f32),
    /// Over the dimensions that the output lacks.
    Reduce(Reduction),
    /// The largest absolute value over the dimensions that the output lacks, clipped and scaled by constants with these names:
    /// the bounds and the factor.
    QuantScale([&'static str; 3]),
    /// The mean and the mean of squares along the stick, as a pair in one stick; the constant with this name is 1 / the number of
    /// elements.
    Moments(&'static str),
    /// The reciprocal of the standard deviation that a pair of moments gives, with the constant of this name added to the variance.
    NormScale(&'static str),
    /// The sum of the products of two operands over the dimensions that the output lacks.
    Contract,
    /// The product of two operands of integers, computed exactly and rounded to a float.
    ContractIntegers,
    /// The first elements along the dimension that the output lacks, in [`descending`] order.
    TopK(Ranked),
}

/// The property of a ranked element that the operation returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranked {
    /// The element itself.
    Value,
    /// Its position along the dimension.
    Position,
}

/// A reduction.
#[derive(Clone, Copy, Debug)]
pub struct Reduction {
    /// The number that it starts from.
    pub start: f32,
    /// The function that adds an element.
    pub combine: fn(f32, f32) -> f32,
    /// Whether the result is divided by the number of elements.
    pub average: bool,
    /// The name of the constant that is 1 / the number of elements, if the result is divided by it.
    pub share: &'static str,
}

const fn reduce(start: f32, combine: fn(f32, f32) -> f32, average: bool) -> Kernel {
    let share = "scaling_factor";
    Kernel::Reduce(Reduction {
        start,
        combine,
        average,
        share,
    })
}

/// Operation functions and their definitions.
const TABLE: &[(&str, Kernel)] = &[
    ("identity", Kernel::Move),
    ("ReStickifyOpHBM", Kernel::Move),
    ("shuffle", Kernel::Move),
    ("dl16tofp32", Kernel::Move),
    ("fp32todl16", Kernel::Move),
    ("where3", Kernel::Select),
    ("add", Kernel::Binary(|a, b| a + b, Some(i32::wrapping_add))),
    // With one dimension repeated; otherwise the same function under another name.
    ("biasadd", Kernel::Binary(|a, b| a + b, None)),
    ("sub", Kernel::Binary(|a, b| a - b, Some(i32::wrapping_sub))),
    // SuperDSC-Bundle 1.0.0, ComputeOperation: "reverse subtraction (b - a)".
    ("revsub", Kernel::Binary(|a, b| b - a, None)),
    ("mul", Kernel::Binary(|a, b| a * b, Some(i32::wrapping_mul))),
    ("realdiv", Kernel::Binary(|a, b| a / b, None)),
    ("maximum", Kernel::Binary(maximum, Some(|a, b| a.max(b)))),
    ("minimum", Kernel::Binary(minimum, Some(|a, b| a.min(b)))),
    (
        "equal",
        Kernel::Compare(|order| order == Some(Ordering::Equal)),
    ),
    (
        "notequal",
        Kernel::Compare(|order| order != Some(Ordering::Equal)),
    ),
    (
        "greaterthan",
        Kernel::Compare(|order| order == Some(Ordering::Greater)),
    ),
    (
        "greaterequal",
        Kernel::Compare(|order| order.is_some_and(Ordering::is_ge)),
    ),
    (
        "lesserthan",
        Kernel::Compare(|order| order == Some(Ordering::Less)),
    ),
    (
        "lesserequal",
        Kernel::Compare(|order| order.is_some_and(Ordering::is_le)),
    ),
    ("abs", Kernel::Unary(f32::abs)),
    ("exp", Kernel::Unary(f32::exp)),
    // Approximations, with an undocumented error: here they are as exact as the others.
    ("fastexp", Kernel::Unary(f32::exp)),
    ("fastsigmoid", Kernel::Unary(sigmoid)),
    ("floor", Kernel::Unary(f32::floor)),
    ("gelufwd", Kernel::Unary(gelu)),
    ("log", Kernel::Unary(f32::ln)),
    ("mish", Kernel::Unary(mish)),
    ("neg", Kernel::Unary(|x| -x)),
    ("reciprocal", Kernel::Unary(|x| 1.0 / x)),
    ("relufwd", Kernel::Unary(|x| maximum(x, 0.0))),
    ("relu6fwd", Kernel::Unary(|x| minimum(maximum(x, 0.0), 6.0))),
    ("rsqrt", Kernel::Unary(|x| 1.0 / x.sqrt())),
    ("sigmoid", Kernel::Unary(sigmoid)),
    ("silu", Kernel::Unary(|x| x / (1.0 + (-x).exp()))),
    ("sqrt", Kernel::Unary(f32::sqrt)),
    ("tanh", Kernel::Unary(f32::tanh)),
    ("clip", Kernel::Parametric(clipped, ["clipMin", "clipMax"])),
    (
        "softplus",
        Kernel::Parametric(softplus, ["softplusBeta", "softplusThresh"]),
    ),
    // The chain of a layer normalisation (contract, K30). The second operand of the last one is the pair of the first, of which it
    // needs the mean.
    ("exx2", Kernel::Moments("exx2scale")),
    ("layernormscale", Kernel::NormScale("eps")),
    (
        "layernormnorm",
        Kernel::Five(|[x, mean, scale, weight, bias]| (x - mean) * scale * weight + bias),
    ),
    ("sum", reduce(0.0, |a, b| a + b, false)),
    ("prod", reduce(1.0, |a, b| a * b, false)),
    ("max", reduce(f32::NEG_INFINITY, maximum, false)),
    ("min", reduce(f32::INFINITY, minimum, false)),
    ("absmax", reduce(0.0, absolute_maximum, false)),
    // SuperDSC-Bundle 1.0.0, table of OpFuncs: the bounds clip |x|, and the factor is 1 / the largest quantised number.
    (
        "quantscalepertokenfp8",
        Kernel::QuantScale(["clipMin", "clipMax", "mulConst"]),
    ),
    ("mean", reduce(0.0, |a, b| a + b, true)),
    // Reductions over windows; an element of the output has one window.
    ("maxpoolfwd", reduce(f32::NEG_INFINITY, maximum, false)),
    (
        "avgpoolfwd",
        Kernel::Reduce(Reduction {
            start: 0.0,
            combine: |a, b| a + b,
            average: true,
            share: "nmap",
        }),
    ),
    ("batchmatmul", Kernel::Contract),
    // The table of SuperDSC-Bundle 1.0.0 states that its result is scaled, but gives no factor: here it is not scaled.
    ("batchmatmulint8", Kernel::ContractIntegers),
    ("conv2d", Kernel::Contract),
    ("depthwiseconv2dnative", Kernel::Contract),
    // The name in the first revision.
    ("matmul", Kernel::Contract),
    ("topkvalue", Kernel::TopK(Ranked::Value)),
    ("topkindex", Kernel::TopK(Ranked::Position)),
];

/// Operation functions of the published table that have no definition, each with the part that no document defines.
const UNEXPLAINED: &[(&str, &str)] = &[
    ("batchmatmulint4", "the factor of its result"),
    (
        "batchnormfwd",
        "which of its operands are means, scales and biases",
    ),
    ("csqint4", "how a number is rounded to 4 bits"),
    (
        "exx2_zeromean",
        "the position of the mean in its pair of numbers",
    ),
    (
        "fnms",
        "which operands are multiplied, and which one is subtracted",
    ),
    (
        "leakyrelufwd",
        "the slope below 0, for which it has no constant",
    ),
    ("maskbyindex", "the value of a masked element"),
    (
        "quantscalepertoken",
        "the bounds and the factor, for which it has no constants",
    ),
];

/// Returns the part of a published operation function that no document defines; `None` for one that can run, or that
/// the table lacks.
#[must_use]
pub fn missing(function: &str) -> Option<&'static str> {
    let row = UNEXPLAINED.iter().find(|(name, _)| *name == function);
    row.map(|(_, missing)| *missing)
}

/// The definition of an operation function. Reductions of a dimension that is not on the stick have a suffix.
#[must_use]
pub fn kernel(function: &str) -> Option<Kernel> {
    let find = |name: &str| TABLE.iter().find(|(entry, _)| *entry == name);
    if let Some((_, kernel)) = find(function) {
        return Some(*kernel);
    }
    match find(function.strip_suffix("nonstick")?) {
        Some((_, kernel @ Kernel::Reduce(_))) => Some(*kernel),
        _ => None,
    }
}

/// The names of the operation functions that can run.
pub fn functions() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|(name, _)| *name)
}

/// Compares elements for a descending order: the larger one comes first, and NaN counts as larger than every number. Equal
/// ones, such as the two zeros and two NaNs, stay in the order of their positions.
#[must_use]
pub fn descending(a: f32, b: f32) -> Ordering {
    let order = b.is_nan().cmp(&a.is_nan());
    order.then(b.partial_cmp(&a).unwrap_or(Ordering::Equal))
}

/// The larger of two, NaN if either is; a positive zero is larger than a negative one.
fn maximum(a: f32, b: f32) -> f32 {
    match a.partial_cmp(&b) {
        Some(Ordering::Greater) => a,
        Some(Ordering::Less) => b,
        Some(Ordering::Equal) if a.is_sign_positive() => a,
        Some(Ordering::Equal) => b,
        None => a + b,
    }
}

/// The smaller of two, NaN if either is; a negative zero is smaller than a positive one.
fn minimum(a: f32, b: f32) -> f32 {
    -maximum(-a, -b)
}

/// Returns the larger one of a number and an absolute value, NaN if either is.
pub(crate) fn absolute_maximum(largest: f32, x: f32) -> f32 {
    maximum(largest, x.abs())
}

/// Returns a number that is at least the first bound and at most the second.
pub(crate) fn clipped(x: f32, [min, max]: [f32; 2]) -> f32 {
    minimum(maximum(x, min), max)
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Returns `x` times the hyperbolic tangent of the softplus of `x`.
fn mish(x: f32) -> f32 {
    x * softplus(x, [1.0, 20.0]).tanh()
}

/// The exponential of the card in 16 bits. It does not underflow: the smallest result is 2^-24, also of the code for
/// minus infinity (contract, K13; reported from hardware, torch-spyre issue 4517, "inputs below about -17"). The
/// threshold is where the exponential is 2^-24, at -16.64, so that it never falls.
pub(crate) fn saturating_exp(x: f32) -> f32 {
    const SMALLEST: f32 = 1.0 / (1 << 24) as f32;
    let exp = x.exp();
    // A comparison with NaN is false.
    if exp < SMALLEST { SMALLEST } else { exp }
}

fn gelu(x: f32) -> f32 {
    x * (0.5 * (1.0 + libm::erff(x * std::f32::consts::FRAC_1_SQRT_2)))
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
    fn names_are_there_once() {
        for (at, (name, _)) in TABLE.iter().enumerate() {
            assert!(
                TABLE[..at].iter().all(|(before, _)| before != name),
                "{name}"
            );
        }
        assert!(kernel("sumnonstick").is_some());
        assert!(kernel("addnonstick").is_none());
        assert!(kernel("absmaxnonstick").is_some());
        for (name, _) in UNEXPLAINED {
            assert!(kernel(name).is_none(), "{name}");
        }
    }

    #[test]
    fn the_largest_come_first() {
        let mut all = [1.0, f32::NAN, -0.0, 7.0, 0.0, f32::INFINITY, -2.0];
        all.sort_by(|a, b| descending(*a, *b));
        assert!(all[0].is_nan());
        assert_eq!(all[1..], [f32::INFINITY, 7.0, 1.0, -0.0, 0.0, -2.0]);
        assert!(all[4].is_sign_negative() && all[5].is_sign_positive());
        assert_eq!(descending(f32::NAN, -f32::NAN), Ordering::Equal);
    }

    #[test]
    fn the_smallest_exponential() {
        let smallest = 2_f32.powi(-24);
        for x in [-16.64, -17.0, -1e4, f32::NEG_INFINITY] {
            assert_eq!(saturating_exp(x), smallest, "{x}");
        }
        assert_eq!(saturating_exp(-16.6), (-16.6_f32).exp());
        assert_eq!(saturating_exp(0.0), 1.0);
        assert!(saturating_exp(f32::NAN).is_nan());
    }

    #[test]
    fn zeros_and_what_is_not_a_number() {
        assert!(maximum(-0.0, 0.0).is_sign_positive());
        assert!(maximum(0.0, -0.0).is_sign_positive());
        assert!(minimum(0.0, -0.0).is_sign_negative());
        assert!(maximum(f32::NAN, 1.0).is_nan() && maximum(1.0, f32::NAN).is_nan());
        assert!(minimum(f32::NAN, 1.0).is_nan() && minimum(1.0, f32::NAN).is_nan());
        assert_eq!((maximum(2.0, 3.0), minimum(2.0, 3.0)), (3.0, 2.0));
    }
}
