//! The layer norm: the chain of `exx2`, `layernormscale` and `layernormnorm` (contract, K30).
//!
//! A norm is recognised where data less its mean is scaled by the reciprocal of its standard deviation, the last step
//! that all forms of it have. Weight and bias are 1 and 0 there. Where a weight or a bias follows, the operation is
//! built again with that, and the previous one has no uses left. The mean and the variance must belong to the data that
//! they normalise: the chain computes them anew, as a pair, and the card has no operation that takes others.

use melior::ir::operation::OperationLike;
use melior::ir::{Type, TypeLike, ValueLike};
use spyre_analysis::dynamic::extents::Extent;
use spyre_construct::build::{Build, element_of, ones};
use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::{spyre, tensor};

use super::pattern::{Product, argument, defined, is_constant, is_near, number, operands};

/// Builds the chain for a norm, or a norm with the weight or the bias that an operation adds to it; `None` for other
/// operations.
pub(super) fn layer_norm<'p>(build: &Build<'p>, op: Op<'p>, result: Val<'p>) -> Option<Val<'p>> {
    let [a, b] = operands(op)?;
    match ir::name(op) {
        spyre::MUL => {
            let product = Product::of(result);
            let scale = |value| argument(without_views(value), spyre::RSQRT);
            normalised(build, result, product, scale).or_else(|| weighted(build, result))
        }
        spyre::REALDIV => {
            let deviation = argument(without_views(b), spyre::SQRT)?;
            let mut product = Product::of(a);
            product.factors.push(b);
            let scale = |value| (value == b).then_some(deviation);
            normalised(build, result, product, scale)
        }
        spyre::ADD => biased(build, result, a, b).or_else(|| biased(build, result, b, a)),
        name => unreachable!("the rule does not begin at '{name}'"),
    }
}

/// Builds the chain for a product of data less its mean, the reciprocal root of a variance, which `scale` returns for a
/// factor, and perhaps a weight.
fn normalised<'p>(
    build: &Build<'p>,
    result: Val<'p>,
    mut product: Product<'p>,
    scale: impl Fn(Val<'p>) -> Option<Val<'p>>,
) -> Option<Val<'p>> {
    let x =
        product.find(|factor| centred(build, factor).filter(|x| x.r#type() == result.r#type()))?;
    let eps = product.find(|factor| {
        let variance = scale(factor).filter(|_| is_column_of(build, factor, x))?;
        added_to_variance(build, x, variance)
    })?;
    let weight = product.find(|factor| is_row(build, factor).then_some(factor));
    let has_more = product.number != 1.0 || !product.factors.is_empty();
    if has_more || !has_chain(build, x) || !eps.is_finite() || eps < 0.0 {
        return None;
    }
    let mut shape = build.shape_of(x).ok()?;
    let element = element_of(x);
    let columns = shape.len().checked_sub(1)?;
    let mut row = ones(shape.len());
    row[columns] = shape[columns];
    shape[columns] = Extent::Static(MOMENTS);
    let pair = build.emit(spyre::exx2(x), build.tensor(&shape, element));
    shape[columns] = Extent::ONE;
    let eps = build.number(eps, Type::float64(build.context));
    let scale = spyre::layernormscale(pair, eps);
    let scale = build.emit(scale, build.tensor(&shape, element));
    let number = |value: f64| build.fill(build.number(value, element), &row, element);
    let weight = weight.unwrap_or_else(|| number(1.0));
    let bias = number(0.0);
    Some(norm(build, result, [x, pair, scale, weight, bias]))
}

/// The elements of a pair of moments.
const MOMENTS: i64 = 2;

/// Builds a norm with a weight for a product of the weight and a norm without.
fn weighted<'p>(build: &Build<'p>, result: Val<'p>) -> Option<Val<'p>> {
    let mut product = Product::of(result);
    let [x, pair, scale, _, bias] = product.find(|factor| {
        let operands = norm_operands(factor, result)?;
        let [.., weight, bias] = operands;
        (is_constant(weight, 1.0) && is_constant(bias, 0.0)).then_some(operands)
    })?;
    let weight = product.find(|factor| is_row(build, factor).then_some(factor))?;
    let is_whole = product.number == 1.0 && product.factors.is_empty();
    is_whole.then(|| norm(build, result, [x, pair, scale, weight, bias]))
}

/// Builds a norm with a bias for a sum of the bias and a norm without.
fn biased<'p>(
    build: &Build<'p>,
    result: Val<'p>,
    without: Val<'p>,
    bias: Val<'p>,
) -> Option<Val<'p>> {
    let [x, pair, scale, weight, old_bias] = norm_operands(without, result)?;
    let has_none = is_constant(old_bias, 0.0) && is_row(build, bias);
    has_none.then(|| norm(build, result, [x, pair, scale, weight, bias]))
}

