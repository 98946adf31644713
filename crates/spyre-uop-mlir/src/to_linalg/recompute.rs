//! A copy of an elementwise operation for each of its users.
//!
//! Upstream's fusion takes an elementwise operation into its user only where it has no other. With copies, it builds
//! one loop nest per reduction, as tinygrad's kernels are: operations that several of them read are computed again in
//! each.

use melior::ir::operation::OperationLike;
use rustc_hash::FxHashSet;
use spyre_mlir_rt::ir::{self, At, Blk, Op, Val};
use spyre_ods::{linalg, tensor};

/// Gives each structured operation in a block separate copies of the elementwise operations that it reads.
///
/// The copies are no more than the operations of the block: a chain of values that are read twice has twice as many copies at each step.
pub(super) fn recompute(block: Blk<'_>) {
    let operations: Vec<Op<'_>> = ir::operations(block).collect();
    let mut left = operations.len();
    // Users come first, so that the operands of a copy are copied for it as well.
    for op in operations.into_iter().rev() {
        let Some(value) = elementwise(op) else {
            continue;
        };
        let readers = readers(value, block);
        if readers.len() < 2 || readers.len() > left {
            continue;
        }
        left -= readers.len();
        for reader in readers {
            let copy = ir::build_clone(At::Before(reader), op);
            let copied = ir::result(copy, 0).expect("it has one result");
            for number in 0..reader.operand_count() {
                if ir::operand(reader, number) == Some(value) {
                    ir::set_operand(reader, number, copied);
                }
            }
        }
        if ir::uses(value).is_empty() {
            ir::erase(op);
        }
    }
}

/// Returns the result of an elementwise operation: one that begins with no value, as a reduction would.
fn elementwise<'p>(op: Op<'p>) -> Option<Val<'p>> {
    let last = op.operand_count().checked_sub(1)?;
    let begin = ir::defining_op(ir::operand(op, last)?)?;
    let is = ir::name(op) == linalg::GENERIC
        && op.result_count() == 1
        && ir::name(begin) == tensor::EMPTY;
    is.then(|| ir::result(op, 0))?
}

/// Returns the structured operations of a block that read a value, each once.
fn readers<'p>(value: Val<'p>, block: Blk<'p>) -> Vec<Op<'p>> {
    let mut keys = FxHashSet::default();
    let mut readers: Vec<_> = ir::uses(value).into_iter().map(|next| next.owner).collect();
    readers.retain(|reader| {
        ir::name(*reader) == linalg::GENERIC
            && reader.block() == Some(block)
            && keys.insert(ir::op_key(*reader))
    });
    readers
}
