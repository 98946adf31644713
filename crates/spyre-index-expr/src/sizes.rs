//! Proofs about expressions of symbolic sizes.
//!
//! An extent, a stride or an offset of a graph with symbolic sizes is a polynomial of them. Two are equal if they are equal polynomials.
//! Order is proved by the ranges of the sizes: a polynomial is not negative if its least terms are not, or if it has no negative
//! coefficient after each size is replaced by its least value and a rest. What is not proved is not known.

use crate::expr::{Atom, Expr, Overflow, Var};
use crate::ranges::Range;

/// The ranges of symbolic sizes.
#[derive(Debug, Clone, Default)]
pub struct Sizes {
    /// The least and the largest value of each symbol, by its number; `None` if they are not known.
    pub ranges: Vec<Option<Range>>,
}

impl Sizes {
    /// Returns the range of a symbol.
    fn range(&self, number: u32) -> Option<Range> {
        self.ranges.get(number as usize).copied().flatten()
    }

    /// Returns whether an expression of sizes is proved to be 0 or more.
    #[must_use]
    pub fn is_nonnegative(&self, expr: &Expr) -> bool {
        if let Some(number) = expr.as_constant() {
            return number >= 0;
        }
        self.least(expr).is_some_and(|least| least >= 0) || self.has_nonnegative_rest(expr)
    }

    /// Returns whether an expression of sizes is proved to be at most another one.
    #[must_use]
    pub fn is_at_most(&self, expr: &Expr, limit: &Expr) -> bool {
        limit.sub(expr).is_ok_and(|rest| self.is_nonnegative(&rest))
    }

    /// Returns whether an expression of sizes is proved to be less than another one.
    #[must_use]
    pub fn is_less(&self, expr: &Expr, limit: &Expr) -> bool {
        let next = expr.add(&Expr::constant(1));
        next.is_ok_and(|next| self.is_at_most(&next, limit))
    }

    /// Returns the sum of the least values of the terms of an expression of sizes.
    fn least(&self, expr: &Expr) -> Option<i128> {
        let mut sum = i128::from(expr.offset());
        for (atoms, factor) in expr.terms() {
            let mut term = i128::from(factor);
            for atom in atoms {
                let Atom::Var(Var::Symbol(number)) = atom else {
                    return None;
                };
                let (least, most) = self.range(*number)?;
                let end = if factor < 0 { most } else { least };
                term = term.checked_mul(end.into())?;
            }
            sum = sum.checked_add(term)?;
        }
        Some(sum)
    }

    /// Returns whether an expression has no negative coefficient where each size is its least value and a rest.
    fn has_nonnegative_rest(&self, expr: &Expr) -> bool {
        let with = |var| match var {
            Var::Symbol(number) => {
                let (least, _) = self.range(number)?;
                Expr::var(var).add(&Expr::constant(least)).ok()
            }
            Var::Loop(_) | Var::Indirect(_) => None,
        };
        let is_known = |(atoms, _): (&[Atom], i64)| {
            atoms.iter().all(|atom| match atom {
                Atom::Var(Var::Symbol(number)) => {
                    self.range(*number).is_some_and(|(least, _)| least >= 0)
                }
                _ => false,
            })
        };
        expr.terms().all(is_known)
            && expr
                .substitute(&with)
                .is_ok_and(|rest| rest.offset() >= 0 && rest.terms().all(|(_, factor)| factor >= 0))
    }

    /// Returns the quotient of two expressions of sizes, rounded down, and the remainder, where it is proved to be one.
    #[must_use]
    pub fn division(&self, expr: &Expr, divisor: &Expr) -> Option<(Expr, Expr)> {
        let (mut whole, mut rest) = split(expr, divisor).ok()?;
        if !self.is_nonnegative(&rest) {
            // If the rest is negative and larger than the negative divisor, the rounded quotient is one less.
            whole = whole.add(&Expr::constant(-1)).ok()?;
            rest = rest.add(divisor).ok()?;
        }
        (self.is_nonnegative(&rest) && self.is_less(&rest, divisor)).then_some((whole, rest))
    }
}

fn is_symbol(atom: &Atom) -> bool {
    matches!(atom, Atom::Var(Var::Symbol(_)))
}

/// Returns whether an expression is a product of sizes with a positive number, or a positive number.
#[must_use]
pub fn is_product(expr: &Expr) -> bool {
    let mut terms = expr.terms();
    match (terms.next(), terms.next(), expr.offset()) {
        (None, _, offset) => offset > 0,
        (Some((atoms, factor)), None, 0) => factor > 0 && atoms.iter().all(is_symbol),
        _ => false,
    }
}

/// Returns the atoms and the number of a product of sizes; of a number no atoms.
fn parts(product: &Expr) -> (&[Atom], i64) {
    product.terms().next().unwrap_or((&[], product.offset()))
}

/// Returns a product of atoms with a number.
///
/// # Errors
/// A number is too large.
pub fn term<'a>(atoms: impl IntoIterator<Item = &'a Atom>, factor: i64) -> Result<Expr, Overflow> {
    let mut term = Expr::constant(factor);
    for atom in atoms {
        term = term.mul(&Expr::atom(atom.clone()))?;
    }
    Ok(term)
}

