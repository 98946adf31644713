//! Matrix products.

use spyre_ods::spyre;

use crate::error::GraphError;
use crate::graph::Graph;
use crate::infer;
use crate::tensor::{Element, Tensor, TensorType};

/// The elements of operands of a product of 8-bit elements.
const OPERANDS: [Element; 3] = [Element::F8E4M3, Element::F8E5M2, Element::I8];
/// The elements of the result of a product of 8-bit elements.
const RESULTS: [Element; 2] = [Element::F16, Element::Bf16];

impl Graph<'_> {
    /// Adds `spyre.batchmatmul`: the product of the matrices in the last two dimensions. The dimensions before them are
    /// batches, which broadcast.
    ///
    /// # Errors
    /// The elements are no floats or differ, an operand has one dimension, the columns of `lhs` are not as many as the
    /// rows of `rhs`, batches do not broadcast, or an operand is of another graph.
    pub fn matmul(&mut self, lhs: Tensor, rhs: Tensor) -> Result<Tensor, GraphError> {
        let name = spyre::BATCHMATMUL;
        let element = self.types(name, &[lhs, rhs])?[0].element;
        self.check_element(name, lhs, infer::elements(name))?;
        let ty = self.product(name, lhs, rhs, element)?;
        Ok(self.add_operation(name, [lhs, rhs], ty, |_, [lhs, rhs]| {
            spyre::batchmatmul(lhs, rhs)
        }))
    }

    /// Adds the product of matrices of 8-bit elements: `spyre.batchmatmulfp8` of floats, or `spyre.batchmatmulint8` of
    /// integers. The result has 16-bit floats, of type `element`.
    ///
    /// # Errors
    /// As for [`matmul`](Self::matmul); the operands have other elements, or `element` is no 16-bit float.
    pub fn matmul_8_bits(
        &mut self,
        lhs: Tensor,
        rhs: Tensor,
        element: Element,
    ) -> Result<Tensor, GraphError> {
        let is_integer = self.types(spyre::BATCHMATMULINT8, &[lhs, rhs])?[0].element == Element::I8;
        // Elements of another type are those of neither operation.
        self.check_element("Graph::matmul_8_bits", lhs, &OPERANDS)?;
        let name = match is_integer {
            true => spyre::BATCHMATMULINT8,
            false => spyre::BATCHMATMULFP8,
        };
        self.check_result(name, lhs, element, &RESULTS)?;
        let ty = self.product(name, lhs, rhs, element)?;
        Ok(self.add_operation(
            name,
            [lhs, rhs],
            ty,
            move |_, [lhs, rhs]| match is_integer {
                true => spyre::batchmatmulint8(lhs, rhs),
                false => spyre::batchmatmulfp8(lhs, rhs),
            },
        ))
    }

    /// Returns the type of a product.
    fn product(
        &self,
        operation: &'static str,
        lhs: Tensor,
        rhs: Tensor,
        element: Element,
    ) -> Result<TensorType, GraphError> {
        self.check_same_elements(operation, lhs, rhs)?;
        let (left, right) = (self.ty(lhs), self.ty(rhs));
        let operands = || self.operands(lhs, rhs);
        let ([batches @ .., rows, columns], [other_batches @ .., other_rows, other_columns]) =
            (left.shape.as_slice(), right.shape.as_slice())
        else {
            return Err(GraphError::Rank {
                operation,
                operands: operands(),
            });
        };
        if columns != other_rows {
            return Err(GraphError::Contraction {
                operation,
                operands: operands(),
                extents: [*columns, *other_rows],
            });
        }
        let mut shape =
            infer::broadcast(batches, other_batches).map_err(|mismatch| GraphError::Broadcast {
                operation,
                operands: operands(),
                dim: mismatch.dim,
                extents: mismatch.extents,
            })?;
        let [left_batches, right_batches] =
            [(left, batches), (right, other_batches)].map(|(ty, batches)| TensorType {
                names: ty.names[..batches.len()].to_vec(),
                ..TensorType::new(batches.to_vec(), ty.element)
            });
        let mut names = infer::names(&shape, &[&left_batches, &right_batches]);
        names.push(left.names[batches.len()].clone());
        names.push(right.names[other_batches.len() + 1].clone());
        shape.extend([*rows, *other_columns]);
        Ok(TensorType {
            names,
            ..TensorType::new(shape, element)
        })
    }
}
