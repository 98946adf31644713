//! Permuting host dimensions.

use crate::{coord::Coord, layout::Layout, view::ViewError};

impl Layout {
    /// The layout of the permuted tensor: dimension `i` of the result is dimension `permutation[i]`
    /// of this one, as `torch.permute` and `linalg.transpose` have it.
    ///
    /// Device coordinates, sizes and padding stay as they are.
    ///
    /// # Errors
    /// It is not a permutation of the dimensions.
    pub fn permute(&self, permutation: &[usize]) -> Result<Self, ViewError> {
        let inverse = inverse(permutation, self.rank())?;
        let coord = |coord: &Coord| coord.with_dims(|dim| Some(inverse[dim]));
        let coords = self.coords().iter().map(coord).collect();
        Ok(self.with_coords(self.rank(), coords, self.explicit_device_size())?)
    }
}

/// Returns where each source dimension goes.
fn inverse(permutation: &[usize], rank: usize) -> Result<Vec<usize>, ViewError> {
    let error = || ViewError::NotAPermutation {
        permutation: permutation.to_vec(),
        rank,
    };
    let mut inverse = vec![None; rank];
    for (to, &from) in permutation.iter().enumerate() {
        let place = inverse.get_mut(from).ok_or_else(error)?;
        if place.replace(to).is_some() {
            return Err(error());
        }
    }
    // A dimension that is left out has no place.
    inverse.into_iter().collect::<Option<_>>().ok_or_else(error)
}
