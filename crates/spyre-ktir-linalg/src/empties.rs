//! Tensors without contents.
//!
//! What a kernel reads of `tensor.empty` is not defined, and buffers would have what memory had before: other numbers in
//! each run, so two orders of cores would differ in the rest of sticks. An empty tensor that something may read has
//! numbers that no computation should read; the init of an operation that only writes it stays as it is.

use melior::Context;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::RankedTensorType;
use melior::ir::{ShapedTypeLike, Type, ValueLike};
use spyre_mlir_rt::ir::{self, Blk, Op, OpBuilder, Use, Val};
use spyre_ods::{linalg, tensor};

use crate::access::undefined;

/// Gives contents to the empty tensors of a block that are read.
pub(crate) fn define_empties<'p>(context: &'p Context, block: Blk<'p>) {
    let ops: Vec<_> = ir::operations(block).collect();
    for op in ops {
        match tensor::Empty::cast(op) {
            Some(empty) => define(context, op, empty.result()),
            None => ir::blocks(op).for_each(|block| define_empties(context, block)),
        }
    }
}

fn define<'p>(context: &'p Context, op: Op<'p>, empty: Val<'p>) {
    let ty = empty.r#type();
    let element = RankedTensorType::try_from(ty).map(|ty| ty.element());
    let element: Type<'p> = element.expect("an empty tensor has a type with extents");
    // Pairs of moments are no numbers of the CPU, and no operation of it reads them.
    if ir::bits(element).is_none() || !ir::uses(empty).into_iter().any(is_read) {
        return;
    }
    let build = OpBuilder::before(context, op);
    let number = undefined(build, element);
    let sizes: Vec<_> = op.operands().collect();
    let defined = build.op(tensor::splat(number, &sizes), ty);
    ir::replace_all_uses(empty, defined);
    ir::erase(op);
}

/// Returns whether a use reads elements: all do, but for those of an operation of linalg whose body has no use of them.
fn is_read(of: Use<'_>) -> bool {
    let name = ir::name(of.owner);
    if !linalg::OPERATIONS.iter().any(|op| op.name == name) {
        return true;
    }
    let Some(body) = ir::blocks(of.owner).next() else {
        return true;
    };
    // A body without such an argument is that of `linalg.map`, which writes its init only.
    let argument = body.argument(of.operand);
    argument.is_ok_and(|argument| !ir::uses(argument.into()).is_empty())
}
