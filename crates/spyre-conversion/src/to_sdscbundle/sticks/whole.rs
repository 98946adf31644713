//! Whole sticks: operations run over them, and tensors need room for that.

use spyre_analysis::kinds::is_restickify;
use spyre_analysis::rows::Rows;
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::{Arrangement, View};
use spyre_ops::OpClass;
use spyre_sdsc::IterationDim;

use super::super::access::Access;
use super::indices_of;
use super::pairs::is_one_of_a_pair;

/// Returns the number of elements of a tensor that stay together: the elements of a stick, or of the two sticks in
/// which a cast to 32 bits leaves the elements of one.
pub(super) fn together(view: &View) -> u64 {
    let per_stick = view.format().elements_per_stick().get();
    view.layout().arrangement().sticks_together() * per_stick
}

/// Checks that tensors have room along their sticks. An operation on formats of different widths runs over whole sticks
/// of the narrowest, for which the others need room. An operation on tensors that a cast has left in pairs of sticks
/// runs over whole pairs.
///
/// # Errors
/// The extents that conflict.
pub(super) fn check_widths(op: DeviceOp<'_>, accesses: &[Access<'_>]) -> Result<(), String> {
    let first = indices_of(op);
    let elements = &accesses[first..];
    let Some(most) = elements
        .iter()
        .map(|access| together(&access.operand.view))
        .max()
    else {
        return Ok(());
    };
    let per_stick = |access: &Access<'_>| access.operand.view.format().elements_per_stick();
    if elements
        .iter()
        .all(|access| per_stick(access).get() == most)
    {
        return Ok(());
    }
    for (tensor, access) in accesses.iter().enumerate().skip(first) {
        let operand = &access.operand;
        let Some(host) = operand.view.layout().stick_dim() else {
            continue;
        };
        // A pair of moments is alone in its stick, and no operation runs along it.
        if operand.view.layout().arrangement() == Arrangement::Exx2 {
            continue;
        }
        let extent = operand.extent(host);
        // Only casts, and one element of a pair of sticks, have coordinates for one element.
        let is_cast = op.facts().class == OpClass::Cast;
        if extent == 1 && !is_cast && !is_one_of_a_pair(operand) {
            continue;
        }
        let padded = extent.checked_next_multiple_of(most);
        let padded = padded.ok_or("extent is out of range")?;
        let held = operand.view.room_along_stick();
        let held = held.map_err(|err| err.to_string())?.get();
        // The last window of a longer tensor has room only if the tensor ends with whole sticks of the narrowest.
        let is_window = operand.is_window.get(host).copied().unwrap_or(false);
        if held < padded || is_window && !held.is_multiple_of(most) {
            return Err(format!(
                "runs over {padded} elements along the stick, whole sticks of {most}, but tensor #{tensor} has room for \
                 {held}; a layout with an explicit size has more"
            ));
        }
    }
    Ok(())
}

/// Checks the padding of operands with different stick dimensions. The operation iterates over whole sticks of each
/// operand. An operand with the stick dimension of another outside of its own stick therefore needs the padded extent
/// along that dimension (SDSC bundle specification, sections 4.2 and 4.6).
///
/// # Errors
/// The extents that conflict.
pub(in super::super) fn check_beside_sticks(
    op: DeviceOp<'_>,
    space: &[IterationDim],
    accesses: &[Access<'_>],
) -> Result<(), String> {
    let is_restickify = is_restickify(op);
    if !is_restickify && op.facts().class != OpClass::Matmul {
        return Ok(());
    }
    for access in accesses {
        let Some(dim) = access.on_stick() else {
            continue;
        };
        let per_stick = access.operand.view.format().elements_per_stick().get();
        // A dimension of one element may have been left out.
        let extent = space
            .get(dim)
            .map_or(Some(1), |entry| entry.extent.as_int());
        let extent = extent
            .expect("operations have fixed extents")
            .unsigned_abs();
        let padded = extent
            .checked_next_multiple_of(per_stick)
            .ok_or("extent is out of range")?;
        for (index, access) in accesses.iter().enumerate() {
            let (dims, operand) = (&access.dims, &access.operand);
            let position = dims.iter().position(|candidate| *candidate == Some(dim));
            let Some(position) =
                position.filter(|candidate| operand.view.layout().stick_dim() != Some(*candidate))
            else {
                continue;
            };
            let held = operand.held(position);
            let is_window = operand.is_window.get(position).copied().unwrap_or(false);
            let whole = if is_window {
                held
            } else {
                operand.extent(position)
            };
            // A single column is walked along from one element in each stick to the next.
            let is_column = operand.view.layout().stick_dim().is_none()
                && position + 1 == dims.len()
                && extent == 1;
            if !is_restickify && is_column {
                continue;
            }
            let rows = Rows {
                extent,
                whole,
                held,
                per_stick,
            };
            if is_restickify && !rows.have_descriptor() {
                return Err(format!(
                    "runs over {padded} elements of iteration dimension {dim}, whole sticks of {per_stick}, but tensor \
                     #{index} is {extent} of {held} elements there, and no descriptor has the places of its rows; copy \
                     it to a tensor of extent {extent} first"
                ));
            }
            if !is_restickify && whole < padded {
                return Err(format!(
                    "runs over {padded} elements of iteration dimension {dim}, whole sticks of {per_stick}, but tensor \
                     #{index} has {whole} there; --spyre-pad-matmul adds zeros"
                ));
            }
        }
    }
    Ok(())
}

/// Returns the dimension along the sticks of an operation and the extent that it runs over, in elements, if that is more whole
/// sticks for one of its tensors than for another; `None` otherwise. All tensors have room for the extent ([`super::check`]), and all
/// are written and read as far.
pub(in super::super) fn whole_sticks_of_all(
    op: DeviceOp<'_>,
    accesses: &[Access<'_>],
) -> Option<(usize, u64)> {
    let class = op.facts().class;
    let is_staggered = accesses
        .iter()
        .any(|access| access.operand.view.layout().arrangement().is_staggered());
    if !matches!(class, OpClass::Cast | OpClass::TopK) && !is_staggered {
        return None;
    }
    let mut along = None;
    let (mut least, mut most) = (u64::MAX, 0);
    for access in &accesses[indices_of(op)..] {
        let operand = &access.operand;
        let (Some(host), Some(dim)) = (operand.view.layout().stick_dim(), access.on_stick()) else {
            continue;
        };
        // A search along the stick: the sticks of its result are along another dimension.
        if *along.get_or_insert(dim) != dim {
            return None;
        }
        let extent = operand.extent(host);
        let per_stick = operand.view.format().elements_per_stick().get();
        // A mask selects positions, which are not known in the order of a cast. Whole sticks need no mask.
        least = least.min(match class {
            OpClass::Cast | OpClass::TopK => extent.checked_next_multiple_of(per_stick)?,
            _ => extent,
        });
        most = most.max(extent.checked_next_multiple_of(together(&operand.view))?);
    }
    (least < most).then_some((along?, most))
}
