//! Affine maps with one result, as linear forms.

use crate::error::{Place, TextError};
use crate::function::Linear;

impl Linear {
    pub(super) fn constant(constant: i64, operands: usize) -> Self {
        Self {
            constant,
            factors: vec![0; operands],
        }
    }

    pub(super) fn operand(position: usize, operands: usize) -> Self {
        let factors = (0..operands).map(|at| i64::from(at == position));
        Self {
            constant: 0,
            factors: factors.collect(),
        }
    }

    fn is_constant(&self) -> bool {
        self.factors.iter().all(|factor| *factor == 0)
    }

    fn combine(&self, other: &Self, function: impl Fn(i64, i64) -> Option<i64>) -> Option<Self> {
        let factors = self.factors.iter().zip(&other.factors);
        Some(Self {
            constant: function(self.constant, other.constant)?,
            factors: factors
                .map(|(a, b)| function(*a, *b))
                .collect::<Option<Vec<_>>>()?,
        })
    }

    pub(super) fn plus(&self, other: &Self, place: Place) -> Result<Self, TextError> {
        self.combine(other, i64::checked_add).ok_or(overflow(place))
    }

    pub(super) fn minus(&self, other: &Self, place: Place) -> Result<Self, TextError> {
        self.combine(other, i64::checked_sub).ok_or(overflow(place))
    }

    pub(super) fn times(&self, other: &Self, place: Place) -> Result<Self, TextError> {
        let (scalar, form) = match (self.is_constant(), other.is_constant()) {
            (true, _) => (self.constant, other),
            (_, true) => (other.constant, self),
            _ => {
                let message = "the product of two operands is not affine";
                return Err(TextError::new(place, message));
            }
        };
        let scaled = Self::constant(0, form.factors.len());
        form.combine(&scaled, |a, _| a.checked_mul(scalar))
            .ok_or(overflow(place))
    }

    /// Returns the value for operands, one for each factor; `None` if it does not fit.
    #[must_use]
    pub fn eval(&self, operands: &[i64]) -> Option<i64> {
        let mut terms = self.factors.iter().zip(operands);
        terms.try_fold(self.constant, |sum, (factor, operand)| {
            sum.checked_add(factor.checked_mul(*operand)?)
        })
    }
}

fn overflow(place: Place) -> TextError {
    TextError::new(place, "a number of the map does not fit 64 bits")
}
