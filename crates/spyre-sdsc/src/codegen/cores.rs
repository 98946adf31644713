//! Division of the work over cores (SDSC bundle specification, sections 4.7 and 4.8).

use spyre_plan::CoreMapping;

use super::PlanOptions;
use super::context::Context;
use super::descriptor::{PlannedTensor, Scale};
use super::dims::Space;
use crate::error::Error;
use crate::ops::OpClass;

/// Checks the division and says which core works on which slices of the dimensions.
pub(super) fn divide(
    context: &Context<'_>,
    class: OpClass,
    space: &Space,
    tensors: &[PlannedTensor],
    options: &PlanOptions,
) -> Result<CoreMapping, Error> {
    let cores = context.product(
        space.dims.iter().map(|dim| dim.slices),
        "the number of cores",
    )?;
    if cores > u64::from(options.max_cores) || cores == 0 {
        return Err(context.inconsistent(format!(
            "work is divided over {cores} of {} cores",
            options.max_cores
        )));
    }
    for dim in &space.dims {
        if !dim.extent.is_multiple_of(dim.slices) {
            return Err(context.inconsistent(format!(
                "extent {} of {} is not divisible into {} slices",
                dim.extent, dim.dim, dim.slices
            )));
        }
    }
    for (position, tensor) in tensors.iter().enumerate() {
        check_addresses(context, space, position, tensor)?;
    }
    // None is more than their product, the number of cores.
    let splits: Result<Vec<u32>, _> = space.dims.iter().map(|d| u32::try_from(d.slices)).collect();
    let splits = splits.map_err(|_| context.overflow("a number of slices"))?;
    let k_is_split = splits.last().is_some_and(|&slices| slices > 1);
    let k_fast = (class == OpClass::Matmul && k_is_split && options.k_fast)
        .then(|| splits.len().saturating_sub(1));
    CoreMapping::new(&splits, k_fast).map_err(|error| context.inconsistent(error.to_string()))
}

/// Every core's address must be exact and fit; after this, [`Descriptor::core_offset`] cannot overflow.
///
/// [`Descriptor::core_offset`]: super::Descriptor::core_offset
fn check_addresses(
    context: &Context<'_>,
    space: &Space,
    position: usize,
    tensor: &PlannedTensor,
) -> Result<(), Error> {
    if tensor.allocation.is_lx() {
        return Ok(());
    }
    let mut furthest = tensor.slice_offset().get();
    for dim in tensor.dims.iter().filter(|d| d.scale == Scale::Full) {
        let Some(planned) = space.get(dim.dim).filter(|planned| planned.slices > 1) else {
            continue;
        };
        if let Some(runtime) = &planned.runtime {
            // The start of a core's part depends on the runtime size; no form of address is defined for that.
            return Err(context.unsupported(format!(
                "operand {position} in device memory is split over cores along {}, whose size {} is only known \
                 at run time",
                dim.dim, runtime.symbol
            )));
        }
        let stride = dim.stride.get();
        if !stride.is_multiple_of(planned.slices) {
            return Err(context.inconsistent(format!(
                "operand {position}: {stride} elements along {} are not divisible into {} slices",
                dim.dim, planned.slices
            )));
        }
        furthest = context
            .product([stride, planned.slices], "a core's address")
            .ok()
            .and_then(|_| furthest.checked_add(stride))
            .ok_or_else(|| context.overflow("a core's address"))?;
    }
    let bytes = context.product([furthest, tensor.element_bytes.get()], "a core's address")?;
    let start = match tensor.allocation {
        crate::Allocation::Hbm { offset, .. } | crate::Allocation::HbmPool { offset } => {
            offset.get()
        }
        crate::Allocation::Lx { address } => address.get(),
    };
    match bytes.checked_add(start) {
        Some(address) if i64::try_from(address).is_ok() => Ok(()),
        _ => Err(context.overflow("a core's address")),
    }
}