fn norm<'p>(build: &Build<'p>, result: Val<'p>, operands: [Val<'p>; 5]) -> Val<'p> {
    let [x, pair, scale, weight, bias] = operands;
    let norm = spyre::layernormnorm(x, pair, scale, weight, bias);
    build.emit(norm, result.r#type())
}

/// Returns the operands of a norm of the type of `result`; `None` for another operation.
fn norm_operands<'p>(value: Val<'p>, result: Val<'p>) -> Option<[Val<'p>; 5]> {
    let norm = ir::defining_op(value).and_then(spyre::LayerNormNorm::cast)?;
    let operands = [
        norm.input(),
        norm.pair(),
        norm.scale(),
        norm.weight(),
        norm.bias(),
    ];
    (value.r#type() == result.r#type()).then_some(operands)
}

/// Returns `x` if a value is `x` less the mean of its rows; `None` for any other value.
fn centred<'p>(build: &Build<'p>, value: Val<'p>) -> Option<Val<'p>> {
    let [x, mean] = operands(defined(value, spyre::SUB)?)?;
    (is_column_of(build, mean, x) && is_mean_of(build, mean, x)).then_some(x)
}

/// Returns the number that is added to the variance of the rows of `x`, 0 if there is none; `None` for any other value.
fn added_to_variance<'p>(build: &Build<'p>, x: Val<'p>, value: Val<'p>) -> Option<f64> {
    let value = without_views(value);
    if is_variance_of(build, value, x) {
        return Some(0.0);
    }
    let [a, b] = operands(defined(value, spyre::ADD)?)?;
    let of = |variance, eps| number(eps).filter(|_| is_variance_of(build, variance, x));
    of(a, b).or_else(|| of(b, a))
}

/// Returns whether a value is the variance of the rows of `x`: the mean of the squared deviations from the mean, or the
/// mean of squares less the square of the mean.
fn is_variance_of<'p>(build: &Build<'p>, value: Val<'p>, x: Val<'p>) -> bool {
    let value = without_views(value);
    // The second form is rounded, and front ends ensure that it is not negative.
    let value = argument(value, spyre::RELUFWD).map_or(value, without_views);
    if let Some(squared) = mean_source(build, value).and_then(square_root) {
        return centred(build, squared).is_some_and(|source| is_same(source, x, DEPTH));
    }
    let Some([squares, square]) = defined(value, spyre::SUB).and_then(operands) else {
        return false;
    };
    let squared = mean_source(build, squares).and_then(square_root);
    squares.r#type() == square.r#type()
        && squared.is_some_and(|squared| is_same(squared, x, DEPTH))
        && square_root(without_views(square)).is_some_and(|mean| is_mean_of(build, mean, x))
}

/// Returns the value that a value is the square of; `None` if it is no square.
fn square_root(value: Val<'_>) -> Option<Val<'_>> {
    if let Some([x, exponent]) = defined(value, spyre::POW).and_then(operands) {
        return is_constant(exponent, 2.0).then_some(x);
    }
    let [a, b] = operands(defined(value, spyre::MUL)?)?;
    is_same(a, b, DEPTH).then_some(a)
}

/// Returns whether a value has the mean of each row of `x`, in the order of the rows.
fn is_mean_of<'p>(build: &Build<'p>, value: Val<'p>, x: Val<'p>) -> bool {
    mean_source(build, value).is_some_and(|source| is_same(source, x, DEPTH))
}

/// Returns whether a tensor repeats its one element of each row along the rows of `x`.
fn is_column_of<'p>(build: &Build<'p>, value: Val<'p>, x: Val<'p>) -> bool {
    let (Ok(shape), Ok(mut wanted)) = (build.shape_of(value), build.shape_of(x)) else {
        return false;
    };
    let Some(columns) = wanted.last_mut() else {
        return false;
    };
    *columns = Extent::ONE;
    let Some(lead) = wanted.len().checked_sub(shape.len()) else {
        return false;
    };
    let (without, rest) = wanted.split_at(lead);
    !shape.is_empty() && rest == shape && without.iter().all(|extent| extent.is_one())
}

