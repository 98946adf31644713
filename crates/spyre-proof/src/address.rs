//! The byte of an element, as a sum over digits of its position.
//!
//! A position along a dimension has digits, `floor(position / divisor) mod modulus`, and each digit has a distance in
//! memory. Plans and files describe distances in different words: a layout has the extents of device coordinates
//! (`crate::memory`), and a file an order of dimensions with extents and gaps (`crate::files`). Each of the two
//! computes its distances from its own words, so that the proof of files compares two results; from distances to bytes
//! there is one way, which is here.

use crate::expr::Expr;

/// A digit of a position, and its distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// The dimension of the position; `None` for a digit that is 0 for all elements.
    pub dim: Option<usize>,
    /// The positions for which the digit has one value.
    pub divisor: i64,
    /// The number of values of the digit, after which it is 0 again; `None` for any number.
    pub modulus: Option<i64>,
    /// The bytes from one value to the next.
    pub bytes: i64,
}

/// The distances of a tensor in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Run {
    /// The digits, in any order.
    pub steps: Vec<Step>,
}

impl Step {
    /// Returns the digit of a position, which has one expression for each dimension.
    #[must_use]
    pub(crate) fn digit(&self, position: &[Expr]) -> Expr {
        let Some(dim) = self.dim else {
            return Expr::zero();
        };
        let quotient = position[dim].floor_div(self.divisor);
        match self.modulus {
            Some(modulus) => quotient.modulo(modulus),
            None => quotient,
        }
    }
}

impl Run {
    /// Returns the bytes from the first element to the one at a position, which has one expression for each dimension.
    #[must_use]
    pub(crate) fn byte(&self, position: &[Expr]) -> Expr {
        let steps = self.steps.iter();
        steps.fold(Expr::zero(), |sum, step| {
            sum.plus_times(&step.digit(position), step.bytes)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Run, Step};
    use crate::expr::{Expr, Var};

    #[test]
    fn bytes_are_sums_over_digits() {
        let step = |dim, divisor, modulus, bytes| Step {
            dim,
            divisor,
            modulus,
            bytes,
        };
        // 3 rows of 128 elements of 16 bits: columns of sticks outermost, one digit without a dimension.
        let run = Run {
            steps: vec![
                step(Some(1), 64, None, 384),
                step(None, 1, None, 384),
                step(Some(0), 1, None, 128),
                step(Some(1), 1, Some(64), 2),
            ],
        };
        let byte = |row: i64, column: i64| run.byte(&[row.into(), column.into()]).as_constant();
        assert_eq!(byte(0, 0), Some(0));
        assert_eq!(byte(2, 63), Some(2 * 128 + 126));
        assert_eq!(byte(1, 65), Some(384 + 128 + 2));
        let row = Expr::from(Var::Point(0));
        assert_eq!(
            run.byte(&[row.clone(), 64.into()]),
            row.times(128).plus(&384.into())
        );
    }
}
