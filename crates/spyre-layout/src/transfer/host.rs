//! Tensors in host memory.

use crate::{
    format::HostType,
    units::{Bytes, Elements},
};

/// A tensor in host memory: a strided view of a buffer.
///
/// Element `(i0, i1, ...)` is element `offset + i0 * strides[0] + i1 * strides[1] + ...` of the
/// buffer. Strides may be in any order, which permutes dimensions, and larger than the extents need,
/// which slices them. A stride of 0 repeats one element along its dimension (an *expanded* dimension).
///
/// ```
/// use spyre_layout::{Elements, HostTensor, HostType};
///
/// // Columns 8 to 23 of a 10 x 100 matrix, transposed.
/// let view = HostTensor::strided(HostType::F16, vec![16, 10], vec![1, 100], Elements(8))?;
/// assert_eq!(view.span(), Elements(924));
/// # Ok::<(), spyre_layout::HostTensorError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct HostTensor {
    host_type: HostType,
    shape: Vec<u64>,
    strides: Vec<u64>,
    offset: Elements,
    span: Elements,
    bytes: Bytes,
}

/// An invalid host tensor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostTensorError {
    /// One stride per dimension is needed.
    #[error("the host tensor has {extents} extents and {strides} strides")]
    Rank {
        /// Extents given.
        extents: usize,
        /// Strides given.
        strides: usize,
    },
    /// A tensor with a last element beyond 64-bit addresses.
    #[error(
        "a host tensor of {shape:?}, strides {strides:?} and offset {} reaches past 2^64 - 1 bytes",
        .offset.get()
    )]
    TooLarge {
        /// The extents.
        shape: Vec<u64>,
        /// The strides.
        strides: Vec<u64>,
        /// The offset.
        offset: Elements,
    },
}

impl HostTensor {
    /// A tensor of the given extents in row-major order, which fills its buffer.
    ///
    /// # Errors
    /// The tensor has more than 2^64 - 1 bytes.
    pub fn contiguous(host_type: HostType, shape: Vec<u64>) -> Result<Self, HostTensorError> {
        let mut strides = vec![1; shape.len()];
        let mut next = Some(1u64);
        for (stride, &extent) in strides.iter_mut().zip(&shape).rev() {
            let Some(elements) = next else {
                let offset = Elements::ZERO;
                return Err(HostTensorError::TooLarge {
                    shape,
                    strides,
                    offset,
                });
            };
            *stride = elements;
            next = elements.checked_mul(extent.max(1));
        }
        Self::strided(host_type, shape, strides, Elements::ZERO)
    }

    /// A view of a buffer: extents, strides in elements, and the element of the buffer at the
    /// origin. Extents of 0 are allowed here and have no elements.
    ///
    /// # Errors
    /// The lists differ in length, or the last element ends past 2^64 - 1 bytes.
    pub fn strided(
        host_type: HostType,
        shape: Vec<u64>,
        strides: Vec<u64>,
        offset: Elements,
    ) -> Result<Self, HostTensorError> {
        if shape.len() != strides.len() {
            return Err(HostTensorError::Rank {
                extents: shape.len(),
                strides: strides.len(),
            });
        }
        let span = span(&shape, &strides, offset);
        let sized = span.and_then(|span| Some((span, span.to_bytes(host_type.host_bytes())?)));
        let Some((span, bytes)) = sized else {
            return Err(HostTensorError::TooLarge {
                shape,
                strides,
                offset,
            });
        };
        Ok(Self {
            host_type,
            shape,
            strides,
            offset,
            span,
            bytes,
        })
    }

    /// The element type.
    #[must_use]
    pub fn host_type(&self) -> HostType {
        self.host_type
    }

    /// Extents of the dimensions.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Elements between neighbours along each dimension.
    #[must_use]
    pub fn strides(&self) -> &[u64] {
        &self.strides
    }

    /// Returns where in the buffer the element at the origin is.
    #[must_use]
    pub fn offset(&self) -> Elements {
        self.offset
    }

    /// Elements of the buffer up to the end of the last one that belongs to the tensor.
    #[must_use]
    pub fn span(&self) -> Elements {
        self.span
    }

    /// Bytes that the buffer must have at least.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        self.bytes
    }

    /// Returns whether two elements may be in one place of the buffer.
    ///
    /// `false` is certain. It is the result for every view of a contiguous tensor by permuting,
    /// slicing, reshaping and taking diagonals: with dimensions in order of their strides, each stride
    /// goes past all that the smaller ones reach.
    #[must_use]
    pub fn may_overlap(&self) -> bool {
        let dims = self.strides.iter().zip(&self.shape);
        let mut dims: Vec<(u64, u64)> = dims
            .map(|(&stride, &extent)| (stride, extent))
            .filter(|&(_, extent)| extent > 1)
            .collect();
        dims.sort_unstable();
        let mut reach = 0u64;
        for (stride, extent) in dims {
            if stride <= reach {
                return true;
            }
            // Only a tensor without elements can reach past 64 bits, and then either result is right.
            reach = reach.saturating_add(stride.saturating_mul(extent - 1));
        }
        false
    }
}

/// Elements from the start of the buffer to the end of the tensor.
fn span(shape: &[u64], strides: &[u64], offset: Elements) -> Option<Elements> {
    if shape.contains(&0) {
        return Some(offset);
    }
    let mut last = offset.get();
    for (&extent, &stride) in shape.iter().zip(strides) {
        last = last.checked_add((extent - 1).checked_mul(stride)?)?;
    }
    last.checked_add(1).map(Elements)
}
