//! The layer norm, behind its statistics.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_mlir_rt::ir::{self, Op, Val};

use super::pattern::{Product, defined, operands};
use crate::from_linalg::build::{Build, shape_of};

/// Builds `layernormnorm` for `(x - mean) * scale * weight + bias`; `None` for anything else.
pub(super) fn raise<'p>(
    build: &Build<'p>,
    op: Op<'p>,
    name: &str,
    result: Val<'p>,
) -> Option<Val<'p>> {
    if name != "add" {
        return None;
    }
    let [a, b] = operands(op)?;
    let of = |scaled: Val<'p>, bias: Val<'p>| {
        if !is_row(bias) {
            return None;
        }
        let mut product = Product::of(scaled);
        let [x, mean] = product.find(|factor| {
            let [x, mean] = operands(defined(factor, "sub")?)?;
            (x.r#type() == result.r#type() && has_one_column(mean)).then_some([x, mean])
        })?;
        if ends_inside_of_casts(x) {
            return None;
        }
        let scale = product.find(|factor| has_one_column(factor).then_some(factor))?;
        let weight = product.find(|factor| is_row(factor).then_some(factor))?;
        if product.number != 1.0 || !product.factors.is_empty() {
            return None;
        }
        let operands = [x, mean, scale, weight, bias];
        Some(build.op("spyre.layernormnorm", &operands, result.r#type(), &[]))
    };
    of(a, b).or_else(|| of(b, a))
}

/// The elements of two sticks of 32 bits, which a cast makes of one stick of 16.
const CAST_STICK: i64 = 64;

/// Returns whether the rows of a tensor, which come from a cast of 16 bits, end inside of what a stick of those becomes. A cast leaves
/// elements in an order of its own, in which such rows cannot be reduced. Their statistics need the rows side by side on the
/// sticks, and `layernormnorm` has the columns there.
fn ends_inside_of_casts(value: Val<'_>) -> bool {
    let columns = shape_of(value).ok().and_then(|shape| shape.last().copied());
    if columns.is_none_or(|columns| columns % CAST_STICK == 0) {
        return false;
    }
    let mut value = value;
    while let Some(op) = ir::defining_op(value) {
        if ir::name(op) == "spyre.dl16tofp32" {
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

/// Returns whether a tensor has one element for each row of the last dimension.
fn has_one_column(value: Val<'_>) -> bool {
    shape_of(value).is_ok_and(|shape| shape.len() > 1 && shape.last() == Some(&1))
}

/// Returns whether a tensor is one row along the last dimension.
fn is_row(value: Val<'_>) -> bool {
    shape_of(value).is_ok_and(|shape| match shape.split_last() {
        Some((columns, others)) => *columns > 1 && others.iter().all(|extent| *extent == 1),
        None => false,
    })
}
