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
    /// The first of these.
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
    pub found: Scalar,
}

/// An error: tensors of different types cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot compare {expected} with {found}")]
pub struct TypeMismatch {
    /// Type of the first tensor.
    pub expected: TensorType,
    /// Type of the second tensor.
    pub found: TensorType,
}

impl Comparison {
    /// Returns whether all elements are as close as allowed.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.differing == 0
    }
}

/// Compares two tensors of one type. Elements differ when they are more than `allowed_ulps` units in the last place apart, as
/// [`Scalar::rank`] counts them: with 0, when they are not the same value. +0 and -0 are one unit apart, as other neighbours
/// are; integers as many as their difference.
///
/// # Errors
/// The types differ.
pub fn compare(
    expected: &Array,
    found: &Array,
    allowed_ulps: u64,
) -> Result<Comparison, TypeMismatch> {
    if expected.ty() != found.ty() {
        return Err(TypeMismatch {
            expected: expected.ty().clone(),
            found: found.ty().clone(),
        });
    }
    let mut comparison = Comparison {
        elements: expected.len(),
        differing: 0,
        first: None,
        max_absolute_error: 0.0,
        max_ulps: 0,
    };
    if expected.bytes() == found.bytes() {
        return Ok(comparison);
    }
    for (position, (a, b)) in expected.elements().zip(found.elements()).enumerate() {
        let (ulps, absolute) = distance(a, b);
        comparison.max_ulps = comparison.max_ulps.max(ulps);
        comparison.max_absolute_error = comparison.max_absolute_error.max(absolute);
        if ulps > allowed_ulps {
            comparison.differing += 1;
            comparison.first.get_or_insert_with(|| Difference {
                coordinates: expected.coordinates(position),
                expected: a,
                found: b,
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
            // Equal infinities have no difference, but are not apart.
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
            found,
        } = self;
        write!(
            formatter,
            "first at {coordinates:?}: {expected} against {found}"
        )
    }
}

#[cfg(test)]
mod tests {
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
            (first.expected, first.found),
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
        let of = |dtype, values: &[i64]| Array::from_i64s(dtype, &[values.len()], values).unwrap();
        let extremes = compare(
            &of(DType::I64, &[i64::MIN]),
            &of(DType::I64, &[i64::MAX]),
            0,
        )
        .unwrap();
        assert_eq!(extremes.max_ulps, u64::MAX);
        let truth = compare(&of(DType::Bool, &[1, 0]), &of(DType::Bool, &[1, 1]), 0).unwrap();
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
        let why = compare(&a, &b, 0).unwrap_err();
        assert_eq!(
            why.to_string(),
            "cannot compare tensor<1xf16> with tensor<1xbf16>"
        );
    }
}
