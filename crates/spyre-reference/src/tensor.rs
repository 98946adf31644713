//! Tensors between operations, and walks over their elements.

use std::rc::Rc;

use half::{bf16, f16};

use crate::array::{Array, ArrayError, Scalar};
use crate::interval::Range;
use crate::{DType, TensorType};

/// The bits of an unwritten integer, truncated to its width.
const POISON_BITS: i64 = 0xA5A5_A5A5_A5A5_A5A5_u64.cast_signed();

/// Elements in row-major order, each a value of its type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Data {
    /// Floats of any type; `f32` has them all.
    Floats(Vec<f32>),
    /// Integers and truth values.
    Integers(Vec<i64>),
    /// Intervals that have the value of an element.
    Ranges(Vec<Range>),
}

/// A tensor.
#[derive(Debug, Clone)]
pub(crate) struct Tensor {
    /// The type.
    pub ty: TensorType,
    /// The elements. Tensors with the same elements share them.
    pub data: Rc<Data>,
}

impl Tensor {
    pub(crate) fn new(ty: TensorType, data: Data) -> Self {
        Self {
            ty,
            data: Rc::new(data),
        }
    }

    /// Builds a tensor of one value.
    pub(crate) fn repeat(ty: TensorType, float: f32, integer: i64) -> Result<Self, String> {
        let too_large = || format!("{ty} does not fit into memory");
        let count = ty.element_count().ok_or_else(too_large)?;
        let data = match is_float(ty.element) {
            true => {
                Data::Floats(repeated(rounded(ty.element, float), count).ok_or_else(too_large)?)
            }
            false => {
                Data::Integers(repeated(wrapped(ty.element, integer), count).ok_or_else(too_large)?)
            }
        };
        Ok(Self::new(ty, data))
    }

    /// Builds an unwritten tensor.
    pub(crate) fn poison(ty: TensorType) -> Result<Self, String> {
        Self::repeat(ty, f32::NAN, POISON_BITS)
    }

    /// Builds a tensor with the elements of an array.
    pub(crate) fn of_array(array: &Array) -> Self {
        let data = match is_float(array.dtype()) {
            true => Data::Floats(array.elements().map(float).collect()),
            false => Data::Integers(array.elements().map(integer).collect()),
        };
        Self::new(array.ty().clone(), data)
    }

    /// Builds an array with the elements of the tensor.
    pub(crate) fn to_array(&self) -> Result<Array, ArrayError> {
        match &*self.data {
            Data::Floats(floats) => Array::from_f32s(self.ty.element, &self.ty.shape, floats),
            Data::Integers(integers) => Array::from_i64s(self.ty.element, &self.ty.shape, integers),
            Data::Ranges(_) => unreachable!("a function that is run on arrays makes no intervals"),
        }
    }

    /// Returns its elements as floats.
    pub(crate) fn floats(&self) -> Result<&[f32], String> {
        match &*self.data {
            Data::Floats(floats) => Ok(floats),
            _ => Err(format!("not defined on {}", self.ty.element)),
        }
    }

    /// Returns its elements as integers.
    pub(crate) fn integers(&self) -> Result<&[i64], String> {
        match &*self.data {
            Data::Integers(integers) => Ok(integers),
            _ => Err(format!("not defined on {}", self.ty.element)),
        }
    }

    /// Returns the same elements in the same order, as a tensor of another shape.
    pub(crate) fn reshaped(self, ty: TensorType) -> Self {
        Self {
            ty,
            data: self.data,
        }
    }

    /// Returns the elements that a box visits: from a position, by a stride for each dimension, in elements.
    pub(crate) fn gathered(
        &self,
        ty: TensorType,
        start: usize,
        extents: &[usize],
        strides: &[usize],
    ) -> Self {
        let mut positions = Vec::new();
        walk(extents, &[strides], &[start], |at| positions.push(at[0]));
        let data = match &*self.data {
            Data::Floats(from) => Data::Floats(picked(from, &positions)),
            Data::Integers(from) => Data::Integers(picked(from, &positions)),
            Data::Ranges(from) => Data::Ranges(picked(from, &positions)),
        };
        Self::new(ty, data)
    }

    /// Stores the elements of another tensor, in order, at the positions of a box of this one.
    pub(crate) fn scatter(
        &mut self,
        from: &Self,
        start: usize,
        extents: &[usize],
        strides: &[usize],
    ) -> Result<(), String> {
        let mut positions = Vec::new();
        walk(extents, &[strides], &[start], |at| positions.push(at[0]));
        match (Rc::make_mut(&mut self.data), &*from.data) {
            (Data::Floats(into), Data::Floats(from)) => put(into, &positions, from),
            (Data::Integers(into), Data::Integers(from)) => put(into, &positions, from),
            (Data::Ranges(into), Data::Ranges(from)) => put(into, &positions, from),
            _ => {
                return Err(format!(
                    "{} is put into {}",
                    from.ty.element, self.ty.element
                ));
            }
        }
        Ok(())
    }
}

