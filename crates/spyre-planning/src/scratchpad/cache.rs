//! Copies of arguments into the scratchpad (LX), where they are read more than once.
//!
//! An argument, or a window of one, that several operations read, or one operation in a loop in which it does not
//! change, moves once for each read. A copy in its block moves it once. Copies are candidates for the scratchpad like
//! other values, with the reads that they save as weights; copies without a place are dropped from the plan.

use melior::ir::ValueLike;
use rustc_hash::FxHashMap;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Val};

use super::draft::{Draft, result_of};
use super::lifetime::Timeline;
use super::uses::Reader;
use super::{Planner, slices};
use crate::accesses::needs_device_memory;
use crate::executions::repeats_of;

/// The copies, and the reads of device memory that each one saves in one execution of its block.
#[derive(Clone, Default)]
pub(super) struct Cached<'p> {
    copies: Vec<DeviceOp<'p>>,
    saved: FxHashMap<ir::OpKey, u32>,
}

impl<'p> Cached<'p> {
    /// Returns the copies.
    pub(super) fn copies(&self) -> Vec<DeviceOp<'p>> {
        self.copies.clone()
    }

    /// Sets the reads that a copy saves.
    pub(super) fn set_saved(&mut self, op: Op<'_>, saved: u32) {
        self.saved.insert(ir::op_key(op), saved);
    }

    /// Returns the reads that a copy saves; `None` for another operation.
    pub(super) fn saved(&self, op: Op<'_>) -> Option<u32> {
        self.saved.get(&ir::op_key(op)).copied()
    }
}

impl<'p> Draft<'p> {
    /// Returns how often an operation runs in one execution of `block`, as [`repeats`](crate::executions::repeats) does.
    pub(super) fn repeats(&self, op: Op<'p>, block: Option<Blk<'p>>) -> u32 {
        repeats_of(self.block(op), block)
    }
}

impl<'p> Planner<'p> {
    /// Plans a copy of each argument, and of each window of one, that may save traffic in the scratchpad.
    pub(super) fn cache(
        &self,
        draft: &mut Draft<'p>,
        body: Blk<'p>,
    ) -> Result<Cached<'p>, Diagnostic<'p>> {
        let timeline = Timeline::of(draft, body);
        let mut cached = Cached::default();
        let mut pending: Vec<(Val<'p>, Blk<'p>)> = ir::arguments(body)
            .map(|argument| (argument, body))
            .collect();
        while let Some((value, block)) = pending.pop() {
            if !ir::is_ranked_tensor(value.r#type()) {
                continue; // A size, which is not in memory.
            }
            for usage in draft.uses(value) {
                if ir::kind(usage.owner) == OpKind::ExtractSlice
                    && let Some(block) = draft.block(usage.owner)
                {
                    pending.push((result_of(usage.owner)?, block));
                }
            }
            if let Some((copy, saved)) = self.copy_for_readers(draft, value, block, &timeline)? {
                cached.copies.push(copy);
                cached.set_saved(copy.op(), saved);
            }
        }
        Ok(cached)
    }

    /// Plans a copy of a value of `block` for the operations that read it in the same slices, if it saves reads.
    fn copy_for_readers(
        &self,
        draft: &mut Draft<'p>,
        value: Val<'p>,
        block: Blk<'p>,
        timeline: &Timeline<'p>,
    ) -> Result<Option<(DeviceOp<'p>, u32)>, Diagnostic<'p>> {
        // Readers by the slices that they read along each dimension.
        let mut groups: Vec<(Vec<u32>, Vec<Reader<'p>>)> = Vec::new();
        for usage in draft.uses(value) {
            let reader = DeviceOp::cast(usage.owner)
                .filter(|op| !needs_device_memory(*op) && !slices::is_indirect(*op, usage.operand));
            let Some((op, split)) = reader.and_then(|op| Some((op, op.split()?))) else {
                continue; // It reads device memory.
            };
            let dims = op.tensor_dims(usage.operand);
            let slices: Vec<u32> = dims
                .iter()
                .map(|dim| dim.map_or(1, |dim| split[dim]))
                .collect();
            let reader = Reader {
                op,
                operand: usage.operand,
                views: Vec::new(),
            };
            match groups.iter_mut().find(|(key, _)| *key == slices) {
                Some((_, readers)) => readers.push(reader),
                None => groups.push((slices, vec![reader])),
            }
        }
        let reads = |draft: &Draft<'p>, readers: &[Reader<'p>]| {
            let counts = readers
                .iter()
                .map(|reader| draft.repeats(reader.op.op(), Some(block)));
            counts.fold(0u32, u32::saturating_add)
        };
        // The first of equals, so that the result is deterministic.
        groups.sort_by_key(|(_, readers)| std::cmp::Reverse(reads(draft, readers)));
        let Some((slices, mut readers)) = groups.into_iter().next() else {
            return Ok(None);
        };
        let first = readers
            .iter()
            .filter_map(|reader| draft.ancestor_in(reader.op.op(), block))
            .min_by_key(|op| timeline.step(*op));
        let Some(first) = first.filter(|_| reads(draft, &readers) > 1) else {
            return Ok(None);
        };
        let copy = draft.build_copy(first, value)?;
        copy.set_split(&slices);
        readers.retain(|reader| slices::agree(copy, reader));
        let count = reads(draft, &readers);
        if count < 2 {
            return Ok(None);
        }
        let users: Vec<_> = readers
            .iter()
            .map(|reader| (reader.op.op(), reader.operand))
            .collect();
        draft.share((copy, value), first, &users)?;
        Ok(Some((copy, count - 1)))
    }
}