/// Returns the only factor of a term that is no size, with the product of the other factors; `None` if no or several
/// factors are no sizes.
#[must_use]
pub fn coefficient(atoms: &[Atom], factor: i64) -> Option<(Expr, &Atom)> {
    let mut others = atoms.iter().filter(|atom| !is_symbol(atom));
    let (Some(other), None) = (others.next(), others.next()) else {
        return None;
    };
    let sizes = term(atoms.iter().filter(|atom| is_symbol(atom)), factor);
    Some((sizes.ok()?, other))
}

/// Returns the atoms without those of a product; `None` if they do not have all of these.
fn without(atoms: &[Atom], product: &[Atom]) -> Option<Vec<Atom>> {
    let mut left = atoms.to_vec();
    for atom in product {
        let place = left.iter().position(|other| other == atom)?;
        left.remove(place);
    }
    Some(left)
}

/// Divides an expression by `divisor`, a product of sizes and a number. Returns the quotient of the terms that it divides, and the
/// other terms. If `divisor` is a number, the constant of the expression is divided with a remainder.
///
/// # Errors
/// A number is too large.
pub fn split(expr: &Expr, divisor: &Expr) -> Result<(Expr, Expr), Overflow> {
    let (of, by) = parts(divisor);
    let (mut whole, mut rest) = match of {
        [] => (
            Expr::constant(expr.offset().div_euclid(by)),
            Expr::constant(expr.offset().rem_euclid(by)),
        ),
        _ => (Expr::constant(0), Expr::constant(expr.offset())),
    };
    for (atoms, factor) in expr.terms() {
        match without(atoms, of).filter(|_| factor % by == 0) {
            Some(left) => whole = whole.add(&term(&left, factor / by)?)?,
            None => rest = rest.add(&term(atoms, factor)?)?,
        }
    }
    Ok((whole, rest))
}

/// Returns an expression divided by a product of sizes; `None` if that does not divide every term.
#[must_use]
pub fn divided(expr: &Expr, divisor: &Expr) -> Option<Expr> {
    if !is_product(divisor) {
        return (expr == divisor).then(|| Expr::constant(1));
    }
    let (whole, rest) = split(expr, divisor).ok()?;
    (rest == 0).then_some(whole)
}

/// Returns the largest product of sizes that divides a product of sizes and each term of an expression.
///
/// # Errors
/// A number is too large.
pub fn common_divisor(expr: &Expr, product: &Expr) -> Result<Expr, Overflow> {
    let (atoms, mut number) = parts(product);
    let mut atoms = atoms.to_vec();
    if expr.offset() != 0 {
        atoms.clear();
        number = gcd(number, expr.offset());
    }
    for (others, factor) in expr.terms() {
        number = gcd(number, factor);
        let mut others = others.to_vec();
        atoms.retain(|atom| {
            let place = others.iter().position(|other| other == atom);
            place.is_some_and(|place| {
                others.remove(place);
                true
            })
        });
    }
    term(&atoms, number)
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.saturating_abs(), b.saturating_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `s0`, a multiple of 16 up to 48, and `s1`, from 2 to 64.
    fn sizes() -> Sizes {
        Sizes {
            ranges: vec![Some((16, 48)), Some((2, 64))],
        }
    }

    fn size(number: u32) -> Expr {
        Expr::var(Var::Symbol(number))
    }

    fn plus(expr: &Expr, number: i64) -> Expr {
        expr.add(&Expr::constant(number)).expect("small numbers")
    }

    fn times(expr: &Expr, number: i64) -> Expr {
        expr.scale(number).expect("small numbers")
    }

    #[test]
    fn order_is_proved_by_ranges() {
        let (sizes, square) = (sizes(), size(0).mul(&size(0)).expect("small numbers"));
        assert!(sizes.is_less(&Expr::constant(15), &size(0)));
        assert!(!sizes.is_less(&Expr::constant(16), &size(0)));
        assert!(sizes.is_at_most(&size(0), &Expr::constant(48)));
        assert!(sizes.is_less(&plus(&size(0), -1), &size(0)));
        assert!(sizes.is_at_most(&size(0), &square));
        assert!(!sizes.is_at_most(&size(1), &size(0)));
        assert!(!sizes.is_at_most(&size(0), &size(1)));
    }

    #[test]
    fn remainders_are_proved() {
        let sizes = sizes();
        let last = plus(&times(&size(0), 4), -1);
        let by_number = sizes.division(&last, &Expr::constant(4));
        assert_eq!(by_number, Some((plus(&size(0), -1), Expr::constant(3))));
        let by_size = sizes.division(&last, &size(0));
        assert_eq!(by_size, Some((Expr::constant(3), plus(&size(0), -1))));
        assert_eq!(sizes.division(&size(1), &size(0)), None);
    }

    #[test]
    fn products_divide_terms() {
        let both = size(0).mul(&size(1)).expect("small numbers");
        let all = times(&both, 8);
        assert_eq!(divided(&all, &times(&size(1), 2)), Some(times(&size(0), 4)));
        assert_eq!(divided(&plus(&all, 1), &size(1)), None);
        assert_eq!(
            common_divisor(&all, &times(&size(0), 12)),
            Ok(times(&size(0), 4))
        );
        assert_eq!(common_divisor(&plus(&all, 6), &all), Ok(Expr::constant(2)));
    }
}
