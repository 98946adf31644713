//! Gathers and scatters.

use super::Planned;
use crate::STICK_BYTES;
use crate::codegen::Role;

/// Checks that indices and their tables are in device memory (contract, K42).
pub(super) fn places(planned: &Planned<'_>) -> Option<String> {
    let mut tensors = planned.descriptor.tensors.iter().enumerate();
    let (operand, _) =
        tensors.find(|(_, tensor)| tensor.role != Role::Plain && tensor.allocation.is_lx())?;
    Some(format!(
        "operand {operand} of an indirect access is in LX, which has no indirect addresses; put it into device memory"
    ))
}

/// Checks that a core has whole sticks of indices, or less than one (contract, K44).
pub(super) fn sticks(planned: &Planned<'_>) -> Option<String> {
    let descriptor = planned.descriptor;
    let mut indices = descriptor.tensors.iter().enumerate();
    let (operand, tensor) = indices.find(|(_, tensor)| tensor.is_index())?;
    let dim = descriptor.dim(tensor.stick?)?;
    let (slice_extent, stick) = (dim.extent / dim.slices, tensor.per_stick.get());
    (slice_extent > stick && !slice_extent.is_multiple_of(stick)).then(|| {
        format!(
            "a core has {slice_extent} indices along {}, the stick of operand {operand}, which are neither whole sticks of {stick} \
             nor less than one; give it {} indices, the last {} of which choose any row",
            dim.dim,
            slice_extent.next_multiple_of(stick),
            slice_extent.next_multiple_of(stick) - slice_extent
        )
    })
}

/// Checks that a loop moves indices by whole sticks (contract, K46).
pub(super) fn steps(planned: &Planned<'_>) -> Option<String> {
    let mut indices = planned.descriptor.tensors.iter().enumerate();
    let (operand, tensor) = indices.find(|(_, tensor)| tensor.is_index())?;
    let stick = STICK_BYTES.get();
    let mut steps = tensor.steps.iter();
    let step = steps.find(|step| !step.bytes.get().is_multiple_of(stick))?;
    Some(format!(
        "the indices of operand {operand} advance by {} bytes per trip of loop {}, which are not whole sticks of {stick}; \
         take whole sticks of indices per trip",
        step.bytes.get(),
        step.level
    ))
}
