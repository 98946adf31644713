//! Reductions over dimensions.

use melior::ir::Attribute;
use spyre_mlir_rt::ir::Val;
use spyre_ods::{OpParts, spyre};

use crate::error::GraphError;
use crate::graph::Graph;
use crate::infer;
use crate::tensor::{Dim, Tensor};

/// The dimensions that a reduction leaves of the ones that it reduces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReducedDims {
    /// The result does not have them.
    Dropped,
    /// The result has them with one element each, so that it broadcasts to the operand.
    Kept,
}

/// A reduction.
#[derive(Clone, Copy)]
pub struct Reduction {
    /// The name of the operation.
    pub name: &'static str,
    build: for<'p> fn(Val<'p>, Attribute<'p>) -> OpParts<'p>,
}

/// Expands to a table and a method for each of its rows. A method has the name of the constructor in `spyre-ods`.
macro_rules! reductions {
    ($($constant:ident $method:ident $definition:literal;)*) => {
        /// The reductions.
        pub static REDUCTIONS: &[Reduction] = &[
            $(Reduction { name: spyre::$constant, build: spyre::$method }),*
        ];

        impl Graph<'_> {
            $(
                #[doc = concat!("Adds `spyre.", stringify!($method), "`: ", $definition, " over some dimensions, by name or by number.")]
                ///
                /// # Errors
                /// The elements are no floats, the tensor has no such dimension, no dimension is given or one twice, or
                /// the tensor is of another graph.
                pub fn $method<D: Into<Dim> + Clone>(
                    &mut self,
                    x: Tensor,
                    dims: &[D],
                    reduced: ReducedDims,
                ) -> Result<Tensor, GraphError> {
                    let reduction = Reduction { name: spyre::$constant, build: spyre::$method };
                    self.reduce(&reduction, x, dims, reduced)
                }
            )*
        }
    };
}

reductions! {
    ABSMAX absmax "the maximum of the absolute values";
    MAX max "the maximum";
    MEAN mean "the arithmetic mean";
    MIN min "the minimum";
    PROD prod "the product";
    SUM sum "the sum";
}

impl Graph<'_> {
    /// Adds a reduction of [`REDUCTIONS`] over some dimensions.
    ///
    /// # Errors
    /// The elements are no floats, the tensor has no such dimension, no dimension is given or one twice, or the tensor is
    /// of another graph.
    pub fn reduce<D: Into<Dim> + Clone>(
        &mut self,
        reduction: &Reduction,
        x: Tensor,
        dims: &[D],
        reduced: ReducedDims,
    ) -> Result<Tensor, GraphError> {
        let Reduction { name, build } = *reduction;
        let mut dims = self.dims(name, x, dims)?;
        self.check_element(name, x, infer::elements(name))?;
        dims.sort_unstable();
        if dims.is_empty() || !dims.is_sorted_by(|a, b| a < b) {
            return Err(GraphError::Dimensions {
                operation: name,
                operand: Box::new(self.operand(x)),
                dims,
                expected: "at least one dimension, each once",
            });
        }
        let is_kept = reduced == ReducedDims::Kept;
        let ty = infer::reduction_type(self.ty(x), &dims, is_kept);
        Ok(self.add_operation(name, [x], ty, move |attributes, [x]| {
            let mark = is_kept.then(|| attributes.unit());
            build(x, attributes.dims(&dims)).with_optional("keepdim", mark)
        }))
    }
}

#[cfg(test)]
mod tests {
    use spyre_ops::{Meaning, OP_FUNCS};

    use super::*;

    #[test]
    fn the_table_has_every_reduction() {
        // Pools have the meaning of a reduction, of windows.
        let rows = OP_FUNCS.iter().filter(|row| {
            row.meaning == Some(Meaning::Reduce) && row.class == spyre_ops::OpClass::Reduction
        });
        let mut expected: Vec<String> = rows
            .filter_map(|row| row.mnemonic)
            .map(|mnemonic| format!("spyre.{mnemonic}"))
            .collect();
        expected.sort();
        let names: Vec<&str> = REDUCTIONS.iter().map(|row| row.name).collect();
        assert_eq!(names, expected);
    }
}
