//! Computes programs of device operations on tensors, from their documented meaning alone.
//!
//! [`run`] walks over the operations of a function, tiled or not, and computes each on arrays in row-major order, by
//! the tables of the documentation. The crate shares no code with the parts that compile programs or simulate the card:
//! it reads operations by their names and attributes, evaluates affine maps itself, and rounds with the `half` crate.
//! So its results are the reference for all other parts. Layouts, places, splits and hints do not change them.
//!
//! [`mod@array`] has the tensors of inputs and results, and `tensor` the intermediate ones. `evaluate` follows control
//! flow and windows; `rules` has the rule of each operation, and `elementwise` and `reduce` compute. [`mod@ranges`]
//! computes bounds of the results that the card may give, in the formats of the card.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod array;
mod elementwise;
mod evaluate;
mod index;
mod interval;
pub mod ranges;
mod read;
mod reduce;
mod rules;
mod tensor;
mod windows;

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use spyre_cpp as _;

use melior::ir::attribute::StringAttribute;
use melior::ir::block::BlockLike;
use spyre_mlir_rt::ir::{self, Op};
use thiserror::Error;

pub use array::{Array, ArrayError, Scalar};
pub use spyre_mlir_rt::execution::{Element as DType, Signature, TensorType};

pub use rules::operations;

use evaluate::Frame;
use tensor::Tensor;

/// The reason why a function cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InterpretError {
    /// The function has an argument or a result that is no tensor of static extents, or the inputs do not match it.
    #[error("{0}")]
    Signature(String),
    /// An operation has no meaning here.
    #[error("{op}: {reason}")]
    Operation {
        /// The name.
        op: String,
        /// The reason.
        reason: String,
    },
    /// A result is no array.
    #[error(transparent)]
    Result(#[from] ArrayError),
}

/// Returns the function of a module with this name.
#[must_use]
pub fn function<'p>(module: Op<'p>, name: &str) -> Option<Op<'p>> {
    ir::operations(ir::body(module)?).find(|op| {
        let symbol = ir::attribute(*op, "sym_name");
        let symbol = symbol.and_then(|symbol| StringAttribute::try_from(symbol).ok());
        ir::name(*op) == "func.func" && symbol.is_some_and(|symbol| symbol.value() == name)
    })
}

/// Runs a function on tensors. The elements of `spyre.empty` are NaN, and bytes 0xA5 for integers.
///
/// # Errors
/// [`InterpretError`].
pub fn run(function: Op<'_>, inputs: &[Array]) -> Result<Vec<Array>, InterpretError> {
    let returned = results_of(function, inputs, Frame::default())?;
    returned
        .iter()
        .map(|tensor| Ok(tensor.to_array()?))
        .collect()
}

/// Evaluates a function on tensors, and returns its results.
fn results_of(
    function: Op<'_>,
    inputs: &[Array],
    mut frame: Frame,
) -> Result<Vec<Tensor>, InterpretError> {
    let wrong = |reason: String| InterpretError::Signature(reason);
    let signature =
        Signature::from_function(function).map_err(|err| wrong(err.message().to_owned()))?;
    let actual: Vec<&TensorType> = inputs.iter().map(Array::ty).collect();
    if !signature.inputs.iter().eq(actual) {
        return Err(wrong(format!("the inputs are not those of {signature}")));
    }
    for ty in signature.inputs.iter().chain(&signature.outputs) {
        tensor::check(ty.element).map_err(wrong)?;
    }
    let body = ir::function_body(function).ok_or_else(|| wrong("it has no body".to_owned()))?;
    for (position, input) in inputs.iter().enumerate() {
        let argument = body
            .argument(position)
            .map_err(|err| wrong(err.to_string()))?;
        frame.set(argument.into(), Tensor::of_array(input));
    }
    frame.block(body)
}
