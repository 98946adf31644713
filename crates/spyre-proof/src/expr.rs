//! Index expressions: sums of variables, quotients and remainders by constants, in one normal form.
//!
//! Two expressions that are equal as data are equal for all values of their variables, so most claims need no solver:
//! [`Expr::simplified`] brings quotients and remainders to digits by ranges and divisibility.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::ids::{LoopId, ParamId};

/// A variable of an index expression. Every one is a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Var {
    /// The iterations of a loop that are complete: `0 <= counter < trips`.
    Counter(LoopId),
    /// The core that executes an operation.
    Core,
    /// The position along one dimension of the iteration space of an operation: result dimensions, then reduced ones.
    Point(u32),
    /// The position along one dimension of a tensor.
    Element(u32),
    /// The coordinate that an element of an index tensor holds.
    Gathered(u32),
    /// The multiple of its granularity that a dynamic extent has: the extent is `granularity * param`.
    Param(ParamId),
    /// A column of a result: the device byte, or a coordinate that an expression gives.
    Out(u32),
    /// A second copy of a variable, for claims about two instances: the first is before the second.
    Second(SecondVar),
}

/// A variable of the second instance in a claim about two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SecondVar {
    /// [`Var::Counter`].
    Counter(LoopId),
    /// [`Var::Core`].
    Core,
    /// [`Var::Point`].
    Point(u32),
    /// [`Var::Gathered`].
    Gathered(u32),
}

impl Var {
    /// Returns the same variable of the second instance; parameters, elements and columns are shared by both.
    #[must_use]
    pub const fn second(self) -> Self {
        match self {
            Self::Counter(at) => Self::Second(SecondVar::Counter(at)),
            Self::Core => Self::Second(SecondVar::Core),
            Self::Point(at) => Self::Second(SecondVar::Point(at)),
            Self::Gathered(at) => Self::Second(SecondVar::Gathered(at)),
            Self::Element(_) | Self::Param(_) | Self::Out(_) | Self::Second(_) => self,
        }
    }
}

/// A variable, or a quotient or remainder that is none.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// A variable.
    Var(Var),
    /// The quotient by a positive number, rounded down.
    Floor(Arc<Expr>, i64),
    /// The remainder of the division by a positive number: `0 <= mod < divisor`.
    Mod(Arc<Expr>, i64),
    /// A number that does not fit 62 bits was met: the expression has no value that can be used.
    TooLarge,
}

/// A sum: a constant and multiples of atoms, sorted, without zeros.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expr {
    constant: i64,
    terms: Vec<(Atom, i64)>,
}

/// The largest coefficient. Sums of two of them fit `i64`.
const LARGEST: i64 = 1 << 62;

/// The least and the greatest value of variables. A variable that has none is unbounded.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    bounds: FxHashMap<Var, (i64, i64)>,
}

impl Ranges {
    /// Sets the least and the greatest value of a variable.
    pub fn set(&mut self, var: Var, least: i64, greatest: i64) {
        self.bounds.insert(var, (least, greatest));
    }

    /// Returns the least and the greatest value of a variable, if they are known.
    #[must_use]
    pub fn of(&self, var: Var) -> Option<(i64, i64)> {
        self.bounds.get(&var).copied()
    }
}

impl From<i64> for Expr {
    fn from(constant: i64) -> Self {
        if constant.unsigned_abs() >= LARGEST.unsigned_abs() {
            return Self::too_large();
        }
        Self {
            constant,
            terms: Vec::new(),
        }
    }
}

impl From<Var> for Expr {
    fn from(var: Var) -> Self {
        Self {
            constant: 0,
            terms: vec![(Atom::Var(var), 1)],
        }
    }
}

impl Expr {
    /// Zero.
    #[must_use]
    pub const fn zero() -> Self {
        Self {
            constant: 0,
            terms: Vec::new(),
        }
    }

    /// The expression without a value: a number in it does not fit 62 bits.
    #[must_use]
    pub fn too_large() -> Self {
        Self {
            constant: 0,
            terms: vec![(Atom::TooLarge, 1)],
        }
    }

    /// Returns whether a number did not fit.
    #[must_use]
    pub fn is_too_large(&self) -> bool {
        self.terms.iter().any(|(atom, _)| match atom {
            Atom::TooLarge => true,
            Atom::Var(_) => false,
            Atom::Floor(inner, _) | Atom::Mod(inner, _) => inner.is_too_large(),
        })
    }

    /// Returns an atom as an expression.
    #[must_use]
    pub fn of_atom(atom: Atom) -> Self {
        Self {
            constant: 0,
            terms: vec![(atom, 1)],
        }
    }

