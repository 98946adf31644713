//! Which windows of a tensor a loop can visit.

use melior::ir::ValueLike;
use spyre_layout::Elements;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::Val;

use super::error;
use super::group_op::GroupOp;
use super::region::Axis;
use crate::tensor::TensorType;

/// Checks that the windows of a tensor are whole sticks and a constant distance apart. Of a tensor whose layout is not chosen
/// yet, nobody knows.
///
/// # Errors
/// They are not.
pub fn check_windows<'p>(
    op: GroupOp<'p>,
    index: usize,
    value: Val<'p>,
    ty: &TensorType<'p>,
    region: &[Axis],
) -> Result<(), Diagnostic<'p>> {
    if !ty.has_layout {
        return Ok(());
    }
    for (host, (axis, extent)) in region.iter().zip(ty.shape()).enumerate() {
        let mut span = axis.whole;
        // Shorter tiles start anywhere on the grid of the steps, so the whole tensor must be even.
        let mut divides = true;
        for (_, step) in &axis.movement {
            divides &= span.is_multiple_of(*step);
            let within = if divides { span } else { *extent };
            if let Err(why) = ty
                .device
                .level_step(host, Elements(*step), Elements(within))
            {
                let is_operand = index + 1 < op.tensors().len();
                let name = if is_operand {
                    format!("operand #{index}")
                } else {
                    "result".to_owned()
                };
                let message = format!(
                    "{name} cannot be cut into tiles of {step} along its dimension {host}: {why}"
                );
                let diagnostic = error(op.op(), message);
                return Err(if is_operand {
                    diagnostic.note(
                        value.location(),
                        format!("the value of type {} comes from here", ty.ty),
                    )
                } else {
                    diagnostic
                });
            }
            span = *step;
        }
    }
    Ok(())
}
