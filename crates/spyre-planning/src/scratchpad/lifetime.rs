//! The live ranges of values, in steps of the program's text.

use std::ops::Range;

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_mlir_rt::ir::{self, Blk, Op};

use super::draft::Draft;

/// A step for every operation of a function, and the step after every loop and every other operation with regions.
pub(crate) struct Timeline<'p> {
    steps: FxHashMap<ir::OpKey, u32>,
    ends: FxHashMap<ir::OpKey, u32>,
    /// The blocks of operations that are planned and not in the IR yet.
    homes: FxHashMap<ir::OpKey, Blk<'p>>,
}

impl<'p> Timeline<'p> {
    /// Numbers the operations of a function in the order of its text.
    pub(crate) fn new(body: Blk<'p>) -> Self {
        Self::of(&Draft::new(super::NAME), body)
    }

    /// Numbers the operations of a function as a plan leaves it.
    pub(super) fn of(draft: &Draft<'p>, body: Blk<'p>) -> Self {
        let mut timeline = Self {
            steps: FxHashMap::default(),
            ends: FxHashMap::default(),
            homes: FxHashMap::default(),
        };
        let mut next = 0;
        timeline.number(draft, body, &mut next);
        timeline
    }

    fn number(&mut self, draft: &Draft<'p>, block: Blk<'p>, next: &mut u32) {
        for op in draft.operations(block) {
            if let Some(home) = draft.home(op) {
                self.homes.insert(ir::op_key(op), home);
            }
            self.steps.insert(ir::op_key(op), *next);
            *next += 1;
            if op.region_count() > 0 {
                for inner in ir::blocks(op) {
                    self.number(draft, inner, next);
                }
                self.ends.insert(ir::op_key(op), *next);
            }
        }
    }

    /// Adds a new operation, which ends when the operation after it in its block, `next`, starts.
    pub(crate) fn add_before(&mut self, op: Op<'p>, next: Op<'p>) {
        let home = self.block(next).expect("the next operation is in a block");
        self.homes.insert(ir::op_key(op), home);
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
    /// Like [`Self::step`].
    pub(crate) fn end(&self, op: Op<'_>) -> u32 {
        let end = self.ends.get(&ir::op_key(op)).copied();
        end.unwrap_or_else(|| self.step(op) + 1)
    }

    /// Returns whether an operation, or the loop around it in the block of `other`, ends before `other` starts.
    pub(crate) fn is_before(&self, op: Op<'p>, other: Op<'p>) -> bool {
        self.ancestor_beside(op, other)
            .is_some_and(|op| self.end(op) <= self.step(other))
    }

    /// Returns the last step of an operation, or of the loop around it in the block of `other`; `None` if it is not in
    /// that block.
    pub(crate) fn end_beside(&self, op: Op<'p>, other: Op<'p>) -> Option<u32> {
        self.end(self.ancestor_beside(op, other)?).checked_sub(1)
    }

    /// Returns the live range of a value that `op` defines and `users` use, from its definition to after its last use.
    /// A use inside a loop lasts to the end of that loop, since the next iteration uses it again. Returns `None` if a
    /// user is outside the block of `op`.
    pub(crate) fn life(
        &self,
        op: Op<'p>,
        users: impl Iterator<Item = Op<'p>>,
    ) -> Option<Range<u32>> {
        let start = self.step(op);
        let mut end = start + 1;
        for user in users {
            end = end.max(self.end(self.ancestor_beside(user, op)?));
        }
        Some(start..end)
    }

    fn block(&self, op: Op<'p>) -> Option<Blk<'p>> {
        let home = self.homes.get(&ir::op_key(op)).copied();
        home.or_else(|| op.block())
    }

    /// Returns `user` or the operation around it that is in the block of `op`; `None` if there is none.
    fn ancestor_beside(&self, user: Op<'p>, op: Op<'p>) -> Option<Op<'p>> {
        let wanted = self.block(op);
        let mut current = user;
        loop {
            let block = self.block(current);
            if block == wanted {
                return Some(current);
            }
            current = block?.parent_operation()?;
        }
    }
}
