//! Makes insertions take their values from operations that can write them in place.

use melior::ir::operation::OperationLike;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk};

use super::super::buffers::inserts;
use super::super::edits::{CopyBefore, Edits};
use super::super::operand;

/// Makes every insertion take its value from a device operation in its block, which can write the value in place. Other
/// values are copied.
///
/// # Errors
/// A copy cannot be built.
pub(in super::super) fn copy_sources<'p>(
    edits: &mut Edits<'p>,
    block: Blk<'p>,
    copy_before: &CopyBefore<'_, 'p>,
) -> Result<(), Diagnostic<'p>> {
    for insert in inserts(block) {
        let maker = ir::defining_op(operand(insert, 0)?).and_then(DeviceOp::cast);
        if maker.is_none_or(|maker| maker.op().block() != insert.block()) {
            edits.copy(insert, 0, copy_before)?;
        }
    }
    Ok(())
}