/// Returns the elements at positions.
fn picked<T: Copy>(from: &[T], positions: &[usize]) -> Vec<T> {
    positions.iter().map(|at| from[*at]).collect()
}

/// Stores elements at positions.
fn put<T: Copy>(into: &mut [T], positions: &[usize], from: &[T]) {
    for (at, value) in positions.iter().zip(from) {
        into[*at] = *value;
    }
}

fn float(scalar: Scalar) -> f32 {
    match scalar {
        Scalar::F16(x) => x.to_f32(),
        Scalar::Bf16(x) => x.to_f32(),
        Scalar::F32(x) => x,
        Scalar::F64(_) => unreachable!("a function of f64 is refused"),
        Scalar::Int(_) | Scalar::Bool(_) => unreachable!("an array of floats has only floats"),
    }
}

fn integer(scalar: Scalar) -> i64 {
    match scalar {
        Scalar::Int(x) => x,
        Scalar::Bool(x) => x.into(),
        Scalar::F16(_) | Scalar::Bf16(_) | Scalar::F32(_) | Scalar::F64(_) => {
            unreachable!("an array of integers has only integers")
        }
    }
}

/// Returns `count` copies of a value; `None` if they do not fit into memory.
fn repeated<T: Clone>(value: T, count: usize) -> Option<Vec<T>> {
    let mut values = Vec::new();
    values.try_reserve_exact(count).ok()?;
    values.resize(count, value);
    Some(values)
}

/// Checks that elements of a type have a meaning here.
///
/// # Errors
/// They are `f64`, which is not computed with.
pub(crate) fn check(element: DType) -> Result<(), String> {
    match element {
        DType::F64 => Err("f64 has no meaning here; floats are computed with in f32".to_owned()),
        _ => Ok(()),
    }
}

/// Returns whether elements are floats.
pub(crate) fn is_float(element: DType) -> bool {
    matches!(element, DType::F16 | DType::Bf16 | DType::F32)
}

/// Returns a number as an element of a type: rounded to nearest, ties to even.
pub(crate) fn rounded(element: DType, value: f32) -> f32 {
    match element {
        DType::F16 => f16::from_f32(value).to_f32(),
        DType::Bf16 => bf16::from_f32(value).to_f32(),
        _ => value,
    }
}

/// Returns an integer as an element of a type: its low bits, of which the highest is the sign.
pub(crate) fn wrapped(element: DType, value: i64) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "that is what wrapping is")]
    match element {
        DType::I8 => (value as i8).into(),
        DType::I16 => (value as i16).into(),
        DType::I32 => (value as i32).into(),
        DType::Bool => value & 1,
        _ => value,
    }
}

/// Returns row-major strides, in elements.
pub(crate) fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for dim in (1..shape.len()).rev() {
        strides[dim - 1] = strides[dim] * shape[dim];
    }
    strides
}

/// Visits the points of a box in row-major order, with the position of each tensor there: from its start, by its stride
/// for each dimension.
pub(crate) fn walk(
    extents: &[usize],
    strides: &[&[usize]],
    starts: &[usize],
    mut visit: impl FnMut(&[usize]),
) {
    if extents.contains(&0) {
        return;
    }
    let mut point = vec![0; extents.len()];
    let mut at = starts.to_vec();
    loop {
        visit(&at);
        let Some(dim) = (0..extents.len())
            .rev()
            .find(|dim| point[*dim] + 1 < extents[*dim])
        else {
            return;
        };
        for inner in dim + 1..extents.len() {
            for (at, strides) in at.iter_mut().zip(strides) {
                *at -= point[inner] * strides[inner];
            }
            point[inner] = 0;
        }
        point[dim] += 1;
        for (at, strides) in at.iter_mut().zip(strides) {
            *at += strides[dim];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(start: usize, extents: &[usize], strides: &[usize]) -> Vec<usize> {
        let mut all = Vec::new();
        walk(extents, &[strides], &[start], |at| all.push(at[0]));
        all
    }

    #[test]
    fn boxes_in_row_major_order() {
        assert_eq!(strides(&[2, 3, 4]), [12, 4, 1]);
        assert_eq!(positions(5, &[2, 2], &[12, 1]), [5, 6, 17, 18]);
        assert_eq!(positions(7, &[], &[]), [7]);
        assert_eq!(positions(0, &[2, 0], &[1, 1]), [0; 0]);
        // A stride of zero repeats.
        assert_eq!(positions(1, &[2, 2], &[0, 3]), [1, 4, 1, 4]);
    }

    #[test]
    fn integers_wrap_to_their_width() {
        assert_eq!(wrapped(DType::I8, 128), -128);
        assert_eq!(wrapped(DType::I32, 1 << 31), i64::from(i32::MIN));
        assert_eq!(wrapped(DType::Bool, 3), 1);
    }
}
