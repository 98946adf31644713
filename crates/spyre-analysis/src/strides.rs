//! Checks the layouts that an operation can run on: an OpSpec has one stride for each iteration dimension.
//!
//! So a dimension of such a layout is one device dimension, or the stick and one more. A layout may tile more
//! dimensions than the one on the stick; a reshape that gives each digit a separate dimension is free, and operations
//! run on its result.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};

use crate::tensor::TensorTypes;
use crate::walk::{device_ops, tensors};

/// Checks the layouts that a program gives the tensors of its operations.
///
/// # Errors
/// An operation has a layout that it cannot run on.
pub fn check_given<'p>(
    types: &TensorTypes<'p>,
    function: Op<'p>,
    pass: &str,
) -> Result<(), Diagnostic<'p>> {
    for op in ir::function_body(function)
        .map(device_ops)
        .unwrap_or_default()
    {
        for value in tensors(op) {
            // A type without a layout in device memory is refused where layouts are chosen.
            let Ok(ty) = types.get(value.r#type()) else {
                continue;
            };
            if !ty.has_layout {
                continue;
            }
            ty.device.view().operand_coords().map_err(|err| {
                let message = format!(
                    "{pass}: {err}; use tensor.expand_shape to add them, and tensor.collapse_shape to remove them"
                );
                Diagnostic::error(op.op().location(), message)
                    .note(value.location(), "the tensor is defined here")
            })?;
        }
    }
    Ok(())
}
