//! Values that are numbers, or positions of elements, without any tensor.
//!
//! A program has no `iota`: tinyspec writes it as a sum of ones that padding cuts off. Such a sum is the number of positions inside of a
//! bound, which is an index expression.

use spyre_index_expr::ranges;
use spyre_index_expr::{Expr, Overflow, Var};
use spyre_uop::dtype::DType;
use spyre_uop::element;
use spyre_uop::op::{Combine, Elementwise};

use super::view::{Bound, View, coordinate, ranges};
use super::{Root, Value, number};

type Known<'p> = Result<Option<Value<'p>>, Overflow>;

/// Returns a value as an index expression of its coordinates, if it is an integer that is known.
pub(super) fn position(value: &Value<'_>) -> Option<Expr> {
    if !value.view.valid.is_empty() || !value.dtype.is_integer() {
        return None;
    }
    match value.root {
        Root::Number(bits) => {
            let number = element::integer(value.dtype, bits);
            Some(Expr::constant(i64::try_from(number).ok()?))
        }
        Root::Position => Some(value.view.at[0].clone()),
        Root::Tensor(_) => None,
    }
}

/// Returns a number that is the same everywhere, with its bits.
fn everywhere(value: &Value<'_>) -> Option<u64> {
    match value.root {
        Root::Number(bits) if value.view.valid.is_empty() => Some(bits),
        _ => None,
    }
}

/// Returns the value of an expression, if no element of it wraps.
fn of<'p>(dtype: DType, shape: &[i64], expr: Expr) -> Option<Value<'p>> {
    let (low, high) = dtype.integer_range()?;
    let (least, most) = ranges::range(&expr, &ranges(shape))?;
    if i128::from(least) < low || i128::from(most) > high {
        return None;
    }
    if let Some(value) = expr.as_constant() {
        let bits = element::wrapped(dtype, value.into());
        return Some(number(dtype, bits, shape));
    }
    Some(Value {
        root: Root::Position,
        dtype,
        view: View::of(shape, vec![expr]),
    })
}

/// Folds an elementwise operation on known values.
pub(super) fn elementwise<'p>(op: Elementwise, dtype: DType, operands: &[Value<'p>]) -> Known<'p> {
    use Elementwise as E;
    let shape = &operands[0].view.shape;
    let numbers: Option<Vec<u64>> = operands.iter().map(everywhere).collect();
    if let Some(numbers) = numbers {
        let result = if op.is_comparison() {
            DType::Bool
        } else {
            dtype
        };
        let is_exact = !dtype.is_float()
            || matches!(op, E::Add | E::Mul | E::Neg | E::Where)
            || op.is_comparison();
        // A function of a float may be rounded otherwise where the program runs.
        return Ok(is_exact.then(|| number(result, element::apply(op, dtype, &numbers), shape)));
    }
    let exprs: Option<Vec<Expr>> = operands.iter().map(position).collect();
    let Some(exprs) = exprs else {
        return Ok(None);
    };
    let factor = |number: usize| exprs[number].as_constant();
    let expr = match op {
        E::Add => exprs[0].add(&exprs[1])?,
        E::Sub => exprs[0].add(&exprs[1].scale(-1)?)?,
        E::Neg => exprs[0].scale(-1)?,
        E::Mul => match (factor(0), factor(1)) {
            (Some(by), _) => exprs[1].scale(by)?,
            (_, Some(by)) => exprs[0].scale(by)?,
            (None, None) => return Ok(None),
        },
        _ => return Ok(None),
    };
    Ok(of(dtype, shape, expr))
}

/// Folds a conversion of a known value.
pub(super) fn cast<'p>(value: &Value<'p>, to: DType) -> Option<Value<'p>> {
    let shape = &value.view.shape;
    if value.dtype == to {
        return Some(value.clone());
    }
    if to.is_integer()
        && let Some(expr) = position(value)
    {
        return of(to, shape, expr);
    }
    let bits = everywhere(value)?;
    let is_small = value.dtype == DType::Bool;
    if is_small && to.is_float() {
        return Some(number(
            to,
            element::rounded(to, if bits == 0 { 0.0 } else { 1.0 }),
            shape,
        ));
    }
    if is_small && to.is_integer() {
        return Some(number(to, bits, shape));
    }
    None
}

/// Returns the sum of a constant along an axis: the constant times the number of positions within the bound.
pub(super) fn reduce<'p>(value: &Value<'p>, combine: Combine, axes: &[usize]) -> Known<'p> {
    let (Root::Number(bits), Combine::Add, [axis], true) =
        (&value.root, combine, axes, value.dtype.is_integer())
    else {
        return Ok(None);
    };
    let extent = value.view.shape[*axis];
    let mut shape = value.view.shape.clone();
    shape[*axis] = 1;
    let count = match value.view.valid.as_slice() {
        [] => Some(Expr::constant(extent)),
        [bound] => count(bound, *axis, &value.view.shape)?,
        _ => None,
    };
    let Some(count) = count else {
        return Ok(None);
    };
    let Ok(summand) = i64::try_from(element::integer(value.dtype, *bits)) else {
        return Ok(None);
    };
    Ok(of(value.dtype, &shape, count.scale(summand)?))
}

/// Returns how often a bound holds along an axis, if the expression moves along it by one and the number is between none and all.
fn count(bound: &Bound, axis: usize, shape: &[i64]) -> Result<Option<Expr>, Overflow> {
    let extent = shape[axis];
    let rest = bound.expr.add(&coordinate(axis).scale(-1)?)?;
    if rest.has_loop(axis) {
        return Ok(None);
    }
    // axis + rest >= low, from low - rest on; axis + rest < high, below high - rest.
    let count = match (bound.low, bound.high) {
        (Some(low), None) => rest.add(&Expr::constant(extent - low))?,
        (None, Some(high)) => rest.scale(-1)?.add(&Expr::constant(high))?,
        _ => return Ok(None),
    };
    let range = ranges::range(&count, &ranges(shape));
    let is_within = range.is_some_and(|(least, most)| least >= 0 && most <= extent);
    Ok(is_within.then_some(count))
}

/// Returns the offset in an expression `axis + offset`.
pub(super) fn moves_along(expr: &Expr, axis: usize) -> Option<i64> {
    let rest = expr.add(&coordinate(axis).scale(-1).ok()?).ok()?;
    rest.as_constant()
}

/// Returns whether a view is constant along an axis.
pub(super) fn is_constant_along(view: &View, axis: usize) -> bool {
    let exprs = view
        .at
        .iter()
        .chain(view.valid.iter().map(|bound| &bound.expr));
    let mut has = false;
    for expr in exprs {
        expr.visit(&mut |var| {
            has |= matches!(var, Var::Loop(number) if number as usize == axis);
        });
    }
    !has
}
