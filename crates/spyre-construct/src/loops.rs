//! The loops of a nest, cut into digits, so that coordinates are linear in them.
//!
//! An index expression has quotients and remainders of loops where a program has merged dimensions. The
//! index of a loop is a sum of digits with weights: in a loop of 3840 with the weights 128 and 1, `i / 128`
//! and `i mod 128` are its two digits. One loop for each digit makes both linear.

use std::collections::BTreeMap;

use melior::Context;
use melior::ir::AffineExpr;
use spyre_inductor::access::Range;
use spyre_inductor::expr::{Atom, Expr, Var};

/// The loops of a nest, each cut into digits.
#[derive(Debug, Clone)]
pub struct Loops {
    /// The number of iterations of each loop.
    extents: Vec<i64>,
    /// The weights of the digits of each loop, the last digit's, 1, first.
    weights: Vec<Vec<i64>>,
    /// The number of leading loops that are not reduced.
    parallel: usize,
}

/// A digit of a loop: a separate loop.
#[derive(Debug, Clone, Copy)]
pub struct Digit {
    /// The number that each of its iterations adds to the index of the loop.
    pub weight: i64,
    /// Its number of iterations.
    pub extent: i64,
}

/// A sum of digits with factors, and an offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linear {
    /// The factors of the digits, by their numbers. None is 0.
    pub terms: BTreeMap<usize, i64>,
    /// The number that is added.
    pub offset: i64,
}

impl Loops {
    /// Returns loops without any cuts.
    pub fn new(extents: Vec<i64>, parallel: usize) -> Self {
        let weights = vec![vec![1]; extents.len()];
        Self {
            extents,
            weights,
            parallel,
        }
    }

    /// Returns the number of loops.
    pub fn count(&self) -> usize {
        self.extents.len()
    }

    /// Returns the range of a loop.
    pub fn range(&self, var: Var) -> Option<Range> {
        match var {
            Var::Loop(number) => Some((0, self.extents.get(number as usize)? - 1)),
            _ => None,
        }
    }

    /// Returns the digits of all loops. The digits of one loop are next to each other, heaviest first. A
    /// loop of one iteration has none.
    pub fn digits(&self) -> Vec<Digit> {
        (0..self.extents.len())
            .flat_map(|number| self.loop_digits(number))
            .collect()
    }

    /// Returns the number of leading digits that are of loops that are not reduced.
    pub fn parallel(&self) -> usize {
        (0..self.parallel)
            .map(|number| self.loop_digits(number).len())
            .sum()
    }

    /// Returns the numbers of the digits of a loop.
    pub fn digits_of(&self, number: usize) -> std::ops::Range<usize> {
        let first = self.first(number);
        first..first + self.loop_digits(number).len()
    }

    /// Returns the digits of one loop.
    fn loop_digits(&self, number: usize) -> Vec<Digit> {
        let extent = self.extents[number];
        if extent == 1 {
            return Vec::new();
        }
        let weights = &self.weights[number];
        let ends = weights[1..].iter().chain([&extent]);
        let digits = weights.iter().zip(ends).map(|(weight, end)| Digit {
            weight: *weight,
            extent: end / weight,
        });
        let mut digits: Vec<Digit> = digits.collect();
        digits.reverse();
        digits
    }

    /// Returns the digit that a loop is, if it is not cut.
    pub fn digit_of(&self, number: usize) -> Option<usize> {
        (self.loop_digits(number).len() == 1).then(|| self.first(number))
    }

    /// Returns the number of the first digit of a loop.
    fn first(&self, number: usize) -> usize {
        (0..number)
            .map(|before| self.loop_digits(before).len())
            .sum()
    }

    /// Cuts the loops so that some expressions are linear, if that is possible. Otherwise they stay as they
    /// are.
    pub fn admit(&mut self, exprs: &[Expr]) -> bool {
        let before = self.weights.clone();
        let is_cut = exprs.iter().all(|expr| self.cut(expr));
        if !is_cut || !exprs.iter().all(|expr| self.linear(expr).is_some()) {
            self.weights = before;
            return false;
        }
        true
    }

    fn cut(&mut self, expr: &Expr) -> bool {
        let mut is_cut = true;
        for (atoms, _) in expr.terms() {
            for atom in atoms {
                is_cut &= match atom {
                    Atom::Quotient(operands) => {
                        let [base, by] = &**operands;
                        self.cut_at(base, by.as_constant())
                    }
                    Atom::Digit(operands) => {
                        let [base, by, modulus] = &**operands;
                        let low = by.as_constant();
                        let high = low.zip(modulus.as_constant());
                        let high = high.and_then(|(low, modulus)| low.checked_mul(modulus));
                        self.cut_at(base, low) && self.cut_at(base, high)
                    }
                    Atom::Var(_) => true,
                    Atom::Remainder(..) | Atom::Max(_) | Atom::Min(_) | Atom::Abs(_) => false,
                };
            }
        }
        is_cut
    }

