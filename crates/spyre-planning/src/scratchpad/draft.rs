//! A function as a plan leaves it: the IR, which does not change, and the changes of the plan as data.
//!
//! A pass asks the draft, and not the IR, for the operands and the operation order of the function, for the uses of
//! values and the blocks of operations. The draft answers from its tables where the plan has a change, and from the IR
//! elsewhere. New operations are built in a block outside of the function. Their operands there are stand-ins of the
//! same types, so no value of the function has a use by an operation that is only planned; the operands that they will
//! have are in the tables. A trial decision is a change of a clone of the draft.

mod add;

use std::cell::RefCell;
use std::rc::Rc;

use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::walk::{self, Carried};
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{
    self, At, Blk, DetachedBlock, Offset, Op, OpKind, Source, Use, Val, Window,
};

use super::error;

pub(super) use add::{Divide, Shared};

/// A function with the changes of a plan.
#[derive(Clone)]
pub(super) struct Draft<'p> {
    /// The name of the pass, for messages.
    pass: &'static str,
    new_ops: Rc<NewOps<'p>>,
    /// The operations of each block that are others, or in another order, than in the IR.
    blocks: FxHashMap<ir::BlockKey, Vec<Op<'p>>>,
    /// The block of each new operation.
    homes: FxHashMap<ir::OpKey, Blk<'p>>,
    /// Operations of the function that have another position.
    moved: FxHashSet<ir::OpKey>,
    /// Operands of new operations, and operands that are other values than in the IR.
    operands: FxHashMap<(ir::OpKey, usize), Val<'p>>,
    /// Each value with other uses than in the IR, and all of its uses: first the one that was added first.
    uses: FxHashMap<ir::ValueKey, (Val<'p>, Vec<Use<'p>>)>,
    /// Operands that are copies which several operations read.
    shared: Vec<Shared<'p>>,
    /// The number of copies.
    copies: usize,
}

/// The operations that plans have built, and placeholders for their operands.
#[derive(Default)]
struct NewOps<'p> {
    block: DetachedBlock<'p>,
    stand_ins: RefCell<FxHashMap<ir::TypeKey, Val<'p>>>,
}

impl<'p> Draft<'p> {
    /// Returns the draft of a pass without changes.
    pub(super) fn new(pass: &'static str) -> Self {
        Self {
            pass,
            new_ops: Rc::default(),
            blocks: FxHashMap::default(),
            homes: FxHashMap::default(),
            moved: FxHashSet::default(),
            operands: FxHashMap::default(),
            uses: FxHashMap::default(),
            shared: Vec::new(),
            copies: 0,
        }
    }

    /// Returns an error of the pass at an operation.
    pub(super) fn error(&self, op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
        Diagnostic::error(op.location(), format!("{}: {message}", self.pass))
    }

    /// Returns whether the plan has no new operation.
    pub(super) fn is_unchanged(&self) -> bool {
        self.homes.is_empty()
    }

    /// Returns the number of new copies.
    pub(super) fn copies(&self) -> usize {
        self.copies
    }

