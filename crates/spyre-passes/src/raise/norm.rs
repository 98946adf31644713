//! The layer norm, behind its statistics.

use melior::ir::ValueLike;
use spyre_mlir_rt::ir::{Op, Val};

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
