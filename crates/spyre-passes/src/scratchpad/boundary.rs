//! Places of the results of the function, and copies of the values that are inserted.

use std::collections::HashMap;

use melior::Context;
use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use spyre_dialects::attr::Place;
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_dialects::spyre::CopyOperation;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Source, Val};

use super::error;
use super::uses::result_of;
use crate::walk::FIRST_INIT;

/// A function that makes a copy of a value before an operation.
pub(super) type CopyBefore<'r, 'p> =
    dyn Fn(Op<'p>, Val<'p>) -> Result<DeviceOp<'p>, Diagnostic<'p>> + 'r;

/// An operand that was replaced by a copy: the user, the number of the operand, and its former value.
pub(super) type Shared<'p> = (Op<'p>, usize, Val<'p>);

/// The operations whose result is a result of the function, with its place, and the copies and tensors that were made for this.
pub(super) struct Outputs<'p> {
    /// The name of the pass that makes the copies, for messages.
    pass: &'static str,
    places: HashMap<usize, Place>,
    /// The new operation, the operation that uses it, the number of the operand, and the operand's former value.
    replaced: Vec<(Op<'p>, Op<'p>, usize, Val<'p>)>,
    copies: usize,
    /// Operands that were replaced by copies which several operations read.
    redirected: Vec<Shared<'p>>,
    /// These copies.
    shared: Vec<Op<'p>>,
    /// The new operations that others of them use, in order.
    behind: Vec<Op<'p>>,
}

impl<'p> Outputs<'p> {
    /// Returns the state of a pass that has changed nothing.
    pub(super) fn new(pass: &'static str) -> Self {
        Self {
            pass,
            places: HashMap::new(),
            replaced: Vec::new(),
            copies: 0,
            redirected: Vec::new(),
            shared: Vec::new(),
            behind: Vec::new(),
        }
    }

    /// Returns an error of the pass at an operation.
    pub(super) fn error(&self, op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
        Diagnostic::error(op.location(), format!("{}: {message}", self.pass))
    }

    /// Returns whether no operation was made.
    pub(super) fn is_unchanged(&self) -> bool {
        self.replaced.is_empty() && self.shared.is_empty()
    }

    /// Returns the number of copies that were made.
    pub(super) fn copies(&self) -> usize {
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

    /// Replaces an operand of `user` by another tensor that is made in the same way: by a `spyre.empty`, and insertions into it.
    /// Returns the new operations.
    pub(super) fn another(
        &mut self,
        user: Op<'p>,
        index: usize,
        chain: &[Op<'p>],
    ) -> Result<Vec<Op<'p>>, Diagnostic<'p>> {
        let mut made: Vec<Op<'p>> = Vec::with_capacity(chain.len());
        for op in chain {
            let other = ir::build_copy(ir::At::Before(user), *op);
            if let Some(before) = made.last() {
                ir::set_operand(other, 1, result_of(*before)?);
            }
            made.push(other);
        }
        self.put_in_front(user, index, &made)?;
        Ok(made)
    }

    /// Replaces an operand of `user` by the result of the last of new operations in front of it.
    pub(super) fn put_in_front(
        &mut self,
        user: Op<'p>,
        index: usize,
        made: &[Op<'p>],
    ) -> Result<(), Diagnostic<'p>> {
        let value = operand(user, index)?;
        let (last, others) = made.split_last().expect("something was made");
        ir::set_operand(user, index, result_of(*last)?);
        self.replaced.push((*last, user, index, value));
        self.behind.extend(others);
        Ok(())
    }

    /// Replaces operands by a copy of their value, which has been built in front of their operations.
    pub(super) fn share(
        &mut self,
        copy: Op<'p>,
        users: &[(Op<'p>, usize)],
    ) -> Result<(), Diagnostic<'p>> {
        let result = result_of(copy)?;
        self.shared.push(copy);
        self.copies += 1;
        for &(user, index) in users {
            self.redirected.push((user, index, operand(user, index)?));
            ir::set_operand(user, index, result);
        }
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
        self.copies -= 1;
        ir::erase(copy);
        Ok(())
    }

    /// Returns whether the operation makes a result of the function.
    pub(super) fn contains(&self, op: Op<'_>) -> bool {
        self.places.contains_key(&ir::op_key(op))
    }

    /// Returns the place of the operation's result; `None` if it is not a result of the function.
    pub(super) fn place(&self, op: Op<'_>) -> Option<Place> {
        self.places.get(&ir::op_key(op)).copied()
    }
}

/// Builds a copy of a value before an operation, without a division.
pub(super) fn build_copy<'p>(
    context: &'p Context,
    before: Op<'p>,
    value: Val<'p>,
) -> Result<DeviceOp<'p>, Diagnostic<'p>> {
    let block = before
        .block()
        .ok_or_else(|| error(before, "operation is not in a block"))?;
    let copy = CopyOperation::builder(context, before.location())
        .input(value)
        .result(value.r#type())
        .build();
    let copy = block.insert_operation_before(before, copy.into());
    DeviceOp::cast(copy).ok_or_else(|| error(copy, "copy is not a device operation"))
}

/// Returns whether an operation is a copy.
pub(crate) fn is_copy(op: DeviceOp<'_>) -> bool {
    op.op().name().as_string_ref().as_str() == Ok("spyre.copy")
}

/// Returns an operand of an operation that has it, and an error for an operation that does not.
pub(super) fn operand<'p>(op: Op<'p>, index: usize) -> Result<Val<'p>, Diagnostic<'p>> {
    op.operand(index).map_err(|why| error(op, why))
}

/// Returns the operation that makes the buffer behind a value; `None` if the value is not that whole buffer.
pub(super) fn root<'p>(value: Val<'p>) -> Option<Op<'p>> {
    let mut value = value;
    loop {
        match ir::source(value) {
            Source::Argument(block, index) => {
                let parent = block
                    .parent_operation()
                    .filter(|parent| ir::kind(*parent) == OpKind::For)?;
                value = parent.operand(FIRST_INIT + index.checked_sub(1)?).ok()?;
            }
            Source::Result(op, index) => match ir::kind(op) {
                OpKind::For => value = ir::operand(op, FIRST_INIT + index)?,
                OpKind::InsertSlice => value = ir::operand(op, 1)?,
                _ if DeviceOp::cast(op).is_some() || EmptyOp::cast(op).is_some() => {
                    return Some(op);
                }
                _ => return None,
            },
        }
    }
}

