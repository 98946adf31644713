//! Dense tensors with a dynamic type.

use std::fmt;

use half::{bf16, f16};
use thiserror::Error;

use crate::{DType, TensorType};

/// A dense tensor in row-major order. Elements are in the byte order of the machine; truth values are bytes 0 and 1.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Array {
    ty: TensorType,
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
}

/// The reason why there is no such array.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ArrayError {
    /// The bytes do not fill the shape.
    #[error("{ty} has {expected} bytes, got {actual}")]
    Size {
        /// Type of the array.
        ty: TensorType,
        /// The size in bytes.
        expected: usize,
        /// Bytes that were given.
        actual: usize,
    },
    /// The shape is larger than memory can be.
    #[error("{0} does not fit into memory")]
    TooLarge(TensorType),
    /// A truth value that is neither 0 nor 1.
    #[error("element {position} has the truth value {byte}, which is neither 0 nor 1")]
    Truth {
        /// The position in row-major order.
        position: usize,
        /// The byte.
        byte: u8,
    },
    /// A number that its element type does not have.
    #[error("element {position}, {value}, is not a value of {dtype}")]
    Value {
        /// The position in row-major order.
        position: usize,
        /// The number.
        value: i64,
        /// The element type.
        dtype: DType,
    },
}

/// One element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar {
    /// An `f16`.
    F16(f16),
    /// A `bf16`.
    Bf16(bf16),
    /// An `f32`.
    F32(f32),
    /// An `f64`.
    F64(f64),
    /// An `i8`, `i16`, `i32` or `i64`.
    Int(i64),
    /// An `i1`.
    Bool(bool),
}

impl Array {
    /// Builds an array of these bytes.
    ///
    /// # Errors
    /// [`ArrayError::Size`], [`ArrayError::TooLarge`] and [`ArrayError::Truth`].
    pub fn new(dtype: DType, shape: &[usize], bytes: Vec<u8>) -> Result<Self, ArrayError> {
        let ty = TensorType {
            element: dtype,
            shape: shape.to_vec(),
        };
        match ty.byte_count() {
            None => return Err(ArrayError::TooLarge(ty)),
            Some(expected) if expected != bytes.len() => {
                let actual = bytes.len();
                return Err(ArrayError::Size {
                    ty,
                    expected,
                    actual,
                });
            }
            Some(_) => {}
        }
        if dtype == DType::Bool
            && let Some((position, invalid)) = bytes.iter().enumerate().find(|(_, byte)| **byte > 1)
        {
            let invalid = *invalid;
            return Err(ArrayError::Truth {
                position,
                byte: invalid,
            });
        }
        Ok(Self { ty, bytes })
    }

    /// Builds an array of floats, which are rounded to nearest, ties to even.
    ///
    /// # Errors
    /// The errors of [`Array::new`]; the elements of an integer type need [`Array::from_i64s`].
    pub fn from_f32s(dtype: DType, shape: &[usize], values: &[f32]) -> Result<Self, ArrayError> {
        let bytes = values.iter().flat_map(|value| match dtype {
            DType::F16 => f16::from_f32(*value).to_ne_bytes().to_vec(),
            DType::Bf16 => bf16::from_f32(*value).to_ne_bytes().to_vec(),
            DType::F64 => f64::from(*value).to_ne_bytes().to_vec(),
            _ => value.to_ne_bytes().to_vec(),
        });
        Self::new(dtype, shape, bytes.collect())
    }

    /// Builds an array of integers or truth values.
    ///
    /// # Errors
    /// The errors of [`Array::new`], and [`ArrayError::Value`] for a number that does not fit or an element type of floats.
    pub fn from_i64s(dtype: DType, shape: &[usize], values: &[i64]) -> Result<Self, ArrayError> {
        let mut bytes = Vec::with_capacity(values.len().saturating_mul(dtype.bytes()));
        for (position, value) in values.iter().copied().enumerate() {
            let encoded = match dtype {
                DType::I8 => i8::try_from(value).ok().map(|x| x.to_ne_bytes().to_vec()),
                DType::I16 => i16::try_from(value).ok().map(|x| x.to_ne_bytes().to_vec()),
                DType::I32 => i32::try_from(value).ok().map(|x| x.to_ne_bytes().to_vec()),
                DType::I64 => Some(value.to_ne_bytes().to_vec()),
                DType::Bool => u8::try_from(value).ok().map(|x| vec![x]),
                DType::F16 | DType::Bf16 | DType::F32 | DType::F64 => None,
            };
            bytes.extend(encoded.ok_or(ArrayError::Value {
                position,
                value,
                dtype,
            })?);
        }
        Self::new(dtype, shape, bytes)
    }

