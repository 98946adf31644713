//! Intervals, and operations on them.

mod combine;
pub(crate) mod compute;

use crate::DType;
use crate::tensor::{Data, Tensor};

/// An interval that has the value of an element, or all values and NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The lower bound.
    low: f64,
    /// The upper bound, at least as large.
    high: f64,
}

/// The rounding of a format on the card.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precision {
    /// Largest distance of a number to the nearest one of the format, as a part of the number.
    unit: f64,
    /// The number below which a result may become zero.
    tiny: f64,
    /// The largest number.
    largest: f64,
}

impl Precision {
    /// `SEN169_FP16`, 9 bits of fraction: a unit of `2^-10`, doubled, since a function may be off by one place.
    const DL16: Self = Self {
        unit: 1.0 / 512.0,
        tiny: 1.0 / (1u64 << 31) as f64,
        largest: (1u64 << 33) as f64 - (1u64 << 23) as f64,
    };

    /// `IEEE_FP32`, 23 bits of fraction, likewise.
    const FP32: Self = Self {
        unit: 1.0 / (1u64 << 22) as f64,
        tiny: f32::MIN_POSITIVE as f64,
        largest: f32::MAX as f64,
    };

    /// Returns the precision with which the card computes elements of a type.
    pub(crate) fn for_element(element: DType) -> Self {
        match element {
            DType::F32 => Self::FP32,
            _ => Self::DL16,
        }
    }
}

impl Range {
    /// Every value, and NaN.
    pub const ANY: Self = Self {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
    };

    /// Returns the interval of one value; [`ANY`](Self::ANY) for one that is not finite.
    #[must_use]
    pub fn point(value: f64) -> Self {
        Self::between(value, value)
    }

    /// Returns the interval of these bounds; [`ANY`](Self::ANY) where one is not finite.
    #[must_use]
    pub fn between(low: f64, high: f64) -> Self {
        match low.is_finite() && high.is_finite() {
            true => Self { low, high },
            false => Self::ANY,
        }
    }

    /// Returns whether the value is a number between bounds.
    #[must_use]
    pub fn is_bounded(self) -> bool {
        self.low.is_finite()
    }

    /// Returns the bounds, the lower one first; infinite ones for any value.
    #[must_use]
    pub fn bounds(self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// Returns the largest absolute value.
    pub(crate) fn magnitude(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// Returns the smallest interval that has both.
    fn hull(self, other: Self) -> Self {
        Self::between(self.low.min(other.low), self.high.max(other.high))
    }

    /// Returns the interval, widened by `by` on both sides.
    fn widened(self, by: f64) -> Self {
        Self::between(self.low - by, self.high + by)
    }

    /// Returns the range of values that the card may store for a number in this range. Zero is exact, and no number
    /// changes its sign.
    pub(crate) fn rounded(self, precision: Precision) -> Self {
        if !self.is_bounded() || self.magnitude() > precision.largest {
            return Self::ANY;
        }
        let slack = |x: f64| x.abs() * precision.unit + precision.tiny;
        let low = match self.low {
            x if x > 0.0 => (x - slack(x)).max(0.0),
            x if x < 0.0 => x - slack(x),
            zero => zero,
        };
        let high = match self.high {
            x if x > 0.0 => x + slack(x),
            x if x < 0.0 => (x + slack(x)).min(0.0),
            zero => zero,
        };
        let rounded = Self::between(low, high);
        match rounded.magnitude() > precision.largest {
            true => Self::ANY,
            false => rounded,
        }
    }
}

impl Tensor {
    /// Returns the tensor with floats as intervals, rounded as the card stores them.
    pub(crate) fn in_ranges(self) -> Self {
        let precision = Precision::for_element(self.ty.element);
        match &*self.data {
            Data::Floats(floats) => {
                let ranges = floats.iter().map(|x| Range::point((*x).into()));
                let ranges = ranges.map(|range| range.rounded(precision)).collect();
                Self::new(self.ty, Data::Ranges(ranges))
            }
            Data::Integers(_) | Data::Ranges(_) => self,
        }
    }

    /// Returns its elements as intervals; integers are points.
    pub(crate) fn ranges(&self) -> Vec<Range> {
        match &*self.data {
            Data::Ranges(ranges) => ranges.clone(),
            Data::Floats(floats) => floats.iter().map(|x| Range::point((*x).into())).collect(),
            #[expect(clippy::cast_precision_loss, reason = "truth values and positions")]
            Data::Integers(integers) => integers.iter().map(|x| Range::point(*x as f64)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_keeps_signs_and_zero() {
        let rounded = |low, high| Range::between(low, high).rounded(Precision::DL16).bounds();
        assert_eq!(rounded(0.0, 0.0), [0.0, 0.0]);
        assert_eq!(rounded(1e-12, 1.0)[0], 0.0);
        assert!(rounded(1e-12, 1.0)[1] > 1.0);
        assert_eq!(rounded(-1.0, -1e-12)[1], 0.0);
    }

    #[test]
    fn numbers_beyond_the_largest_have_no_bounds() {
        let rounded = |x: f64| Range::point(x).rounded(Precision::DL16);
        assert!(rounded(65504.0).is_bounded() && rounded(4e9).is_bounded());
        assert!(!rounded(9e9).is_bounded() && !rounded(f64::NAN).is_bounded());
        assert!(Range::point(9e9).rounded(Precision::FP32).is_bounded());
    }
}