    /// Returns the number, if the expression is one.
    #[must_use]
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// Returns the variable, if the expression is one.
    #[must_use]
    pub fn as_var(&self) -> Option<Var> {
        match (self.constant, &self.terms[..]) {
            (0, [(Atom::Var(var), 1)]) => Some(*var),
            _ => None,
        }
    }

    /// Returns the constant term.
    #[must_use]
    pub const fn constant(&self) -> i64 {
        self.constant
    }

    /// Returns the other terms: atoms and their factors, sorted.
    #[must_use]
    pub fn terms(&self) -> &[(Atom, i64)] {
        &self.terms
    }

    fn of_terms(constant: i128, terms: BTreeMap<Atom, i128>) -> Self {
        let fits = |number: i128| {
            i64::try_from(number)
                .ok()
                .filter(|number| number.unsigned_abs() < LARGEST.unsigned_abs())
        };
        let Some(constant) = fits(constant) else {
            return Self::too_large();
        };
        let mut kept = Vec::with_capacity(terms.len());
        for (atom, factor) in terms {
            if atom == Atom::TooLarge {
                return Self::too_large();
            }
            match fits(factor) {
                Some(0) => {}
                Some(factor) => kept.push((atom, factor)),
                None => return Self::too_large(),
            }
        }
        Self {
            constant,
            terms: kept,
        }
    }

    /// Returns `self + factor * other`.
    #[must_use]
    pub fn plus_times(&self, other: &Self, factor: i64) -> Self {
        let mut terms = BTreeMap::new();
        let scaled = other
            .terms
            .iter()
            .map(|(atom, by)| (atom, i128::from(*by) * i128::from(factor)));
        let first = self
            .terms
            .iter()
            .map(|(atom, factor)| (atom, i128::from(*factor)));
        for (atom, factor) in first.chain(scaled) {
            // The mark of a number that does not fit stays, whatever it is multiplied with.
            let factor = if *atom == Atom::TooLarge { 1 } else { factor };
            *terms.entry(atom.clone()).or_insert(0) += factor;
        }
        let constant = i128::from(self.constant) + i128::from(other.constant) * i128::from(factor);
        Self::of_terms(constant, terms)
    }