    /// Returns an array of another shape and the same rank, with the same element wherever both have one. The rest is poison:
    /// NaN, or bytes 0xA5 for integers.
    ///
    /// # Errors
    /// [`ArrayError::TooLarge`], also for another rank.
    pub fn resized(&self, shape: &[usize]) -> Result<Self, ArrayError> {
        if shape == self.shape() {
            return Ok(self.clone());
        }
        let ty = TensorType {
            element: self.dtype(),
            shape: shape.to_vec(),
        };
        let count = ty
            .element_count()
            .filter(|_| shape.len() == self.shape().len());
        let Some(count) = count else {
            return Err(ArrayError::TooLarge(ty));
        };
        let poison: &[u8] = match self.dtype() {
            DType::F16 => &f16::NAN.to_ne_bytes(),
            DType::Bf16 => &bf16::NAN.to_ne_bytes(),
            DType::F32 => &f32::NAN.to_ne_bytes(),
            DType::F64 => &f64::NAN.to_ne_bytes(),
            DType::I8 => &[0xA5],
            DType::I16 => &[0xA5; 2],
            DType::I32 => &[0xA5; 4],
            DType::I64 => &[0xA5; 8],
            DType::Bool => &[0],
        };
        let mut bytes = poison.repeat(count);
        copy_common(&self.bytes, self.shape(), &mut bytes, shape, poison.len());
        Self::new(self.dtype(), shape, bytes)
    }

    /// Returns the type of an element.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.ty.element
    }

    /// Returns the extents in elements, outermost first.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.ty.shape
    }

    /// Returns the element type and the shape.
    #[must_use]
    pub fn ty(&self) -> &TensorType {
        &self.ty
    }

    /// Returns the bytes of the elements in row-major order.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns the elements in row-major order, in the byte order of the machine.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len() / self.ty.element.bytes()
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the elements in row-major order.
    pub fn elements(&self) -> impl Iterator<Item = Scalar> + '_ {
        let dtype = self.ty.element;
        self.bytes
            .chunks_exact(dtype.bytes())
            .filter_map(move |bytes| Scalar::read(dtype, bytes))
    }

    /// Returns the coordinates of the element at a position in row-major order, outermost first.
    #[must_use]
    pub fn coordinates(&self, mut position: usize) -> Vec<usize> {
        let mut coordinates = vec![0; self.ty.shape.len()];
        for (coordinate, extent) in coordinates.iter_mut().zip(&self.ty.shape).rev() {
            *coordinate = position.checked_rem(*extent).unwrap_or(0);
            position = position.checked_div(*extent).unwrap_or(0);
        }
        coordinates
    }
}

impl Scalar {
    /// Returns the element that has these bytes; `None` when their number is wrong.
    fn read(dtype: DType, bytes: &[u8]) -> Option<Self> {
        Some(match dtype {
            DType::F16 => Self::F16(f16::from_ne_bytes(bytes.try_into().ok()?)),
            DType::Bf16 => Self::Bf16(bf16::from_ne_bytes(bytes.try_into().ok()?)),
            DType::F32 => Self::F32(f32::from_ne_bytes(bytes.try_into().ok()?)),
            DType::F64 => Self::F64(f64::from_ne_bytes(bytes.try_into().ok()?)),
            DType::I16 => Self::Int(i16::from_ne_bytes(bytes.try_into().ok()?).into()),
            DType::I8 => Self::Int(i8::from_ne_bytes(bytes.try_into().ok()?).into()),
            DType::I32 => Self::Int(i32::from_ne_bytes(bytes.try_into().ok()?).into()),
            DType::I64 => Self::Int(i64::from_ne_bytes(bytes.try_into().ok()?)),
            DType::Bool => Self::Bool(*bytes.first()? != 0),
        })
    }

