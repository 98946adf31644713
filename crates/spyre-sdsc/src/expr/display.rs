//! The infix text form.

use std::fmt;

use super::{Expr, ExprKind};

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            ExprKind::Int(value) => write!(f, "{value}"),
            ExprKind::Symbol(symbol) => write!(f, "{symbol}"),
            ExprKind::IndirectAccess(name) => write!(f, "IndirectAccess({name})"),
            ExprKind::Floor(operand) => write!(f, "floor({operand})"),
            ExprKind::Mod(a, b) => write!(f, "Mod({a}, {b})"),
            ExprKind::Sum(terms) => {
                for (position, term) in terms.iter().enumerate() {
                    // A leading sign prints as the operator between the terms.
                    let text = term.to_string();
                    match (position, text.strip_prefix('-')) {
                        (0, _) => f.write_str(&text)?,
                        (_, Some(positive)) => write!(f, " - {positive}")?,
                        (_, None) => write!(f, " + {text}")?,
                    }
                }
                Ok(())
            }
            ExprKind::Product(factors) => {
                let mut rest = factors.as_slice();
                if let [first, tail @ ..] = rest
                    && first.as_int() == Some(-1)
                    && tail.first().is_some_and(absorbs_sign)
                {
                    f.write_str("-")?;
                    rest = tail;
                }
                for (position, factor) in rest.iter().enumerate() {
                    match (position, factor.kind()) {
                        (0, ExprKind::Sum(_)) => write!(f, "({factor})")?,
                        (0, _) => write!(f, "{factor}")?,
                        (_, ExprKind::Sum(_) | ExprKind::Quotient(..)) => write!(f, "*({factor})")?,
                        (_, ExprKind::Int(value)) if *value < 0 => write!(f, "*({factor})")?,
                        _ => write!(f, "*{factor}")?,
                    }
                }
                Ok(())
            }
            ExprKind::Quotient(a, b) => {
                match a.kind() {
                    ExprKind::Sum(_) => write!(f, "({a})")?,
                    _ => write!(f, "{a}")?,
                }
                match b.kind() {
                    ExprKind::Sum(_) | ExprKind::Product(_) | ExprKind::Quotient(..) => {
                        write!(f, "/({b})")
                    }
                    ExprKind::Int(value) if *value < 0 => write!(f, "/({b})"),
                    _ => write!(f, "/{b}"),
                }
            }
        }
    }
}

/// True if `-x` reads back as the product of `-1` and `x`, rather than as a negated literal.
fn absorbs_sign(factor: &Expr) -> bool {
    !matches!(factor.kind(), ExprKind::Int(_) | ExprKind::Quotient(..))
}
