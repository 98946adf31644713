//! Functions of one operand.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use melior::ir::{Attribute, Type, TypeLike, ValueLike};
use spyre_analysis::signs::is_non_negative;
use spyre_construct::build::{Build, element_of};
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::{OpParts, spyre};

use super::pattern::{
    Product, argument, defined, is_constant, is_near, number, operands, with_constant,
};

/// `softplus(x)` is `x` above this: `ln(1 + e^x)` differs from it by `e^-x`, which no format shows there.
const SOFTPLUS_IS_LINEAR: f64 = 20.0;

/// The factor of the cube in the form of GELU with the hyperbolic tangent.
const GELU_CUBE: f64 = 0.044_715;

/// The constructor of an OpFunc of one operand.
type OpFunc<'p> = fn(Val<'p>) -> OpParts<'p>;

/// Returns whether elements of a type are floats of the device.
fn is_float(ty: Type<'_>) -> bool {
    ty.is_f16() || ty.is_bf16() || ty.is_f32()
}

/// Builds an OpFunc of `x` with the type of a result, which `x` must have; `None` for another type.
fn unary<'p>(
    build: &Build<'p>,
    opfunc: OpFunc<'p>,
    x: Val<'p>,
    result: Val<'p>,
) -> Option<Val<'p>> {
    let ty = result.r#type();
    (x.r#type() == ty && is_float(element_of(result))).then(|| build.emit(opfunc(x), ty))
}

/// Builds `relu6fwd`.
pub(super) fn relu6<'p>(build: &Build<'p>, op: Op<'p>, result: Val<'p>) -> Option<Val<'p>> {
    unary(build, spyre::relu6fwd, bounded_by_6(op)?, result)
}

/// Builds `relufwd`.
pub(super) fn relu<'p>(build: &Build<'p>, op: Op<'p>, result: Val<'p>) -> Option<Val<'p>> {
    let x = match ir::name(op) {
        spyre::WHERE3 => rectified(op)?,
        _ => bounded_by_0(op)?,
    };
    unary(build, spyre::relufwd, x, result)
}

/// Builds `rsqrt`.
pub(super) fn rsqrt<'p>(build: &Build<'p>, op: Op<'p>, result: Val<'p>) -> Option<Val<'p>> {
    let x = match ir::name(op) {
        spyre::SQRT => argument(ir::operand(op, 0)?, spyre::RECIPROCAL)?,
        spyre::POW => {
            let [x, exponent] = operands(op)?;
            // A power of negative infinity is 0, and its root is NaN.
            (number(exponent)? == -0.5 && is_non_negative(x)).then_some(x)?
        }
        _ => argument(inverted(op)?, spyre::SQRT)?,
    };
    unary(build, spyre::rsqrt, x, result)
}

/// Builds `sigmoid`.
pub(super) fn sigmoid<'p>(build: &Build<'p>, op: Op<'p>, result: Val<'p>) -> Option<Val<'p>> {
    let x = match ir::name(op) {
        spyre::MUL => sigmoid_of_tangent(result)?,
        _ => match inverted(op) {
            Some(value) => one_plus_exp_of_minus(value)?,
            None => sigmoid_of_tangent(result)?,
        },
    };
    unary(build, spyre::sigmoid, x, result)
}

/// Builds `reciprocal`, of a value that no other OpFunc inverts.
pub(super) fn reciprocal<'p>(build: &Build<'p>, op: Op<'p>, result: Val<'p>) -> Option<Val<'p>> {
    let value = inverted(op)?;
    let is_other = argument(value, spyre::SQRT).is_some() || one_plus_exp_of_minus(value).is_some();
    if is_other {
        return None;
    }
    unary(build, spyre::reciprocal, value, result)
}

/// Builds `silu`.
pub(super) fn silu<'p>(build: &Build<'p>, op: Op<'p>, result: Val<'p>) -> Option<Val<'p>> {
    let mut product = Product::of(result);
    if let Some(x) = product.find(|factor| argument(factor, spyre::SIGMOID)) {
        let is_silu = product.take(x) && product.is_only(1.0, result);
        return is_silu
            .then(|| unary(build, spyre::silu, x, result))
            .flatten();
    }
    if ir::name(op) != spyre::REALDIV {
        return None;
    }
    let [x, divisor] = operands(op)?;
    let is_silu = one_plus_exp_of_minus(divisor)? == x;
    is_silu
        .then(|| unary(build, spyre::silu, x, result))
        .flatten()
}

