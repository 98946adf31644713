//! Gathers and searches along a dimension.

use spyre_ods::spyre;

use crate::error::{GraphError, check_parameter};
use crate::graph::Graph;
use crate::infer;
use crate::tensor::{Dim, Element, Tensor, TensorType};

/// The elements of positions that are integers.
const INTEGERS: [Element; 2] = [Element::I32, Element::I64];

/// Returns the largest integer up to which a float type has all of them, on the host and on the card, of which the
/// 16-bit floats have 9 bits of fraction; `None` for a type that positions do not have.
fn most_exact_position(element: Element) -> Option<u64> {
    match element {
        Element::F16 => Some(1 << 10),
        Element::Bf16 => Some(1 << 8),
        Element::F32 => Some(1 << 24),
        _ => None,
    }
}

impl Graph<'_> {
    /// Adds `spyre.gather`: the parts of a table that indices choose along a dimension. The result has the dimensions of
    /// the indices in the place of that one.
    ///
    /// # Errors
    /// The indices are no `i32` or have no dimension, the table has no floats of 16 or 32 bits or no such dimension, or an
    /// operand is of another graph.
    pub fn gather(
        &mut self,
        indices: Tensor,
        table: Tensor,
        dim: impl Into<Dim>,
    ) -> Result<Tensor, GraphError> {
        let name = spyre::GATHER;
        self.types(name, &[indices, table])?;
        self.check_element(name, indices, &[Element::I32])?;
        self.check_element(name, table, infer::elements(name))?;
        let dim = self.dims(name, table, &[dim.into()])?[0];
        let (index_type, table_type) = (self.ty(indices), self.ty(table));
        if index_type.shape.is_empty() {
            return Err(GraphError::Dimensions {
                operation: name,
                operand: Box::new(self.operand(indices)),
                dims: Vec::new(),
                expected: "indices with a dimension",
            });
        }
        let mut shape = table_type.shape.clone();
        let mut names = table_type.names.clone();
        shape.splice(dim..=dim, index_type.shape.iter().copied());
        names.splice(dim..=dim, index_type.names.iter().cloned());
        let ty = TensorType {
            names,
            ..TensorType::new(shape, table_type.element)
        };
        Ok(self.add_operation(
            name,
            [indices, table],
            ty,
            move |attributes, [indices, table]| spyre::gather(indices, table, attributes.i64(dim)),
        ))
    }

    /// Adds `spyre.topkvalue`: the `k` largest elements along a dimension, in descending order.
    ///
    /// # Errors
    /// The elements are no floats, the tensor has no such dimension, `k` is 0 or above the extent, or the tensor is of
    /// another graph.
    pub fn topkvalue(
        &mut self,
        x: Tensor,
        dim: impl Into<Dim>,
        k: usize,
    ) -> Result<Tensor, GraphError> {
        let name = spyre::TOPKVALUE;
        let (dim, ty) = self.search_type(name, x, dim.into(), k)?;
        Ok(self.add_operation(name, [x], ty, move |attributes, [x]| {
            spyre::topkvalue(x, attributes.i64(dim), attributes.i64(k))
        }))
    }

    /// Adds `spyre.topkindex`: the positions of the `k` largest elements along a dimension. The positions are integers, or
    /// floats of the type of the operand, if that has each position: up to 1024 in `f16`, 256 in `bf16`, 2^24 in `f32`.
    ///
    /// # Errors
    /// As for [`topkvalue`](Self::topkvalue); `element` is neither an integer of 32 or 64 bits nor the type of an
    /// operand of 16 or 32 bits, or does not have each position.
    pub fn topkindex(
        &mut self,
        x: Tensor,
        dim: impl Into<Dim>,
        k: usize,
        element: Element,
    ) -> Result<Tensor, GraphError> {
        let name = spyre::TOPKINDEX;
        let (dim, mut ty) = self.search_type(name, x, dim.into(), k)?;
        let most = most_exact_position(ty.element);
        let mut allowed = INTEGERS.to_vec();
        allowed.extend(most.map(|_| ty.element));
        self.check_result(name, x, element, &allowed)?;
        let extent = self.ty(x).shape[dim];
        if let Some(most) = most.filter(|most| element == ty.element && extent - 1 > *most) {
            return Err(GraphError::Positions {
                operation: name,
                operand: Box::new(self.operand(x)),
                dim,
                extent,
                most,
            });
        }
        ty.element = element;
        Ok(self.add_operation(name, [x], ty, move |attributes, [x]| {
            spyre::topkindex(x, attributes.i64(dim), attributes.i64(k))
        }))
    }

    /// Returns the dimension of a search, by number, and the type of its values.
    fn search_type(
        &self,
        operation: &'static str,
        x: Tensor,
        dim: Dim,
        k: usize,
    ) -> Result<(usize, TensorType), GraphError> {
        let dim = self.dims(operation, x, &[dim])?[0];
        self.check_element(operation, x, infer::elements(operation))?;
        let input = self.ty(x);
        let extent = input.shape[dim];
        check_parameter(
            (1..=extent).contains(&(k as u64)),
            operation,
            "k",
            k,
            || format!("a number from 1 to {extent}, the extent of dimension {dim}"),
        )?;
        let mut ty = TensorType {
            names: input.names.clone(),
            ..TensorType::new(input.shape.clone(), input.element)
        };
        ty.shape[dim] = k as u64;
        ty.names[dim] = None;
        Ok((dim, ty))
    }
}
