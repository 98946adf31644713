//! Changes of a function that can be undone: operands that are replaced by new tensors.

use melior::Context;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_analysis::insert::insert;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Op, Val};

use super::uses::result_of;
use super::{error, operand};

/// The operation that copies a tensor.
const COPY: &str = "spyre.copy";

/// A function that builds a copy of a value before an operation.
pub(super) type CopyBefore<'r, 'p> =
    dyn Fn(Op<'p>, Val<'p>) -> Result<DeviceOp<'p>, Diagnostic<'p>> + 'r;

/// An operand that was replaced by a copy: the user, the number of the operand, and its former value.
pub(super) type Shared<'p> = (Op<'p>, usize, Val<'p>);

/// The copies and tensors that a pass has inserted, which it can remove again.
pub(super) struct Edits<'p> {
    /// The name of the pass, for messages.
    pass: &'static str,
    /// The new operation, the operation that uses it, the number of the operand, and the operand's former value.
    replaced: Vec<(Op<'p>, Op<'p>, usize, Val<'p>)>,
    copies: usize,
    /// Operands that were replaced by copies which several operations read.
    redirected: Vec<Shared<'p>>,
    /// These copies.
    shared: Vec<Op<'p>>,
    /// The new operations that others of them use, in order.
    behind: Vec<Op<'p>>,
    /// The number of new operations, which are all in the lists.
    op_count: usize,
}

impl<'p> Edits<'p> {
    /// Returns the state of a pass without changes.
    pub(super) fn new(pass: &'static str) -> Self {
        Self {
            pass,
            replaced: Vec::new(),
            copies: 0,
            redirected: Vec::new(),
            shared: Vec::new(),
            behind: Vec::new(),
            op_count: 0,
        }
    }

    /// Returns an error of the pass at an operation.
    pub(super) fn error(&self, op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
        Diagnostic::error(op.location(), format!("{}: {message}", self.pass))
    }

    /// Returns whether no operation was inserted.
    pub(super) fn is_unchanged(&self) -> bool {
        self.replaced.is_empty() && self.shared.is_empty()
    }

    /// Returns the number of inserted copies.
    pub(super) fn copies(&self) -> usize {
        let listed = self.replaced.len() + self.behind.len() + self.shared.len();
        assert_eq!(
            self.op_count, listed,
            "every new operation can be removed again"
        );
        self.copies
    }

    /// Removes the new operations again.
    pub(super) fn undo(self) {
        for (user, index, value) in self.redirected.into_iter().rev() {
            ir::set_operand(user, index, value);
        }
        self.shared.into_iter().for_each(ir::erase);
        for (new, user, index, value) in self.replaced.into_iter().rev() {
            ir::set_operand(user, index, value);
            ir::erase(new);
        }
        self.behind.into_iter().rev().for_each(ir::erase);
    }

    /// Replaces an operand of `user` by a copy of it. Returns the copy.
    pub(super) fn copy(
        &mut self,
        user: Op<'p>,
        index: usize,
        copy_before: &CopyBefore<'_, 'p>,
    ) -> Result<Op<'p>, Diagnostic<'p>> {
        let value = operand(user, index)?;
        let copy = copy_before(user, value)?.op();
        self.put_in_front(user, index, &[copy])?;
        self.copies += 1;
        Ok(copy)
    }

    /// Replaces an operand of `user` by another tensor that is built in the same way: by a `spyre.empty`, and
    /// insertions into it. Returns the new operations.
    pub(super) fn another(
        &mut self,
        user: Op<'p>,
        index: usize,
        chain: &[Op<'p>],
    ) -> Result<Vec<Op<'p>>, Diagnostic<'p>> {
        let mut ops: Vec<Op<'p>> = Vec::with_capacity(chain.len());
        for op in chain {
            let other = ir::build_clone(At::Before(user), *op);
            if let Some(before) = ops.last() {
                ir::set_operand(other, 1, result_of(*before)?);
            }
            ops.push(other);
        }
        self.put_in_front(user, index, &ops)?;
        Ok(ops)
    }

    /// Replaces an operand of `user` by the result of the last of new operations before it.
    pub(super) fn put_in_front(
        &mut self,
        user: Op<'p>,
        index: usize,
        ops: &[Op<'p>],
    ) -> Result<(), Diagnostic<'p>> {
        let value = operand(user, index)?;
        let (last, others) = ops.split_last().expect("something was made");
        let result = result_of(*last)?;
        ir::set_operand(user, index, result);
        assert!(operand(user, index)? == result, "the new tensor is read");
        self.op_count += ops.len();
        self.replaced.push((*last, user, index, value));
        for other in others {
            self.behind.push(*other);
        }
        Ok(())
    }

    /// Replaces operands by a copy of their value, which has been built before their operations.
    pub(super) fn share(
        &mut self,
        copy: Op<'p>,
        users: &[(Op<'p>, usize)],
    ) -> Result<(), Diagnostic<'p>> {
        let result = result_of(copy)?;
        self.shared.push(copy);
        self.op_count += 1;
        self.copies += 1;
        let before = self.redirected.len();
        for &(user, index) in users {
            self.redirected.push((user, index, operand(user, index)?));
            ir::set_operand(user, index, result);
        }
        let listed = self.redirected.len() - before;
        assert_eq!(listed, users.len(), "every reader can be put back");
        let readers = ir::uses(result).len();
        assert_eq!(readers, users.len(), "every reader reads the copy");
        Ok(())
    }

    /// Returns the operands that are a copy of [`share`](Self::share) now.
    pub(super) fn readers_of(&self, copy: Op<'p>) -> Result<Vec<Shared<'p>>, Diagnostic<'p>> {
        let result = result_of(copy)?;
        let mut readers = Vec::new();
        for shared in &self.redirected {
            if operand(shared.0, shared.1)? == result {
                readers.push(*shared);
            }
        }
        Ok(readers)
    }

    /// Removes a copy of [`share`](Self::share) again.
    pub(super) fn take_back(&mut self, copy: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let result = result_of(copy)?;
        for (user, index, value) in &self.redirected {
            if operand(*user, *index)? == result {
                ir::set_operand(*user, *index, *value);
            }
        }
        self.shared.retain(|other| *other != copy);
        self.op_count -= 1;
        self.copies -= 1;
        ir::erase(copy);
        Ok(())
    }
}

/// Builds a copy of a value before an operation, without a division.
pub(super) fn build_copy<'p>(
    context: &'p Context,
    before: Op<'p>,
    value: Val<'p>,
) -> Result<DeviceOp<'p>, Diagnostic<'p>> {
    let parts = (COPY, &[value][..], &[value.r#type()][..], &[][..]);
    let copy = insert(At::Before(before), before.location(), parts, context);
    DeviceOp::cast(copy).ok_or_else(|| error(copy, "copy is not a device operation"))
}
