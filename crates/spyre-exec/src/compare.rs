//! Distances between the elements of two tensors.

use std::fmt;

use thiserror::Error;

use crate::TensorType;
use crate::array::{Array, Scalar};

/// The distances between the elements of two tensors. NaN is infinitely far from every number. It is equal to NaN with any bits.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Elements of each tensor.
    pub elements: usize,
    /// Elements that are further apart than allowed.
    pub differing: usize,
    /// The first element that differs.
    pub first: Option<Difference>,
    /// The largest distance of two numbers; infinite where just one of the two is finite or a number.
    pub max_absolute_error: f64,
    /// The largest distance in units in the last place; `u64::MAX` between a number and NaN.
    pub max_ulps: u64,
}

/// Two elements that differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The coordinates of the two elements, outermost first.
    pub coordinates: Vec<usize>,
    /// The element of the first tensor.
    pub expected: Scalar,
    /// The element of the second tensor.
    pub actual: Scalar,
}

/// An error: tensors of different types cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot compare {expected} with {actual}")]
pub struct TypeMismatch {
    /// Type of the first tensor.
    pub expected: TensorType,
    /// Type of the second tensor.
    pub actual: TensorType,
}

impl Comparison {
    /// Returns whether all elements are as close as allowed.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.differing == 0
    }
}

/// The allowed distance of two elements: within either of the two limits.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tolerance {
    /// In units in the last place, as [`Scalar::rank`] counts them. With 0 they have to be the same value.
    pub ulps: u64,
    /// In multiples of 1 + |expected|, for floats.
    pub relative: f64,
}

impl From<u64> for Tolerance {
    fn from(ulps: u64) -> Self {
        Self {
            ulps,
            relative: 0.0,
        }
    }
}

impl Tolerance {
    fn allows(self, expected: Scalar, ulps: u64, absolute: f64) -> bool {
        ulps <= self.ulps
            || (self.relative > 0.0
                && !matches!(expected, Scalar::Int(_))
                && absolute.is_finite()
                && absolute <= self.relative * (1.0 + expected.to_f64().abs()))
    }
}

/// Compares two tensors of one type. Elements differ when they are further apart than allowed: by the units in the last place
/// between them, and by the difference of their values. +0 and -0 are one unit apart, as two neighbouring floats are. The units
/// between two integers are their difference.
///
/// # Errors
/// The types differ.
pub fn compare(
    expected: &Array,
    actual: &Array,
    allowed: impl Into<Tolerance>,
) -> Result<Comparison, TypeMismatch> {
    let allowed = allowed.into();
    if expected.ty() != actual.ty() {
        return Err(TypeMismatch {
            expected: expected.ty().clone(),
            actual: actual.ty().clone(),
        });
    }
    let mut comparison = Comparison {
        elements: expected.len(),
        differing: 0,
        first: None,
        max_absolute_error: 0.0,
        max_ulps: 0,
    };
    if expected.bytes() == actual.bytes() {
        return Ok(comparison);
    }
    for (position, (a, b)) in expected.elements().zip(actual.elements()).enumerate() {
        let (ulps, absolute) = distance(a, b);
        comparison.max_ulps = comparison.max_ulps.max(ulps);
        comparison.max_absolute_error = comparison.max_absolute_error.max(absolute);
        if !allowed.allows(a, ulps, absolute) {
            comparison.differing += 1;
            comparison.first.get_or_insert_with(|| Difference {
                coordinates: expected.coordinates(position),
                expected: a,
                actual: b,
            });
        }
    }
    Ok(comparison)
}

