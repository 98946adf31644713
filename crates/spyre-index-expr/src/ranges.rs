//! Bounds of index expressions, by the ranges of their variables.
//!
//! A range has both ends. The ends are numbers ([`range`]), or expressions of sizes where extents are symbolic
//! ([`Bounds`]). The range of an expression follows from the ranges of its atoms term by term, so it may be wider than
//! its values: a bound is a proof, and a missing one proves nothing.

use crate::expr::{Atom, Expr, Var};
use crate::sizes::{Sizes, is_product};

/// The least and the largest value of an expression.
pub type Range = (i64, i64);

/// The knowledge about variables from which expressions are simplified.
pub trait Ranges {
    /// Returns whether an expression is known to be 0 or more.
    fn is_nonnegative(&self, expr: &Expr) -> bool;

    /// Returns whether an expression is known to be from 0 to a limit, which it does not reach.
    fn is_below(&self, expr: &Expr, limit: &Expr) -> bool;

    /// Returns the quotient of two expressions of sizes, rounded down, and the remainder, if they are known.
    fn division(&self, expr: &Expr, divisor: &Expr) -> Option<(Expr, Expr)>;

    /// Returns whether an expression divides others: it is a number above 0, or a product of sizes of which the ranges are known.
    fn is_divisor(&self, expr: &Expr) -> bool;

    /// Returns whether an expression of sizes is known to be at most another one.
    fn is_at_most(&self, expr: &Expr, limit: &Expr) -> bool {
        let rest = limit.sub(expr);
        rest.is_ok_and(|rest| self.is_nonnegative(&rest))
    }
}

/// Ranges of variables that are numbers.
impl<F: Fn(Var) -> Option<Range>> Ranges for F {
    fn is_nonnegative(&self, expr: &Expr) -> bool {
        range(expr, self).is_some_and(|(low, _)| low >= 0)
    }

    fn is_below(&self, expr: &Expr, limit: &Expr) -> bool {
        let range = range(expr, self).zip(limit.as_constant());
        range.is_some_and(|((low, high), limit)| 0 <= low && high < limit)
    }

    fn division(&self, expr: &Expr, divisor: &Expr) -> Option<(Expr, Expr)> {
        Sizes::default().division(expr, divisor)
    }

    fn is_divisor(&self, expr: &Expr) -> bool {
        expr.as_constant().is_some_and(|number| number > 0)
    }
}

/// Ranges of variables that are expressions of sizes.
pub struct Bounds<'a, F> {
    /// The ranges of the sizes.
    pub sizes: &'a Sizes,
    /// Returns the least and the largest value of a variable that is no size.
    pub of: F,
}

impl<F: Fn(Var) -> Option<(Expr, Expr)>> Bounds<'_, F> {
    /// Returns the least and the largest value of an expression, if they are known.
    #[must_use]
    pub fn range(&self, expr: &Expr) -> Option<(Expr, Expr)> {
        let (mut low, mut high) = (Expr::constant(expr.offset()), Expr::constant(expr.offset()));
        for (atoms, factor) in expr.terms() {
            let (first, last) = self.term(atoms, factor)?;
            low = low.add(&first).ok()?;
            high = high.add(&last).ok()?;
        }
        Some((low, high))
    }

    /// Returns the range of a product of atoms with a number.
    fn term(&self, atoms: &[Atom], factor: i64) -> Option<(Expr, Expr)> {
        let (mut low, mut high) = (Expr::constant(1), Expr::constant(1));
        for atom in atoms {
            let (first, last) = self.atom(atom)?;
            // Products of numbers of both signs have other ends.
            if atoms.len() > 1 && !self.sizes.is_nonnegative(&first) {
                return None;
            }
            (low, high) = (low.mul(&first).ok()?, high.mul(&last).ok()?);
        }
        let (low, high) = (low.scale(factor).ok()?, high.scale(factor).ok()?);
        Some(if factor < 0 { (high, low) } else { (low, high) })
    }

    fn atom(&self, atom: &Atom) -> Option<(Expr, Expr)> {
        match atom {
            Atom::Var(Var::Symbol(_)) => {
                let size = Expr::atom(atom.clone());
                Some((size.clone(), size))
            }
            Atom::Var(var) => (self.of)(*var),
            Atom::Quotient(operands) => {
                let [base, divisor] = &**operands;
                let (low, high) = self.range(base).filter(|_| is_product(divisor))?;
                let quotient = |end: &Expr| Some(self.sizes.division(end, divisor)?.0);
                Some((quotient(&low)?, quotient(&high)?))
            }
            Atom::Digit(_) | Atom::Remainder(_) => {
                let modulus = atom
                    .operands()
                    .last()
                    .filter(|modulus| is_product(modulus))?;
                Some((Expr::constant(0), modulus.sub(&Expr::constant(1)).ok()?))
            }
            Atom::Max(_) | Atom::Min(_) | Atom::Abs(_) => {
                let numbers = |var| {
                    let (low, high) = (self.of)(var)?;
                    low.as_constant().zip(high.as_constant())
                };
                let (low, high) = atom_range(atom, &numbers)?;
                Some((low.into(), high.into()))
            }
        }
    }
}

