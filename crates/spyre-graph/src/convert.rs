//! Casts, and views with the dimensions in another order.

use spyre_ods::spyre;

use crate::casts::{DL16, F8, can_cast, cast_between, cast_steps};
use crate::error::GraphError;
use crate::graph::Graph;
use crate::infer;
use crate::tensor::{Dim, ELEMENTS, Element, Tensor, TensorType};

/// The operand of a product of 8-bit floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantized {
    /// The left one, activations: `spyre.qfp8ch`.
    Activations,
    /// The right one, weights: `spyre.qfp8wt`.
    Weights,
}

impl Graph<'_> {
    /// Adds the casts to another type of elements, one operation or two: between 16-bit floats, `f32` and `i32`, from
    /// `i64` to all of these, and from 8-bit floats to 16-bit ones. Returns the tensor itself if it has the type.
    ///
    /// A float becomes the integer nearest to it that is not beyond it; the result is undefined if that does not fit
    /// into 32 bits. An integer becomes the nearest `f32`, and a 16-bit float by way of that. An `i64` becomes the
    /// `i32` of its low 32 bits.
    ///
    /// # Errors
    /// The two types are not among these, or the tensor is of another graph.
    pub fn cast(&mut self, x: Tensor, element: Element) -> Result<Tensor, GraphError> {
        let from = self.types(spyre::FP32TODL16, &[x])?[0].element;
        let Some(elements) = cast_steps(from, element) else {
            return Err(self.no_cast(x, element));
        };
        let mut value = x;
        for element in elements {
            let from = self.ty(value).element;
            let cast = cast_between(from, element).expect("each step is a cast");
            let ty = self.with_elements(value, element);
            let build = cast.build;
            value = self.add_operation(cast.name, [value], ty, move |_, [x]| build(x));
        }
        Ok(value)
    }

    /// Adds the cast of 16-bit floats to 8-bit ones, for an operand of [`matmul_8_bits`](Self::matmul_8_bits).
    ///
    /// # Errors
    /// The operand has no 16-bit floats, `element` is no 8-bit float, or the tensor is of another graph.
    pub fn quantize(
        &mut self,
        x: Tensor,
        element: Element,
        quantized: Quantized,
    ) -> Result<Tensor, GraphError> {
        let name = match quantized {
            Quantized::Activations => spyre::QFP8CH,
            Quantized::Weights => spyre::QFP8WT,
        };
        self.types(name, &[x])?;
        self.check_element(name, x, &DL16)?;
        self.check_result(name, x, element, &F8)?;
        let ty = self.with_elements(x, element);
        Ok(
            self.add_operation(name, [x], ty, move |_, [x]| match quantized {
                Quantized::Activations => spyre::qfp8ch(x),
                Quantized::Weights => spyre::qfp8wt(x),
            }),
        )
    }

    /// Adds `spyre.bitcast`: the same 32 bits in device memory as `f32`, `i32` or `i64`. Returns the tensor itself if it
    /// has the type.
    ///
    /// # Errors
    /// A type has no 32 bits in device memory, or the tensor is of another graph.
    pub fn bitcast(&mut self, x: Tensor, element: Element) -> Result<Tensor, GraphError> {
        let name = spyre::BITCAST;
        let from = self.types(name, &[x])?[0].element;
        let words = infer::elements(name);
        self.check_element(name, x, words)?;
        self.check_result(name, x, element, words)?;
        if from == element {
            return Ok(x);
        }
        let ty = self.with_elements(x, element);
        Ok(self.add_operation(name, [x], ty, |_, [x]| spyre::bitcast(x)))
    }

    /// Adds `spyre.permute`: dimension `i` of the result is dimension `order[i]` of the operand. No elements move.
    ///
    /// # Errors
    /// `order` has not each dimension once, a name is that of two dimensions, or the tensor is of another graph.
    pub fn permute<D: Into<Dim> + Clone>(
        &mut self,
        x: Tensor,
        order: &[D],
    ) -> Result<Tensor, GraphError> {
        let name = spyre::PERMUTE;
        let order = self.dims(name, x, order)?;
        let input = self.ty(x);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..input.shape.len()) {
            return Err(GraphError::Dimensions {
                operation: name,
                operand: Box::new(self.operand(x)),
                dims: order,
                expected: "each dimension once",
            });
        }
        let layout = input.layout.as_ref().map(|layout| {
            let permuted = layout.permute(&order);
            permuted.expect("a layout has the dimensions of its tensor")
        });
        let device_layout = self.device_layout(x).map(|layout| {
            let permuted = layout.permute(&order);
            permuted.expect("a layout has the dimensions of its tensor")
        });
        let ty = TensorType {
            names: order.iter().map(|dim| input.names[*dim].clone()).collect(),
            layout,
            ..TensorType::new(
                order.iter().map(|dim| input.shape[*dim]).collect(),
                input.element,
            )
        };
        let view = self.add_operation(name, [x], ty, move |attributes, [x]| {
            spyre::permute(x, attributes.dims(&order))
        });
        // No pass of layouts chooses the layout of a view.
        self.function.nodes[view.node].device_layout = device_layout;
        Ok(view)
    }

    /// Returns the type of a tensor with other elements, without a layout: sticks of other elements have another number.
    fn with_elements(&self, x: Tensor, element: Element) -> TensorType {
        let input = self.ty(x);
        TensorType {
            names: input.names.clone(),
            ..TensorType::new(input.shape.clone(), element)
        }
    }

    fn no_cast(&self, x: Tensor, element: Element) -> GraphError {
        let from = self.ty(x).element;
        let allowed = ELEMENTS.into_iter().filter(|to| can_cast(from, *to));
        GraphError::Cast {
            operand: Box::new(self.operand(x)),
            element,
            allowed: allowed.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::casts::CASTS;
    use crate::dialect_tests::{pairs, verifies};

    #[test]
    fn casts_have_the_elements_of_the_dialect() {
        let context = spyre_exec::context();
        let shape: &[u64] = &[4, 64];
        for cast in &CASTS {
            for (from, to) in pairs() {
                let is_cast = cast.from.contains(&from) && cast.to.contains(&to);
                let is_verified = verifies(&context, cast.name, "", &[(shape, from)], (shape, to));
                // Bits are a cast from i64 to i32 alone.
                let is_expected = match cast.name {
                    spyre::BITCAST => is_verified || !is_cast,
                    _ => is_verified == is_cast,
                };
                assert!(is_expected, "{} from {from} to {to}", cast.name);
            }
        }
    }

    #[test]
    fn steps_are_at_most_two_casts() {
        assert_eq!(cast_steps(Element::F16, Element::F16), Some(vec![]));
        assert_eq!(
            cast_steps(Element::F16, Element::F32),
            Some(vec![Element::F32])
        );
        assert_eq!(
            cast_steps(Element::F16, Element::I32),
            Some(vec![Element::F32, Element::I32])
        );
        assert_eq!(
            cast_steps(Element::F16, Element::Bf16),
            Some(vec![Element::F32, Element::Bf16])
        );
        assert_eq!(
            cast_steps(Element::I64, Element::I32),
            Some(vec![Element::I32])
        );
        assert_eq!(cast_steps(Element::Bool, Element::F16), None);
        assert_eq!(cast_steps(Element::F32, Element::F8E4M3), None);
    }
}
