//! The live ranges of values, in steps of the program's text.

use std::ops::Range;

use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_mlir_rt::ir::{self, Blk, Op};

/// A step for every operation of a function, and the step after every loop and every other operation with regions.
pub(crate) struct Timeline {
    steps: FxHashMap<ir::OpKey, u32>,
    ends: FxHashMap<ir::OpKey, u32>,
}

impl Timeline {
    /// Numbers the operations of a function in the order of its text.
    pub(crate) fn new(body: Blk<'_>) -> Self {
        let mut timeline = Self {
            steps: FxHashMap::default(),
            ends: FxHashMap::default(),
        };
        let mut next = 0;
        timeline.number(body, &mut next);
        timeline
    }

    fn number(&mut self, block: Blk<'_>, next: &mut u32) {
        for op in ir::operations(block) {
            self.steps.insert(ir::op_key(op), *next);
            *next += 1;
            if op.region_count() > 0 {
                for inner in ir::blocks(op) {
                    self.number(inner, next);
                }
                self.ends.insert(ir::op_key(op), *next);
            }
        }
    }

    /// Adds a new operation, which ends when the operation after it, `next`, starts.
    pub(crate) fn add_before(&mut self, op: Op<'_>, next: Op<'_>) {
        let step = self.step(next);
        self.steps.insert(ir::op_key(op), step);
        self.ends.insert(ir::op_key(op), step);
    }

    /// Returns the step of an operation.
    ///
    /// # Panics
    /// The operation is not of the function, or was built later and not added.
    pub(crate) fn step(&self, op: Op<'_>) -> u32 {
        let step = self.steps.get(&ir::op_key(op)).copied();
        step.expect("operations of the function have steps, and new ones are added")
    }

    /// Returns the step after an operation and after all operations in it.
    ///
    /// # Panics
    /// As [`Self::step`].
    pub(crate) fn end(&self, op: Op<'_>) -> u32 {
        let end = self.ends.get(&ir::op_key(op)).copied();
        end.unwrap_or_else(|| self.step(op) + 1)
    }

    /// Returns whether an operation, or the loop around it in the block of `other`, ends before `other` starts.
    pub(crate) fn is_before<'p>(&self, op: Op<'p>, other: Op<'p>) -> bool {
        ancestor_beside(op, other).is_some_and(|op| self.end(op) <= self.step(other))
    }

    /// Returns the last step of an operation, or of the loop around it in the block of `other`; `None` if it is not in
    /// that block.
    pub(crate) fn end_beside<'p>(&self, op: Op<'p>, other: Op<'p>) -> Option<u32> {
        self.end(ancestor_beside(op, other)?).checked_sub(1)
    }

    /// Returns the live range of a value that `op` defines and `users` use, from its definition to after its last use.
    /// A use inside a loop lasts to the end of that loop, since the next iteration uses it again. Returns `None` if a
    /// user is outside the block of `op`.
    pub(crate) fn life<'p>(
        &self,
        op: Op<'p>,
        users: impl Iterator<Item = Op<'p>>,
    ) -> Option<Range<u32>> {
        let start = self.step(op);
        let mut end = start + 1;
        for user in users {
            end = end.max(self.end(ancestor_beside(user, op)?));
        }
        Some(start..end)
    }
}

/// Returns `user` or the operation around it that is in the block of `op`; `None` if there is none.
fn ancestor_beside<'p>(user: Op<'p>, op: Op<'p>) -> Option<Op<'p>> {
    let mut current = user;
    while current.block() != op.block() {
        current = current.parent_operation()?;
    }
    Some(current)
}
