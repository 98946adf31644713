//! Expressions of OpSpecs as affine expressions, and back.
//!
//! A form is a sum of affine expressions with integer coefficients over one denominator, because the text form of
//! OpSpecs divides rational numbers and rounds down later: `floor(c1/64)`. Sums are computed here, with checks, and
//! not by MLIR, since its folding does not detect overflow.

use melior::Context;
use melior::ir::AffineExpr;
use spyre_sdsc::expr::ExprKind;
use spyre_sdsc::{Expr, Symbol};
use thiserror::Error;

/// The reason why an expression has no affine form.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AffineError {
    /// A symbol that is not among the dimensions.
    #[error("`{expr}` uses {symbol}, which is not {names}")]
    UnknownSymbol {
        /// The expression.
        expr: String,
        /// The symbol.
        symbol: Symbol,
        /// A description of the known symbols, for messages.
        names: &'static str,
    },
    /// A product of unknowns, a fraction, or a divisor that is not a positive constant.
    #[error("`{expr}` is not affine with whole values")]
    NotAffine {
        /// The expression.
        expr: String,
    },
    /// A number beyond 64 bits.
    #[error("`{expr}` has a coefficient beyond 64 bits")]
    Overflow {
        /// The expression.
        expr: String,
    },
}

/// The names of the dimensions and symbols of a map.
#[derive(Debug)]
pub(super) struct Names<'n> {
    /// The symbol of each dimension.
    pub(super) dims: &'n [Symbol],
    /// A description of the dimensions, for messages.
    pub(super) what: &'static str,
    /// The tensor of each symbol of the map, by name, in order of first use.
    pub(super) indirect: Vec<String>,
}

/// `(sum of coefficient * expression + constant) / denominator`, with a positive denominator.
#[derive(Clone)]
struct Form<'c> {
    terms: Vec<(i64, AffineExpr<'c>)>,
    constant: i64,
    denominator: i64,
}

impl<'c> Form<'c> {
    const fn constant(value: i64) -> Self {
        Self {
            terms: Vec::new(),
            constant: value,
            denominator: 1,
        }
    }

    fn atom(expr: AffineExpr<'c>) -> Self {
        Self {
            terms: vec![(1, expr)],
            constant: 0,
            denominator: 1,
        }
    }

    fn scaled(&self, factor: i64) -> Option<Self> {
        let terms = self
            .terms
            .iter()
            .map(|(coefficient, expr)| Some((coefficient.checked_mul(factor)?, *expr)));
        Some(Self {
            terms: terms.collect::<Option<_>>()?,
            constant: self.constant.checked_mul(factor)?,
            denominator: self.denominator,
        })
    }

    fn plus(&self, other: &Self) -> Option<Self> {
        let (left, right) = (
            self.scaled(other.denominator)?,
            other.scaled(self.denominator)?,
        );
        let mut terms = left.terms;
        for (coefficient, expr) in right.terms {
            match terms.iter_mut().find(|(_, term)| *term == expr) {
                Some((sum, _)) => *sum = sum.checked_add(coefficient)?,
                None => terms.push((coefficient, expr)),
            }
        }
        terms.retain(|(coefficient, _)| *coefficient != 0);
        Self {
            terms,
            constant: left.constant.checked_add(right.constant)?,
            denominator: self.denominator.checked_mul(other.denominator)?,
        }
        .reduced()
    }

    /// Returns the form in lowest terms; `None` when it overflows.
    fn reduced(self) -> Option<Self> {
        let numbers = self.terms.iter().map(|(coefficient, _)| *coefficient);
        let divisor = numbers
            .chain([self.constant, self.denominator])
            .fold(0, |divisor, number| gcd(divisor, number.unsigned_abs()));
        let divisor = i64::try_from(divisor.max(1)).ok()?;
        let terms = self
            .terms
            .into_iter()
            .map(|(coefficient, expr)| Some((coefficient.checked_div(divisor)?, expr)));
        Some(Self {
            terms: terms.collect::<Option<_>>()?,
            constant: self.constant.checked_div(divisor)?,
            denominator: self.denominator.checked_div(divisor)?,
        })
    }

    fn over(&self, divisor: i64) -> Option<Self> {
        let positive = self.scaled(divisor.signum())?;
        let denominator = positive.denominator.checked_mul(divisor.checked_abs()?)?;
        Self {
            denominator,
            ..positive
        }
        .reduced()
    }

    const fn as_constant(&self) -> Option<i64> {
        if self.terms.is_empty() && self.denominator == 1 {
            Some(self.constant)
        } else {
            None
        }
    }