    /// Returns the value as a double: exact, but for integers beyond 2^53.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        match self {
            Self::F16(x) => x.to_f64(),
            Self::Bf16(x) => x.to_f64(),
            Self::F32(x) => x.into(),
            Self::F64(x) => x,
            Self::Int(x) => x as f64,
            Self::Bool(x) => f64::from(u8::from(x)),
        }
    }

    /// Returns whether the element is NaN.
    #[must_use]
    pub fn is_nan(self) -> bool {
        self.to_f64().is_nan()
    }

    /// Returns the place of a value among all values of its type, in ascending order and without gaps. The distance of two places
    /// is a number of units in the last place. -0 is just below +0. Infinities are beyond the largest numbers.
    #[must_use]
    pub fn rank(self) -> i64 {
        /// Returns the place for sign and magnitude; `sign` is the sign bit alone.
        fn place(bits: u64, sign: u64) -> i64 {
            let magnitude = (bits & (sign - 1)).cast_signed();
            if bits & sign == 0 {
                magnitude
            } else {
                -1 - magnitude
            }
        }
        match self {
            Self::F16(x) => place(x.to_bits().into(), 1 << 15),
            Self::Bf16(x) => place(x.to_bits().into(), 1 << 15),
            Self::F32(x) => place(x.to_bits().into(), 1 << 31),
            Self::F64(x) => place(x.to_bits(), 1 << 63),
            Self::Int(x) => x,
            Self::Bool(x) => x.into(),
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The shortest text that is the same number, with an exponent where that is shorter.
            Self::F16(x) => write!(formatter, "{:?}", x.to_f32()),
            Self::Bf16(x) => write!(formatter, "{:?}", x.to_f32()),
            Self::F32(x) => write!(formatter, "{x:?}"),
            Self::F64(x) => write!(formatter, "{x:?}"),
            Self::Int(x) => write!(formatter, "{x}"),
            Self::Bool(x) => write!(formatter, "{x}"),
        }
    }
}

/// Elements that [`Array`] prints before it stops.
const PRINTED: usize = 16;

impl fmt::Display for Array {
    /// Writes the type and the first elements in row-major order.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} [", self.ty)?;
        for (position, element) in self.elements().take(PRINTED).enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            write!(formatter, "{comma}{element}")?;
        }
        let more = if self.len() > PRINTED { ", ..." } else { "" };
        write!(formatter, "{more}]")
    }
}