/// Returns the distance of two elements in units in the last place, and that of their values.
fn distance(a: Scalar, b: Scalar) -> (u64, f64) {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => (0, 0.0),
        (false, false) => {
            let ulps = a.rank().abs_diff(b.rank());
            // The difference of equal infinities is NaN, but their distance is 0.
            let absolute = match (a, b) {
                (Scalar::Int(a), Scalar::Int(b)) => a.abs_diff(b) as f64,
                _ if ulps == 0 => 0.0,
                _ => (a.to_f64() - b.to_f64()).abs(),
            };
            (ulps, absolute)
        }
        _ => (u64::MAX, f64::INFINITY),
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            elements,
            differing,
            ..
        } = self;
        write!(formatter, "{differing} of {elements} elements differ")?;
        if let Some(first) = &self.first {
            write!(formatter, "; {first}")?;
        }
        if self.max_ulps > 0 {
            write!(
                formatter,
                "; maximum absolute error {:?}, maximum ",
                self.max_absolute_error
            )?;
            if self.max_ulps == u64::MAX {
                write!(formatter, "a number against NaN")?;
            } else {
                write!(formatter, "{} ULPs", self.max_ulps)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            coordinates,
            expected,
            actual,
        } = self;
        write!(
            formatter,
            "first at {coordinates:?}: {expected} against {actual}"
        )
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_relative_tolerance_is_of_floats() {
        let tolerance = Tolerance {
            ulps: 0,
            relative: 0.01,
        };
        let numbers =
            |values: &[f32]| Array::from_f32s(DType::F32, &[values.len()], values).unwrap();
        let expected = numbers(&[0.0, 100.0, f32::INFINITY, 0.0, f32::NAN]);
        let actual = numbers(&[0.009, 100.9, f32::INFINITY, 0.02, f32::NAN]);
        let compared = compare(&expected, &actual, tolerance).unwrap();
        assert_eq!(
            (compared.differing, compared.first.unwrap().coordinates),
            (1, vec![3])
        );
        let far = compare(&numbers(&[f32::INFINITY]), &numbers(&[1.0]), tolerance).unwrap();
        assert_eq!(far.differing, 1);
        let integers = |value| Array::from_i64s(DType::I32, &[1], &[value]).unwrap();
        assert_eq!(
            compare(&integers(1000), &integers(1001), tolerance)
                .unwrap()
                .differing,
            1
        );
    }

    use super::*;
    use crate::DType;

    fn f16s(values: &[f32]) -> Array {
        Array::from_f32s(DType::F16, &[values.len()], values).unwrap()
    }

    #[test]
    fn the_first_difference_and_the_largest() {
        let a = Array::from_f32s(DType::F32, &[2, 2], &[1.0, 2.0, 3.0, 4.0]).unwrap();
        let next = f32::from_bits(2.0_f32.to_bits() + 1);
        let b = Array::from_f32s(DType::F32, &[2, 2], &[1.0, next, 3.0, 4.5]).unwrap();
        let exact = compare(&a, &b, 0).unwrap();
        assert_eq!((exact.elements, exact.differing), (4, 2));
        let first = exact.first.clone().unwrap();
        assert_eq!(first.coordinates, [0, 1]);
        assert_eq!(
            (first.expected, first.actual),
            (Scalar::F32(2.0), Scalar::F32(next))
        );
        assert_eq!(exact.max_absolute_error, 0.5);
        assert_eq!(exact.max_ulps, 1 << 20);
        let loose = compare(&a, &b, 1).unwrap();
        assert_eq!(loose.differing, 1);
        assert_eq!(loose.first.unwrap().coordinates, [1, 1]);
        assert!(compare(&a, &b, 1 << 20).unwrap().agrees());
    }

    #[test]
    fn zeros_infinities_and_nans() {
        let nan = f32::NAN;
        let other_nan = Array::new(DType::F16, &[1], 0xFE01_u16.to_ne_bytes().to_vec()).unwrap();
        let same = compare(&f16s(&[nan]), &other_nan, 0).unwrap();
        assert!(same.agrees() && same.max_ulps == 0);
        let zeros = compare(&f16s(&[0.0]), &f16s(&[-0.0]), 0).unwrap();
        assert_eq!((zeros.differing, zeros.max_ulps), (1, 1));
        assert_eq!(zeros.max_absolute_error, 0.0);
        let number = compare(&f16s(&[nan]), &f16s(&[1.0]), u64::MAX - 1).unwrap();
        assert_eq!((number.differing, number.max_ulps), (1, u64::MAX));
        let infinities = compare(
            &f16s(&[f32::INFINITY, f32::INFINITY, 1.0]),
            &f16s(&[f32::INFINITY, 65504.0, 1.0]),
            0,
        )
        .unwrap();
        assert_eq!((infinities.differing, infinities.max_ulps), (1, 1));
        assert_eq!(infinities.max_absolute_error, f64::INFINITY);
    }

    #[test]
    fn integers_and_truth_values() {
        let array =
            |dtype, values: &[i64]| Array::from_i64s(dtype, &[values.len()], values).unwrap();
        let extremes = compare(
            &array(DType::I64, &[i64::MIN]),
            &array(DType::I64, &[i64::MAX]),
            0,
        )
        .unwrap();
        assert_eq!(extremes.max_ulps, u64::MAX);
        let truth = compare(
            &array(DType::Bool, &[1, 0]),
            &array(DType::Bool, &[1, 1]),
            0,
        )
        .unwrap();
        assert_eq!(truth.differing, 1);
        assert_eq!(
            truth.to_string(),
            "1 of 2 elements differ; first at [1]: false against true; maximum absolute error 1.0, maximum 1 ULPs"
        );
    }

    #[test]
    fn types_must_agree() {
        let a = f16s(&[1.0]);
        let b = Array::from_f32s(DType::Bf16, &[1], &[1.0]).unwrap();
        let err = compare(&a, &b, 0).unwrap_err();
        assert_eq!(
            err.to_string(),
            "cannot compare tensor<1xf16> with tensor<1xbf16>"
        );
    }
}
