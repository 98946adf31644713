//! Tensors that loops carry: one buffer each, which every iteration updates in place.
//!
//! A bundle's loops have no iteration arguments, so the initial value, the iteration argument, the yielded value and
//! the result of the loop have to be the same buffer. Where they are not in a program, a copy is inserted: before the
//! loop, if the initial value has other uses; at the end of the body, if the next value is computed while the previous
//! one is still read. The same applies to destinations of insertions.

mod overwrite;
mod parts;
mod sources;
mod starts;

use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use overwrite::overwrites;
use rustc_hash::FxHashMap;
use spyre_analysis::tensor::TensorTypes;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Source};

use super::buffers::{carried_start, comes_from, root};
use super::draft::{Divide, Draft};
use super::error;
use super::lifetime::Timeline;

pub(super) use sources::copy_sources;

/// The operations that write buffers of loops.
#[derive(Default)]
pub(super) struct Carried<'p> {
    /// For each operation that computes the next value of a carried tensor in its buffer, the operation that defines
    /// the buffer.
    updates: FxHashMap<ir::OpKey, Op<'p>>,
    /// For each operation with a result that loops update, the operations that update it.
    starts: FxHashMap<ir::OpKey, Vec<DeviceOp<'p>>>,
}

impl<'p> Carried<'p> {
    /// Returns the operation that defines the buffer that an operation updates; `None` if it updates none.
    pub(super) fn buffer_of(&self, op: Op<'_>) -> Option<Op<'p>> {
        self.updates.get(&ir::op_key(op)).copied()
    }

    /// Returns the operations that update the result of an operation.
    pub(super) fn updates_of(&self, op: Op<'_>) -> &[DeviceOp<'p>] {
        self.starts.get(&ir::op_key(op)).map_or(&[], Vec::as_slice)
    }

    /// Returns whether an operation shares its buffer with operations in loops.
    pub(super) fn shares(&self, op: Op<'_>) -> bool {
        self.updates.contains_key(&ir::op_key(op)) || self.starts.contains_key(&ir::op_key(op))
    }

    fn add(&mut self, start: Op<'p>, update: DeviceOp<'p>) {
        self.updates.insert(ir::op_key(update.op()), start);
        let updates = self.starts.entry(ir::op_key(start)).or_default();
        updates.push(update);
    }
}

/// Plans copies so that every loop in a block updates its tensors in place.
///
/// # Errors
/// A loop carries a value that is no tensor.
pub(super) fn separate<'p>(
    draft: &mut Draft<'p>,
    types: &TensorTypes<'p>,
    body: Blk<'p>,
    divide: &Divide<'_, 'p>,
) -> Result<Carried<'p>, Diagnostic<'p>> {
    keep_exchanged(draft, body, divide)?;
    let mut timeline = Timeline::of(draft, body);
    starts::separate(draft, types, body, &mut timeline, divide)?;
    let mut carried = Carried::default();
    separate_yields(&mut carried, draft, body, &mut timeline, divide)?;
    let updates: usize = carried.starts.values().map(Vec::len).sum();
    assert_eq!(
        carried.updates.len(),
        updates,
        "every update is one of the buffer that it updates"
    );
    Ok(carried)
}

fn loops<'p>(draft: &Draft<'p>, block: Blk<'p>) -> Vec<(Op<'p>, Blk<'p>)> {
    let ops = draft.operations(block).into_iter();
    ops.filter(|op| ir::kind(*op) == OpKind::For)
        .filter_map(|op| Some((op, ir::body(op)?)))
        .collect()
}

/// Ensures that no loop yields one of its iteration arguments in the place of another. All tensors are updated at once
/// in the program and one after the other in a bundle, so such a value is first copied, before the others are updated.
fn keep_exchanged<'p>(
    draft: &mut Draft<'p>,
    block: Blk<'p>,
    divide: &Divide<'_, 'p>,
) -> Result<(), Diagnostic<'p>> {
    for (op, body) in loops(draft, block) {
        keep_exchanged(draft, body, divide)?;
        let terminator = end(body);
        for (carried, value) in draft.carried(op).into_iter().enumerate() {
            let yielded = value.yielded;
            let is_exchanged = carried_start(draft, yielded)? != Some(value.inside)
                && ir::is_ranked_tensor(yielded.r#type())
                && comes_from(draft, yielded, body)?;
            if is_exchanged {
                draft.copy(terminator, carried, divide)?;
            }
        }
    }
    Ok(())
}

/// Returns the end of a loop's body.
fn end<'p>(body: Blk<'p>) -> Op<'p> {
    body.terminator().expect("a loop's body has a terminator")
}

/// Makes every loop yield the tensors that it carries.
fn separate_yields<'p>(
    buffers: &mut Carried<'p>,
    draft: &mut Draft<'p>,
    block: Blk<'p>,
    timeline: &mut Timeline<'p>,
    divide: &Divide<'_, 'p>,
) -> Result<(), Diagnostic<'p>> {
    for (op, body) in loops(draft, block) {
        separate_yields(buffers, draft, body, timeline, divide)?;
        let terminator = end(body);
        for (carried, value) in draft.carried(op).into_iter().enumerate() {
            let (yielded, argument) = (value.yielded, value.inside);
            if carried_start(draft, yielded)? == Some(argument) {
                continue;
            }
            if !ir::is_ranked_tensor(yielded.r#type()) {
                let message = format!(
                    "value {carried} that the loop carries is no tensor; a bundle's loops carry nothing, so a value that \
                     changes from iteration to iteration has to be a tensor, or computed from the induction variable"
                );
                return Err(draft
                    .error(op, message)
                    .note(terminator.location(), "it is yielded here"));
            }
            let update = match ir::source(yielded) {
                Source::Result(maker, _) => DeviceOp::cast(maker),
                Source::Argument(..) => None,
            };
            let update = update.filter(|update| {
                draft.block(update.op()) == Some(body)
                    && !buffers.updates.contains_key(&ir::op_key(update.op()))
                    && overwrites(draft, *update, argument, timeline)
            });
            let update = match update {
                Some(update) => update,
                None => {
                    let copy = draft.copy(terminator, carried, divide)?;
                    timeline.add_before(copy, terminator);
                    DeviceOp::cast(copy)
                        .ok_or_else(|| error(copy, "copy is not a device operation"))?
                }
            };
            let start = root(draft, value.init)
                .ok_or_else(|| error(op, "loop starts from a tensor that has no buffer"))?;
            buffers.add(start, update);
        }
    }
    Ok(())
}
