//! Tensors as the interpreter has them.

use std::rc::Rc;

use half::{bf16, f16};

use crate::array::{Array, ArrayError, Scalar};
use crate::bundle::repeated;
use crate::{DType, TensorType};

/// The bits of an integer that nobody wrote, cut to its width.
const POISON_BITS: i64 = 0xA5A5_A5A5_A5A5_A5A5_u64.cast_signed();

/// Elements in row-major order, each a value of its type.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// Floats of any type; `f32` has them all.
    Floats(Vec<f32>),
    /// Integers and truth values.
    Integers(Vec<i64>),
}

impl Data {
    /// So many elements of a type, all alike, if they fit into memory.
    fn repeat(element: DType, count: usize, float: f32, integer: i64) -> Option<Self> {
        Some(if is_float(element) {
            Self::Floats(repeated(float, count)?)
        } else {
            Self::Integers(repeated(integer, count)?)
        })
    }
}

/// A tensor.
#[derive(Debug, Clone)]
pub struct Tensor {
    /// Its type.
    pub ty: TensorType,
    /// Its elements; tensors that are the same share them.
    pub data: Rc<Data>,
}

impl Tensor {
    /// A tensor that nobody has written.
    pub fn poison(ty: TensorType) -> Result<Self, String> {
        let integer = wrapped(ty.element, POISON_BITS);
        let count = ty.element_count();
        let data = count.and_then(|count| Data::repeat(ty.element, count, f32::NAN, integer));
        let data = data.ok_or_else(|| format!("{ty} does not fit into memory"))?;
        Ok(Self {
            ty,
            data: Rc::new(data),
        })
    }

    /// A tensor with the elements of an array.
    pub fn of_array(array: &Array) -> Self {
        let data = if is_float(array.dtype()) {
            let floats = array.elements().map(|scalar| match scalar {
                Scalar::F16(x) => x.to_f32(),
                Scalar::Bf16(x) => x.to_f32(),
                Scalar::F32(x) => x,
                Scalar::Int(_) | Scalar::Bool(_) => 0.0,
            });
            Data::Floats(floats.collect())
        } else {
            let integers = array.elements().map(|scalar| match scalar {
                Scalar::Int(x) => x,
                Scalar::Bool(x) => x.into(),
                Scalar::F16(_) | Scalar::Bf16(_) | Scalar::F32(_) => 0,
            });
            Data::Integers(integers.collect())
        };
        Self {
            ty: array.ty().clone(),
            data: Rc::new(data),
        }
    }

    /// An array with the elements of the tensor.
    pub fn to_array(&self) -> Result<Array, ArrayError> {
        match &*self.data {
            Data::Floats(floats) => Array::from_f32s(self.ty.element, &self.ty.shape, floats),
            Data::Integers(integers) => Array::from_i64s(self.ty.element, &self.ty.shape, integers),
        }
    }

    /// The same elements as a tensor of another shape.
    pub fn reshaped(self, ty: TensorType) -> Self {
        Self {
            ty,
            data: self.data,
        }
    }

    /// The elements at these positions.
    pub fn gather(&self, ty: TensorType, positions: impl Iterator<Item = usize>) -> Self {
        let data = match &*self.data {
            Data::Floats(from) => Data::Floats(pick(from, positions)),
            Data::Integers(from) => Data::Integers(pick(from, positions)),
        };
        Self {
            ty,
            data: Rc::new(data),
        }
    }

    /// Puts the elements of another tensor, in order, at these positions.
    pub fn scatter(&mut self, from: &Self, positions: impl Iterator<Item = usize>) {
        match (Rc::make_mut(&mut self.data), &*from.data) {
            (Data::Floats(into), Data::Floats(from)) => put(into, from, positions),
            (Data::Integers(into), Data::Integers(from)) => put(into, from, positions),
            // Slices have one element type on both sides.
            _ => {}
        }
    }
}

fn pick<T: Copy>(from: &[T], positions: impl Iterator<Item = usize>) -> Vec<T> {
    positions.filter_map(|at| from.get(at).copied()).collect()
}

fn put<T: Copy>(into: &mut [T], from: &[T], positions: impl Iterator<Item = usize>) {
    for (at, value) in positions.zip(from) {
        if let Some(place) = into.get_mut(at) {
            *place = *value;
        }
    }
}

/// Whether elements are floats.
pub fn is_float(element: DType) -> bool {
    matches!(element, DType::F16 | DType::Bf16 | DType::F32)
}

/// A number as an element of a type: rounded to nearest, ties to even.
pub fn rounded(element: DType, value: f32) -> f32 {
    match element {
        DType::F16 => f16::from_f32(value).to_f32(),
        DType::Bf16 => bf16::from_f32(value).to_f32(),
        _ => value,
    }
}

/// An integer as an element of a type: its low bits, of which the highest is the sign.
pub fn wrapped(element: DType, value: i64) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "that is what wrapping is")]
    match element {
        DType::I8 => (value as i8).into(),
        DType::I32 => (value as i32).into(),
        DType::Bool => value & 1,
        _ => value,
    }
}

/// Row-major strides, in elements.
pub fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for dim in (1..shape.len()).rev() {
        let inner = strides.get(dim).copied().unwrap_or(1) * shape.get(dim).copied().unwrap_or(1);
        if let Some(stride) = strides.get_mut(dim - 1) {
            *stride = inner;
        }
    }
    strides
}

/// The positions that a box of points has, in row-major order: from `start`, by a stride for each dimension.
pub fn positions(
    start: usize,
    extents: &[usize],
    strides: &[usize],
) -> impl Iterator<Item = usize> + use<> {
    let (extents, strides) = (extents.to_vec(), strides.to_vec());
    let mut point = vec![0_usize; extents.len()];
    let mut next = (!extents.contains(&0)).then_some(start);
    std::iter::from_fn(move || {
        let at = next?;
        let mut moved = at;
        next = None;
        for dim in (0..extents.len()).rev() {
            let (Some(own), Some(extent), Some(stride)) =
                (point.get_mut(dim), extents.get(dim), strides.get(dim))
            else {
                break;
            };
            if *own + 1 < *extent {
                *own += 1;
                next = Some(moved + stride);
                break;
            }
            moved -= *own * stride;
            *own = 0;
        }
        Some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_in_row_major_order() {
        assert_eq!(strides(&[2, 3, 4]), [12, 4, 1]);
        let all: Vec<_> = positions(5, &[2, 2], &[12, 1]).collect();
        assert_eq!(all, [5, 6, 17, 18]);
        assert_eq!(positions(7, &[], &[]).collect::<Vec<_>>(), [7]);
        assert_eq!(positions(0, &[2, 0], &[1, 1]).count(), 0);
        // A stride of zero repeats.
        assert_eq!(
            positions(1, &[2, 2], &[0, 3]).collect::<Vec<_>>(),
            [1, 4, 1, 4]
        );
    }

    #[test]
    fn integers_wrap_to_their_width() {
        assert_eq!(wrapped(DType::I8, 128), -128);
        assert_eq!(wrapped(DType::I32, 1 << 31), i64::from(i32::MIN));
        assert_eq!(wrapped(DType::Bool, 3), 1);
    }
}
