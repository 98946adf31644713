//! Evaluation of affine expressions over values that are linear forms.

use melior::ir::AffineExpr;

/// A number that is linear in, for example, induction variables. Every operation returns `None` for a result out of range.
pub trait LinearForm: Clone {
    /// Returns the sum.
    fn add(&self, other: &Self) -> Option<Self>;
    /// Returns the product with a constant.
    fn scale(&self, factor: i64) -> Option<Self>;
    /// Returns the value, if it is constant.
    fn as_constant(&self) -> Option<i64>;
}

/// Returns the value of an expression. `operands` are the `dims` dimensions of its map, then the symbols. `None` when it is not
/// linear in them.
pub fn evaluate<T: LinearForm>(
    expr: AffineExpr<'_>,
    operands: &[T],
    dims: usize,
    constant: &impl Fn(i64) -> T,
) -> Option<T> {
    if expr.is_constant() {
        return Some(constant(expr.constant_value()));
    }
    if expr.is_dim() {
        return operands.get(expr.dim_position()).cloned();
    }
    if expr.is_symbol() {
        return operands.get(dims + expr.symbol_position()).cloned();
    }
    let (lhs, rhs) = (
        evaluate(expr.lhs(), operands, dims, constant)?,
        evaluate(expr.rhs(), operands, dims, constant)?,
    );
    if expr.is_add() {
        lhs.add(&rhs)
    } else if expr.is_mul() {
        match (lhs.as_constant(), rhs.as_constant()) {
            (_, Some(factor)) => lhs.scale(factor),
            (Some(factor), None) => rhs.scale(factor),
            (None, None) => None,
        }
    } else {
        None
    }
}
