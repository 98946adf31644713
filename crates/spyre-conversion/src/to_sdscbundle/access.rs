//! Tensors as the operations of a bundle access them: dimensions of the iteration space, and a window of a buffer.

use super::window::Operand;

/// How an operation accesses a tensor.
pub(super) struct Access<'p> {
    /// The iteration dimension along each dimension of the tensor; `None` where the operation has no coordinate.
    pub dims: Vec<Option<usize>>,
    /// Where the tensor is, and how loops move it.
    pub operand: Operand<'p>,
}

/// Returns the name in messages of one of the `count` tensors of an operation; the last one is the result.
pub(super) fn tensor_name(tensor: usize, count: usize) -> String {
    if tensor + 1 == count {
        "the result".to_owned()
    } else {
        format!("operand #{tensor}")
    }
}

impl Access<'_> {
    /// Returns the iteration dimension along a dimension of the tensor.
    pub(super) fn along(&self, dim: usize) -> Option<usize> {
        self.dims.get(dim).copied().flatten()
    }

    /// Returns the iteration dimension along the last dimension of the tensor.
    pub(super) fn along_last(&self) -> Option<usize> {
        self.dims.last().copied().flatten()
    }

    /// Returns the iteration dimension on the stick.
    pub(super) fn on_stick(&self) -> Option<usize> {
        self.along(self.operand.view.layout().stick_dim()?)
    }

    /// Returns whether the tensor has a device dimension for an iteration dimension.
    pub(super) fn runs_along(&self, dim: usize) -> bool {
        let layout = self.operand.view.layout();
        let mut positions =
            (0..self.dims.len()).filter(|position| self.dims[*position] == Some(dim));
        positions.any(|position| layout.device_dims_of(position).next().is_some())
    }

    /// Drops the coordinates for dimensions of one element, except for the `kept` ones.
    pub(super) fn drop_units(&mut self, kept: &[usize]) {
        for (dim, extent) in self.dims.iter_mut().zip(self.operand.view.shape()) {
            *dim = dim.filter(|dim| *extent != 1 || kept.contains(dim));
        }
    }
}
