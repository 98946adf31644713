//! The device memory that a core addresses, and the trip counts of the loops around it.

use spyre_plan::Target;

use super::Planned;
use crate::STICK_BYTES;
use crate::codegen::{Descriptor, PlannedTensor, Role, Scale};
use crate::model::TensorArg;

/// The most trips of a loop: counters of loops have 16 bits.
const MOST_TRIPS: u64 = 65535;

/// Checks that a core addresses a limited span of each tensor, gaps included (contract, K37).
pub(super) fn spans(planned: &Planned<'_>) -> Option<String> {
    let limit = Target::CARD.span_limit_bytes.get();
    let tensors = planned.descriptor.tensors.iter().zip(&planned.op.args);
    let spans = tensors.map(|(tensor, arg)| span(planned.descriptor, tensor, arg));
    let mut wide = spans.enumerate().filter(|(_, span)| *span > limit);
    let (operand, span) = wide.next()?;
    Some(format!(
        "a core spans {span} bytes of operand {operand}, at most {limit} are possible; divide or tile the outermost \
         dimension of its layout, or choose a layout with another one outermost"
    ))
}

/// Returns the bytes from the first to the last element that a core addresses of a tensor in device memory. A sum that
/// saturates is beyond every limit.
fn span(descriptor: &Descriptor, tensor: &PlannedTensor, arg: &TensorArg) -> u64 {
    if tensor.allocation.is_lx() {
        return 0;
    }
    let per_stick = tensor.per_stick.get();
    let mut elements = per_stick;
    // A gather may read any row of its table.
    let mut chosen: &[_] = &[];
    if let Role::Value { index } = tensor.role {
        chosen = &descriptor.tensors[index].dims;
        let mut coordinates = arg.device_coordinates.iter();
        let place = coordinates.position(|coordinate| coordinate.has_indirect_access());
        let place = place.expect("a table has a coordinate that is read from its indices");
        let below = arg.device_size[place + 1..].iter();
        let below = below.fold(1, |product: u64, size| product.saturating_mul(*size));
        let rows = arg.device_size[place].max(1) - 1;
        elements = elements.saturating_add(rows.saturating_mul(below));
    }
    let full_dims = tensor.dims.iter().filter(|d| d.scale == Scale::Full);
    for dim in full_dims.filter(|d| chosen.iter().all(|other| other.dim != d.dim)) {
        let Some(planned) = descriptor.dim(dim.dim) else {
            continue;
        };
        // Strides are from one end of a dimension to the other, in sticks along the stick.
        let unit = if tensor.stick == Some(dim.dim) {
            per_stick
        } else {
            1
        };
        let whole = planned.extent.div_ceil(unit).max(1);
        let part = (planned.extent / planned.slices).div_ceil(unit).max(1);
        let apart = dim.stride.get() / whole;
        elements = elements.saturating_add((part - 1).saturating_mul(apart));
    }
    elements.saturating_mul(tensor.element_bytes.get())
}

/// Checks that parts that are separate tensors are in device memory and contiguous: such a part has the size in the
/// core stage, and its elements have no gaps (contract, K62).
pub(super) fn separate_parts(planned: &Planned<'_>) -> Option<String> {
    let descriptor = planned.descriptor;
    let tensors = descriptor.tensors.iter().zip(&planned.op.args);
    tensors.enumerate().find_map(|(operand, (tensor, arg))| {
        if !tensor.separate_parts {
            return None;
        }
        if tensor.allocation.is_lx() {
            return Some(format!(
                "operand {operand} is in LX, where each core's part is a tensor of its own anyway; leave \
                 non_unified_alloc_in_hbm out"
            ));
        }
        let full_dims = tensor.dims.iter().filter(|d| d.scale == Scale::Full);
        let sticks = full_dims.fold(1_u64, |sticks, d| {
            let dim = descriptor.dim(d.dim);
            let dim = dim.expect("a tensor has dimensions that are iterated over");
            let unit = if tensor.stick == Some(d.dim) {
                tensor.per_stick.get()
            } else {
                1
            };
            sticks.saturating_mul((dim.extent / dim.slices).div_ceil(unit))
        });
        let bytes = sticks.saturating_mul(STICK_BYTES.get());
        let span = span(descriptor, tensor, arg);
        (span != bytes).then(|| {
            format!(
                "a core's part of operand {operand} is {bytes} bytes that span {span}, but a part that is a separate tensor must \
                 be contiguous; divide its outermost dimensions only, or leave non_unified_alloc_in_hbm out"
            )
        })
    })
}

/// Checks that the loops around an operation have few trips (contract, K40).
pub(super) fn trips(planned: &Planned<'_>) -> Option<String> {
    let mut loops = planned.trips.iter().enumerate();
    let (level, trips) = loops.find(|(_, trips)| **trips > MOST_TRIPS)?;
    Some(format!(
        "loop {level} around it has {trips} trips, at most {MOST_TRIPS} are possible; take larger tiles, or two loops"
    ))
}
