//! Finds the operations that write their result straight into the tensor that it is inserted into.

use std::collections::{HashMap, HashSet};

use melior::ir::block::BlockLike;
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, OpKind, Source, Use};

use super::boundary::operand;
use super::carried::reads_elementwise;
use super::lifetime::Timeline;
use super::uses::{Uses, result_of};
use crate::view;
use crate::walk::FIRST_INIT;

/// Finds the operations among `ops`, each with its uses, that may write into the window of their first insertion. `has_place`
/// returns whether an operation has a place of its own, or needs one.
///
/// The value is then written when it is made and not when it is inserted. This makes no difference if the tensor is already
/// there, everything that was inserted into it before has been written, and no later insertion can change the window while an
/// operation still reads the value in it.
pub(super) fn direct<'p>(
    ops: &[(DeviceOp<'p>, Uses<'p>)],
    has_place: impl Fn(DeviceOp<'p>) -> bool,
    timeline: &Timeline,
) -> Result<HashSet<usize>, Diagnostic<'p>> {
    let mut inserts: Vec<(u32, Use<'p>, usize, bool)> = Vec::new();
    for (index, (op, uses)) in ops.iter().enumerate() {
        let first = if has_place(*op) {
            None
        } else {
            uses.inserts.first()
        };
        for insert in &uses.inserts {
            let is_first = first.is_some_and(|first| first.owner == insert.owner);
            inserts.push((timeline.step(insert.owner), *insert, index, is_first));
        }
    }
    inserts.sort_by_key(|(step, ..)| *step);
    let mut written: HashMap<usize, u32> = HashMap::new();
    let mut direct = HashSet::new();
    for (step, insert, index, is_first) in inserts {
        let (op, uses) = &ops[index];
        let made = timeline.step(op.op());
        let alone = uses.readers.is_empty() && uses.inserts.len() == 1 && uses.elsewhere.is_none();
        let is_direct = is_first
            && ready(insert.owner, &written, timeline).is_some_and(|ready| ready < made)
            && last_read(insert.owner, *op, timeline)?.is_none_or(|read| read < made)
            && (alone || !is_written_again(insert.owner)?);
        written.insert(
            ir::op_key(insert.owner),
            if is_direct { made } else { step },
        );
        if is_direct {
            direct.insert(ir::op_key(op.op()));
        }
    }
    Ok(direct)
}

/// Returns the last step that must be over before the window of an insertion may be written; `None` if no such step is known.
fn ready(insert: Op<'_>, written: &HashMap<usize, u32>, timeline: &Timeline) -> Option<u32> {
    match ir::source(ir::operand(insert, 1)?) {
        // A carried tensor is there before the body.
        Source::Argument(block, _) => timeline.step(block.parent_operation()?).into(),
        Source::Result(maker, _) if ir::kind(maker) == OpKind::InsertSlice => {
            written.get(&ir::op_key(maker)).copied()
        }
        Source::Result(maker, _) if ir::kind(maker) == OpKind::For => {
            timeline.end(maker).checked_sub(1)
        }
        Source::Result(maker, _) => {
            let is_made = EmptyOp::cast(maker).is_some() || DeviceOp::cast(maker).is_some();
            is_made.then(|| timeline.step(maker))
        }
    }
}

/// Returns the last step in which a tensor is read before an insertion; `None` if it is not read. A read by the operation whose
/// result is inserted does not count if it is of the window that the operation writes, element by element.
fn last_read<'p>(
    insert: Op<'p>,
    op: DeviceOp<'p>,
    timeline: &Timeline,
) -> Result<Option<u32>, Diagnostic<'p>> {
    let mut last = None;
    let mut pending = vec![(operand(insert, 1)?, false)];
    while let Some((value, is_window)) = pending.pop() {
        for found in ir::uses(value) {
            if found.owner == insert && found.operand == 1 {
                continue;
            }
            if ir::kind(found.owner) == OpKind::ExtractSlice || view::is_view(found.owner) {
                let window = ir::window(found.owner);
                let same = window.is_some() && window == ir::window(insert);
                pending.push((result_of(found.owner)?, same));
            } else if !(is_window && found.owner == op.op() && reads_elementwise(op, found.operand))
            {
                last = last.max(timeline.end_beside(found.owner, insert));
            }
        }
    }
    Ok(last)
}

/// Returns whether something is written into the tensor after an insertion, in the same iteration.
fn is_written_again<'p>(insert: Op<'p>) -> Result<bool, Diagnostic<'p>> {
    Ok(ir::uses(result_of(insert)?)
        .iter()
        .any(|found| match ir::kind(found.owner) {
            OpKind::InsertSlice => found.operand == 1,
            OpKind::For => found.operand >= FIRST_INIT,
            _ => false,
        }))
}