    /// Makes a number of a loop's iterations the weight of a digit.
    fn cut_at(&mut self, base: &Expr, weight: Option<i64>) -> bool {
        let (Some(Var::Loop(number)), Some(weight)) = (base.as_var(), weight) else {
            return false;
        };
        let number = number as usize;
        let extent = self.extents[number];
        if weight < 1 {
            return false;
        }
        let weights = &mut self.weights[number];
        if weight >= extent || weights.contains(&weight) {
            return true;
        }
        weights.push(weight);
        weights.sort_unstable();
        let ends = weights[1..].iter().chain([&extent]);
        weights
            .iter()
            .zip(ends)
            .all(|(weight, end)| end % weight == 0)
    }

    /// Returns an expression as a sum of digits; `None` if it is none.
    pub fn linear(&self, expr: &Expr) -> Option<Linear> {
        let mut sum = Linear {
            terms: BTreeMap::new(),
            offset: expr.offset(),
        };
        for (atoms, factor) in expr.terms() {
            let [atom] = atoms else { return None };
            let (base, low, high) = match atom {
                Atom::Var(var) => (*var, 1, i64::MAX),
                Atom::Quotient(operands) => {
                    let [base, by] = &**operands;
                    (base.as_var()?, by.as_constant()?, i64::MAX)
                }
                Atom::Digit(operands) => {
                    let [base, by, modulus] = &**operands;
                    let low = by.as_constant()?;
                    (
                        base.as_var()?,
                        low,
                        low.checked_mul(modulus.as_constant()?)?,
                    )
                }
                Atom::Remainder(..) | Atom::Max(_) | Atom::Min(_) | Atom::Abs(_) => return None,
            };
            let Var::Loop(number) = base else { return None };
            let number = number as usize;
            let extent = self.extents[number];
            let is_end = |weight: i64| weight >= extent || self.weights[number].contains(&weight);
            if !is_end(low) || !is_end(high) {
                return None;
            }
            let first = self.first(number);
            for (at, digit) in self.loop_digits(number).into_iter().enumerate() {
                if low <= digit.weight && digit.weight < high {
                    let factor = factor.checked_mul(digit.weight / low)?;
                    let term = sum.terms.entry(first + at).or_insert(0);
                    *term = term.checked_add(factor)?;
                }
            }
        }
        sum.terms.retain(|_, factor| *factor != 0);
        Some(sum)
    }
}

impl Linear {
    /// Returns the least and the largest value.
    pub fn range(&self, digits: &[Digit]) -> Range {
        let (mut low, mut high) = (self.offset, self.offset);
        for (digit, factor) in &self.terms {
            let end = factor * (digits[*digit].extent - 1);
            low += end.min(0);
            high += end.max(0);
        }
        (low, high)
    }

    /// Returns the same as an affine expression of the digits.
    pub fn affine<'c>(&self, context: &'c Context) -> AffineExpr<'c> {
        let constant = |number| AffineExpr::constant(context, number);
        let terms = self.terms.iter().map(|(digit, factor)| {
            let digit = AffineExpr::dim(context, *digit);
            if *factor == 1 {
                digit
            } else {
                digit * constant(*factor)
            }
        });
        match terms.reduce(|sum, term| sum + term) {
            None => constant(self.offset),
            Some(sum) if self.offset == 0 => sum,
            Some(sum) => sum + constant(self.offset),
        }
    }

    /// Returns the digits of which this sum is the mixed-radix number, heaviest first, from 0 up to
    /// `extent`; `None` if it is not one.
    pub fn mixed(&self, digits: &[Digit], extent: i64) -> Option<Vec<usize>> {
        let mut order: Vec<usize> = self.terms.keys().copied().collect();
        order.sort_by_key(|digit| std::cmp::Reverse(self.terms[digit]));
        let mut weight = 1;
        for digit in order.iter().rev() {
            if self.terms[digit] != weight {
                return None;
            }
            weight *= digits[*digit].extent;
        }
        (self.offset == 0 && weight == extent).then_some(order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn var(number: u32) -> Expr {
        Expr::var(Var::Loop(number))
    }

    #[test]
    fn quotients_and_remainders_of_a_loop_are_its_digits() {
        let mut loops = Loops::new(vec![3840, 1, 10], 2);
        let constant = Expr::constant;
        let row = var(0).quotient(constant(128));
        let column = var(0).digit(constant(1), constant(128));
        assert!(loops.admit(&[row.clone(), column.clone(), var(2)]));
        let extents: Vec<i64> = loops.digits().iter().map(|digit| digit.extent).collect();
        assert_eq!(extents, [30, 128, 10]);
        assert_eq!(loops.parallel(), 2);
        let digit = |expr, extent| loops.linear(&expr)?.mixed(&loops.digits(), extent);
        assert_eq!(digit(row, 30), Some(vec![0]));
        assert_eq!(digit(column, 128), Some(vec![1]));
        assert_eq!(digit(var(2), 10), Some(vec![2]));
        let whole = loops
            .linear(&var(0))
            .expect("a loop is a sum of its digits");
        assert_eq!(whole.mixed(&loops.digits(), 3840), Some(vec![0, 1]));
        assert_eq!(whole.range(&loops.digits()), (0, 3839));
        // Its digits would not be one inside of the other.
        assert!(!loops.admit(&[var(0).quotient(constant(100))]));
        assert_eq!(loops.digits().len(), 3);
    }
}
