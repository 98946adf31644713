//! Extents of tensors, in elements.

use std::fmt;
use std::ops::Deref;

use smallvec::SmallVec;

/// The extents of a tensor, in elements; none of a scalar. The last axis is the fastest in memory.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Shape(SmallVec<[u64; 4]>);

impl Shape {
    /// Returns the extents of a scalar.
    #[must_use]
    pub fn scalar() -> Self {
        Self::default()
    }

    /// Returns the number of elements.
    ///
    /// # Panics
    /// The number does not fit into 64 bits; types of a graph have fewer than 2^63 elements.
    #[must_use]
    pub fn elements(&self) -> u64 {
        self.checked_elements()
            .expect("a shape of a graph has fewer than 2^63 elements")
    }

    /// Returns the number of elements, if it is below 2^63 when every extent of 0 counts as 1. Strides are below it as well then.
    pub(crate) fn checked_elements(&self) -> Option<u64> {
        let mut extents = self.iter();
        let most = extents.try_fold(1_u64, |product, extent| {
            product.checked_mul((*extent).max(1))
        })?;
        i64::try_from(most).ok()?;
        Some(if self.contains(&0) { 0 } else { most })
    }

    /// Returns the distances between neighbours along each axis, in elements.
    #[must_use]
    pub fn strides(&self) -> SmallVec<[u64; 4]> {
        let mut strides = SmallVec::from_elem(1, self.len());
        let mut next = 1;
        for axis in (0..self.len()).rev() {
            strides[axis] = next;
            next *= self[axis].max(1);
        }
        strides
    }

    /// Returns the shape with another extent of one axis.
    pub(crate) fn with(&self, axis: usize, extent: u64) -> Self {
        let mut shape = self.clone();
        shape.0[axis] = extent;
        shape
    }
}

impl Deref for Shape {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.0
    }
}

impl From<&[u64]> for Shape {
    fn from(extents: &[u64]) -> Self {
        Self(extents.into())
    }
}

impl FromIterator<u64> for Shape {
    fn from_iter<T: IntoIterator<Item = u64>>(extents: T) -> Self {
        Self(extents.into_iter().collect())
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &self.0[..])
    }
}
