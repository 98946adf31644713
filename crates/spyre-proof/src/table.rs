//! Tables with one entry for each core, as index expressions.
//!
//! The files of a bundle list a start and the slices of each core. A union of 32 cases costs a solver seconds, but a
//! table that a compiler has written is a sum over the digits of the core: the core is a number whose digits are its
//! slices of the dimensions. So the expression is fitted to a few entries, and every entry is compared with it.

use crate::expr::{Expr, Var};

/// A digit of the number of a core: `(core floordiv radix) mod count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Digit {
    /// The cores that share one value of the digit.
    pub radix: i64,
    /// The number of values.
    pub count: i64,
}

impl Digit {
    /// Returns the digits of a division among cores: `counts` has the number of parts, and `order` the positions in it,
    /// fastest first. A dimension that is not divided has one part, of radix 1. `None` if the number of cores does not
    /// fit.
    ///
    /// # Panics
    /// `order` has a position that `counts` has not.
    #[must_use]
    pub(crate) fn of_parts(counts: &[i64], order: &[usize]) -> Option<Vec<Self>> {
        let mut digits = vec![Self { radix: 1, count: 1 }; counts.len()];
        let mut radix = 1_i64;
        for &dim in order {
            let count = counts[dim];
            if count > 1 {
                digits[dim] = Self { radix, count };
                radix = radix.checked_mul(count)?;
            }
        }
        Some(digits)
    }

    /// Returns the digit as an expression of [`Var::Core`].
    #[must_use]
    pub(crate) fn expr(self) -> Expr {
        match self.count {
            ..=1 => Expr::zero(),
            count => Expr::from(Var::Core).floor_div(self.radix).modulo(count),
        }
    }

    /// Returns the digit of a core.
    #[must_use]
    pub(crate) const fn of(self, core: i64) -> i64 {
        match self.count {
            ..=1 => 0,
            count => core / self.radix % count,
        }
    }
}

/// Returns an expression that is linear in the digits of the core and equals `values[core]` for each core; 0 for an
/// empty list. The coefficient of a digit is the difference between the entry of the core with this digit 1 and all
/// others 0, and the entry of core 0.
///
/// # Errors
/// The first core with another entry than the expression, or with a difference that does not fit into 64 bits.
pub(crate) fn fit(digits: &[Digit], values: &[i64]) -> Result<Expr, usize> {
    let Some(&first) = values.first() else {
        return Ok(Expr::zero());
    };
    let mut sum = Expr::from(first);
    for digit in digits.iter().filter(|digit| digit.count > 1) {
        // The core that has 1 as this digit, and 0 as all others. Without it the digit is 0 for every entry.
        let Some(at) = usize::try_from(digit.radix)
            .ok()
            .filter(|at| *at < values.len())
        else {
            continue;
        };
        let step = values[at].checked_sub(first).ok_or(at)?;
        sum = sum.plus_times(&digit.expr(), step);
    }
    for (core, value) in values.iter().enumerate() {
        let number = i64::try_from(core).expect("a core");
        let of = |var: Var| (var == Var::Core).then_some(number);
        if sum.eval(&of) != Some(*value) {
            return Err(core);
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A division: the parts of up to four dimensions, and the order of its digits.
    fn divisions() -> impl Strategy<Value = (Vec<i64>, Vec<usize>)> {
        let counts = prop::collection::vec(1_i64..5, 1..4);
        counts.prop_flat_map(|counts| {
            let order: Vec<usize> = (0..counts.len()).collect();
            (Just(counts), Just(order).prop_shuffle())
        })
    }

    proptest! {
        #[test]
        fn a_sum_over_digits_fits(
            (counts, order) in divisions(),
            base in -500_i64..500,
            steps in prop::array::uniform4(-9_i64..9),
        ) {
            let digits = Digit::of_parts(&counts, &order).expect("few cores");
            let cores: i64 = counts.iter().product();
            let value = |core: i64| {
                let terms = digits.iter().zip(steps).map(|(digit, step)| digit.of(core) * step);
                base + terms.sum::<i64>()
            };
            let values: Vec<i64> = (0..cores).map(value).collect();
            let sum = fit(&digits, &values).expect("a sum over digits");
            for (core, value) in (0..).zip(&values) {
                prop_assert_eq!(sum.eval(&|_| Some(core)), Some(*value));
            }
            // All combinations of digits occur, each once: the digits are those of a number.
            let of = |core: i64| digits.iter().map(|digit| digit.of(core)).collect();
            let mut combinations: Vec<Vec<i64>> = (0..cores).map(of).collect();
            combinations.sort();
            combinations.dedup();
            prop_assert_eq!(i64::try_from(combinations.len()).ok(), Some(cores));
        }

        #[test]
        fn an_entry_of_its_own_is_reported((counts, order) in divisions(), at in 0_usize..64, by in 1_i64..9) {
            let digits = Digit::of_parts(&counts, &order).expect("few cores");
            let cores: i64 = counts.iter().product();
            let mut values: Vec<i64> = (0..cores).map(|core| 100 * core).collect();
            let sum_of_zeros = fit(&digits, &vec![0; values.len()]);
            prop_assert_eq!(sum_of_zeros, Ok(Expr::zero()));
            let at = at % values.len();
            // A core with several digits determines no step, so a change of its entry cannot be fitted.
            let set = digits.iter().filter(|digit| digit.of(i64::try_from(at).expect("small")) > 0).count();
            prop_assume!(set > 1);
            values[at] += by;
            prop_assert_eq!(fit(&digits, &values), Err(at));
        }
    }

    #[test]
    fn tables_without_a_sum_are_refused() {
        let digits = [Digit { radix: 1, count: 2 }, Digit { radix: 2, count: 2 }];
        let sum = digits[0]
            .expr()
            .times(128)
            .plus_times(&digits[1].expr(), 256);
        assert_eq!(fit(&digits, &[0, 128, 256, 384]), Ok(sum));
        assert_eq!(fit(&digits, &[0, 128, 256, 385]), Err(3));
        assert_eq!(fit(&digits, &[0, i64::MAX, 0, 0]), Err(0));
        assert_eq!(fit(&[], &[5, 5]), Ok(5.into()));
        assert_eq!(fit(&[], &[]), Ok(Expr::zero()));
    }
}
