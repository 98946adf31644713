//! Pairs of sticks: a cast to 32 bits leaves the elements of one stick in two, in another order.

use spyre_dialects::device_op::DeviceOp;
use spyre_layout::Arrangement;

use super::super::access::Access;
use super::super::window::Operand;
use super::indices_of;
use super::whole::together;

/// Returns whether an operand is one element along the stick of a longer tensor in the order that a cast leaves, pairs of sticks.
/// No document states which of the two sticks has the element.
pub(super) fn is_one_of_a_pair(operand: &Operand<'_>) -> bool {
    let layout = operand.view.layout();
    let host = layout.stick_dim();
    layout.arrangement().is_staggered()
        && host.is_some_and(|host| operand.extent(host) == 1 && operand.is_long(host))
}

/// Returns the iteration dimension of one element along which an operation runs over a pair of sticks, since it visits one element
/// of the pair.
///
/// # Errors
/// Another operand that does not have the pair.
pub(in super::super) fn one_of_a_pair(
    op: DeviceOp<'_>,
    accesses: &[Access<'_>],
) -> Result<Option<usize>, String> {
    let first = indices_of(op);
    let mut pairs = accesses
        .iter()
        .filter(|access| is_one_of_a_pair(&access.operand));
    let Some(dim) = pairs.next().and_then(Access::on_stick) else {
        return Ok(None);
    };
    let mut others = accesses.iter().enumerate().skip(first);
    match others.find(|(_, access)| access.on_stick() != Some(dim)) {
        None => Ok(Some(dim)),
        Some((tensor, _)) => Err(format!(
            "visits one element of a pair of sticks that a cast to 32 bits has written, but tensor #{tensor} does not \
             have dimension {dim} on its stick; tile that dimension so that more than one element is left, or cast back first"
        )),
    }
}

/// Drops the coordinates along a `pair` of sticks of the operands with one stick there. Their single element is repeated for all
/// elements that the operation runs over, like the element of a column.
///
/// # Errors
/// An operand that no operation can read.
pub(in super::super) fn repeat_single_elements(
    pair: usize,
    accesses: &mut [Access<'_>],
) -> Result<(), String> {
    let both = accesses
        .iter()
        .map(|access| together(&access.operand.view))
        .max();
    let Some((_, operands)) = accesses.split_last_mut() else {
        return Ok(());
    };
    for Access { dims, operand } in operands {
        let held = operand.view.room_along_stick();
        let held = held.map_err(|err| err.to_string())?.get();
        for dim in dims.iter_mut().filter(|dim| **dim == Some(pair)) {
            *dim = dim.filter(|_| Some(held) >= both);
        }
    }
    Ok(())
}

/// Refuses to reduce a part of a tensor that a cast has left in pairs of sticks: a mask selects elements by their positions,
/// which are not known.
///
/// # Errors
/// The extent that is no whole number of pairs.
pub(super) fn check_reduced(op: DeviceOp<'_>, accesses: &[Access<'_>]) -> Result<(), String> {
    let Some((access, result)) = accesses.first().zip(accesses.last()) else {
        return Ok(());
    };
    let (input, view) = (&access.operand, &access.operand.view);
    let (arrangement, unit) = (view.layout().arrangement(), together(view));
    let Some(host) = view.layout().stick_dim() else {
        return Ok(());
    };
    let is_kept = |dim: usize| result.dims.contains(&Some(dim));
    let is_reduced = op.reduction_dims() > 0 && access.on_stick().is_some_and(|dim| !is_kept(dim));
    let extent = input.extent(host);
    if arrangement == Arrangement::Standard || !is_reduced || extent.is_multiple_of(unit) {
        return Ok(());
    }
    Err(format!(
        "reduces {extent} elements in the order {arrangement}, whole sticks of {unit} of which are known only all together; \
         cast back before"
    ))
}