/// Checks that the results of the function are tensors, and that 32 bits can number arguments and results.
pub(super) fn check_results<'p>(function: Op<'p>, body: Blk<'p>) -> Result<(), Diagnostic<'p>> {
    let terminator = body
        .terminator()
        .ok_or_else(|| error(function, "function has no terminator"))?;
    let inputs = body.argument_count();
    if u32::try_from(inputs + terminator.operand_count()).is_err() {
        return Err(error(
            function,
            "function has more than 2^32 - 1 arguments and results",
        ));
    }
    for (index, value) in terminator.operands().enumerate() {
        if !ir::is_ranked_tensor(value.r#type()) {
            return Err(error(
                terminator,
                format!("result {index} of the function is not a tensor"),
            ));
        }
    }
    Ok(())
}

/// Makes every insertion take its value from a device operation beside it, which can write the value in place. Other values are
/// copied.
pub(super) fn copy_sources<'p>(
    outputs: &mut Outputs<'p>,
    block: Blk<'p>,
    copy_before: &CopyBefore<'_, 'p>,
) -> Result<(), Diagnostic<'p>> {
    for insert in inserts(block) {
        let maker = ir::defining_op(operand(insert, 0)?).and_then(DeviceOp::cast);
        if maker.is_none_or(|maker| maker.op().block() != insert.block()) {
            outputs.copy(insert, 0, copy_before)?;
        }
    }
    Ok(())
}

/// Gives each result of the function its argument, with a copy if a result is not a buffer of its own. A value that is
/// `better_copied` has another place while it is made.
pub(super) fn place_results<'p>(
    outputs: &mut Outputs<'p>,
    body: Blk<'p>,
    better_copied: &dyn Fn(Op<'p>) -> bool,
    copy_before: &CopyBefore<'_, 'p>,
) -> Result<(), Diagnostic<'p>> {
    let Some(terminator) = body.terminator() else {
        return Ok(());
    };
    let inputs = body.argument_count();
    for index in 0..terminator.operand_count() {
        let number = u32::try_from(inputs + index).map_err(|why| error(terminator, why))?;
        let maker = match root(operand(terminator, index)?) {
            Some(maker)
                if !outputs.contains(maker) && !is_inserted(maker)? && !better_copied(maker) =>
            {
                maker
            }
            _ => outputs.copy(terminator, index, copy_before)?,
        };
        outputs.places.insert(ir::op_key(maker), Place::Arg(number));
    }
    Ok(())
}

/// Returns whether a device operation's result is also inserted into a tensor.
fn is_inserted<'p>(maker: Op<'p>) -> Result<bool, Diagnostic<'p>> {
    if DeviceOp::cast(maker).is_none() {
        return Ok(false);
    }
    Ok(ir::uses(result_of(maker)?)
        .iter()
        .any(|found| ir::kind(found.owner) == OpKind::InsertSlice && found.operand == 0))
}

/// Returns the `spyre.empty` operations of a block and of the loops in it.
pub(super) fn empties<'p>(block: Blk<'p>) -> Vec<EmptyOp<'p>> {
    let mut found = Vec::new();
    visit(block, &mut |op| found.extend(EmptyOp::cast(op)));
    found
}

/// Returns the insertions of a block and of the loops in it.
pub(super) fn inserts<'p>(block: Blk<'p>) -> Vec<Op<'p>> {
    let mut found = Vec::new();
    visit(block, &mut |op| {
        found.extend((ir::kind(op) == OpKind::InsertSlice).then_some(op))
    });
    found
}

fn visit<'p>(block: Blk<'p>, visitor: &mut dyn FnMut(Op<'p>)) {
    for op in ir::operations(block) {
        visitor(op);
        if ir::kind(op) == OpKind::For
            && let Some(body) = ir::body(op)
        {
            visit(body, visitor);
        }
    }
}
