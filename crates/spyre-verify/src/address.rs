//! Values of the bundle function: each is a base, a constant, and a multiple of each induction variable.

use std::fmt;

/// The base of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Base {
    /// No base: the value is a number.
    None,
    /// The value of a parameter.
    Param(usize),
    /// The granularity or largest value of a parameter.
    Bound(usize),
    /// The pool that the bundle allocates.
    Pool,
}

/// A value. Its numbers are bytes where it is an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    /// The base of the value.
    pub base: Base,
    /// The constant that is added to the base.
    pub constant: i64,
    /// The factor of the induction variable of each loop, by the number of the loop, outermost first.
    pub steps: Vec<(usize, i64)>,
}

impl Address {
    /// Returns a value that is a number.
    pub(crate) const fn constant(constant: i64) -> Self {
        Self {
            base: Base::None,
            constant,
            steps: Vec::new(),
        }
    }

    /// Returns a value that is a base.
    pub(crate) const fn base(base: Base) -> Self {
        Self {
            base,
            constant: 0,
            steps: Vec::new(),
        }
    }

    /// Returns the parameter, if this is the value of one.
    pub(crate) fn as_param(&self) -> Option<usize> {
        match self.base {
            Base::Param(index) if self.constant == 0 && self.steps.is_empty() => Some(index),
            _ => None,
        }
    }

    /// Returns the induction variable of a loop.
    pub(crate) fn induction(number: usize) -> Self {
        Self {
            steps: vec![(number, 1)],
            ..Self::constant(0)
        }
    }

    /// Returns the sum; `None` if it has two bases or a number does not fit.
    pub(crate) fn add(&self, other: &Self) -> Option<Self> {
        let base = match (self.base, other.base) {
            (base, Base::None) | (Base::None, base) => base,
            _ => return None,
        };
        let mut steps = Vec::with_capacity(self.steps.len() + other.steps.len());
        let (mut ours, mut theirs) = (self.steps.iter().peekable(), other.steps.iter().peekable());
        // Both are sorted.
        loop {
            let next = match (ours.peek(), theirs.peek()) {
                (Some((a, x)), Some((b, y))) if a == b => {
                    let both = (*a, x.checked_add(*y)?);
                    ours.next();
                    theirs.next();
                    both
                }
                (Some((a, _)), Some((b, y))) if b < a => {
                    let next = (*b, *y);
                    theirs.next();
                    next
                }
                (Some((a, x)), _) => {
                    let next = (*a, *x);
                    ours.next();
                    next
                }
                (None, Some((b, y))) => {
                    let next = (*b, *y);
                    theirs.next();
                    next
                }
                (None, None) => break,
            };
            if next.1 != 0 {
                steps.push(next);
            }
        }
        Some(Self {
            base,
            constant: self.constant.checked_add(other.constant)?,
            steps,
        })
    }

    /// Returns the product with a constant; `None` for the product of a base, and for a number that does not fit.
    pub(crate) fn scale(&self, factor: i64) -> Option<Self> {
        if factor == 1 {
            return Some(self.clone());
        }
        if self.base != Base::None {
            return None;
        }
        let mut steps = Vec::with_capacity(self.steps.len());
        for (number, step) in &self.steps {
            let step = step.checked_mul(factor)?;
            if step != 0 {
                steps.push((*number, step));
            }
        }
        Some(Self {
            base: Base::None,
            constant: self.constant.checked_mul(factor)?,
            steps,
        })
    }

    /// Returns the number, if the value is one.
    pub(crate) fn as_constant(&self) -> Option<i64> {
        (self.base == Base::None && self.steps.is_empty()).then_some(self.constant)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut terms = Vec::new();
        match self.base {
            Base::None => {}
            Base::Param(index) => terms.push(format!("parameter {index}")),
            Base::Bound(index) => terms.push(format!("bound of parameter {index}")),
            Base::Pool => terms.push("pool".to_owned()),
        }
        if self.constant != 0 || self.base == Base::None && self.steps.is_empty() {
            terms.push(self.constant.to_string());
        }
        for (number, step) in &self.steps {
            terms.push(format!("{step} * loop {number}"));
        }
        formatter.write_str(&terms.join(" + "))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_merged_in_order() {
        let loops = |steps: &[(usize, i64)]| Address {
            steps: steps.to_vec(),
            ..Address::constant(1)
        };
        let sum = loops(&[(0, 2), (2, 3)]).add(&loops(&[(1, 5), (2, -3), (4, 1)]));
        assert_eq!(sum.expect("a sum").steps, [(0, 2), (1, 5), (4, 1)]);
        let pool = Address::base(Base::Pool);
        assert_eq!(pool.add(&pool), None);
        assert_eq!(pool.scale(2), None);
        assert_eq!(
            pool.add(&loops(&[(3, 128)])).expect("a sum").to_string(),
            "pool + 1 + 128 * loop 3"
        );
        assert_eq!(Address::constant(i64::MAX).add(&Address::constant(1)), None);
    }
}
