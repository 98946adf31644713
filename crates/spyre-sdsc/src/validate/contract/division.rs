//! The division of an operation over cores.

use spyre_ops::OpClass;

use super::Planned;
use crate::codegen::{Dim, PlannedDim, PlannedTensor, Scale};

impl Planned<'_> {
    /// Returns whether a tensor has a dimension in memory.
    pub(super) fn has(tensor: &PlannedTensor, dim: Dim) -> bool {
        tensor.dim(dim).is_some_and(|d| d.scale == Scale::Full)
    }

    /// Returns the dimensions that an input has and the output lacks.
    pub(super) fn reduced(&self) -> Vec<&PlannedDim> {
        let Some((output, inputs)) = self.descriptor.tensors.split_last() else {
            return Vec::new();
        };
        let dims = self.descriptor.dims.iter();
        let reduced = dims.filter(|planned| {
            let read = inputs.iter().any(|input| Self::has(input, planned.dim));
            read && !Self::has(output, planned.dim)
        });
        reduced.collect()
    }

    /// Returns the family of the operation.
    pub(super) fn class(&self) -> OpClass {
        OpClass::of_spec(&self.op.op, self.op.is_reduction)
    }
}

/// Checks that cores do not divide a masked dimension (contract, K11).
pub(super) fn masks(planned: &Planned<'_>) -> Option<String> {
    let mut masks = planned.descriptor.masks.iter();
    let (mask, slices) = masks.find_map(|mask| {
        let slices = planned.descriptor.dim(mask.dim)?.slices;
        (slices > 1).then_some((mask, slices))
    })?;
    Some(format!(
        "the last {} of {} elements along {} are masked, and cores divide it into {slices} slices; divide it into 1",
        mask.len,
        mask.start + mask.len,
        mask.dim
    ))
}

/// Checks that each core has whole sticks of each dimension along a stick: 128 bytes; where tensors of several widths
/// share the dimension, sticks of the narrowest elements count (contract, K36).
pub(super) fn sticks(planned: &Planned<'_>) -> Option<String> {
    let descriptor = planned.descriptor;
    descriptor.dims.iter().find_map(|dim| {
        // Sticks of indices have a separate rule.
        let tensors = descriptor.tensors.iter().enumerate();
        let along = tensors.filter(|(_, tensor)| !tensor.is_index());
        let along = along.filter_map(|(operand, tensor)| {
            let layout = descriptor.layout(tensor)?;
            let stick = layout.sticks.iter().find(|stick| stick.dim == dim.dim)?;
            Some((stick.size.get(), operand))
        });
        let (stick, operand) = along.max()?;
        let slice_extent = dim.extent / dim.slices;
        (!slice_extent.is_multiple_of(stick)).then(|| {
            format!(
                "a core has {slice_extent} elements along {}, which are not whole sticks of {stick} as operand {operand} has them; \
                 {}",
                dim.dim,
                if dim.slices > 1 {
                    "divide it into fewer slices"
                } else {
                    "give every tensor whole sticks of it"
                }
            )
        })
    })
}

/// Checks that cores divide at most one of the dimensions that are reduced (contract, K38).
pub(super) fn reductions(planned: &Planned<'_>) -> Option<String> {
    let divided = planned.reduced().into_iter().filter(|dim| dim.slices > 1);
    let divided: Vec<String> = divided
        .map(|dim| format!("{} into {} slices", dim.dim, dim.slices))
        .collect();
    (divided.len() > 1).then(|| {
        format!(
            "cores divide several reduced dimensions, {}, of which only one can be; divide the others into 1",
            divided.join(" and ")
        )
    })
}

/// Checks that the dimensions that one core must see whole are not divided: the searched dimension of a top-k, the
/// gathered dimension of a table, and windows (contract, K41). Planning rejects the last two, and divided windows that
/// are further apart than one element; masked dimensions have a separate rule.
pub(super) fn whole(planned: &Planned<'_>) -> Option<String> {
    if planned.class() != OpClass::TopK {
        return None;
    }
    let searched = planned.reduced().into_iter().find(|dim| dim.slices > 1)?;
    Some(format!(
        "cores divide {}, which is searched, into {} slices; divide it into 1",
        searched.dim, searched.slices
    ))
}
