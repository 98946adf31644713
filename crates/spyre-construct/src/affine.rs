//! Index expressions as affine maps.
//!
//! Loops are the first dimensions of a map, indirect indices the ones after them, and the symbols of the graph its
//! symbols.

use melior::Context;
use melior::ir::{AffineExpr, AffineMap};
use spyre_index_expr::{Atom, Expr, Overflow, Var};

/// The reason why no affine map has an expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AffineError {
    /// A loop or an indirect index is not defined.
    #[error("'{0}' is not defined here")]
    Undefined(Var),
    /// It multiplies loops.
    #[error("a product of two loops is no affine expression")]
    Product,
    /// It divides by a loop.
    #[error("a quotient by a loop is no affine expression")]
    Quotient,
    /// It has a function of sizes without an affine form.
    #[error("'{function}' of two sizes is no affine expression")]
    Function {
        /// The name of the function in the file.
        function: String,
    },
}

/// The affine expressions for the parts of an expression.
pub trait Parts<'c> {
    /// Returns the affine expression of a loop, or of an indirect index.
    ///
    /// # Errors
    /// It is not defined.
    fn var(&mut self, var: Var) -> Result<AffineExpr<'c>, AffineError>;

    /// Returns the affine expression for a function without an affine form, by its name in the file.
    ///
    /// # Errors
    /// There is no affine expression for it.
    fn apply(&mut self, function: &str, operands: &[Expr]) -> Result<AffineExpr<'c>, AffineError>;
}

/// Dimensions for variables; functions have no expression.
struct Dims<F>(F);

impl<'c, F: Fn(Var) -> Option<AffineExpr<'c>>> Parts<'c> for Dims<F> {
    fn var(&mut self, var: Var) -> Result<AffineExpr<'c>, AffineError> {
        self.0(var).ok_or(AffineError::Undefined(var))
    }

    fn apply(&mut self, function: &str, _: &[Expr]) -> Result<AffineExpr<'c>, AffineError> {
        Err(match function {
            "mul" => AffineError::Product,
            "floordiv" | "modidx" | "mod" => AffineError::Quotient,
            _ => AffineError::Function {
                function: function.to_owned(),
            },
        })
    }
}

/// Returns an expression as an affine one. `dim` has the dimension of a loop or an indirect index.
///
/// # Errors
/// The reason why no affine map has it.
pub fn affine<'c>(
    context: &'c Context,
    expr: &Expr,
    dim: &impl Fn(Var) -> Option<usize>,
) -> Result<AffineExpr<'c>, AffineError> {
    let dim = |var| Some(AffineExpr::dim(context, dim(var)?));
    of_parts(context, expr, &mut Dims(dim))
}

/// Returns an expression as an affine one of some parts.
///
/// # Errors
/// There is no affine expression for a part.
pub fn of_parts<'c>(
    context: &'c Context,
    expr: &Expr,
    parts: &mut dyn Parts<'c>,
) -> Result<AffineExpr<'c>, AffineError> {
    let mut sum: Option<AffineExpr<'c>> = None;
    for (atoms, factor) in expr.terms() {
        let term = product(context, atoms, parts)?;
        let term = match factor {
            1 => term,
            factor => term * AffineExpr::constant(context, factor),
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

/// Returns the product of one or more atoms.
fn product<'c>(
    context: &'c Context,
    atoms: &[Atom],
    parts: &mut dyn Parts<'c>,
) -> Result<AffineExpr<'c>, AffineError> {
    if let [atom] = atoms {
        return affine_atom(context, atom, parts);
    }
    let mut sizes: Option<AffineExpr<'c>> = None;
    let mut others: Vec<&Atom> = Vec::new();
    for atom in atoms {
        if !is_size(atom) {
            others.push(atom);
            continue;
        }
        let size = affine_atom(context, atom, parts)?;
        sizes = Some(match sizes {
            None => size,
            Some(sizes) => sizes * size,
        });
    }
    let other = match others.as_slice() {
        [] => return Ok(sizes.expect("a product has an atom")),
        [atom] => affine_atom(context, atom, parts)?,
        atoms => {
            let operands: Vec<Expr> = atoms
                .iter()
                .map(|atom| Expr::atom((*atom).clone()))
                .collect();
            parts.apply("mul", &operands)?
        }
    };
    Ok(match sizes {
        None => other,
        Some(sizes) => other * sizes,
    })
}

