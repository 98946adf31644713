//! Affine expressions on numbers.

use melior::ir::{AffineExpr, AffineMap};

/// Returns the one result of a map on its dimensions and symbols.
pub(crate) fn apply(map: AffineMap<'_>, operands: &[i64]) -> Result<i64, String> {
    if operands.len() != map.input_count() || map.result_count() != 1 {
        return Err(format!("{} operands of {map}", operands.len()));
    }
    let (dims, symbols) = operands.split_at(map.dim_count());
    let result = map.result(0).map_err(|err| err.to_string())?;
    evaluate(result, dims, symbols).ok_or_else(|| format!("{map} has no value on {operands:?}"))
}

/// Returns the value of an expression; `None` out of range and on division by 0.
fn evaluate(expr: AffineExpr<'_>, dims: &[i64], symbols: &[i64]) -> Option<i64> {
    if expr.is_constant() {
        return Some(expr.constant_value());
    }
    if expr.is_dim() {
        return dims.get(expr.dim_position()).copied();
    }
    if expr.is_symbol() {
        return symbols.get(expr.symbol_position()).copied();
    }
    let left = evaluate(expr.lhs(), dims, symbols)?;
    let right = evaluate(expr.rhs(), dims, symbols)?;
    if expr.is_add() {
        left.checked_add(right)
    } else if expr.is_mul() {
        left.checked_mul(right)
    } else if expr.is_mod() {
        left.checked_rem_euclid(right)
    } else if expr.is_floor_div() {
        (right > 0).then(|| left.div_euclid(right))
    } else if expr.is_ceil_div() {
        (right > 0).then(|| -(-left).div_euclid(right))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use melior::Context;

    use super::*;

    #[test]
    fn expressions() {
        let context = Context::new();
        let [d, s] = [
            AffineExpr::dim(&context, 0),
            AffineExpr::symbol(&context, 0),
        ];
        let four = AffineExpr::constant(&context, 4);
        for (expr, expected) in [
            (d + s * four, 7 + 12),
            (AffineExpr::floor_div(d, four), 1),
            (AffineExpr::ceil_div(d, four), 2),
            (AffineExpr::modulo(d, four), 3),
        ] {
            let map = AffineMap::new(&context, 1, 1, &[expr]);
            assert_eq!(apply(map, &[7, 3]), Ok(expected), "{map}");
        }
    }
}
