//! Finds the operations that write their result straight into the tensor that it is inserted into.

use std::ops::Range;

use melior::ir::block::BlockLike;
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::view;
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, OpKind, Source, Use};

use super::boxes::{are_apart, both, box_of};
use super::draft::{Draft, result_of};
use super::lifetime::Timeline;
use super::uses::Uses;
use crate::accesses::reads_elementwise;

/// Moves every `spyre.empty` before the operations with results that are inserted into it, so that they can be written
/// there when they are computed. `has_place` returns whether an operation has a separate place, or needs one. Returns
/// whether an operation was moved.
pub(super) fn make_room_early<'p>(
    draft: &mut Draft<'p>,
    ops: &[(DeviceOp<'p>, Uses<'p>)],
    has_place: impl Fn(&Draft<'p>, DeviceOp<'p>) -> bool,
    timeline: &Timeline<'p>,
) -> Result<bool, Diagnostic<'p>> {
    // For each visited insertion, the `spyre.empty` that its chain starts from.
    let mut starts: FxHashMap<ir::OpKey, Option<Op<'p>>> = FxHashMap::default();
    let mut moved: FxHashSet<ir::OpKey> = FxHashSet::default();
    for (op, uses) in ops {
        let Some(insert) = uses.inserts.first().filter(|_| !has_place(draft, *op)) else {
            continue; // It is written elsewhere.
        };
        if let Some(empty) = start_of(draft, insert.owner, &mut starts)?
            && draft.block(empty) == draft.block(op.op())
            && timeline.step(op.op()) < timeline.step(empty)
        {
            // The operations are in the order of the text, so this one is the first of the users.
            if moved.insert(ir::op_key(empty)) {
                draft.move_before(empty, op.op());
            }
        }
    }
    Ok(!moved.is_empty())
}

/// Returns the `spyre.empty` that a chain of insertions starts from; `None` if it starts from another operation.
fn start_of<'p>(
    draft: &Draft<'p>,
    insert: Op<'p>,
    starts: &mut FxHashMap<ir::OpKey, Option<Op<'p>>>,
) -> Result<Option<Op<'p>>, Diagnostic<'p>> {
    let (mut at, mut chain) = (insert, Vec::new());
    let start = loop {
        if let Some(start) = starts.get(&ir::op_key(at)) {
            break *start;
        }
        chain.push(ir::op_key(at));
        match ir::defining_op(draft.operand(at, 1)?) {
            Some(maker) if ir::kind(maker) == OpKind::InsertSlice => at = maker,
            maker => break maker.filter(|maker| EmptyOp::cast(*maker).is_some()),
        }
    };
    starts.extend(chain.into_iter().map(|insert| (insert, start)));
    Ok(start)
}

/// The windows that have been written into a tensor by a chain of insertions.
#[derive(Debug, Clone)]
struct Written {
    /// The first step in which the tensor at the start of the chain may be written.
    ready: u32,
    /// The last step in which one of the insertions, or an operation in its place, writes.
    written: Option<u32>,
    /// The last step in which the tensor is read before one of the insertions.
    read: Option<u32>,
    /// The smallest box around all windows; `None` if it is not known.
    around: Option<Vec<Range<i64>>>,
}

impl Written {
    /// Returns the first step in which `window` may be written.
    fn ready_for(&self, window: Option<&[Range<i64>]>) -> u32 {
        let after = self.written.map_or(0, |last| last + 1);
        match (window, &self.around) {
            // Writes outside of the window do not matter, but reads before them do.
            (Some(window), Some(around)) if are_apart(window, around) => {
                self.ready.max(self.read.map_or(0, |last| last + 1))
            }
            _ => self.ready.max(after),
        }
    }

    /// Adds a window that is written in a step, into a tensor that is `read` last in another.
    fn add(&mut self, window: Option<Vec<Range<i64>>>, step: u32, read: Option<u32>) {
        let is_first = self.written.is_none();
        self.around = match (self.around.take(), window) {
            (_, Some(window)) if is_first => Some(window),
            (Some(around), Some(window)) => Some(both(around, window)),
            _ => None,
        };
        self.written = self.written.max(Some(step));
        self.read = self.read.max(read);
    }
}