    /// Returns the numerator.
    fn numerator(&self, context: &'c Context) -> AffineExpr<'c> {
        let constant = |value| AffineExpr::constant(context, value);
        let terms = self.terms.iter().map(|(coefficient, expr)| {
            if *coefficient == 1 {
                *expr
            } else {
                *expr * constant(*coefficient)
            }
        });
        let sum = terms.reduce(|sum, term| sum + term);
        match sum {
            None => constant(self.constant),
            Some(sum) if self.constant == 0 => sum,
            Some(sum) => sum + constant(self.constant),
        }
    }
}

const fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Returns the affine form of an expression.
///
/// # Errors
/// Expressions that are not affine in the given names.
pub(super) fn to_affine<'c>(
    context: &'c Context,
    expr: &Expr,
    names: &mut Names<'_>,
) -> Result<AffineExpr<'c>, AffineError> {
    let form = form(context, expr, expr, names)?;
    if form.denominator != 1 {
        return Err(not_affine(expr));
    }
    Ok(form.numerator(context))
}

fn not_affine(expr: &Expr) -> AffineError {
    AffineError::NotAffine {
        expr: expr.to_string(),
    }
}

fn form<'c>(
    context: &'c Context,
    expr: &Expr,
    whole: &Expr,
    names: &mut Names<'_>,
) -> Result<Form<'c>, AffineError> {
    let overflow = || AffineError::Overflow {
        expr: whole.to_string(),
    };
    match expr.kind() {
        ExprKind::Int(value) => Ok(Form::constant(*value)),
        ExprKind::Symbol(symbol) => match names.dims.iter().position(|name| name == symbol) {
            Some(dim) => Ok(Form::atom(AffineExpr::dim(context, dim))),
            None => Err(AffineError::UnknownSymbol {
                expr: whole.to_string(),
                symbol: symbol.clone(),
                names: names.what,
            }),
        },
        ExprKind::IndirectAccess(name) => {
            let indirect = names.indirect.iter().position(|n| n == name.as_str());
            let position = indirect.unwrap_or(names.indirect.len());
            if indirect.is_none() {
                names.indirect.push(name.to_string());
            }
            Ok(Form::atom(AffineExpr::symbol(context, position)))
        }
        ExprKind::Sum(terms) => terms.iter().try_fold(Form::constant(0), |sum, term| {
            sum.plus(&form(context, term, whole, names)?)
                .ok_or_else(overflow)
        }),
        ExprKind::Product(factors) => {
            factors
                .iter()
                .try_fold(Form::constant(1), |product, factor| {
                    let factor = form(context, factor, whole, names)?;
                    let (constant, other) = if product.terms.is_empty() {
                        (product, factor)
                    } else if factor.terms.is_empty() {
                        (factor, product)
                    } else {
                        return Err(not_affine(whole));
                    };
                    other
                        .scaled(constant.constant)
                        .and_then(|scaled| scaled.over(constant.denominator))
                        .ok_or_else(overflow)
                })
        }
        ExprKind::Quotient(numerator, divisor) => {
            let numerator = form(context, numerator, whole, names)?;
            let divisor = form(context, divisor, whole, names)?;
            if !divisor.terms.is_empty() || divisor.constant == 0 {
                return Err(not_affine(whole));
            }
            numerator
                .scaled(divisor.denominator)
                .and_then(|scaled| scaled.over(divisor.constant))
                .ok_or_else(overflow)
        }
        ExprKind::Floor(operand) => {
            let operand = form(context, operand, whole, names)?;
            if operand.denominator == 1 {
                return Ok(operand);
            }
            if operand.terms.is_empty() {
                return Ok(Form::constant(
                    operand.constant.div_euclid(operand.denominator),
                ));
            }
            let divisor = AffineExpr::constant(context, operand.denominator);
            Ok(Form::atom(AffineExpr::floor_div(
                operand.numerator(context),
                divisor,
            )))
        }
        ExprKind::Mod(operand, modulus) => {
            let operand = form(context, operand, whole, names)?;
            let modulus = form(context, modulus, whole, names)?.as_constant();
            let Some(modulus) = modulus.filter(|modulus| *modulus > 0) else {
                return Err(not_affine(whole));
            };
            // (a/d) mod m = (a mod (m*d)) / d
            let modulus = modulus
                .checked_mul(operand.denominator)
                .ok_or_else(overflow)?;
            if operand.terms.is_empty() {
                return Form::constant(operand.constant.rem_euclid(modulus))
                    .over(operand.denominator)
                    .ok_or_else(overflow);
            }
            let modulus = AffineExpr::constant(context, modulus);
            Form::atom(AffineExpr::modulo(operand.numerator(context), modulus))
                .over(operand.denominator)
                .ok_or_else(overflow)
        }
    }
}