    /// Returns an operand; `None` if the operation has fewer.
    pub(super) fn get(&self, op: Op<'p>, index: usize) -> Option<Val<'p>> {
        let planned = self.operands.get(&(ir::op_key(op), index)).copied();
        planned.or_else(|| ir::operand(op, index))
    }

    /// Returns an operand of an operation that has it, and an error for an operation that does not.
    pub(super) fn operand(&self, op: Op<'p>, index: usize) -> Result<Val<'p>, Diagnostic<'p>> {
        match self.operands.get(&(ir::op_key(op), index)) {
            Some(value) => Ok(*value),
            None => op.operand(index).map_err(|err| error(op, err)),
        }
    }

    /// Returns the uses of a value, the one that was added last first, as in the IR.
    pub(super) fn uses(&self, value: Val<'p>) -> Vec<Use<'p>> {
        match self.uses.get(&ir::value_key(value)) {
            Some((_, uses)) => uses.iter().rev().copied().collect(),
            None => ir::uses(value),
        }
    }

    /// Returns the block of an operation.
    pub(super) fn block(&self, op: Op<'p>) -> Option<Blk<'p>> {
        let home = self.homes.get(&ir::op_key(op)).copied();
        home.or_else(|| op.block())
    }

    /// Returns the block of a new operation; `None` for an operation of the function.
    pub(super) fn home(&self, op: Op<'p>) -> Option<Blk<'p>> {
        self.homes.get(&ir::op_key(op)).copied()
    }

    /// Returns the operation of `block` that contains an operation, or is it; `None` if it is elsewhere.
    pub(super) fn ancestor_in(&self, op: Op<'p>, block: Blk<'p>) -> Option<Op<'p>> {
        match self.home(op) {
            Some(home) if home == block => Some(op),
            Some(home) => walk::ancestor_in(home.parent_operation()?, block),
            None => walk::ancestor_in(op, block),
        }
    }

    /// Returns the operations of a block, in order.
    pub(super) fn operations(&self, block: Blk<'p>) -> Vec<Op<'p>> {
        match self.blocks.get(&ir::block_key(block)) {
            Some(ops) => ops.clone(),
            None => ir::operations(block).collect(),
        }
    }

    /// Returns the device operations of a block and of the loops in it, in order of execution.
    pub(super) fn device_ops(&self, block: Blk<'p>) -> Vec<DeviceOp<'p>> {
        let mut ops = Vec::new();
        for op in self.operations(block) {
            if let Some(device) = DeviceOp::cast(op) {
                ops.push(device);
            } else if ir::kind(op) == OpKind::For
                && let Some(body) = ir::body(op)
            {
                ops.extend(self.device_ops(body));
            }
        }
        ops
    }

    /// Returns the results of `pick` for the operations of a block and of all blocks inside, in order.
    pub(super) fn find<T>(&self, block: Blk<'p>, pick: &impl Fn(Op<'p>) -> Option<T>) -> Vec<T> {
        let mut picked = Vec::new();
        for op in self.operations(block) {
            picked.extend(pick(op));
            for inner in ir::blocks(op) {
                picked.extend(self.find(inner, pick));
            }
        }
        picked
    }

    /// Returns the values that a loop carries, in the order of its results.
    pub(super) fn carried(&self, op: Op<'p>) -> Vec<Carried<'p>> {
        let values = walk::carried(op);
        values.map(|value| self.planned(op, value)).collect()
    }

    /// Returns the iteration argument of a loop with this use as its initial value; `None` if the user is no loop, or
    /// uses the value as a bound.
    pub(super) fn carried_by(&self, usage: Use<'p>) -> Option<Carried<'p>> {
        walk::carried_by(usage).map(|value| self.planned(usage.owner, value))
    }

    /// Returns a value that a loop carries with the operands of the plan.
    fn planned(&self, op: Op<'p>, value: Carried<'p>) -> Carried<'p> {
        let body = ir::body(op).expect("a loop has a body");
        let end = body.terminator().expect("a loop's body has a terminator");
        let number = value.operand - walk::FIRST_INIT;
        let init = self.get(op, value.operand);
        let yielded = self.get(end, number);
        Carried {
            init: init.expect("a loop starts from a value for each of its results"),
            yielded: yielded.expect("a loop yields a value for each of its results"),
            ..value
        }
    }

    /// Returns the initial value of the loop that carries a value: a block argument of its body, or its result. `None`
    /// for any other value, and for the induction variable.
    pub(super) fn started_from(&self, value: Val<'p>) -> Option<Val<'p>> {
        walk::started_from(value)?;
        let (op, number) = match ir::source(value) {
            Source::Argument(body, number) => (body.parent_operation()?, number.checked_sub(1)?),
            Source::Result(op, number) => (op, number),
        };
        self.get(op, walk::FIRST_INIT + number)
    }

    /// Returns the window of a `tensor.extract_slice` or `tensor.insert_slice`; `None` for any other operation, and for
    /// one with a dynamic size or a stride other than 1.
    pub(super) fn window(&self, op: Op<'p>) -> Option<Window<'p>> {
        let mut window = ir::window(op)?;
        if self.home(op).is_none() {
            return Some(window); // Plans redirect tensors alone.
        }
        let tensors = if ir::kind(op) == OpKind::InsertSlice {
            2
        } else {
            1
        };
        let offsets = window.offsets.iter_mut();
        let dynamic = offsets.filter(|offset| matches!(offset, Offset::Value(_)));
        for (number, offset) in dynamic.enumerate() {
            let value = self.get(op, tensors + number);
            *offset = Offset::Value(value.expect("every dynamic offset is an operand"));
        }
        Some(window)
    }

    /// Returns the tensor that a value is a window of; the value itself if it is no window.
    pub(super) fn whole(&self, value: Val<'p>) -> Val<'p> {
        let mut value = value;
        while let Some(op) = ir::defining_op(value)
            && ir::kind(op) == OpKind::ExtractSlice
            && let Some(source) = self.get(op, 0)
        {
            value = source;
        }
        value
    }

    /// Makes another value an operand of an operation.
    pub(super) fn set_operand(&mut self, op: Op<'p>, index: usize, value: Val<'p>) {
        let former = self.get(op, index).expect("the operation has the operand");
        let uses = self.uses_mut(former);
        let at = uses.iter().rposition(|usage| is_use(*usage, op, index));
        uses.remove(at.expect("the operand is a use of its value"));
        self.add_use(op, index, value);
    }

    fn add_use(&mut self, op: Op<'p>, index: usize, value: Val<'p>) {
        self.operands.insert((ir::op_key(op), index), value);
        let usage = Use {
            owner: op,
            operand: index,
        };
        self.uses_mut(value).push(usage);
    }

    fn uses_mut(&mut self, value: Val<'p>) -> &mut Vec<Use<'p>> {
        let entry = self.uses.entry(ir::value_key(value));
        let (_, uses) = entry.or_insert_with(|| {
            let mut uses = ir::uses(value);
            uses.reverse();
            (value, uses)
        });
        uses
    }

    fn ops_mut(&mut self, block: Blk<'p>) -> &mut Vec<Op<'p>> {
        let entry = self.blocks.entry(ir::block_key(block));
        entry.or_insert_with(|| ir::operations(block).collect())
    }

    /// Removes an operation from the order of its block.
    fn take_out(&mut self, op: Op<'p>) {
        let block = self.block(op).expect("the operation is in a block");
        let ops = self.ops_mut(block);
        let at = ops.iter().position(|other| *other == op);
        ops.remove(at.expect("an operation is in the order of its block"));
    }

    /// Inserts an operation into the planned order of a block, before `next`.
    fn put_before(&mut self, op: Op<'p>, next: Op<'p>) -> Blk<'p> {
        let block = self.block(next).expect("the operation is in a block");
        let ops = self.ops_mut(block);
        let at = ops.iter().position(|other| *other == next);
        ops.insert(at.expect("an operation is in the order of its block"), op);
        block
    }

    /// Moves an operation before another one of its block.
    pub(super) fn move_before(&mut self, op: Op<'p>, next: Op<'p>) {
        self.take_out(op);
        self.put_before(op, next);
        self.moved.insert(ir::op_key(op));
    }

    /// Carries out the plan: moves operations, new ones into the function, and sets operands. Of each pair in
    /// `replaced`, the first value has been replaced by the second in the function.
    pub(super) fn apply(self, replaced: &[(Val<'p>, Val<'p>)]) {
        for ops in self.blocks.values() {
            let mut next: Option<Op<'p>> = None;
            for op in ops.iter().rev() {
                let key = ir::op_key(*op);
                if self.homes.contains_key(&key) || self.moved.contains(&key) {
                    let next = next.expect("the last operation of a block is its terminator");
                    ir::move_to(*op, At::Before(next));
                }
                next = Some(*op);
            }
        }
        // All uses of a value are set in their order, so later passes find them in the order of the plan.
        for (value, uses) in self.uses.into_values() {
            let pair = replaced.iter().find(|(before, _)| *before == value);
            let value = pair.map_or(value, |(_, after)| *after);
            for Use { owner, operand } in uses {
                ir::set_operand(owner, operand, value);
            }
        }
    }
}

fn is_use(usage: Use<'_>, op: Op<'_>, index: usize) -> bool {
    ir::op_key(usage.owner) == ir::op_key(op) && usage.operand == index
}

impl<'p> NewOps<'p> {
    /// Returns a placeholder with the type of a value, which planned operations have as an operand until they are in
    /// the function.
    fn stand_in(&self, of: Val<'p>, user: Op<'p>) -> Val<'p> {
        let ty = of.r#type();
        let mut stand_ins = self.stand_ins.borrow_mut();
        let entry = stand_ins.entry(ir::type_key(ty));
        *entry.or_insert_with(|| self.block.add_argument(ty, user.location()))
    }
}

/// Returns the result of an operation that has one, and an error for an operation that does not.
pub(super) fn result_of<'p>(op: Op<'p>) -> Result<Val<'p>, Diagnostic<'p>> {
    op.result(0).map(Val::from).map_err(|err| error(op, err))
}
