//! The loops of a nest, cut into digits, so that coordinates are linear in them.
//!
//! An index expression has quotients and remainders of loops where a program has merged dimensions. The
//! index of a loop is a sum of digits with weights: in a loop of 3840 with the weights 128 and 1, `i / 128`
//! and `i mod 128` are its two digits. One loop for each digit makes both linear.

use std::collections::BTreeMap;
use std::rc::Rc;

use melior::Context;
use melior::ir::AffineExpr;
use spyre_index_expr::sizes::{Sizes, coefficient, divided};
use spyre_index_expr::{Atom, Expr, Var};

/// The loops of a nest, each cut into digits.
#[derive(Debug, Clone)]
pub struct Loops {
    /// The number of iterations of each loop.
    extents: Vec<Expr>,
    /// The weights of the digits of each loop, starting from the last digit, which has weight 1. Each weight divides
    /// the next one.
    weights: Vec<Vec<Expr>>,
    /// The number of leading loops that are not reduced.
    parallel: usize,
    /// The ranges of the sizes in the extents.
    sizes: Rc<Sizes>,
}

/// A digit of a loop: a separate loop.
#[derive(Debug, Clone)]
pub struct Digit {
    /// The number that each of its iterations adds to the index of the loop.
    pub weight: Expr,
    /// The number of iterations.
    pub extent: Expr,
}

/// A sum of digits with factors, and an offset: expressions of sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linear {
    /// The factors of the digits, by their numbers. None is 0.
    pub terms: BTreeMap<usize, Expr>,
    /// The number that is added.
    pub offset: Expr,
}

impl Loops {
    /// Returns loops without any cuts.
    pub fn new(extents: Vec<Expr>, parallel: usize, sizes: &Rc<Sizes>) -> Self {
        let weights = vec![vec![Expr::constant(1)]; extents.len()];
        Self {
            extents,
            weights,
            parallel,
            sizes: Rc::clone(sizes),
        }
    }

    /// Returns the number of loops.
    pub fn count(&self) -> usize {
        self.extents.len()
    }