impl<F: Fn(Var) -> Option<(Expr, Expr)>> Ranges for Bounds<'_, F> {
    fn is_nonnegative(&self, expr: &Expr) -> bool {
        let range = self.range(expr);
        range.is_some_and(|(low, _)| self.sizes.is_nonnegative(&low))
    }

    fn is_below(&self, expr: &Expr, limit: &Expr) -> bool {
        self.range(expr).is_some_and(|(low, high)| {
            self.sizes.is_nonnegative(&low) && self.sizes.is_less(&high, limit)
        })
    }

    fn division(&self, expr: &Expr, divisor: &Expr) -> Option<(Expr, Expr)> {
        self.sizes.division(expr, divisor)
    }

    fn is_divisor(&self, expr: &Expr) -> bool {
        is_product(expr)
    }
}

/// Returns the range of an expression, if it is known. `ranges` has the ranges of variables.
#[must_use]
pub fn range(expr: &Expr, ranges: &impl Fn(Var) -> Option<Range>) -> Option<Range> {
    let (mut low, mut high) = (expr.offset(), expr.offset());
    for (atoms, factor) in expr.terms() {
        let mut term = (factor, factor);
        for atom in atoms {
            let (a, b) = atom_range(atom, ranges)?;
            let products = [
                term.0.checked_mul(a)?,
                term.0.checked_mul(b)?,
                term.1.checked_mul(a)?,
                term.1.checked_mul(b)?,
            ];
            term = (*products.iter().min()?, *products.iter().max()?);
        }
        low = low.checked_add(term.0)?;
        high = high.checked_add(term.1)?;
    }
    Some((low, high))
}

fn atom_range(atom: &Atom, ranges: &impl Fn(Var) -> Option<Range>) -> Option<Range> {
    match atom {
        Atom::Var(var) => ranges(*var),
        Atom::Quotient(operands) => {
            let [base, divisor] = &**operands;
            let divisor = divisor.as_constant().filter(|divisor| *divisor > 0)?;
            let (low, high) = range(base, ranges)?;
            Some((low.div_euclid(divisor), high.div_euclid(divisor)))
        }
        Atom::Digit(_) | Atom::Remainder(_) => {
            let modulus = atom.operands().last().expect("it has operands");
            let modulus = modulus.as_constant().filter(|modulus| *modulus > 0)?;
            Some((0, modulus - 1))
        }
        Atom::Max(operands) => {
            let largest = |a: Range, b: Range| (a.0.max(b.0), a.1.max(b.1));
            all_ranges(operands, ranges)?.reduce(largest)
        }
        Atom::Min(operands) => {
            let smallest = |a: Range, b: Range| (a.0.min(b.0), a.1.min(b.1));
            all_ranges(operands, ranges)?.reduce(smallest)
        }
        Atom::Abs(operand) => {
            let [operand] = &**operand;
            let (low, high) = range(operand, ranges)?;
            let (low, high) = (low.checked_neg()?, high);
            // The distance of the nearer end is 0 where 0 is between them.
            let nearest = (-low).max(-high).max(0);
            Some((nearest, low.max(high)))
        }
    }
}

fn all_ranges(
    operands: &[Expr],
    ranges: &impl Fn(Var) -> Option<Range>,
) -> Option<impl Iterator<Item = Range>> {
    let all: Option<Vec<Range>> = operands
        .iter()
        .map(|operand| range(operand, ranges))
        .collect();
    Some(all?.into_iter())
}