/// Builds `gelufwd`.
pub(super) fn gelu<'p>(build: &Build<'p>, _: Op<'p>, result: Val<'p>) -> Option<Val<'p>> {
    let mut product = Product::of(result);
    let is_narrow = !element_of(result).is_f32();
    let x = product.find(|factor| {
        let bell = with_constant(factor, spyre::ADD, 1.0)?;
        match argument(bell, spyre::ERF) {
            Some(scaled) => Product::of(scaled).single(FRAC_1_SQRT_2),
            None if is_narrow => gelu_tangent(argument(bell, spyre::TANH)?),
            None => None,
        }
    })?;
    let is_gelu = product.take(x) && product.is_only(0.5, result);
    is_gelu
        .then(|| unary(build, spyre::gelufwd, x, result))
        .flatten()
}

/// Builds `softplus`.
pub(super) fn softplus<'p>(build: &Build<'p>, op: Op<'p>, result: Val<'p>) -> Option<Val<'p>> {
    let x = exponent_of_softplus(op)?;
    let ty = result.r#type();
    let threshold = parameter(build, SOFTPLUS_IS_LINEAR);
    let parts = spyre::softplus(x, parameter(build, 1.0), threshold);
    (x.r#type() == ty && is_float(element_of(result))).then(|| build.emit(parts, ty))
}

/// Returns a parameter of an OpFunc.
fn parameter<'p>(build: &Build<'p>, value: f64) -> Attribute<'p> {
    build.number(value, Type::float64(build.context))
}

/// Returns the operand and the number of a maximum or a minimum with a number.
fn bounded<'p>(op: Op<'p>) -> Option<(Val<'p>, f64)> {
    let [a, b] = operands(op)?;
    match (number(a), number(b)) {
        (None, Some(bound)) => Some((a, bound)),
        (Some(bound), None) => Some((b, bound)),
        _ => None,
    }
}

/// Returns `x` of `min(max(x, 0), 6)` and of `max(min(x, 6), 0)`, of 16-bit floats: the OpFunc computes in no others (contract, K4).
fn bounded_by_6<'p>(op: Op<'p>) -> Option<Val<'p>> {
    let (inner, bound) = bounded(op)?;
    if element_of(inner).is_f32() {
        return None;
    }
    match ir::name(op) {
        // The maximum has become an OpFunc.
        spyre::MINIMUM if bound == 6.0 => argument(inner, spyre::RELUFWD),
        spyre::MAXIMUM if bound == 0.0 => {
            let (x, most) = bounded(defined(inner, spyre::MINIMUM)?)?;
            (most == 6.0).then_some(x)
        }
        _ => None,
    }
}

/// Returns `x` of `max(x, 0)`.
fn bounded_by_0<'p>(op: Op<'p>) -> Option<Val<'p>> {
    let (x, bound) = bounded(op)?;
    (ir::name(op) == spyre::MAXIMUM && bound == 0.0).then_some(x)
}

/// Returns `x` of a choice of `x` where it is positive or NaN, and of 0 elsewhere.
fn rectified<'p>(op: Op<'p>) -> Option<Val<'p>> {
    let [condition, on_true, on_false] = [
        ir::operand(op, 0)?,
        ir::operand(op, 1)?,
        ir::operand(op, 2)?,
    ];
    let compared = |name| defined(condition, name).and_then(operands);
    // The result is 0 where the comparison is true. For NaN the comparison is false, and the result is `x`.
    for (name, x_first) in [
        (spyre::LESSERTHAN, true),
        (spyre::LESSEREQUAL, true),
        (spyre::GREATERTHAN, false),
        (spyre::GREATEREQUAL, false),
    ] {
        let Some([a, b]) = compared(name) else {
            continue;
        };
        let (x, zero) = if x_first { (a, b) } else { (b, a) };
        if number(zero) == Some(0.0) && number(on_true) == Some(0.0) && on_false == x {
            return Some(x);
        }
    }
    None
}

