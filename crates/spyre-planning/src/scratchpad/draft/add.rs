//! The operations that plans add: copies, and tensors that are built in the same way as others.

use melior::ir::ValueLike;
use melior::ir::operation::{OperationBuilder, OperationLike};
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, Val};
use spyre_ods::spyre;

use super::super::error;
use super::Draft;
use super::result_of;

/// A function that divides a new copy of a value over the cores.
pub(in super::super) type Divide<'r, 'p> =
    dyn Fn(&Draft<'p>, DeviceOp<'p>, Val<'p>) -> Result<(), Diagnostic<'p>> + 'r;

/// An operand that is a copy: the user, the number of the operand, and the value that it is without the copy.
pub(in super::super) type Shared<'p> = (Op<'p>, usize, Val<'p>);

impl<'p> Draft<'p> {
    /// Builds a copy of a value, with the location of `before`, which is not in the function yet.
    pub(in super::super) fn build_copy(
        &self,
        before: Op<'p>,
        value: Val<'p>,
    ) -> Result<DeviceOp<'p>, Diagnostic<'p>> {
        let operand = self.new_ops.stand_in(value, before);
        let copy = OperationBuilder::new(spyre::COPY, before.location())
            .add_operands(&[operand])
            .add_results(&[value.r#type()])
            .build()
            .map_err(|err| error(before, err))?;
        let copy = ir::insert(self.at_new_ops(), copy).expect("the block of new operations exists");
        DeviceOp::cast(copy).ok_or_else(|| error(copy, "copy is not a device operation"))
    }

    /// Returns the place at which operations are built before they are in the function.
    pub(in super::super) fn at_new_ops(&self) -> At<'p> {
        At::End(self.new_ops.block.block())
    }

    /// Plans an operation that was built at [`at_new_ops`](Self::at_new_ops), with its operands, before another one.
    pub(in super::super) fn insert(&mut self, op: Op<'p>, operands: &[Val<'p>], before: Op<'p>) {
        assert_eq!(op.operand_count(), operands.len(), "every operand is given");
        // Stand-ins first: the uses of a value of the function are read from the IR when its first use changes.
        for (index, operand) in operands.iter().enumerate() {
            ir::set_operand(op, index, self.new_ops.stand_in(*operand, op));
        }
        for (index, operand) in operands.iter().enumerate() {
            self.add_use(op, index, *operand);
        }
        let block: Blk<'p> = self.put_before(op, before);
        self.homes.insert(ir::op_key(op), block);
    }

    /// Replaces an operand of `user` by a copy of it. Returns the copy.
    pub(in super::super) fn copy(
        &mut self,
        user: Op<'p>,
        index: usize,
        divide: &Divide<'_, 'p>,
    ) -> Result<Op<'p>, Diagnostic<'p>> {
        let value = self.operand(user, index)?;
        let copy = self.build_copy(user, value)?;
        divide(self, copy, value)?;
        self.insert(copy.op(), &[value], user);
        self.set_operand(user, index, result_of(copy.op())?);
        self.copies += 1;
        Ok(copy.op())
    }

    /// Replaces an operand of `user` by another tensor that is built in the same way: by a `spyre.empty`, and
    /// insertions into it. Returns the new operations.
    pub(in super::super) fn another(
        &mut self,
        user: Op<'p>,
        index: usize,
        chain: &[Op<'p>],
    ) -> Result<Vec<Op<'p>>, Diagnostic<'p>> {
        let mut ops: Vec<Op<'p>> = Vec::with_capacity(chain.len());
        for op in chain {
            let other = ir::build_clone(self.at_new_ops(), *op);
            let operands = (0..op.operand_count()).map(|operand| self.operand(*op, operand));
            let mut operands = operands.collect::<Result<Vec<_>, _>>()?;
            if let Some(before) = ops.last() {
                operands[1] = result_of(*before)?;
            }
            self.insert(other, &operands, user);
            ops.push(other);
        }
        let last = ops.last().expect("a chain starts from a spyre.empty");
        self.set_operand(user, index, result_of(*last)?);
        Ok(ops)
    }

    /// Plans an operation that was built with its operands, before another one. Returns its result.
    pub(in super::super) fn insert_built(
        &mut self,
        op: Op<'p>,
        before: Op<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let operands: Vec<Val<'p>> = op.operands().collect();
        self.insert(op, &operands, before);
        result_of(op)
    }

    /// Plans a copy of `value`, built by [`build_copy`](Self::build_copy), before an operation, and makes operands of
    /// several operations that copy.
    pub(in super::super) fn share(
        &mut self,
        (copy, value): (DeviceOp<'p>, Val<'p>),
        before: Op<'p>,
        users: &[(Op<'p>, usize)],
    ) -> Result<(), Diagnostic<'p>> {
        let result = result_of(copy.op())?;
        self.insert(copy.op(), &[value], before);
        self.copies += 1;
        for &(user, index) in users {
            self.shared.push((user, index, self.operand(user, index)?));
            self.set_operand(user, index, result);
        }
        let readers = self.uses(result).len();
        assert_eq!(readers, users.len(), "every reader reads the copy");
        Ok(())
    }

    /// Returns the operands that are a copy of [`share`](Self::share) now.
    pub(in super::super) fn readers_of(
        &self,
        copy: Op<'p>,
    ) -> Result<Vec<Shared<'p>>, Diagnostic<'p>> {
        let result = result_of(copy)?;
        let mut readers = Vec::new();
        for shared in &self.shared {
            if self.operand(shared.0, shared.1)? == result {
                readers.push(*shared);
            }
        }
        Ok(readers)
    }

    /// Drops a copy of [`share`](Self::share) from the plan.
    pub(in super::super) fn drop_copy(&mut self, copy: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let result = result_of(copy)?;
        for (user, index, value) in self.shared.clone() {
            if self.operand(user, index)? == result {
                self.set_operand(user, index, value);
            }
        }
        let source = self.operand(copy, 0)?;
        let uses = self.uses_mut(source);
        uses.retain(|usage| ir::op_key(usage.owner) != ir::op_key(copy));
        assert!(self.uses(result).is_empty(), "a dropped copy has no users");
        self.take_out(copy);
        self.operands.remove(&(ir::op_key(copy), 0));
        self.homes.remove(&ir::op_key(copy));
        self.copies -= 1;
        Ok(())
    }
}