    /// Returns the least and the largest value of a loop.
    pub fn range(&self, var: Var) -> Option<(Expr, Expr)> {
        match var {
            Var::Loop(number) => {
                Some((Expr::constant(0), last(self.extents.get(number as usize)?)?))
            }
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
        self.first(self.parallel)
    }

    /// Returns the numbers of the digits of a loop.
    pub fn digits_of(&self, number: usize) -> std::ops::Range<usize> {
        self.first(number)..self.first(number + 1)
    }

    /// Returns the digits of one loop.
    fn loop_digits(&self, number: usize) -> Vec<Digit> {
        let extent = &self.extents[number];
        if *extent == 1 {
            return Vec::new();
        }
        let weights = &self.weights[number];
        let ends = weights[1..].iter().chain([extent]);
        let digits = weights.iter().zip(ends).map(|(weight, end)| Digit {
            weight: weight.clone(),
            extent: divided(end, weight).expect("each weight divides the next one"),
        });
        let mut digits: Vec<Digit> = digits.collect();
        digits.reverse();
        digits
    }

    /// Returns the digit that a loop is, if it is not cut.
    pub fn digit_of(&self, number: usize) -> Option<usize> {
        let digits = self.digits_of(number);
        (digits.len() == 1).then_some(digits.start)
    }

    /// Returns the number of the first digit of a loop.
    fn first(&self, number: usize) -> usize {
        let before = self.extents.iter().zip(&self.weights).take(number);
        let counts = before.map(|(extent, weights)| if *extent == 1 { 0 } else { weights.len() });
        counts.sum()
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

    /// Cuts a loop into digits of some extents, outermost first, if that is possible.
    pub fn cut_into(&mut self, number: usize, extents: &[Expr]) -> bool {
        let before = self.weights[number].clone();
        let mut weight = Expr::constant(1);
        let is_cut = extents.iter().rev().all(|extent| {
            let is_cut = self.cut_at(number, &weight);
            let next = weight.mul(extent);
            next.is_ok_and(|next| {
                weight = next;
                is_cut
            })
        });
        if !is_cut {
            self.weights[number] = before;
        }
        is_cut
    }

    /// Cuts every loop with an extent that is a product of sizes and a number into a digit for each factor, since a product is
    /// no extent of a tensor's dimension.
    pub fn cut_products(&mut self) {
        for number in 0..self.extents.len() {
            let factors = self.loop_digits(number);
            let factors = factors.iter().flat_map(|digit| factors_of(&digit.extent));
            let factors: Vec<Expr> = factors.collect();
            self.cut_into(number, &factors);
        }
    }

    fn cut(&mut self, expr: &Expr) -> bool {
        let mut is_cut = true;
        for atom in expr.terms().flat_map(|(atoms, _)| atoms) {
            is_cut &= match atom {
                Atom::Quotient(operands) => {
                    let [base, by] = &**operands;
                    self.cut_base(base, &[by])
                }
                Atom::Digit(operands) => {
                    let [base, by, modulus] = &**operands;
                    let end = by.mul(modulus);
                    end.is_ok_and(|end| self.cut_base(base, &[by, &end]))
                }
                Atom::Var(_) => true,
                Atom::Remainder(..) | Atom::Max(_) | Atom::Min(_) | Atom::Abs(_) => false,
            };
        }
        is_cut
    }

    fn cut_base(&mut self, base: &Expr, weights: &[&Expr]) -> bool {
        let Some(Var::Loop(number)) = base.as_var() else {
            return false;
        };
        weights
            .iter()
            .all(|weight| self.cut_at(number as usize, weight))
    }

    /// Cuts a loop so that `weight` is the weight of a digit.
    fn cut_at(&mut self, number: usize, weight: &Expr) -> bool {
        let extent = &self.extents[number];
        let weights = &mut self.weights[number];
        if !self.sizes.is_less(&Expr::constant(0), weight) {
            return false;
        }
        if self.sizes.is_at_most(extent, weight) || weights.contains(weight) {
            return true;
        }
        let divides = |weight: &Expr, end: &Expr| divided(end, weight).is_some();
        let after = weights.iter().rposition(|inner| divides(inner, weight));
        let place = after.map_or(0, |after| after + 1);
        let end = weights.get(place).unwrap_or(extent);
        let is_digit = place > 0 && divides(weight, end);
        if is_digit {
            weights.insert(place, weight.clone());
        }
        is_digit
    }

    /// Returns the number of digits of a loop with a smaller weight; `None` if no digit has the weight.
    fn place_of(&self, number: usize, weight: &Expr) -> Option<usize> {
        let weights = &self.weights[number];
        let place = weights.iter().position(|other| other == weight);
        place.or_else(|| {
            let is_end = self.sizes.is_at_most(&self.extents[number], weight);
            is_end.then_some(weights.len())
        })
    }

    /// Returns an expression as a sum of digits; `None` for other expressions.
    pub fn linear(&self, expr: &Expr) -> Option<Linear> {
        let mut sum = Linear {
            terms: BTreeMap::new(),
            offset: Expr::constant(expr.offset()),
        };
        for (atoms, factor) in expr.terms() {
            let Some((factor, atom)) = coefficient(atoms, factor) else {
                let size = spyre_index_expr::sizes::term(atoms, factor).ok()?;
                sum.offset = sum.offset.add(&size).ok()?;
                if !size.is_of_sizes() {
                    return None;
                }
                continue;
            };
            let one = Expr::constant(1);
            let (base, low, end) = match atom {
                Atom::Var(var) => (*var, &one, None),
                Atom::Quotient(operands) => {
                    let [base, by] = &**operands;
                    (base.as_var()?, by, None)
                }
                Atom::Digit(operands) => {
                    let [base, by, modulus] = &**operands;
                    (base.as_var()?, by, Some(by.mul(modulus).ok()?))
                }
                Atom::Remainder(..) | Atom::Max(_) | Atom::Min(_) | Atom::Abs(_) => return None,
            };
            let Var::Loop(number) = base else { return None };
            let number = number as usize;
            let first = self.place_of(number, low)?;
            let end = match end {
                Some(end) => self.place_of(number, &end)?,
                None => self.weights[number].len(),
            };
            let digits = self.digits_of(number);
            for place in first..end.min(digits.len()) {
                let weight = divided(&self.weights[number][place], low)?;
                let digit = digits.end - 1 - place;
                let term = sum.terms.entry(digit).or_default();
                *term = term.add(&factor.mul(&weight).ok()?).ok()?;
            }
        }
        sum.terms.retain(|_, factor| *factor != 0);
        Some(sum)
    }

    /// Returns the least and the largest value of a sum of digits, if they are known.
    pub fn range_of(&self, linear: &Linear) -> Option<(Expr, Expr)> {
        let digits = self.digits();
        let (mut low, mut high) = (linear.offset.clone(), linear.offset.clone());
        for (digit, factor) in &linear.terms {
            let reach = factor.mul(&last(&digits[*digit].extent)?).ok()?;
            let end = match self.sizes.is_nonnegative(factor) {
                true => &mut high,
                false if self.sizes.is_at_most(factor, &Expr::constant(0)) => &mut low,
                false => return None,
            };
            *end = end.add(&reach).ok()?;
        }
        Some((low, high))
    }
}

impl Linear {
    /// Returns the same as an affine expression of the digits; `None` if a factor or the offset is no number.
    pub fn affine<'c>(&self, context: &'c Context) -> Option<AffineExpr<'c>> {
        let constant = |number| AffineExpr::constant(context, number);
        let terms = self.terms.iter().map(|(digit, factor)| {
            let digit = AffineExpr::dim(context, *digit);
            Some(match factor.as_constant()? {
                1 => digit,
                factor => digit * constant(factor),
            })
        });
        let terms: Option<Vec<AffineExpr<'c>>> = terms.collect();
        let offset = self.offset.as_constant()?;
        Some(match terms?.into_iter().reduce(|sum, term| sum + term) {
            None => constant(offset),
            Some(sum) if offset == 0 => sum,
            Some(sum) => sum + constant(offset),
        })
    }

