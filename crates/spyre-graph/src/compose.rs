//! Functions that several operations compute.

use spyre_ods::spyre;

use crate::error::{GraphError, check_parameter};
use crate::graph::Graph;
use crate::infer;
use crate::reduction::ReducedDims;
use crate::tensor::{Dim, Tensor, TensorType};

impl Graph<'_> {
    /// Adds a softmax along a dimension: `e^(x - max)` over its sum, with the maximum of the dimension. Five operations.
    ///
    /// # Errors
    /// The elements are no floats, the tensor has no such dimension, or it is of another graph.
    pub fn softmax(&mut self, x: Tensor, dim: impl Into<Dim>) -> Result<Tensor, GraphError> {
        let dims = [dim.into()];
        let largest = self.max(x, &dims, ReducedDims::Kept)?;
        let shifted = self.sub(x, largest)?;
        let powers = self.exp(shifted)?;
        let sum = self.sum(powers, &dims, ReducedDims::Kept)?;
        self.realdiv(powers, sum)
    }

    /// Adds a layer norm of the last dimension: `(x - mean) / sqrt(variance + eps) * weight + bias`. Three operations.
    ///
    /// # Errors
    /// The elements are no floats of 16 or 32 bits or differ, the tensor has no last dimension of more than one
    /// element, weight or bias do not broadcast to it, `eps` is negative or not finite, or an operand is of another
    /// graph.
    pub fn layer_norm(
        &mut self,
        x: Tensor,
        weight: Tensor,
        bias: Tensor,
        eps: f64,
    ) -> Result<Tensor, GraphError> {
        let name = spyre::LAYERNORMNORM;
        let input = self.types(name, &[x, weight, bias])?[0].clone();
        let is_allowed = eps >= 0.0 && eps.is_finite();
        check_parameter(is_allowed, spyre::LAYERNORMSCALE, "eps", eps, || {
            "a finite number that is not negative".to_owned()
        })?;
        self.check_element(name, x, infer::elements(spyre::EXX2))?;
        for other in [weight, bias] {
            self.check_same_elements(name, x, other)?;
            let ty = self.broadcast(name, &[x, other], input.element)?;
            let other_shape = &self.ty(other).shape;
            if let Some(mismatch) = infer::first_repeat(&input.shape, &ty.shape, other_shape) {
                return Err(GraphError::Repeats {
                    operation: name,
                    operands: self.operands(x, other),
                    dim: mismatch.dim,
                    extents: mismatch.extents,
                });
            }
        }
        let last = input.shape.len().checked_sub(1);
        let Some(last) = last.filter(|last| input.shape[*last] > 1) else {
            return Err(GraphError::Normalised {
                operation: name,
                operand: Box::new(self.operand(x)),
            });
        };
        // A row has one scale, and a pair of moments.
        let scale_type = infer::reduction_type(&input, &[last], true);
        let mut pair_type = scale_type.clone();
        pair_type.shape[last] = 2;
        let pair = self.add_operation(spyre::EXX2, [x], pair_type, |_, [x]| spyre::exx2(x));
        let scale = self.add_operation(
            spyre::LAYERNORMSCALE,
            [pair],
            scale_type,
            move |attributes, [pair]| spyre::layernormscale(pair, attributes.f64(eps)),
        );
        let ty = TensorType {
            layout: None,
            ..input
        };
        Ok(self.add_operation(
            name,
            [x, pair, scale, weight, bias],
            ty,
            |_, [x, pair, scale, weight, bias]| spyre::layernormnorm(x, pair, scale, weight, bias),
        ))
    }
}