/// Returns the tensor that a value is the mean of, over the last dimension; `None` for any other value.
fn mean_source<'p>(build: &Build<'p>, value: Val<'p>) -> Option<Val<'p>> {
    let value = without_views(value);
    if let Some(mean) = defined(value, spyre::MEAN) {
        return reduced_in_rows(build, mean);
    }
    // A factor that the element type cannot represent exactly is no `mean` (`reductions`), but it is the same mean
    // before it is rounded.
    let sum = Product::of(value);
    let [factor] = *sum.factors else {
        return None;
    };
    let source = reduced_in_rows(build, defined(without_views(factor), spyre::SUM)?)?;
    let columns = columns(build, source)?;
    #[expect(
        clippy::cast_precision_loss,
        reason = "is_near compares it in fewer digits"
    )]
    is_near(sum.number, 1.0 / columns as f64, value).then_some(source)
}

/// Returns the operand of a reduction over its last dimension alone.
fn reduced_in_rows<'p>(build: &Build<'p>, op: Op<'p>) -> Option<Val<'p>> {
    let source = ir::operand(op, 0)?;
    let rank = u64::try_from(build.shape_of(source).ok()?.len()).ok()?;
    let dims = attr::dense_integers(ir::attribute(op, "dims"))?;
    (dims == [rank.checked_sub(1)?]).then_some(source)
}

/// Returns the source of a chain of reshapes, which keep the order of elements.
fn without_views(mut value: Val<'_>) -> Val<'_> {
    while let Some(op) = ir::defining_op(value)
        && matches!(ir::name(op), tensor::EXPAND_SHAPE | tensor::COLLAPSE_SHAPE)
        && let Some(source) = ir::operand(op, 0)
    {
        value = source;
    }
    value
}

/// The longest chain of operations that is compared. Front ends repeat casts and subtractions for each reader.
const DEPTH: usize = 6;

/// Returns whether two values are the same, or results of the same operations on the same values.
fn is_same<'p>(a: Val<'p>, b: Val<'p>, depth: usize) -> bool {
    if a == b {
        return true;
    }
    let (Some(one), Some(other)) = (ir::defining_op(a), ir::defining_op(b)) else {
        return false;
    };
    let is_alike = depth > 0
        && a.r#type() == b.r#type()
        && ir::name(one) == ir::name(other)
        && ir::name(one).starts_with("spyre.")
        && ir::attribute(one, "dims") == ir::attribute(other, "dims");
    // The operations before a norm, with attributes that have been compared.
    let is_known = matches!(ir::name(one), spyre::SUB | spyre::MEAN)
        || ir::name(one) == spyre::DL16TOFP32
        || ir::name(one) == spyre::FP32TODL16;
    is_alike
        && is_known
        && [0, 1].into_iter().all(|number| {
            match (ir::operand(one, number), ir::operand(other, number)) {
                (Some(a), Some(b)) => is_same(without_views(a), without_views(b), depth - 1),
                (None, None) => true,
                _ => false,
            }
        })
}

/// The elements of two sticks of 32 bits, the result of a cast of one stick of 16.
const CAST_STICK: i64 = 64;

/// The elements of a stick of 32 bits.
const WIDE_STICK: i64 = 32;

/// Returns the extent of the last dimension of a tensor; `None` if it is dynamic.
fn columns<'p>(build: &Build<'p>, x: Val<'p>) -> Option<i64> {
    build.shape_of(x).ok()?.last()?.number()
}

/// Returns whether the card has the chain for the rows of a tensor, with a static extent.
///
/// Rows that end inside of a stick have a mask, which elements of 32 bits have not (contract, K10), and so have the
/// rows of a cast, which leaves elements in another order.
fn has_chain<'p>(build: &Build<'p>, x: Val<'p>) -> bool {
    let Some(columns) = columns(build, x).filter(|columns| *columns > 1) else {
        return false;
    };
    let element = element_of(x);
    let unit = match element {
        _ if is_cast(x) => CAST_STICK,
        _ if element.is_f32() => WIDE_STICK,
        _ => 1,
    };
    columns % unit == 0 && (element.is_f32() || element.is_f16() || element.is_bf16())
}

/// Returns whether the elements of a value come from a cast of 16 bits.
fn is_cast(mut value: Val<'_>) -> bool {
    while let Some(op) = ir::defining_op(value) {
        if ir::name(op) == spyre::DL16TOFP32 {
            return true;
        }
        let ty = value.r#type();
        match op.operands().find(|operand| operand.r#type() == ty) {
            Some(operand) => value = operand,
            None => return false,
        }
    }
    false
}

/// Returns whether all dimensions of a tensor but the last one have extent 1.
fn is_row<'p>(build: &Build<'p>, value: Val<'p>) -> bool {
    build
        .shape_of(value)
        .is_ok_and(|shape| match shape.split_last() {
            Some((columns, others)) => {
                !columns.is_one() && others.iter().all(|extent| extent.is_one())
            }
            None => false,
        })
}
