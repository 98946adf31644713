//! Checks that loops can visit the windows of a tensor.

use melior::ir::ValueLike;
use spyre_layout::Elements;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::Val;

use crate::coarse_tile::error;
use crate::coarse_tile::find::group_op::GroupOp;
use crate::coarse_tile::plan::region::Axis;
use crate::tensor::TensorType;

/// Checks that the windows of a tensor are whole sticks and a constant distance apart. A tensor whose layout is not chosen yet is
/// not checked.
///
/// # Errors
/// The windows are not whole sticks, or not a constant distance apart.
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
        // Where steps do not divide the extent, tiles start at any multiple of the step, so the whole tensor must allow the step.
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
