//! The flavour of the reference's emitter, which the scheduler of the published compiler reads.
//!
//! Each device operation is one stage: loads, one operation of `linalg`, and a store. No tensor crosses a stage, so
//! all values are in device memory, and each stage has its own views of whole buffers. Tensors have the device
//! dimensions. The scheduler takes few operations; what has no form is refused with a label, before anything is built:
//! `plan` decides everything, and `emit` builds what the plan has.
//!
//! * `limits`: the table of forms and of refusals;
//! * `recipes`: what each operation becomes;
//! * `axes` and `nest`: device dimensions, indices of windows and of the parts of cores, and maps;
//! * `refusals`: what is refused before the plan is read;
//! * `plan`, `emit` and `structured`: the stages, and their operations.

mod axes;
mod emit;
mod limits;
mod nest;
mod plan;
mod recipes;
mod refusals;
mod structured;

use melior::Context;
use melior::ir::operation::OperationLike;
use spyre_analysis::tensor::TensorTypes;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{Blk, Op};

use self::limits::Label;
use crate::PASS;

/// Returns the error of a program that the flavour does not have.
fn refuse<'p>(op: Op<'p>, label: Label, message: impl std::fmt::Display) -> Diagnostic<'p> {
    let way_out = label.refusal().way_out;
    let text = format!("{PASS}: [ktir-upstream: {label}] {message}; {way_out}");
    Diagnostic::error(op.location(), text)
}

/// Builds the function of a planned kernel before the kernel. Returns the number of its operations.
///
/// # Errors
/// The kernel has an operation or a construct that the flavour does not have.
pub(crate) fn convert<'p>(
    context: &'p Context,
    types: &TensorTypes<'p>,
    kernel: Op<'p>,
    body: Blk<'p>,
) -> Result<usize, Diagnostic<'p>> {
    refusals::check(types, body)?;
    let plan = plan::Plan::of(context, types, kernel, body)?;
    emit::function(context, kernel, &plan);
    Ok(plan.operations)
}
