//! The stick dimensions of the tensors of one operation.

use spyre_ops::{OpClass, OpFunc, StickRule};

use super::Planned;
use crate::codegen::{Layout, StickDim};

/// Checks that the tensors of an elementwise operation have the same stick, sizes included (contract, K25).
pub(super) fn elementwise(planned: &Planned<'_>) -> Option<String> {
    // Functions outside of the table may have other rules, and casts do.
    if OpClass::by_name(&planned.op.op) != Some(OpClass::Pointwise) {
        return None;
    }
    let layouts = planned.descriptor.layouts.as_slice();
    let (first, others) = layouts.split_first()?;
    let other = others.iter().find(|layout| layout.sticks != first.sticks)?;
    Some(format!(
        "has tensors with {} along the stick and tensors with {}, which must be alike; give them formats of one width, or \
         restickify some",
        words(first),
        words(other)
    ))
}

/// Checks that the two tensors of a restickify have different dimensions along the stick (contract, K35).
pub(super) fn restickify(planned: &Planned<'_>) -> Option<String> {
    let row = OpFunc::of(&planned.op.op)?;
    if row.stick != StickRule::Restickify {
        return None;
    }
    let [input, output] = planned.descriptor.tensors.as_slice() else {
        return None;
    };
    let stick = input.stick.filter(|stick| output.stick == Some(*stick))?;
    Some(format!(
        "has {stick} along the stick of its input and of its output; copy with `identity` instead"
    ))
}

/// The dimensions along the stick of a layout, with their elements: `64 of out`.
fn words(layout: &Layout) -> String {
    let sticks = layout.sticks.iter();
    let sticks = sticks.map(|StickDim { dim, size }| format!("{} of {dim}", size.get()));
    sticks.collect::<Vec<_>>().join(" and ")
}
