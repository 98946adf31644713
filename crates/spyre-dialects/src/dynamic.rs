//! Dynamic extents: `#spyre.dynamic` and `spyre.dim_size`.

use melior::Context;
use melior::ir::operation::OperationRef;
use melior::ir::{Attribute, AttributeLike};
use spyre_plan::DynamicExtent;

use crate::attr::text;
use crate::ffi;

/// Reads a `#spyre.dynamic`. `None` for any other attribute.
#[must_use]
pub fn dynamic_extent(attribute: Attribute<'_>) -> Option<DynamicExtent> {
    let raw = attribute.to_raw();
    // SAFETY: a live attribute; the accessors match its kind.
    let (granularity, max) = unsafe {
        if !ffi::spyreAttributeIsADynamic(raw) {
            return None;
        }
        (
            ffi::spyreDynamicGetGranularity(raw),
            ffi::spyreDynamicGetMax(raw),
        )
    };
    DynamicExtent::new(u64::try_from(granularity).ok()?, u64::try_from(max).ok()?)
}

/// Builds a `#spyre.dynamic`.
#[must_use]
pub fn dynamic_extent_attribute(context: &Context, extent: DynamicExtent) -> Attribute<'_> {
    let (granularity, max) = (extent.granularity(), extent.max());
    // SAFETY: the context is live, and the numbers are of a valid extent.
    unsafe {
        Attribute::from_raw(ffi::spyreDynamicGet(
            context.to_raw(),
            granularity.cast_signed(),
            max.cast_signed(),
        ))
    }
}

/// Returns the name of the dimension that a `spyre.dim_size` has the extent of; `None` for any
/// other operation.
#[must_use]
pub fn dim_size(op: OperationRef<'_, '_>) -> Option<String> {
    // SAFETY: a live operation; the accessor matches its kind.
    unsafe {
        ffi::spyreOperationIsADimSize(op.to_raw())
            .then(|| text(ffi::spyreDimSizeGetDim(op.to_raw())))
    }
}
