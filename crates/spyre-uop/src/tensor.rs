//! Tensors with their elements.

use std::sync::Arc;

use crate::dtype::DType;
use crate::element;
use crate::op::TensorType;
use crate::schema::Datum;
use crate::shape::Shape;

/// A tensor. Tensors with the same elements share them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    pub(crate) ty: TensorType,
    pub(crate) elements: Arc<Vec<u64>>,
}

/// Values that do not form a tensor of a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TensorError {
    /// There are too few or too many.
    #[error("there are {count} values, but {ty} has another number of elements")]
    Count {
        /// The type.
        ty: TensorType,
        /// The number of values.
        count: usize,
    },
    /// A value is not of the type.
    #[error("value {position} is no {dtype}")]
    Value {
        /// The position.
        position: usize,
        /// The element type.
        dtype: DType,
    },
}

impl Tensor {
    pub(crate) fn new(ty: TensorType, elements: Vec<u64>) -> Self {
        debug_assert_eq!(ty.shape.elements(), elements.len() as u64, "{ty}");
        let elements = Arc::new(elements);
        Self { ty, elements }
    }

    /// Builds a tensor of values in a file, the last axis the fastest. Values are not rounded.
    ///
    /// # Errors
    /// The number of values differs, or a value is not of the type.
    pub fn of_data(ty: TensorType, data: &[Datum]) -> Result<Self, TensorError> {
        let dtype = ty.dtype;
        if ty.shape.checked_elements() != Some(data.len() as u64) {
            let count = data.len();
            return Err(TensorError::Count { ty, count });
        }
        let element = |(position, datum): (usize, &Datum)| {
            element::exact(dtype, *datum).ok_or(TensorError::Value { position, dtype })
        };
        let elements: Vec<u64> = data
            .iter()
            .enumerate()
            .map(element)
            .collect::<Result<_, _>>()?;
        Ok(Self::new(ty, elements))
    }

    /// Returns the type.
    #[must_use]
    pub fn ty(&self) -> &TensorType {
        &self.ty
    }

    /// Returns the elements, the last axis the fastest, as [`element`] has them.
    #[must_use]
    pub fn elements(&self) -> &[u64] {
        &self.elements
    }

    /// Returns the values as they are in a file.
    #[must_use]
    pub fn data(&self) -> Vec<Datum> {
        let elements = self.elements.iter();
        elements
            .map(|element| element::datum(self.ty.dtype, *element))
            .collect()
    }

    /// Returns equal parts along an axis, in their order.
    ///
    /// # Panics
    /// There is no such axis, or it has no equal parts.
    #[must_use]
    pub fn parts(&self, axis: usize, count: usize) -> Vec<Self> {
        let extent = self.ty.shape[axis];
        assert!(
            count > 0 && extent.is_multiple_of(count as u64),
            "axis {axis} of {} has {count} equal parts",
            self.ty
        );
        let shape: Shape = self.ty.shape.with(axis, extent / count as u64);
        let inner = self.ty.shape[axis + 1..].iter().product::<u64>();
        // A part has neighbours of this many elements for each position of the axes in front.
        let run = (shape[axis] * inner) as usize;
        let part = |part: usize| {
            let runs = self.elements.chunks(run.max(1) * count);
            let elements = runs.flat_map(|runs| runs[part * run..(part + 1) * run].iter().copied());
            let ty = TensorType {
                dtype: self.ty.dtype,
                shape: shape.clone(),
            };
            Self::new(ty, elements.collect())
        };
        (0..count).map(part).collect()
    }
}
