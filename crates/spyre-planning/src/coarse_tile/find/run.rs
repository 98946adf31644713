//! Operations of one block that are tiled together, and the way around them for the operations between them.
//!
//! An operation that is not a member stays in place, before the loops, if it uses no result of a member. Otherwise it
//! moves after the loops, if it may be moved and no later member uses its results.

use melior::ir::operation::OperationLike;
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_mlir_rt::ir::{self, Op, Val};

/// The members of the run, and the operations between them that have to move after the loops.
#[derive(Default)]
pub(crate) struct MemberRun<'p> {
    members: FxHashSet<ir::OpKey>,
    /// Operations after the loops, by operation key, with the member that they depend on.
    behind: FxHashMap<ir::OpKey, Op<'p>>,
    /// The operations after the loops in order, each with the number of members before it.
    order: Vec<(Op<'p>, usize)>,
}

/// The reason why an operation cannot join a run, or cannot pass it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dependence<'p> {
    /// The operation between the members.
    pub(crate) through: Op<'p>,
    /// The member that it depends on.
    pub(crate) on: Op<'p>,
}

impl<'p> MemberRun<'p> {
    /// Adds a member.
    pub(crate) fn add(&mut self, op: Op<'p>) {
        self.members.insert(ir::op_key(op));
    }

    /// Passes an operation that does not become a member.
    ///
    /// # Errors
    /// The operation uses a value of the run and has effects, so it can be placed neither before the loops nor after
    /// them.
    pub(crate) fn pass(&mut self, op: Op<'p>) -> Result<(), Dependence<'p>> {
        let Some(on) = self.needs(op) else {
            return Ok(());
        };
        if !ir::is_pure(op) {
            return Err(Dependence { through: op, on });
        }
        self.behind.insert(ir::op_key(op), on);
        self.order.push((op, self.members.len()));
        Ok(())
    }

    /// Returns whether an operation is a member.
    pub(crate) fn has(&self, op: Op<'p>) -> bool {
        self.members.contains(&ir::op_key(op))
    }

    /// Returns whether an operation has an operand that a member computes, and none that is computed after the loops.
    pub(crate) fn reads(&self, op: Op<'p>) -> bool {
        let is_member = |value| {
            let maker = ir::defining_op(value);
            maker.is_some_and(|maker| self.has(maker))
        };
        op.operands().any(is_member) && self.blocked(op).is_none()
    }

    /// Returns the dependence because of which an operation cannot become a member: it uses a value that is available
    /// only after the loops. Returns `None` if it has no such operand.
    pub(crate) fn blocked(&self, op: Op<'p>) -> Option<Dependence<'p>> {
        if self.behind.is_empty() {
            return None;
        }
        op.operands().find_map(|value| {
            let through = ir::defining_op(value)?;
            let on = *self.behind.get(&ir::op_key(through))?;
            Some(Dependence { through, on })
        })
    }

    /// Splits the run before an operation that is [`MemberRun::blocked`]. `members` are the members of the run, in
    /// order. Returns the position of the first member that goes with that operation, and the run of these members.
    /// They follow the operation that blocks it and do not depend on the members before, so in the first run they would
    /// only build full tensors.
    pub(crate) fn split(&mut self, members: &[Op<'p>]) -> (usize, Self) {
        let mut at = members.len();
        if let Some((_, first)) = self.order.first() {
            let positions: FxHashMap<ir::OpKey, usize> = members
                .iter()
                .enumerate()
                .skip(*first)
                .map(|(position, op)| (ir::op_key(*op), position))
                .collect();
            let mut earliest = members.len();
            for (position, op) in members.iter().enumerate().skip(*first).rev() {
                for maker in op.operands().filter_map(ir::defining_op) {
                    let key = ir::op_key(maker);
                    if let Some(maker_position) = positions.get(&key) {
                        earliest = earliest.min(*maker_position);
                    } else if self.members.contains(&key) || self.behind.contains_key(&key) {
                        earliest = 0;
                    }
                }
                if earliest >= position {
                    at = position;
                }
            }
        }
        let mut rest = Self::default();
        for op in members.iter().skip(at) {
            self.members.remove(&ir::op_key(*op));
            rest.add(*op);
        }
        // Operations between these members may depend on them.
        for (op, before) in &self.order {
            if let Some(before) = before.checked_sub(at).filter(|before| *before > 0)
                && let Some(on) = rest.needs(*op)
            {
                rest.behind.insert(ir::op_key(*op), on);
                rest.order.push((*op, before));
            }
        }
        (at, rest)
    }

    /// Returns the operations that move after the loops, in order, each with the number of members before it.
    /// Operations after the last member that goes into the loops are after the loops already.
    pub(crate) fn into_behind(self) -> Vec<(Op<'p>, usize)> {
        self.order
    }

    /// Returns the member that an operation, or an operation in its regions, depends on, directly or through other
    /// operations; `None` if there is none.
    fn needs(&self, op: Op<'p>) -> Option<Op<'p>> {
        let member = |value: Val<'p>| {
            let maker = ir::defining_op(value)?;
            let key = ir::op_key(maker);
            if self.members.contains(&key) {
                return Some(maker);
            }
            self.behind.get(&key).copied()
        };
        if let Some(maker) = op.operands().find_map(member) {
            return Some(maker);
        }
        for block in ir::blocks(op) {
            if let Some(maker) = ir::operations(block).find_map(|inner| self.needs(inner)) {
                return Some(maker);
            }
        }
        None
    }
}