    /// Returns the digits of which this sum is the mixed-radix number, heaviest first, from 0 up to
    /// `extent`; `None` if it is not one.
    pub fn mixed(&self, digits: &[Digit], extent: &Expr) -> Option<Vec<usize>> {
        let mut left = self.terms.clone();
        let (mut order, mut weight) = (Vec::new(), Expr::constant(1));
        while !left.is_empty() {
            let (digit, _) = left.iter().find(|(_, factor)| **factor == weight)?;
            let digit = *digit;
            left.remove(&digit);
            weight = weight.mul(&digits[digit].extent).ok()?;
            order.push(digit);
        }
        order.reverse();
        (self.offset == 0 && weight == *extent).then_some(order)
    }
}

/// Returns the number of the last iteration of a loop.
fn last(extent: &Expr) -> Option<Expr> {
    extent.sub(&Expr::constant(1)).ok()
}

/// Returns the sizes and the number with a product that an extent is; an extent that is no such product itself.
fn factors_of(extent: &Expr) -> Vec<Expr> {
    let mut terms = extent.terms();
    let (Some((atoms, number)), None, 0) = (terms.next(), terms.next(), extent.offset()) else {
        return vec![extent.clone()];
    };
    let number = (number != 1).then(|| Expr::constant(number));
    let sizes = atoms.iter().cloned().map(Expr::atom);
    sizes.chain(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn var(number: u32) -> Expr {
        Expr::var(Var::Loop(number))
    }

    #[test]
    fn quotients_and_remainders_of_a_loop_are_its_digits() {
        let extents = [3840, 1, 10].map(Expr::from).to_vec();
        let mut loops = Loops::new(extents, 2, &Rc::default());
        let constant = Expr::constant;
        let row = var(0).quotient(constant(128));
        let column = var(0).digit(constant(1), constant(128));
        assert!(loops.admit(&[row.clone(), column.clone(), var(2)]));
        let extents: Vec<Expr> = loops
            .digits()
            .into_iter()
            .map(|digit| digit.extent)
            .collect();
        assert_eq!(extents, [30, 128, 10]);
        assert_eq!(loops.parallel(), 2);
        let digit = |expr, extent: i64| loops.linear(&expr)?.mixed(&loops.digits(), &extent.into());
        assert_eq!(digit(row, 30), Some(vec![0]));
        assert_eq!(digit(column, 128), Some(vec![1]));
        assert_eq!(digit(var(2), 10), Some(vec![2]));
        let whole = loops
            .linear(&var(0))
            .expect("a loop is a sum of its digits");
        assert_eq!(whole.mixed(&loops.digits(), &3840.into()), Some(vec![0, 1]));
        assert_eq!(loops.range_of(&whole), Some((0.into(), 3839.into())));
        // Its digits would not be one inside of the other.
        assert!(!loops.admit(&[var(0).quotient(constant(100))]));
        assert_eq!(loops.digits().len(), 3);
    }
    #[test]
    fn a_loop_over_a_product_has_a_digit_for_each_size() {
        let sizes = Sizes {
            ranges: vec![Some((16, 48)), Some((2, 64))],
        };
        let [s0, s1] = [0, 1].map(|number| Expr::var(Var::Symbol(number)));
        let both = s0.mul(&s1).expect("small numbers");
        let all = both.scale(4).expect("small numbers");
        let loops = || Loops::new(vec![all.clone()], 1, &Rc::new(sizes.clone()));
        let extents = |loops: &Loops| -> Vec<Expr> {
            let digits = loops.digits().into_iter();
            digits.map(|digit| digit.extent).collect()
        };
        let mut of_access = loops();
        assert!(of_access.admit(&[var(0).quotient(s1.clone())]));
        assert_eq!(
            extents(&of_access),
            [s0.scale(4).expect("small"), s1.clone()]
        );
        let mut cut = loops();
        cut.cut_products();
        assert_eq!(extents(&cut), [s0.clone(), s1.clone(), 4.into()]);
        let whole = cut.linear(&var(0)).expect("a loop is a sum of its digits");
        assert_eq!(whole.mixed(&cut.digits(), &all), Some(vec![0, 1, 2]));
        assert_eq!(whole.affine(&Context::new()), None);
        // No symbolic size is known to be a multiple of 4.
        assert!(!Loops::new(vec![s0], 1, &Rc::new(sizes)).admit(&[var(0).quotient(4.into())]));
    }
}