/// Builds a `clip` of a maximum of a minimum, or the other way round.
pub(super) fn clip<'p>(build: &Build<'p>, op: Op<'p>, result: Val<'p>) -> Option<Val<'p>> {
    let name = ir::name(op);
    let other = if name == spyre::MAXIMUM {
        spyre::MINIMUM
    } else {
        spyre::MAXIMUM
    };
    let (inner, outer_bound) = bounded(op)?;
    let (x, inner_bound) = bounded(defined(inner, other)?)?;
    let (min, max) = if name == spyre::MAXIMUM {
        (outer_bound, inner_bound)
    } else {
        (inner_bound, outer_bound)
    };
    let is_alike = x.r#type() == result.r#type() && is_float(element_of(result));
    if min > max || min.is_nan() || max.is_nan() || !is_alike {
        return None;
    }
    let parts = spyre::clip(x, parameter(build, min), parameter(build, max));
    Some(build.emit(parts, result.r#type()))
}

/// Returns the value of which an operation computes the reciprocal.
///
/// An operation `reciprocal` is the OpFunc already, and only its operand may be another function.
fn inverted(op: Op<'_>) -> Option<Val<'_>> {
    if ir::name(op) == spyre::RECIPROCAL {
        return ir::operand(op, 0);
    }
    let [a, b] = operands(op)?;
    is_constant(a, 1.0).then_some(b)
}

/// Returns `x` of `1 + exp(-x)`.
fn one_plus_exp_of_minus(value: Val<'_>) -> Option<Val<'_>> {
    let power = argument(with_constant(value, spyre::ADD, 1.0)?, spyre::EXP)?;
    if let Some(op) = defined(power, spyre::SUB) {
        let [zero, x] = operands(op)?;
        return (number(zero)? == 0.0).then_some(x);
    }
    Product::of(power).single(-1.0)
}

/// Returns `x` of `(1 + tanh(x / 2)) / 2`.
fn sigmoid_of_tangent(result: Val<'_>) -> Option<Val<'_>> {
    let product = Product::of(result);
    let [one] = *product.factors else {
        return None;
    };
    let x = argument(with_constant(one, spyre::ADD, 1.0)?, spyre::TANH)?;
    let x = Product::of(x).single(0.5)?;
    is_near(product.number, 0.5, result).then_some(x)
}

/// Returns `x` of `sqrt(2 / pi) * (x + 0.044715 * x^3)`, also with `x` before the bracket.
fn gelu_tangent(value: Val<'_>) -> Option<Val<'_>> {
    let mut product = Product::of(value);
    if !is_near(product.number, (2.0 / PI).sqrt(), value) {
        return None;
    }
    let sum = product.find(|factor| defined(factor, spyre::ADD).and_then(operands))?;
    if let [x] = *product.factors {
        // x * (1 + 0.044715 * x^2)
        let [a, b] = sum;
        let square = match (number(a), number(b)) {
            (Some(1.0), _) => b,
            (_, Some(1.0)) => a,
            _ => return None,
        };
        return is_power(square, x, 2).then_some(x);
    }
    let [a, b] = sum;
    if !product.factors.is_empty() {
        None
    } else if is_power(b, a, 3) {
        Some(a)
    } else if is_power(a, b, 3) {
        Some(b)
    } else {
        None
    }
}

/// Returns whether a value is a power of `x`, times the factor of GELU.
fn is_power<'p>(value: Val<'p>, x: Val<'p>, exponent: usize) -> bool {
    let mut product = Product::of(value);
    let mut left = exponent;
    while let Some([base, power]) =
        product.find(|factor| defined(factor, spyre::POW).and_then(operands))
    {
        #[expect(clippy::cast_precision_loss, reason = "2 or 3")]
        let whole = (1..=left).find(|whole| number(power) == Some(*whole as f64));
        match whole {
            Some(whole) if base == x => left -= whole,
            _ => return false,
        }
    }
    (0..left).all(|_| product.take(x)) && product.is_only(GELU_CUBE, value)
}

/// Returns `x` of the logarithm of `1 + exp(x)`, or of its form that does not overflow.
fn exponent_of_softplus<'p>(op: Op<'p>) -> Option<Val<'p>> {
    match ir::name(op) {
        spyre::LOG1P => argument(ir::operand(op, 0)?, spyre::EXP),
        spyre::LOG => argument(
            with_constant(ir::operand(op, 0)?, spyre::ADD, 1.0)?,
            spyre::EXP,
        ),
        // max(x, 0) + log1p(exp(-abs(x)))
        _ => {
            let [a, b] = operands(op)?;
            let both = |larger: Val<'p>, log: Val<'p>| {
                let x = argument(larger, spyre::RELUFWD)?;
                // The logarithm has become an OpFunc.
                let minus = Product::of(argument(log, spyre::SOFTPLUS)?).single(-1.0)?;
                (argument(minus, spyre::ABS)? == x).then_some(x)
            };
            both(a, b).or_else(|| both(b, a))
        }
    }
}
