//! The buffers of values: the starts of chains of windows, views, insertions and loops.

use spyre_analysis::view;
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Source, Val};

use super::draft::Draft;

/// Returns the operation that defines the buffer of a value; `None` if the value is not that whole buffer.
pub(super) fn root<'p>(draft: &Draft<'p>, value: Val<'p>) -> Option<Op<'p>> {
    let mut value = value;
    loop {
        if let Some(start) = draft.started_from(value) {
            value = start;
            continue;
        }
        let op = ir::defining_op(value)?;
        match ir::kind(op) {
            OpKind::InsertSlice => value = draft.get(op, 1)?,
            _ if DeviceOp::cast(op).is_some() || EmptyOp::cast(op).is_some() => return Some(op),
            _ => return None,
        }
    }
}

/// Returns the `spyre.empty` and the insertions that build a tensor, in order; `None` if it has another source.
pub(super) fn from_empty<'p>(
    draft: &Draft<'p>,
    value: Val<'p>,
) -> Result<Option<Vec<Op<'p>>>, Diagnostic<'p>> {
    let (mut value, mut chain) = (value, Vec::new());
    loop {
        let Some(maker) = ir::defining_op(value) else {
            return Ok(None);
        };
        chain.push(maker);
        match ir::kind(maker) {
            OpKind::InsertSlice => value = draft.operand(maker, 1)?,
            _ if EmptyOp::cast(maker).is_some() => break,
            _ => return Ok(None),
        }
    }
    chain.reverse();
    Ok(Some(chain))
}

/// Returns the value that a chain of insertions and loops has started from, if it is an argument of a block; `None` otherwise.
pub(super) fn carried_start<'p>(
    draft: &Draft<'p>,
    value: Val<'p>,
) -> Result<Option<Val<'p>>, Diagnostic<'p>> {
    let origin = argument_behind(draft, value, |_| false)?;
    Ok(origin.map(|(argument, _)| argument))
}

/// Returns whether a value is a tensor that the loop around `body` carries, or a part of one.
pub(super) fn comes_from<'p>(
    draft: &Draft<'p>,
    value: Val<'p>,
    body: Blk<'p>,
) -> Result<bool, Diagnostic<'p>> {
    let is_part = |op| ir::kind(op) == OpKind::ExtractSlice || view::is_view(op);
    let origin = argument_behind(draft, value, is_part)?;
    Ok(origin.is_some_and(|(_, block)| block == body))
}

/// Returns the block argument, and its block, at the start of a chain of insertions, loops, and parts of a tensor;
/// `None` if the chain starts from another value.
fn argument_behind<'p>(
    draft: &Draft<'p>,
    value: Val<'p>,
    is_part: impl Fn(Op<'p>) -> bool,
) -> Result<Option<(Val<'p>, Blk<'p>)>, Diagnostic<'p>> {
    let mut value = value;
    loop {
        value = match ir::source(value) {
            Source::Argument(block, _) => return Ok(Some((value, block))),
            Source::Result(op, _) => match (ir::kind(op), draft.started_from(value)) {
                (_, Some(start)) => start,
                (OpKind::InsertSlice, None) => draft.operand(op, 1)?,
                _ if is_part(op) => draft.operand(op, 0)?,
                _ => return Ok(None),
            },
        };
    }
}

/// Returns whether an operation is a device operation with a result that is inserted into a tensor: it may be written
/// there when it is computed.
pub(super) fn is_inserted<'p>(draft: &Draft<'p>, maker: Op<'p>) -> bool {
    let mut uses = ir::results(maker).flat_map(|result| draft.uses(result));
    DeviceOp::cast(maker).is_some()
        && uses.any(|usage| ir::kind(usage.owner) == OpKind::InsertSlice && usage.operand == 0)
}

/// Returns the `spyre.empty` operations of a block and of the loops in it.
pub(super) fn empties<'p>(draft: &Draft<'p>, block: Blk<'p>) -> Vec<EmptyOp<'p>> {
    draft.find(block, &EmptyOp::cast)
}

/// Returns the insertions of a block and of the loops in it.
pub(super) fn inserts<'p>(draft: &Draft<'p>, block: Blk<'p>) -> Vec<Op<'p>> {
    draft.find(block, &|op| {
        (ir::kind(op) == OpKind::InsertSlice).then_some(op)
    })
}
