//! Reshapes that merge dimensions and split them in another order, as `tensor.reshape` operations.
//!
//! Merged dynamic dimensions have an extent that is a product of dynamic extents, so a `tensor.collapse_shape`
//! has no name for it. A `tensor.reshape` takes the extents of its result as the elements of a tensor, without a
//! merged intermediate. It moves no element, but has no device operation: it stays on the host.

use melior::Context;
use melior::ir::Type;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::RankedTensorType;
use spyre_analysis::dynamic::slices::{DYNAMIC, SliceSize};
use spyre_analysis::walk;
use spyre_mlir_rt::ir::{self, At, Blk, Op, Val};
use spyre_ods::tensor;

use crate::build::{Build, element_of, shape_of};

/// Builds the elements of a tensor in a shape, before an operation.
pub fn build<'p>(
    context: &'p Context,
    before: Op<'p>,
    source: Val<'p>,
    shape: &[SliceSize<'p>],
) -> Val<'p> {
    let (at, location) = (At::Before(before), before.location());
    let index = Type::index(context);
    let operands: Vec<Val<'p>> = shape
        .iter()
        .map(|extent| match *extent {
            SliceSize::Fixed(extent) => ir::build_index_constant(at, location, extent),
            SliceSize::Chosen(extent) => extent,
        })
        .collect();
    let rank = u64::try_from(shape.len()).expect("ranks are small");
    let extents = RankedTensorType::new(&[rank], index, None).into();
    let build = Build::new(context, before);
    let extents = build.emit(tensor::from_elements(&operands), extents);
    let numbers = shape.iter().map(|extent| match extent {
        SliceSize::Fixed(extent) => extent.cast_unsigned(),
        SliceSize::Chosen(_) => DYNAMIC.cast_unsigned(),
    });
    let numbers: Vec<u64> = numbers.collect();
    let ty = RankedTensorType::new(&numbers, element_of(source), None).into();
    build.emit(tensor::reshape(source, extents), ty)
}

/// Replaces the reshapes of a block that became static by `tensor.collapse_shape` and `tensor.expand_shape`,
/// which passes support.
pub fn by_groups<'p>(context: &'p Context, block: Blk<'p>) {
    for op in walk::find(block, |op| (ir::name(op) == tensor::RESHAPE).then_some(op)) {
        let source = ir::operand(op, 0).expect("a reshape is one of a tensor");
        let result = ir::result(op, 0).expect("a reshape has a result");
        let (Ok(_), Ok(shape)) = (shape_of(source), shape_of(result)) else {
            continue; // It has extents that are not chosen here.
        };
        let build = Build::new(context, op);
        ir::replace_all_uses(result, build.reshape_fixed(source, &shape));
        erase(op);
    }
}

/// Erases a reshape without uses, and its tensor of extents if that has no other use.
pub fn erase(op: Op<'_>) {
    let extents = ir::operand(op, 1).and_then(ir::defining_op);
    ir::erase(op);
    let is_left = |of: &Op<'_>| ir::results(*of).all(|result| ir::uses(result).is_empty());
    if let Some(extents) = extents.filter(is_left) {
        ir::erase(extents);
    }
}