/// Copies the elements that two row-major arrays of the same rank have at the same coordinates.
fn copy_common(from: &[u8], from_shape: &[usize], to: &mut [u8], to_shape: &[usize], width: usize) {
    if from.is_empty() || to.is_empty() {
        return;
    }
    let (Some((&from_extent, from_inner)), Some((&to_extent, to_inner))) =
        (from_shape.split_first(), to_shape.split_first())
    else {
        to.copy_from_slice(from);
        return;
    };
    if from_inner == to_inner {
        let common = from.len().min(to.len());
        to[..common].copy_from_slice(&from[..common]);
        return;
    }
    let rows = from_extent.min(to_extent);
    let from_rows = from.chunks_exact(from_inner.iter().product::<usize>() * width);
    let to_rows = to.chunks_exact_mut(to_inner.iter().product::<usize>() * width);
    for (from, to) in from_rows.zip(to_rows).take(rows) {
        copy_common(from, from_inner, to, to_inner, width);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_truth_values_are_checked() {
        assert!(Array::new(DType::F16, &[2, 3], vec![0; 12]).is_ok());
        assert!(Array::new(DType::F16, &[], vec![0; 2]).is_ok());
        assert!(Array::new(DType::F16, &[0, 3], Vec::new()).is_ok());
        assert!(matches!(
            Array::new(DType::F16, &[2, 3], vec![0; 11]),
            Err(ArrayError::Size {
                expected: 12,
                actual: 11,
                ..
            })
        ));
        assert!(matches!(
            Array::new(DType::I64, &[usize::MAX, 2], Vec::new()),
            Err(ArrayError::TooLarge(_))
        ));
        assert_eq!(
            Array::new(DType::Bool, &[3], vec![1, 0, 2]),
            Err(ArrayError::Truth {
                position: 2,
                byte: 2
            })
        );
        assert_eq!(
            Array::from_i64s(DType::I8, &[2], &[-128, 128]),
            Err(ArrayError::Value {
                position: 1,
                value: 128,
                dtype: DType::I8
            })
        );
    }

    #[test]
    fn positions_have_coordinates() {
        let array = Array::new(DType::I8, &[2, 3, 4], vec![0; 24]).unwrap();
        assert_eq!(array.coordinates(0), [0, 0, 0]);
        assert_eq!(array.coordinates(23), [1, 2, 3]);
        assert_eq!(array.coordinates(6), [0, 1, 2]);
        let scalar = Array::new(DType::I8, &[], vec![0]).unwrap();
        assert_eq!(scalar.coordinates(0), [0_usize; 0]);
    }

    #[test]
    fn every_f16_has_its_own_rank() {
        let mut values: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
        values.retain(|x| !x.is_nan());
        values.sort_by(f16::total_cmp);
        for pair in values.windows(2) {
            let [low, high] = [pair[0], pair[1]].map(|x| Scalar::F16(x).rank());
            assert_eq!(low + 1, high, "{pair:?}");
        }
        assert_eq!(Scalar::F16(f16::ZERO).rank(), 0);
        assert_eq!(Scalar::F32(-0.0).rank(), -1);
        assert_eq!(Scalar::F32(f32::NEG_INFINITY).rank(), -1 - 0x7F80_0000);
    }

    #[test]
    fn arrays_print_their_first_elements() {
        let array = Array::from_f32s(DType::F16, &[2, 2], &[1.5, -0.0, f32::NAN, 1e9]).unwrap();
        assert_eq!(array.to_string(), "tensor<2x2xf16> [1.5, -0.0, NaN, inf]");
        let long = Array::from_i64s(DType::I32, &[17], &(0..17).collect::<Vec<_>>()).unwrap();
        assert!(long.to_string().ends_with("14, 15, ...]"), "{long}");
    }

    #[test]
    fn resizing_keeps_coordinates_and_poisons_the_rest() {
        let small = Array::from_i64s(DType::I8, &[2, 2], &[1, 2, 3, 4]).unwrap();
        let poison = i64::from(0xA5_u8.cast_signed());
        let wide = small.resized(&[3, 3]).unwrap();
        let expected = [1, 2, poison, 3, 4, poison, poison, poison, poison];
        assert_eq!(
            wide,
            Array::from_i64s(DType::I8, &[3, 3], &expected).unwrap()
        );
        assert_eq!(wide.resized(&[2, 2]).unwrap(), small);
        let column = small.resized(&[2, 1]).unwrap();
        assert_eq!(
            column,
            Array::from_i64s(DType::I8, &[2, 1], &[1, 3]).unwrap()
        );
        let longer = small.resized(&[3, 2]).unwrap();
        assert_eq!(longer.elements().count(), 6);
        assert!(small.resized(&[4]).is_err());
        let floats = Array::from_f32s(DType::F16, &[1], &[1.0]).unwrap();
        let floats = floats.resized(&[2]).unwrap();
        assert!(floats.elements().nth(1).is_some_and(Scalar::is_nan));
        let scalar = Array::from_f32s(DType::F32, &[], &[1.0]).unwrap();
        assert_eq!(scalar.resized(&[]).unwrap(), scalar);
        for none in [[0, 3], [2, 0]] {
            let none = Array::new(DType::F32, &none, Vec::new()).unwrap();
            assert_eq!(none.resized(&[2, 3]).unwrap().len(), 6);
            assert!(none.resized(&[0, 0]).unwrap().is_empty());
        }
    }
}
