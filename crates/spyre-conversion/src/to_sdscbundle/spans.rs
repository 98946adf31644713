//! Refuses operations in which a core reaches further through device memory than it can address.
//!
//! Addresses of one core are a base and an offset of limited width, so the elements of a tensor that it visits lie
//! within the target's span limit (middle-end specification, sections 0, T8, and 4.1). A window has the strides of its
//! buffer, so its span is measured there.

use spyre_analysis::spans::{of_core, too_wide};
use spyre_dialects::attr::Place;
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::Bytes;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_plan::auto_tile::Span;

use super::access::Access;
use super::error;

/// Checks that no core spans more than `limit` bytes of a tensor. `split` has the number of cores along each iteration dimension.
pub(super) fn check<'p>(
    op: DeviceOp<'p>,
    split: &[u32],
    accesses: &[Access<'p>],
    limit: Bytes,
) -> Result<(), Diagnostic<'p>> {
    for (index, Access { dims, operand }) in accesses.iter().enumerate() {
        if matches!(operand.place, Place::Lx(_)) {
            continue;
        }
        let span = of_core(
            &Span::new(operand.view.tensor()),
            operand.view.shape(),
            dims,
            split,
        );
        if span <= limit.get() {
            continue;
        }
        return Err(error(op.op(), too_wide(span, index, limit)));
    }
    Ok(())
}