/// Finds the operations among `ops`, each with its uses, that may write into the window of their first insertion.
/// `has_place` returns whether an operation has a separate place, or needs one.
///
/// The value is then written when it is computed and not when it is inserted. The result is the same if the tensor is
/// already live, all earlier insertions into the window have been written, and no later insertion can change the window
/// while an operation still reads the value in it.
pub(super) fn direct<'p>(
    draft: &Draft<'p>,
    ops: &[(DeviceOp<'p>, Uses<'p>)],
    has_place: impl Fn(&Draft<'p>, DeviceOp<'p>) -> bool,
    timeline: &Timeline<'p>,
) -> Result<FxHashSet<ir::OpKey>, Diagnostic<'p>> {
    let mut inserts: Vec<(u32, Use<'p>, usize, bool)> = Vec::new();
    for (index, (op, uses)) in ops.iter().enumerate() {
        let first = if has_place(draft, *op) {
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
    let mut written: FxHashMap<ir::OpKey, Written> = FxHashMap::default();
    let mut direct = FxHashSet::default();
    for (step, insert, index, is_first) in inserts {
        let (op, uses) = &ops[index];
        let op_step = timeline.step(op.op());
        let alone = uses.readers.is_empty() && uses.inserts.len() == 1 && uses.elsewhere.is_none();
        let before = written_before(draft, insert.owner, &mut written, timeline);
        let window = box_of(draft, insert.owner);
        let read = last_read(draft, insert.owner, *op, timeline)?;
        let is_direct = is_first
            && before
                .as_ref()
                .is_some_and(|before| before.ready_for(window.as_deref()) <= op_step)
            && read.is_none_or(|read| read < op_step)
            && (alone || !is_written_again(draft, insert.owner)?);
        if let Some(mut now) = before {
            now.add(window, if is_direct { op_step } else { step }, read);
            written.insert(ir::op_key(insert.owner), now);
        }
        if is_direct {
            direct.insert(ir::op_key(op.op()));
        }
    }
    Ok(direct)
}

/// Returns the windows that were written into the tensor of an insertion before it; `None` if they are unknown.
fn written_before<'p>(
    draft: &Draft<'p>,
    insert: Op<'p>,
    written: &mut FxHashMap<ir::OpKey, Written>,
    timeline: &Timeline<'p>,
) -> Option<Written> {
    let ready = match ir::source(draft.get(insert, 1)?) {
        // An iteration argument is live before the body.
        Source::Argument(block, _) => {
            let around = block.parent_operation();
            timeline.step(around.filter(|around| ir::kind(*around) == OpKind::For)?) + 1
        }
        Source::Result(maker, _) if ir::kind(maker) == OpKind::InsertSlice => {
            // The tensor has no other insertion: it would have been copied.
            return written.remove(&ir::op_key(maker));
        }
        Source::Result(maker, _) if ir::kind(maker) == OpKind::For => timeline.end(maker),
        Source::Result(maker, _) => {
            let is_made = EmptyOp::cast(maker).is_some() || DeviceOp::cast(maker).is_some();
            is_made.then(|| timeline.step(maker) + 1)?
        }
    };
    Some(Written {
        ready,
        written: None,
        read: None,
        around: None,
    })
}

/// Returns the last step in which a tensor is read before an insertion; `None` if it is not read. A read by the
/// operation that computes the inserted value does not count if it is of the window that the operation writes, element
/// by element.
fn last_read<'p>(
    draft: &Draft<'p>,
    insert: Op<'p>,
    op: DeviceOp<'p>,
    timeline: &Timeline<'p>,
) -> Result<Option<u32>, Diagnostic<'p>> {
    let mut last = None;
    let mut pending = vec![(draft.operand(insert, 1)?, false)];
    while let Some((value, is_window)) = pending.pop() {
        for usage in draft.uses(value) {
            if usage.owner == insert && usage.operand == 1 {
                continue;
            }
            if ir::kind(usage.owner) == OpKind::ExtractSlice || view::is_view(usage.owner) {
                let window = draft.window(usage.owner);
                let same = window.is_some() && window == draft.window(insert);
                pending.push((result_of(usage.owner)?, same));
            } else if !(is_window && usage.owner == op.op() && reads_elementwise(op, usage.operand))
            {
                last = last.max(timeline.end_beside(usage.owner, insert));
            }
        }
    }
    Ok(last)
}

/// Returns whether an operation writes into the tensor after an insertion, in the same iteration.
fn is_written_again<'p>(draft: &Draft<'p>, insert: Op<'p>) -> Result<bool, Diagnostic<'p>> {
    Ok(draft
        .uses(result_of(insert)?)
        .iter()
        .any(|usage| match ir::kind(usage.owner) {
            OpKind::InsertSlice => usage.operand == 1,
            _ => draft.carried_by(*usage).is_some(),
        }))
}