    /// Returns `self + other`.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.plus_times(other, 1)
    }

    /// Returns `self - other`.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.plus_times(other, -1)
    }

    /// Returns `factor * self`.
    #[must_use]
    pub fn times(&self, factor: i64) -> Self {
        Self::zero().plus_times(self, factor)
    }

    /// Returns the quotient by `divisor`, rounded down.
    ///
    /// # Panics
    /// The divisor is not positive.
    #[must_use]
    pub fn floor_div(&self, divisor: i64) -> Self {
        assert!(divisor > 0, "a quotient by {divisor}");
        match self.as_constant() {
            _ if divisor == 1 => self.clone(),
            Some(constant) => constant.div_euclid(divisor).into(),
            None => Self {
                constant: 0,
                terms: vec![(Atom::Floor(Arc::new(self.clone()), divisor), 1)],
            },
        }
    }

    /// Returns the remainder of the division by `divisor`, between 0 and `divisor - 1`.
    ///
    /// # Panics
    /// The divisor is not positive.
    #[must_use]
    pub fn modulo(&self, divisor: i64) -> Self {
        assert!(divisor > 0, "a remainder of the division by {divisor}");
        match self.as_constant() {
            _ if divisor == 1 && !self.is_too_large() => Self::zero(),
            Some(constant) => constant.rem_euclid(divisor).into(),
            None => Self {
                constant: 0,
                terms: vec![(Atom::Mod(Arc::new(self.clone()), divisor), 1)],
            },
        }
    }

    /// Returns the expression with an expression in place of each variable; `None` keeps the variable.
    #[must_use]
    pub fn substituted(&self, of: &impl Fn(Var) -> Option<Self>) -> Self {
        let mut sum = Self::from(self.constant);
        for (atom, factor) in &self.terms {
            let value = match atom {
                Atom::Var(var) => of(*var).unwrap_or_else(|| (*var).into()),
                Atom::Floor(inner, divisor) => inner.substituted(of).floor_div(*divisor),
                Atom::Mod(inner, divisor) => inner.substituted(of).modulo(*divisor),
                Atom::TooLarge => return Self::too_large(),
            };
            sum = sum.plus_times(&value, *factor);
        }
        sum
    }

    /// Returns the variables of the expression.
    #[must_use]
    pub fn vars(&self) -> Vec<Var> {
        let mut vars = Vec::new();
        self.collect_vars(&mut vars);
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    fn collect_vars(&self, vars: &mut Vec<Var>) {
        for (atom, _) in &self.terms {
            match atom {
                Atom::Var(var) => vars.push(*var),
                Atom::Floor(inner, _) | Atom::Mod(inner, _) => inner.collect_vars(vars),
                Atom::TooLarge => {}
            }
        }
    }

    /// Returns the value for values of the variables; `None` if a variable has none, or a number does not fit.
    #[must_use]
    pub fn eval(&self, of: &impl Fn(Var) -> Option<i64>) -> Option<i64> {
        let mut sum = i128::from(self.constant);
        for (atom, factor) in &self.terms {
            let value = match atom {
                Atom::Var(var) => of(*var)?,
                Atom::Floor(inner, divisor) => inner.eval(of)?.div_euclid(*divisor),
                Atom::Mod(inner, divisor) => inner.eval(of)?.rem_euclid(*divisor),
                Atom::TooLarge => return None,
            };
            sum += i128::from(value) * i128::from(*factor);
        }
        i64::try_from(sum).ok()
    }

    /// Returns the least and the greatest value, as the ranges of the variables give it; `None` if they do not.
    #[must_use]
    pub fn range(&self, ranges: &Ranges) -> Option<(i64, i64)> {
        let (mut least, mut greatest) = (i128::from(self.constant), i128::from(self.constant));
        for (atom, factor) in &self.terms {
            let (low, high) = match atom {
                Atom::Var(var) => ranges.of(*var)?,
                Atom::Floor(inner, divisor) => {
                    let (low, high) = inner.range(ranges)?;
                    (low.div_euclid(*divisor), high.div_euclid(*divisor))
                }
                Atom::Mod(inner, divisor) => match inner.range(ranges) {
                    Some((low, high)) if low >= 0 && high < *divisor => (low, high),
                    _ => (0, divisor - 1),
                },
                Atom::TooLarge => return None,
            };
            let ends = [i128::from(low), i128::from(high)].map(|end| end * i128::from(*factor));
            least += ends[0].min(ends[1]);
            greatest += ends[0].max(ends[1]);
        }
        Some((i64::try_from(least).ok()?, i64::try_from(greatest).ok()?))
    }

    /// Returns an equal expression with fewer quotients and remainders: what the divisor divides is moved out of them,
    /// and what remains is resolved where its range is inside of one period.
    #[must_use]
    pub fn simplified(&self, ranges: &Ranges) -> Self {
        let mut sum = Self::from(self.constant);
        for (atom, factor) in &self.terms {
            let value = match atom {
                Atom::Var(var) => match ranges.of(*var) {
                    Some((least, greatest)) if least == greatest => least.into(),
                    _ => (*var).into(),
                },
                Atom::Floor(inner, divisor) => inner.simplified(ranges).divided(*divisor, ranges).0,
                Atom::Mod(inner, divisor) => inner.simplified(ranges).divided(*divisor, ranges).1,
                Atom::TooLarge => return Self::too_large(),
            };
            sum = sum.plus_times(&value, *factor);
        }
        sum
    }

    /// Returns quotient and remainder by `divisor`.
    fn divided(&self, divisor: i64, ranges: &Ranges) -> (Self, Self) {
        let mut whole = Self::from(self.constant.div_euclid(divisor));
        let mut rest = Self::from(self.constant.rem_euclid(divisor));
        for (atom, factor) in &self.terms {
            let term = Self {
                constant: 0,
                terms: vec![(atom.clone(), 1)],
            };
            if factor % divisor == 0 {
                whole = whole.plus_times(&term, factor / divisor);
            } else {
                rest = rest.plus_times(&term, *factor);
            }
        }
        if let Some((least, greatest)) = rest.range(ranges)
            && least.div_euclid(divisor) == greatest.div_euclid(divisor)
        {
            let period = least.div_euclid(divisor);
            let remainder = rest.plus(&period.saturating_mul(divisor).saturating_neg().into());
            return (whole.plus(&period.into()), remainder);
        }
        // A common factor of the rest and the divisor leaves the quotient as it is, and simplifies it:
        // floor((a * x + c) / (a * n)) = floor((x + floor(c / a)) / n).
        let common = rest
            .terms
            .iter()
            .fold(divisor, |common, (_, factor)| gcd(common, *factor));
        let small = Self {
            constant: rest.constant.div_euclid(common),
            terms: rest
                .terms
                .iter()
                .map(|(atom, factor)| (atom.clone(), factor / common))
                .collect(),
        };
        let low = Self::from(rest.constant.rem_euclid(common));
        let quotient = small.quotient(divisor / common);
        let remainder = small.remainder(divisor / common);
        (whole.plus(&quotient), remainder.times(common).plus(&low))
    }

    /// Returns the quotient, with nested quotients as one.
    fn quotient(&self, divisor: i64) -> Self {
        if let (0, [(Atom::Floor(inner, by), 1)]) = (self.constant, &self.terms[..])
            && let Some(product) = by.checked_mul(divisor)
        {
            return inner.floor_div(product);
        }
        self.floor_div(divisor)
    }

    /// Returns the remainder; the remainder of a remainder by a multiple is one.
    fn remainder(&self, divisor: i64) -> Self {
        if let (0, [(Atom::Mod(inner, by), 1)]) = (self.constant, &self.terms[..])
            && by % divisor == 0
        {
            return inner.modulo(divisor);
        }
        self.modulo(divisor)
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).expect("a divisor of a number that fits")
}

