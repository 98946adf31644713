//! Checks that the tensors of an operation have the same dimension on their sticks, whether or not their types have a layout.

use spyre_dialects::device_op::DeviceOp;
use spyre_layout::{Arrangement, View};
use spyre_ops::{OpClass, StickRule};

use super::window::Operand;

/// Checks the constraints S3, S4 and S8 for the buffers that are addressed. The verifier checks them for tensors whose layouts
/// are in their types. A permuted view of a tensor without a layout, for one, has another stick than its type would have.
///
/// # Errors
/// The dimensions that are on the sticks, and the passes that would help.
pub(super) fn check<'p>(
    op: DeviceOp<'p>,
    tensors: &[(Vec<Option<usize>>, Operand<'p>)],
) -> Result<(), String> {
    if let Some(searched) = op.searched_dim() {
        return check_search(op, searched, tensors);
    }
    if let Some(gathered) = op.gathered_dim() {
        return check_gather(op, gathered, tensors);
    }
    check_widths(op, tensors)?;
    check_reduced(op, tensors)?;
    // The sides of these operations have sticks of their own. The verifier's rules for them are on types that have layouts.
    if op.facts().class == OpClass::Data {
        return Ok(());
    }
    let space = op.iteration_space();
    let is_long = |dim: usize| space.get(dim).is_some_and(|extent| *extent != 1);
    let stick = |(dims, operand): &(Vec<Option<usize>>, Operand<'p>)| {
        let host = operand.view.layout().stick_dim()?;
        dims.get(host)
            .copied()
            .flatten()
            .filter(|dim| is_long(*dim))
    };
    let last = tensors.len() - 1;
    let name = |tensor: usize| match tensor {
        tensor if tensor == last => "the result".to_owned(),
        tensor => format!("operand #{tensor}"),
    };
    let refused = |tensor: usize, found: Option<usize>, wanted: usize, why: String| {
        let found = match found {
            Some(dim) => format!("dimension {dim}"),
            None => "no dimension".to_owned(),
        };
        Err(format!(
            "{} has {found} of the iteration space on its stick, but {why} dimension {wanted}; --spyre-propagate-layouts, \
             --spyre-optimize-restickify and --spyre-insert-restickify choose layouts that agree",
            name(tensor)
        ))
    };
    if op.facts().stick == StickRule::Matmul {
        for (tensor, described) in tensors.iter().enumerate() {
            let Some(wanted) = described.0.last().copied().flatten() else {
                continue;
            };
            let found = stick(described);
            if is_long(wanted) && found != Some(wanted) {
                let what = match op.facts().class {
                    OpClass::Conv => "a convolution needs",
                    _ => "a matrix product needs",
                };
                return refused(tensor, found, wanted, what.to_owned());
            }
        }
        return Ok(());
    }
    let Some((leader, shared)) = tensors
        .iter()
        .enumerate()
        .rev()
        .find_map(|(tensor, described)| Some((tensor, stick(described)?)))
    else {
        return Ok(());
    };
    for (tensor, described) in tensors.iter().enumerate() {
        let found = stick(described);
        let is_indexed = described.0.contains(&Some(shared));
        if found.is_some_and(|found| found != shared) || is_indexed && found.is_none() {
            return refused(tensor, found, shared, format!("{} has", name(leader)));
        }
    }
    Ok(())
}

/// Checks that the table and the result have the same dimension on their sticks, and not the gathered one (constraint S26).
fn check_gather<'p>(
    op: DeviceOp<'p>,
    gathered: usize,
    tensors: &[(Vec<Option<usize>>, Operand<'p>)],
) -> Result<(), String> {
    let [_, (dims, table), (result_dims, result)] = tensors else {
        return Err("a gather without indices and table".to_owned());
    };
    let host = table.view.layout().stick_dim();
    if host == Some(gathered) && table.is_long(gathered) {
        return Err(format!(
            "operand #1 has dimension {gathered}, which the indices choose from, on its stick; --spyre-propagate-layouts, \
             --spyre-optimize-restickify and --spyre-insert-restickify choose layouts for it"
        ));
    }
    let space = op.iteration_space();
    let stick = |dims: &[Option<usize>], operand: &Operand<'p>| {
        let host = operand.view.layout().stick_dim()?;
        let dim = dims.get(host).copied().flatten();
        dim.filter(|dim| space.get(*dim).is_some_and(|extent| *extent != 1))
    };
    let (from, to) = (stick(dims, table), stick(result_dims, result));
    if from == to {
        return check_widths(op, tensors);
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

/// Checks that a search along the stick runs over whole sticks. It finds the elements in memory up to the end of a stick, and no
/// descriptor masks those (SDSC bundle specification, section 4.6).
fn check_search<'p>(
    op: DeviceOp<'p>,
    searched: usize,
    tensors: &[(Vec<Option<usize>>, Operand<'p>)],
) -> Result<(), String> {
    let space = op.iteration_space();
    let Some((dims, input)) = tensors.first() else {
        return Ok(());
    };
    let host = input.view.layout().stick_dim();
    let is_long = host.is_some_and(|host| input.is_long(host));
    let on_stick = host.and_then(|host| dims.get(host).copied().flatten());
    let per_stick = input.view.format().elements_per_stick().get();
    match space.get(searched) {
        // One element of a longer tensor is in one of its sticks.
        Some(extent) if on_stick == Some(searched) && (*extent != 1 || is_long) => {
            let extent = extent.unsigned_abs();
            if extent.is_multiple_of(per_stick) {
                return Ok(());
            }
            Err(format!(
                "searches an extent of {extent} along the stick, not whole sticks of {per_stick}, and would find what is behind \
                 them; insert the operand into a tensor of -inf of {} elements there first",
                extent.next_multiple_of(per_stick)
            ))
        }
        // One element is in no dimension on a stick, and neither are several elements that are found.
        _ if on_stick == Some(searched) => Ok(()),
        _ => check_widths(op, tensors),
    }
}

/// Returns how many of the first operands hold positions along another dimension, whose sticks are their own: the indices of a
/// gather.
fn indices_of(op: DeviceOp<'_>) -> usize {
    usize::from(op.gathered_dim().is_some())
}

/// Returns how many elements of a tensor stay together: those of a stick, or of the two sticks in which a cast to 32 bits leaves
/// the elements of one.
fn together(view: &View) -> u64 {
    let per_stick = view.format().elements_per_stick().get();
    view.layout().arrangement().sticks_together() * per_stick
}

/// Checks that tensors have room for whole sticks. An operation on formats of different widths runs over whole sticks of the
/// narrowest, for which the others need room. An operation on tensors that a cast has left in pairs of sticks runs over whole
/// pairs.
fn check_widths<'p>(
    op: DeviceOp<'p>,
    tensors: &[(Vec<Option<usize>>, Operand<'p>)],
) -> Result<(), String> {
    let first = indices_of(op);
    let elements = &tensors[first..];
    let Some(most) = elements.iter().map(|tensor| together(&tensor.1.view)).max() else {
        return Ok(());
    };
    let per_stick = |(_, operand): &(_, Operand<'p>)| operand.view.format().elements_per_stick();
    if elements
        .iter()
        .all(|tensor| per_stick(tensor).get() == most)
    {
        return Ok(());
    }
    for (tensor, (_, operand)) in tensors.iter().enumerate().skip(first) {
        let Some(host) = operand.view.layout().stick_dim() else {
            continue;
        };
        let extent = operand.extent(host);
        // Only casts, and one element of a pair of sticks, have coordinates for one element.
        let is_cast = op.facts().class == OpClass::Cast;
        if extent == 1 && !is_cast && !is_one_of_a_pair(operand) {
            continue;
        }
        let padded = extent.checked_next_multiple_of(most);
        let padded = padded.ok_or("extent is out of range")?;
        let held = operand.view.room_along_stick();
        let held = held.map_err(|why| why.to_string())?.get();
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

/// Returns whether an operand is one element along the stick of a longer tensor that a cast has left in pairs of sticks. Which of
/// the two sticks has the element is not known.
fn is_one_of_a_pair(operand: &Operand<'_>) -> bool {
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
pub(super) fn one_of_a_pair(
    op: DeviceOp<'_>,
    tensors: &[(Vec<Option<usize>>, Operand<'_>)],
) -> Result<Option<usize>, String> {
    let first = indices_of(op);
    let stick = |(dims, operand): &(Vec<Option<usize>>, Operand<'_>)| {
        let host = operand.view.layout().stick_dim()?;
        dims.get(host).copied().flatten()
    };
    let mut pairs = tensors.iter().filter(|tensor| is_one_of_a_pair(&tensor.1));
    let Some(dim) = pairs.next().and_then(stick) else {
        return Ok(None);
    };
    let mut others = tensors.iter().enumerate().skip(first);
    match others.find(|(_, tensor)| stick(tensor) != Some(dim)) {
        None => Ok(Some(dim)),
        Some((tensor, _)) => Err(format!(
            "visits one element of two sticks in which a cast to 32 bits has left the elements of one, but tensor #{tensor} does not \
             have dimension {dim} on its stick; tile that dimension so that more than one element is left, or cast back before"
        )),
    }
}

/// Drops the coordinates along a `pair` of sticks of the operands that have one stick there: their single element counts for all that
/// the operation runs over, as that of a column does.
///
/// # Errors
/// An operand that no operation can read.
pub(super) fn repeat_single_elements(
    pair: usize,
    tensors: &mut [(Vec<Option<usize>>, Operand<'_>)],
) -> Result<(), String> {
    let both = tensors
        .iter()
        .map(|(_, operand)| together(&operand.view))
        .max();
    let Some((_, operands)) = tensors.split_last_mut() else {
        return Ok(());
    };
    for (dims, operand) in operands {
        let held = operand.view.room_along_stick();
        let held = held.map_err(|why| why.to_string())?.get();
        for dim in dims.iter_mut().filter(|dim| **dim == Some(pair)) {
            *dim = dim.filter(|_| Some(held) >= both);
        }
    }
    Ok(())
}

/// Refuses to reduce a part of a tensor that a cast has left in pairs of sticks: a mask selects elements by their positions,
/// which are not known.
fn check_reduced<'p>(
    op: DeviceOp<'p>,
    tensors: &[(Vec<Option<usize>>, Operand<'p>)],
) -> Result<(), String> {
    let Some(((dims, input), (result, _))) = tensors.first().zip(tensors.last()) else {
        return Ok(());
    };
    let view = &input.view;
    let (arrangement, unit) = (view.layout().arrangement(), together(view));
    let Some(host) = view.layout().stick_dim() else {
        return Ok(());
    };
    let is_kept = |dim: usize| result.contains(&Some(dim));
    let is_reduced = op.reduction_dims() > 0
        && dims
            .get(host)
            .copied()
            .flatten()
            .is_some_and(|dim| !is_kept(dim));
    let extent = input.extent(host);
    if arrangement == Arrangement::Standard || !is_reduced || extent.is_multiple_of(unit) {
        return Ok(());
    }
    Err(format!(
        "reduces {extent} elements in the order {arrangement}, whole sticks of {unit} of which are known only all together; \
         cast back before"
    ))
}

/// Returns the dimension along the sticks of an operation and the extent that it runs over, in elements, if that is more whole
/// sticks for one of its tensors than for another; `None` otherwise. All tensors have room for the extent ([`check`]), and all
/// are written and read as far.
pub(super) fn whole_sticks_of_all<'p>(
    op: DeviceOp<'p>,
    tensors: &[(Vec<Option<usize>>, Operand<'p>)],
) -> Option<(usize, u64)> {
    let class = op.facts().class;
    let is_staggered = tensors
        .iter()
        .any(|(_, operand)| operand.view.layout().arrangement().is_staggered());
    if !matches!(class, OpClass::Cast | OpClass::TopK) && !is_staggered {
        return None;
    }
    let mut along = None;
    let (mut least, mut most) = (u64::MAX, 0);
    for (dims, operand) in &tensors[indices_of(op)..] {
        let Some(host) = operand.view.layout().stick_dim() else {
            continue;
        };
        let Some(dim) = dims.get(host).copied().flatten() else {
            continue;
        };
        // A dimension that is searched along is on the sticks of the operand alone.
        if *along.get_or_insert(dim) != dim {
            return None;
        }
        let extent = operand.extent(host);
        let per_stick = operand.view.format().elements_per_stick().get();
        // A mask selects positions, which are not known in the order of a cast. In whole sticks there is nothing to mask.
        least = least.min(match class {
            OpClass::Cast | OpClass::TopK => extent.checked_next_multiple_of(per_stick)?,
            _ => extent,
        });
        most = most.max(extent.checked_next_multiple_of(together(&operand.view))?);
    }
    (least < most).then_some((along?, most))
}
