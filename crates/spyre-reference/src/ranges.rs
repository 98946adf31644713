//! The possible values of elements of results on the card.
//!
//! [`run`] computes the meaning of a program, in real numbers, with a lower and an upper bound for each element: the
//! true value, plus or minus the rounding of the card's formats at each operation. The bounds depend only on the
//! [`Precision`] of the card's formats (contract, K1), so a result outside of them is wrong for every tiling, division
//! and placement of the program.
//!
//! An element that may be NaN, infinite or larger than the card's largest number has no bounds, nor have results
//! computed from it: `SEN169_FP16` has one code for all of these, which behaves as NaN.

use spyre_mlir_rt::ir::Op;

use crate::array::Array;
use crate::evaluate::Frame;
use crate::{DType, InterpretError, TensorType};

pub use crate::interval::{Precision, Range};

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
            let [low, high] = range.bounds();
            !(low - slack <= value && value <= high + slack)
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

#[cfg(test)]
mod tests {
    use super::*;

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
