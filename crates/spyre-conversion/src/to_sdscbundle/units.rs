//! Dimensions of one element, for which tensors may have no coordinates (middle-end specification, sections 1.1 and 2.4).

use spyre_dialects::device_op::DeviceOp;
use spyre_ops::OpClass;

use super::access::Access;
use super::{gathers, sticks};

/// Drops the coordinates of dimensions of one element where the operation needs none. Returns whether dimensions of one element without
/// any coordinate are left out of its space.
///
/// # Errors
/// An operand that no operation can read.
pub(super) fn drop_units(op: DeviceOp<'_>, accesses: &mut [Access<'_>]) -> Result<bool, String> {
    if squeezes(op) || is_copy_of_column(op, accesses) {
        let mut kept = gathers::kept(op, accesses);
        let pair = sticks::one_of_a_pair(op, accesses)?;
        kept.extend(pair);
        accesses
            .iter_mut()
            .for_each(|access| access.drop_units(&kept));
        if let Some(pair) = pair {
            sticks::repeat_single_elements(pair, accesses)?;
        }
        return Ok(true);
    }
    let is_cast = op.facts().class == OpClass::Cast;
    if is_cast {
        // A reshape leaves no device dimension for some dimensions of one element.
        let result = accesses.last().expect("an operation has a result");
        let extents = op.iteration_space();
        let kept = |dim: usize| extents.get(dim) != Some(&1) || result.runs_along(dim);
        let kept: Vec<usize> = (0..extents.len()).filter(|dim| kept(*dim)).collect();
        accesses
            .iter_mut()
            .for_each(|access| access.drop_units(&kept));
    }
    Ok(is_cast)
}

/// Returns whether an operation has no coordinates for dimensions of one element. Such a dimension on a stick does not count as one on
/// a stick: the tensors of an operation may have different ones there, and a reduction to one has one element in each stick.
fn squeezes(op: DeviceOp<'_>) -> bool {
    if op.gathered_dim().is_some() {
        return true;
    }
    matches!(
        op.facts().class,
        OpClass::Pointwise | OpClass::Reduction | OpClass::TopK | OpClass::Conv | OpClass::Pool
    )
}

/// Returns whether a copy has different dimensions of one element on the sticks of its two sides. It then counts as having none
/// there.
fn is_copy_of_column(op: DeviceOp<'_>, accesses: &[Access<'_>]) -> bool {
    let stick = |access: Option<&Access<'_>>| access.map(Access::on_stick);
    op.facts().is_copy() && stick(accesses.first()) != stick(accesses.last())
}