impl fmt::Display for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Counter(at) => write!(f, "t{}", at.index()),
            Self::Core => f.write_str("core"),
            Self::Point(at) => write!(f, "x{at}"),
            Self::Element(at) => write!(f, "e{at}"),
            Self::Gathered(at) => write!(f, "g{at}"),
            Self::Param(at) => write!(f, "k{}", at.index()),
            Self::Out(at) => write!(f, "o{at}"),
            Self::Second(SecondVar::Counter(at)) => write!(f, "t{}'", at.index()),
            Self::Second(SecondVar::Core) => f.write_str("core'"),
            Self::Second(SecondVar::Point(at)) => write!(f, "x{at}'"),
            Self::Second(SecondVar::Gathered(at)) => write!(f, "g{at}'"),
        }
    }
}

impl fmt::Display for Expr {
    /// Prints the expression in the syntax of MLIR's affine expressions.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut is_first = true;
        for (atom, factor) in &self.terms {
            if !is_first {
                f.write_str(" + ")?;
            }
            is_first = false;
            match atom {
                Atom::Var(var) => write!(f, "{var}")?,
                Atom::Floor(inner, by) => write!(f, "(({inner}) floordiv {by})")?,
                Atom::Mod(inner, by) => write!(f, "(({inner}) mod {by})")?,
                Atom::TooLarge => f.write_str("(a number above 2^62)")?,
            }
            if *factor != 1 {
                write!(f, " * {factor}")?;
            }
        }
        match (is_first, self.constant) {
            (true, constant) => write!(f, "{constant}"),
            (false, 0) => Ok(()),
            (false, constant) => write!(f, " + {constant}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn x(at: u32) -> Expr {
        Var::Point(at).into()
    }

    #[test]
    fn digits_of_a_tile_are_resolved() {
        let mut ranges = Ranges::default();
        ranges.set(Var::Point(0), 0, 63);
        ranges.set(Var::Point(1), 0, 7);
        let row = x(1).times(64).plus(&x(0));
        assert_eq!(row.floor_div(64).simplified(&ranges), x(1));
        assert_eq!(row.modulo(64).simplified(&ranges), x(0));
        assert_eq!(
            row.floor_div(16).simplified(&ranges),
            x(1).times(4).plus(&x(0).floor_div(16))
        );
    }

    #[test]
    fn a_number_that_does_not_fit_is_kept_as_such() {
        let large = x(0).times(1 << 61).times(4);
        assert!(large.is_too_large());
        assert!(large.minus(&large).is_too_large(), "it does not cancel");
        assert_eq!(large.eval(&|_| Some(0)), None);
    }

    fn expressions() -> impl Strategy<Value = Expr> {
        let leaf = prop_oneof![(-20_i64..20).prop_map(Expr::from), (0_u32..3).prop_map(x),];
        leaf.prop_recursive(4, 24, 2, |inner| {
            prop_oneof![
                (inner.clone(), inner.clone(), -6_i64..6)
                    .prop_map(|(a, b, by)| a.plus_times(&b, by)),
                (inner.clone(), 1_i64..9).prop_map(|(a, by)| a.floor_div(by)),
                (inner, 1_i64..9).prop_map(|(a, by)| a.modulo(by)),
            ]
        })
    }

    proptest! {
        #[test]
        fn simplification_keeps_the_value(expr in expressions(), point in prop::array::uniform3(0_i64..12)) {
            let mut ranges = Ranges::default();
            for at in 0..3 {
                ranges.set(Var::Point(at), 0, 11);
            }
            let value = |var: Var| match var {
                Var::Point(at) => Some(point[at as usize]),
                _ => None,
            };
            let simplified = expr.simplified(&ranges);
            prop_assert_eq!(expr.eval(&value), simplified.eval(&value), "{} and {}", expr, simplified);
            let (least, greatest) = expr.range(&ranges).expect("all variables have ranges");
            let number = expr.eval(&value).expect("it fits");
            prop_assert!((least..=greatest).contains(&number));
        }
    }
}
