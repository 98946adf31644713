//! The possible values of elements of results on the card.
//!
//! [`run`] computes the meaning of a program, in real numbers, with a lower and an upper bound for each element: the
//! true value, plus or minus the rounding of the card's formats at each operation. The bounds depend only on the
//! [`Precision`] of the card's formats (contract, K1), so a result outside of them is wrong for every tiling, division
//! and placement of the program.
//!
//! An element that may be NaN, infinite or larger than the card's largest number has no bounds, nor have results
//! computed from it: `SEN169_FP16` has one code for all of these, which behaves as NaN.

mod combine;
pub(crate) mod compute;

use spyre_mlir_rt::ir::Op;

use crate::array::Array;
use crate::evaluate::Frame;
use crate::tensor::{Data, Tensor};
use crate::{DType, InterpretError, TensorType};

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
    fn magnitude(self) -> f64 {
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
    fn rounded(self, precision: Precision) -> Self {
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

/// The bounds of the elements of a result, in row-major order.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranges {
    ty: TensorType,
    ranges: Vec<Range>,
}

/// An element outside of its bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Outside {
    /// The coordinates, outermost first.
    pub at: Vec<usize>,
    /// The value.
    pub value: f64,
    /// The bounds of its value.
    pub range: Range,
}

impl Ranges {
    /// Returns the bounds in row-major order.
    #[must_use]
    pub fn ranges(&self) -> &[Range] {
        &self.ranges
    }

    /// Returns the first element of an array of this type that is outside of its bounds by more than half a unit in the
    /// last place; `None` if there is none.
    ///
    /// # Panics
    /// The array has another type.
    #[must_use]
    pub fn outside(&self, actual: &Array) -> Option<Outside> {
        assert_eq!(actual.ty(), &self.ty, "an array of the type of the result");
        // Half a unit in the last place of the type on the host, relative to a number, and absolute for the smallest
        // numbers; and the largest finite number.
        let (unit, tiny, largest) = match self.ty.element {
            DType::F16 => (1.0 / 2048.0, 1.0 / 16_777_216.0, 65_504.0),
            DType::Bf16 => (1.0 / 256.0, f64::from(f32::MIN_POSITIVE), f64::MAX),
            _ => (0.0, 0.0, f64::MAX),
        };
        let mut all = actual.elements().zip(&self.ranges).enumerate();
        let wrong = all.find(|(_, (element, range))| {
            if !range.is_bounded() || range.magnitude() >= largest {
                return false;
            }
            let value = element.to_f64();
            let slack = range.magnitude() * unit + tiny;
            !(range.low - slack <= value && value <= range.high + slack)
        });
        wrong.map(|(position, (element, range))| Outside {
            at: actual.coordinates(position),
            value: element.to_f64(),
            range: *range,
        })
    }
}

/// Runs a function on tensors, and returns the bounds of its results.
///
/// # Errors
/// The errors of [`run`](crate::run), and operations without bounds here: conversions of floats to integers, and of bits to
/// floats.
pub fn run(function: Op<'_>, inputs: &[Array]) -> Result<Vec<Ranges>, InterpretError> {
    let returned = crate::results_of(function, inputs, Frame::in_ranges())?;
    let results = returned.into_iter().map(|tensor| Ranges {
        ranges: tensor.ranges(),
        ty: tensor.ty,
    });
    Ok(results.collect())
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
    fn ranges(&self) -> Vec<Range> {
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

    #[test]
    fn elements_outside_of_their_bounds() {
        let ty = TensorType {
            element: DType::F16,
            shape: vec![3],
        };
        let ranges = Ranges {
            ty,
            ranges: vec![Range::point(1.0), Range::ANY, Range::between(2.0, 3.0)],
        };
        let array = |last: f32| Array::from_f32s(DType::F16, &[3], &[1.0, f32::NAN, last]);
        assert_eq!(ranges.outside(&array(2.5).unwrap()), None);
        let outside = ranges.outside(&array(3.5).unwrap()).unwrap();
        assert_eq!((outside.at, outside.value), (vec![2], 3.5));
        assert!(ranges.outside(&array(f32::NAN).unwrap()).is_some());
    }
}
