//! Index expressions as affine maps.
//!
//! Loops are the first dimensions of a map, indirect indices the ones behind them, and the symbols of the graph its symbols.

use melior::Context;
use melior::ir::{AffineExpr, AffineMap};
use spyre_inductor::expr::{Atom, Expr, Overflow, Var};

/// Returns an expression as an affine one. `dim` has the dimension of a loop or an indirect index.
///
/// # Errors
/// The reason why no affine map has it.
pub(super) fn affine<'c>(
    context: &'c Context,
    expr: &Expr,
    dim: &impl Fn(Var) -> Option<usize>,
) -> Result<AffineExpr<'c>, String> {
    let mut sum: Option<AffineExpr<'c>> = None;
    for (atoms, factor) in expr.terms() {
        let mut product: Option<AffineExpr<'c>> = None;
        for atom in atoms {
            let factor = affine_atom(context, atom, dim)?;
            product = Some(match product {
                None => factor,
                Some(product) if factor.is_symbolic_or_constant() => product * factor,
                Some(product) if product.is_symbolic_or_constant() => factor * product,
                Some(_) => return Err("a product of two loops is no affine expression".into()),
            });
        }
        let product = product.expect("a term has an atom");
        let term = match factor {
            1 => product,
            factor => product * AffineExpr::constant(context, factor),
        };
        sum = Some(match sum {
            None => term,
            Some(sum) => sum + term,
        });
    }
    let offset = AffineExpr::constant(context, expr.offset());
    Ok(match sum {
        None => offset,
        Some(sum) if expr.offset() == 0 => sum,
        Some(sum) => sum + offset,
    })
}

fn affine_atom<'c>(
    context: &'c Context,
    atom: &Atom,
    dim: &impl Fn(Var) -> Option<usize>,
) -> Result<AffineExpr<'c>, String> {
    let divisor = |divisor: &Expr| {
        let divisor = affine(context, divisor, dim)?;
        if divisor.is_symbolic_or_constant() {
            Ok(divisor)
        } else {
            Err("a quotient by a loop is no affine expression".to_owned())
        }
    };
    Ok(match atom {
        Atom::Var(Var::Symbol(number)) => AffineExpr::symbol(context, *number as usize),
        Atom::Var(var) => {
            let dim = dim(*var).ok_or_else(|| format!("'{var}' is not defined here"))?;
            AffineExpr::dim(context, dim)
        }
        Atom::Quotient(operands) => {
            let [base, by] = &**operands;
            AffineExpr::floor_div(affine(context, base, dim)?, divisor(by)?)
        }
        Atom::Digit(operands) => {
            let [base, by, modulus] = &**operands;
            let base = affine(context, base, dim)?;
            let digit = match by.as_constant() {
                Some(1) => base,
                _ => AffineExpr::floor_div(base, divisor(by)?),
            };
            AffineExpr::modulo(digit, divisor(modulus)?)
        }
        Atom::Remainder(operands) => {
            let [base, by] = &**operands;
            AffineExpr::modulo(affine(context, base, dim)?, divisor(by)?)
        }
        Atom::Max(_) | Atom::Min(_) => {
            return Err("the larger or smaller of two sizes is no affine expression".into());
        }
    })
}

/// Returns the map of some expressions of symbols alone, with as many symbols as they use.
///
/// # Errors
/// The reason why no affine map has them.
pub(super) fn sizes<'c>(context: &'c Context, exprs: &[Expr]) -> Result<AffineMap<'c>, String> {
    let results: Vec<AffineExpr<'c>> = exprs
        .iter()
        .map(|expr| affine(context, expr, &|_| None))
        .collect::<Result<_, _>>()?;
    Ok(AffineMap::new(context, 0, symbols(exprs), &results))
}

/// Returns the number of symbols that some expressions use.
pub(super) fn symbols(exprs: &[Expr]) -> usize {
    let mut count = 0;
    for expr in exprs {
        expr.visit(&mut |var| {
            if let Var::Symbol(number) = var {
                count = count.max(number as usize + 1);
            }
        });
    }
    count
}

/// Reads an affine expression. `var` has the variable of a dimension.
///
/// # Errors
/// A number is too large.
pub(super) fn expr(affine: AffineExpr<'_>, var: &impl Fn(usize) -> Var) -> Result<Expr, Overflow> {
    if affine.is_constant() {
        return Ok(Expr::constant(affine.constant_value()));
    }
    if affine.is_dim() {
        return Ok(Expr::var(var(affine.dim_position())));
    }
    if affine.is_symbol() {
        let number = u32::try_from(affine.symbol_position()).map_err(|_| Overflow)?;
        return Ok(Expr::var(Var::Symbol(number)));
    }
    let (lhs, rhs) = (expr(affine.lhs(), var)?, expr(affine.rhs(), var)?);
    if affine.is_add() {
        lhs.add(&rhs)
    } else if affine.is_mul() {
        lhs.mul(&rhs)
    } else if affine.is_floor_div() {
        Ok(lhs.quotient(rhs))
    } else if affine.is_mod() {
        // The remainder of a quotient is a digit.
        let inner = affine.lhs();
        if inner.is_floor_div() {
            let (base, divisor) = (expr(inner.lhs(), var)?, expr(inner.rhs(), var)?);
            return Ok(base.digit(divisor, rhs));
        }
        Ok(lhs.digit(Expr::constant(1), rhs))
    } else {
        // Rounded up: the negative of the negative, rounded down.
        lhs.scale(-1)?.quotient(rhs).scale(-1)
    }
}

/// Reads the results of a map of symbols.
///
/// # Errors
/// A number is too large.
pub(super) fn size_exprs(map: AffineMap<'_>) -> Result<Vec<Expr>, Overflow> {
    exprs(map, &|dim| {
        Var::Loop(u32::try_from(dim).expect("dimensions are few"))
    })
}

/// Reads the results of a map.
///
/// # Errors
/// A number is too large.
pub(super) fn exprs(
    map: AffineMap<'_>,
    var: &impl Fn(usize) -> Var,
) -> Result<Vec<Expr>, Overflow> {
    let results = 0..map.result_count();
    results
        .map(|number| {
            expr(
                map.result(number).expect("the number is below the count"),
                var,
            )
        })
        .collect()
}