/// Returns the expression for an affine one; `None` if a dimension or symbol of it has no name.
pub(super) fn from_affine(expr: AffineExpr<'_>, names: &Names<'_>) -> Option<Expr> {
    if expr.is_constant() {
        return Some(Expr::int(expr.constant_value()));
    }
    if expr.is_dim() {
        return Some(Expr::from(names.dims.get(expr.dim_position())?.clone()));
    }
    if expr.is_symbol() {
        let name = names.indirect.get(expr.symbol_position())?;
        return Some(Expr::indirect_access(name.as_str()));
    }
    let (lhs, rhs) = (
        from_affine(expr.lhs(), names)?,
        from_affine(expr.rhs(), names)?,
    );
    if expr.is_add() {
        Some(lhs + rhs)
    } else if expr.is_mul() {
        // Coefficients come first in the text of OpSpecs.
        Some(rhs * lhs)
    } else if expr.is_mod() {
        Some(lhs.modulo(rhs))
    } else if expr.is_floor_div() {
        Some(lhs.floor_div(rhs))
    } else if expr.is_ceil_div() {
        Some(-((-lhs).floor_div(rhs)))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dims() -> Vec<Symbol> {
        vec!["c0".into(), "c1".into()]
    }

    fn convert(text: &str) -> Result<(String, String, Vec<String>), AffineError> {
        let context = Context::new();
        let dims = dims();
        let mut names = Names {
            dims: &dims,
            what: "an iteration symbol",
            indirect: Vec::new(),
        };
        let expr: Expr = text.parse().expect("an expression");
        let affine = to_affine(&context, &expr, &mut names)?;
        let back = from_affine(affine, &names).expect("known names");
        Ok((affine.to_string(), back.to_string(), names.indirect))
    }

    #[test]
    fn affine_expressions_and_back() {
        for (text, affine, back) in [
            ("0", "0", "0"),
            ("c0", "d0", "c0"),
            ("floor(c1/64)", "d1 floordiv 64", "floor(c1/64)"),
            ("Mod(c1, 64)", "d1 mod 64", "Mod(c1, 64)"),
            ("floor(c1/64) + 3", "d1 floordiv 64 + 3", "floor(c1/64) + 3"),
            ("floor(1/64*c1)", "d1 floordiv 64", "floor(c1/64)"),
            ("floor(2*c1/128)", "d1 floordiv 64", "floor(c1/64)"),
            (
                "floor(c1/2 + c0/4)",
                "(d1 * 2 + d0) floordiv 4",
                "floor((2*c1 + c0)/4)",
            ),
            (
                "floor(Mod(c1, 64)/8)",
                "(d1 mod 64) floordiv 8",
                "floor(Mod(c1, 64)/8)",
            ),
            (
                "Mod(floor(c1/8), 4)",
                "(d1 floordiv 8) mod 4",
                "Mod(floor(c1/8), 4)",
            ),
            ("Mod(7, 4) + floor(-7/2)", "-1", "-1"),
            ("2*c0 - c0 - c0", "0", "0"),
            ("floor(c0)", "d0", "c0"),
        ] {
            let (expr_text, again, indirect) = convert(text).expect(text);
            assert_eq!(
                (expr_text.as_str(), again.as_str()),
                (affine, back),
                "{text}"
            );
            assert!(indirect.is_empty());
        }
    }

    #[test]
    fn values_of_other_tensors_are_symbols() {
        let (affine, back, names) =
            convert("IndirectAccess(b) + 2*IndirectAccess(a)").expect("affine");
        assert_eq!(affine, "s0 + s1 * 2");
        assert_eq!(back, "IndirectAccess(b) + 2*IndirectAccess(a)");
        assert_eq!(names, ["b", "a"]);
    }

    #[test]
    fn others_are_refused() {
        for (text, part) in [
            ("zz", "uses zz, which is not an iteration symbol"),
            ("c0*c1", "not affine"),
            ("c0/2", "not affine"),
            ("c0/0", "not affine"),
            ("floor(2/c0)", "not affine"),
            ("Mod(c0, c1)", "not affine"),
            ("Mod(c0, 0)", "not affine"),
            ("Mod(c0, -4)", "not affine"),
            ("9223372036854775807*(c0 + c0)", "beyond 64 bits"),
            ("9223372036854775807 + c0 + 1", "beyond 64 bits"),
            ("floor(c0/9223372036854775807/2)", "beyond 64 bits"),
        ] {
            let message = convert(text).expect_err(text).to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
