//! Checks that the tensors of an operation have the same dimension on their sticks, whether or not their types have a layout.
//!
//! * `whole` checks that they have room for whole sticks of it.
//! * `pairs` has the checks for casts that leave the elements of one stick in two.

mod pairs;
mod whole;

use spyre_dialects::device_op::DeviceOp;
use spyre_ops::{OpClass, StickRule};

use super::access::{Access, tensor_name};

pub(super) use pairs::{one_of_a_pair, repeat_single_elements};
pub(super) use whole::{check_beside_sticks, whole_sticks_of_all};

/// Checks the constraints S3, S4 and S8 for the buffers that are addressed. The verifier checks them for tensors with
/// layouts in their types. A permuted view of a tensor without a layout, for one, has another stick than its type would
/// have.
///
/// # Errors
/// The dimensions that are on the sticks, and the passes that would help.
pub(super) fn check(op: DeviceOp<'_>, accesses: &[Access<'_>]) -> Result<(), String> {
    if let Some(searched) = op.searched_dim() {
        return check_search(op, searched, accesses);
    }
    if let Some(gathered) = op.gathered_dim() {
        return check_gather(op, gathered, accesses);
    }
    whole::check_widths(op, accesses)?;
    pairs::check_reduced(op, accesses)?;
    // The sides of these operations have different sticks. The verifier's rules for them are on types that have
    // layouts.
    if op.facts().class == OpClass::Data {
        return Ok(());
    }
    let space = op.iteration_space();
    let is_long = |dim: usize| space.get(dim).is_some_and(|extent| *extent != 1);
    let stick = |access: &Access<'_>| access.on_stick().filter(|dim| is_long(*dim));
    let name = |tensor: usize| tensor_name(tensor, accesses.len());
    let refused = |tensor: usize, actual: Option<usize>, wanted: usize, reason: String| {
        let actual = match actual {
            Some(dim) => format!("dimension {dim}"),
            None => "no dimension".to_owned(),
        };
        Err(format!(
            "{} has {actual} of the iteration space on its stick, but {reason} dimension {wanted}; --spyre-propagate-layouts, \
             --spyre-optimize-restickify and --spyre-insert-restickify choose layouts that agree",
            name(tensor)
        ))
    };
    if op.facts().stick == StickRule::Matmul {
        for (tensor, access) in accesses.iter().enumerate() {
            let Some(wanted) = access.along_last() else {
                continue;
            };
            let on_stick = stick(access);
            if is_long(wanted) && on_stick != Some(wanted) {
                let what = match op.facts().class {
                    OpClass::Conv => "a convolution needs",
                    _ => "a matrix product needs",
                };
                return refused(tensor, on_stick, wanted, what.to_owned());
            }
        }
        return Ok(());
    }
    let Some((leader, shared)) = accesses
        .iter()
        .enumerate()
        .rev()
        .find_map(|(tensor, access)| Some((tensor, stick(access)?)))
    else {
        return Ok(());
    };
    for (tensor, access) in accesses.iter().enumerate() {
        let on_stick = stick(access);
        let is_indexed = access.dims.contains(&Some(shared));
        if on_stick.is_some_and(|dim| dim != shared) || is_indexed && on_stick.is_none() {
            return refused(tensor, on_stick, shared, format!("{} has", name(leader)));
        }
    }
    Ok(())
}

/// Checks that the table and the result have the same dimension on their sticks, and not the gathered one (constraint S26).
fn check_gather(op: DeviceOp<'_>, gathered: usize, accesses: &[Access<'_>]) -> Result<(), String> {
    let [_, table, result] = accesses else {
        return Err("a gather must have operands for the indices and the table".to_owned());
    };
    let host = table.operand.view.layout().stick_dim();
    if host == Some(gathered) && table.operand.is_long(gathered) {
        return Err(format!(
            "operand #1 has dimension {gathered}, which the indices choose from, on its stick; --spyre-propagate-layouts, \
             --spyre-optimize-restickify and --spyre-insert-restickify choose layouts for it"
        ));
    }
    let space = op.iteration_space();
    let is_long = |dim: &usize| space.get(*dim).is_some_and(|extent| *extent != 1);
    let stick = |access: &Access<'_>| access.on_stick().filter(is_long);
    let (from, to) = (stick(table), stick(result));
    if from == to {
        return whole::check_widths(op, accesses);
    }
    let name = |stick: Option<usize>| match stick {
        Some(dim) => format!("dimension {dim}"),
        None => "no dimension".to_owned(),
    };
    Err(format!(
        "operand #1 has {} of the iteration space on its stick, but the result has {}; --spyre-propagate-layouts, \
         --spyre-optimize-restickify and --spyre-insert-restickify choose layouts that agree",
        name(from),
        name(to)
    ))
}

/// Checks that a search along the stick runs over whole sticks. It finds the elements in memory up to the end of a
/// stick, and no descriptor masks them (SDSC bundle specification, section 4.6).
fn check_search(op: DeviceOp<'_>, searched: usize, accesses: &[Access<'_>]) -> Result<(), String> {
    let space = op.iteration_space();
    let Some(access) = accesses.first() else {
        return Ok(());
    };
    let (input, on_stick) = (&access.operand, access.on_stick());
    let host = input.view.layout().stick_dim();
    let is_long = host.is_some_and(|host| input.is_long(host));
    let per_stick = input.view.format().elements_per_stick().get();
    match space.get(searched) {
        // A window of one element of a longer tensor is inside one stick.
        Some(extent) if on_stick == Some(searched) && (*extent != 1 || is_long) => {
            let extent = extent.unsigned_abs();
            if extent.is_multiple_of(per_stick) {
                return Ok(());
            }
            Err(format!(
                "searches an extent of {extent} along the stick, not whole sticks of {per_stick}, and would find the padding after \
                 them; insert the operand into a tensor of -inf of {} elements there first",
                extent.next_multiple_of(per_stick)
            ))
        }
        // A single element has no dimension on its stick, and neither have the several elements that a search finds.
        _ if on_stick == Some(searched) => Ok(()),
        _ => whole::check_widths(op, accesses),
    }
}

/// Returns how many of the first operands hold positions along another dimension, with different sticks: the indices of
/// a gather.
fn indices_of(op: DeviceOp<'_>) -> usize {
    usize::from(op.gathered_dim().is_some())
}
