//! Index values as expressions over counters of loops and dynamic extents.

use melior::ir::operation::OperationLike;
use melior::ir::{AffineExpr, TypeLike, ValueLike};
use rustc_hash::FxHashMap;
use spyre_mlir_rt::ir::{self, Offset, Op, OpKind, Val, ValueKey};
use spyre_ods::arith;
use spyre_proof::expr::Expr;

/// The index values of a function that are affine: constants, induction variables, dynamic extents, and what
/// `affine.apply` and arithmetic compute of them.
#[derive(Debug, Default)]
pub(crate) struct Indices {
    values: FxHashMap<ValueKey, Expr>,
}

impl Indices {
    /// Sets the expression of a value.
    pub(crate) fn set(&mut self, value: Val<'_>, expr: Expr) {
        self.values.insert(ir::value_key(value), expr);
    }

    /// Returns the expression of a value; `None` if it is not affine.
    pub(crate) fn of(&self, value: Val<'_>) -> Option<&Expr> {
        self.values.get(&ir::value_key(value))
    }

    /// Returns the expression of an offset of a window.
    pub(crate) fn of_offset(&self, offset: Offset<'_>) -> Option<Expr> {
        match offset {
            Offset::Static(number) => Some(number.into()),
            Offset::Value(value) => self.of(value).cloned(),
        }
    }

    /// Sets the expression of the result of an operation on indices, if it is affine.
    pub(crate) fn operation(&mut self, op: Op<'_>) {
        let Some(result) = ir::result(op, 0).filter(|result| result.r#type().is_index()) else {
            return;
        };
        if let Some(expr) = self.result(op) {
            self.set(result, expr);
        }
    }

    fn result(&self, op: Op<'_>) -> Option<Expr> {
        match ir::kind(op) {
            OpKind::ConstantIndex => return Some(ir::constant_index(op).into()),
            OpKind::AffineApply => {
                let map = ir::affine_map(op).expect("the operation has a map");
                let operands = op.operands().map(|value| self.of(value).cloned());
                let operands: Vec<_> = operands.collect();
                let dims = map.dim_count();
                let expr = map.result(0).expect("the map has one result");
                return of_affine(expr, &operands, dims);
            }
            _ => {}
        }
        let (lhs, rhs) = (self.of(ir::operand(op, 0)?)?, self.of(ir::operand(op, 1)?)?);
        match ir::name(op) {
            arith::ADDI => Some(lhs.plus(rhs)),
            arith::SUBI => Some(lhs.minus(rhs)),
            arith::MULI => product(lhs, rhs),
            _ => None,
        }
    }
}

/// Returns the product of two expressions, of which one is a number.
fn product(lhs: &Expr, rhs: &Expr) -> Option<Expr> {
    match (lhs.as_constant(), rhs.as_constant()) {
        (_, Some(factor)) => Some(lhs.times(factor)),
        (Some(factor), None) => Some(rhs.times(factor)),
        (None, None) => None,
    }
}

/// Returns the value of an affine expression; `operands` are the `dims` dimensions of its map, then the symbols.
///
/// `None` if it reads an operand that is `None`, multiplies two variables, or divides by none but a positive number.
fn of_affine(expr: AffineExpr<'_>, operands: &[Option<Expr>], dims: usize) -> Option<Expr> {
    if expr.is_constant() {
        return Some(expr.constant_value().into());
    }
    if expr.is_dim() {
        return operands.get(expr.dim_position())?.clone();
    }
    if expr.is_symbol() {
        return operands.get(dims + expr.symbol_position())?.clone();
    }
    let lhs = of_affine(expr.lhs(), operands, dims)?;
    let rhs = of_affine(expr.rhs(), operands, dims)?;
    if expr.is_add() {
        return Some(lhs.plus(&rhs));
    }
    if expr.is_mul() {
        return product(&lhs, &rhs);
    }
    let divisor = rhs.as_constant().filter(|divisor| *divisor > 0)?;
    if expr.is_mod() {
        return Some(lhs.modulo(divisor));
    }
    if expr.is_floor_div() {
        return Some(lhs.floor_div(divisor));
    }
    expr.is_ceil_div()
        .then(|| lhs.plus(&(divisor - 1).into()).floor_div(divisor))
}
