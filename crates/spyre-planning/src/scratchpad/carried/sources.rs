//! Makes insertions take their values from operations that can write them in place.

use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk};

use super::super::buffers::inserts;
use super::super::draft::{Divide, Draft};

/// Makes every insertion take its value from a device operation in its block, which can write the value in place. Other
/// values are copied.
///
/// # Errors
/// A copy cannot be built.
pub(in super::super) fn copy_sources<'p>(
    draft: &mut Draft<'p>,
    block: Blk<'p>,
    divide: &Divide<'_, 'p>,
) -> Result<(), Diagnostic<'p>> {
    for insert in inserts(draft, block) {
        let maker = ir::defining_op(draft.operand(insert, 0)?).and_then(DeviceOp::cast);
        if maker.is_none_or(|maker| draft.block(maker.op()) != draft.block(insert)) {
            draft.copy(insert, 0, divide)?;
        }
    }
    Ok(())
}