/// Returns whether an atom is a function of symbols alone that an affine map has.
fn is_size(atom: &Atom) -> bool {
    match atom {
        Atom::Var(var) => matches!(var, Var::Symbol(_)),
        Atom::Max(_) | Atom::Min(_) | Atom::Abs(_) => false,
        Atom::Quotient(_) | Atom::Digit(_) | Atom::Remainder(_) => {
            atom.operands().iter().all(is_symbolic)
        }
    }
}

/// Returns whether an affine map can have an expression, and all its variables are symbols.
fn is_symbolic(expr: &Expr) -> bool {
    expr.terms().all(|(atoms, _)| atoms.iter().all(is_size))
}

fn affine_atom<'c>(
    context: &'c Context,
    atom: &Atom,
    parts: &mut dyn Parts<'c>,
) -> Result<AffineExpr<'c>, AffineError> {
    let by = |operands: &[Expr]| operands[1..].iter().all(is_symbolic);
    Ok(match atom {
        Atom::Var(Var::Symbol(number)) => AffineExpr::symbol(context, *number as usize),
        Atom::Var(var) => parts.var(*var)?,
        Atom::Quotient(of) if by(&**of) => {
            let [base, by] = &**of;
            AffineExpr::floor_div(
                of_parts(context, base, parts)?,
                of_parts(context, by, parts)?,
            )
        }
        Atom::Digit(of) if by(&**of) => {
            let [base, by, modulus] = &**of;
            let base = of_parts(context, base, parts)?;
            let digit = match by.as_constant() {
                Some(1) => base,
                _ => AffineExpr::floor_div(base, of_parts(context, by, parts)?),
            };
            AffineExpr::modulo(digit, of_parts(context, modulus, parts)?)
        }
        Atom::Remainder(of) if by(&**of) => {
            let [base, by] = &**of;
            AffineExpr::modulo(
                of_parts(context, base, parts)?,
                of_parts(context, by, parts)?,
            )
        }
        atom => {
            let function = atom.function();
            let function = function.expect("an atom that is no variable is a function");
            parts.apply(function.name(), atom.operands())?
        }
    })
}

/// Returns the map of some expressions of symbols alone, with as many symbols as they use.
///
/// # Errors
/// The reason why no affine map has them.
pub fn sizes<'c>(context: &'c Context, exprs: &[Expr]) -> Result<AffineMap<'c>, AffineError> {
    let results: Vec<AffineExpr<'c>> = exprs
        .iter()
        .map(|expr| affine(context, expr, &|_| None))
        .collect::<Result<_, _>>()?;
    Ok(AffineMap::new(context, 0, symbols(exprs), &results))
}

/// Returns the number of symbols that some expressions use.
pub fn symbols(exprs: &[Expr]) -> usize {
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

/// Reads an affine expression. `of` maps a dimension to its expression.
///
/// # Errors
/// A number is too large.
fn expr(affine: AffineExpr<'_>, of: &impl Fn(usize) -> Expr) -> Result<Expr, Overflow> {
    if affine.is_constant() {
        return Ok(Expr::constant(affine.constant_value()));
    }
    if affine.is_dim() {
        return Ok(of(affine.dim_position()));
    }
    if affine.is_symbol() {
        let number = u32::try_from(affine.symbol_position()).map_err(|_| Overflow)?;
        return Ok(Expr::var(Var::Symbol(number)));
    }
    let (lhs, rhs) = (expr(affine.lhs(), of)?, expr(affine.rhs(), of)?);
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
            let (base, divisor) = (expr(inner.lhs(), of)?, expr(inner.rhs(), of)?);
            return Ok(base.digit(divisor, rhs));
        }
        Ok(lhs.digit(Expr::constant(1), rhs))
    } else {
        // The quotient rounded up is the negative of the negated quotient rounded down.
        lhs.scale(-1)?.quotient(rhs).scale(-1)
    }
}

/// Reads the results of a map of symbols.
///
/// # Errors
/// A number is too large.
pub fn size_exprs(map: AffineMap<'_>) -> Result<Vec<Expr>, Overflow> {
    exprs(map, &|dim| {
        Expr::var(Var::Loop(u32::try_from(dim).expect("dimensions are few")))
    })
}

/// Reads the results of a map. `of` maps a dimension to its expression.
///
/// # Errors
/// A number is too large.
pub fn exprs(map: AffineMap<'_>, of: &impl Fn(usize) -> Expr) -> Result<Vec<Expr>, Overflow> {
    let results = 0..map.result_count();
    results
        .map(|number| {
            expr(
                map.result(number).expect("the number is below the count"),
                of,
            )
        })
        .collect()
}
