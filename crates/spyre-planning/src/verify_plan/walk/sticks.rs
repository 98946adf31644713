//! The last stick of a window that an operation writes.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_mlir_rt::ir::{self, Offset, Op, OpKind};

use super::super::{Rule, broken};
use super::{Checked, Walk, into};

impl<'p> Walk<'p> {
    /// Checks that a window ends with a stick, or with its tensor: the card writes whole sticks.
    pub(super) fn check_last_stick(&self, op: Op<'p>, insert: Op<'p>) -> Checked<'p> {
        let mut window = insert;
        let mut tensor = into(insert);
        loop {
            let ty = self.types.get(tensor.r#type());
            let ty = ty.map_err(|err| broken(Rule::Place, op, err))?;
            let per_stick = ty.device.format().elements_per_stick().get();
            let (Some(dim), Some(of)) = (ty.device.layout().stick_dim(), ir::window(window)) else {
                return Ok(()); // Each stick has one element, or the window is reported elsewhere.
            };
            let (size, extent) = (of.sizes[dim].unsigned_abs(), ty.shape()[dim]);
            let end = match of.offsets[dim] {
                Offset::Static(offset) => offset.unsigned_abs() + size,
                // Windows start at whole sticks, so one of whole sticks ends with one. One with all positions starts
                // at 0, also where a loop of one iteration computes its offset.
                Offset::Value(_) => size,
            };
            if end.is_multiple_of(per_stick) {
                return Ok(());
            }
            if end != extent {
                let message = format!(
                    "window of {size} positions along dimension {dim} of a tensor of {extent} ends inside of a stick of \
                     {per_stick}, and the card overwrites the elements after it; end it with a stick or with the tensor"
                );
                return Err(
                    broken(Rule::Sticks, op, message).note(window.location(), "the window is here")
                );
            }
            match ir::defining_op(tensor) {
                // A window of a window ends where it ends in the tensor.
                Some(slice) if ir::kind(slice) == OpKind::ExtractSlice => {
                    window = slice;
                    tensor = ir::operand(slice, 0).expect("a slice has a tensor");
                }
                _ => return Ok(()),
            }
        }
    }
}
