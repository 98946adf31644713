//! Numbers that a graph computes from open sizes, such as the number of elements of a mean.
//!
//! The body of a nest computes such a number where it uses it. The lowering moves the computation to the start of the function, and
//! the structured operation reads the number from a tensor, as operations of the device need it. A number of type `index`, which
//! the body uses as a position, is not moved.

use melior::ir::operation::OperationLike;
use melior::ir::r#type::RankedTensorType;
use melior::ir::{Type, TypeLike, ValueLike};
use rustc_hash::FxHashSet;
use spyre_construct::structured;
use spyre_mlir_rt::ir::{self, At, Blk, Op, Val};
use spyre_ods::{OpBuilder, arith, tensor};

use super::{Graph, result};

/// The operations that the host computes from sizes: those on integers, and conversions.
const MOVED: [&str; 13] = [
    arith::ADDI,
    arith::EXTF,
    arith::EXTSI,
    arith::FLOORDIVSI,
    arith::INDEX_CAST,
    arith::MAXSI,
    arith::MINSI,
    arith::MULI,
    arith::SITOFP,
    arith::SUBI,
    arith::TRUNCF,
    arith::TRUNCI,
    arith::UITOFP,
];

impl<'p> Graph<'p> {
    /// Moves what the body of a structured operation computes from open sizes alone to the start of the function. Returns the structured
    /// operation that reads it.
    pub(super) fn with_sizes_read(&self, built: Op<'p>) -> Op<'p> {
        let sizes: Vec<Val<'p>> = self.sizes.iter().flatten().copied().collect();
        let Some(last) = sizes.last().copied().and_then(ir::defining_op) else {
            return built;
        };
        let start = last.next_in_block().expect("a function has an end");
        let body = ir::body(built).expect("a structured operation has a body");
        let moved = computed(body, &sizes);
        let is_moved = |op: Op<'p>| moved.contains(&op);
        let read = moved.iter().map(|op| result(*op)).filter(|value| {
            let mut users = ir::uses(*value).into_iter();
            !value.r#type().is_index() && users.any(|user| !is_moved(user.owner))
        });
        let read: Vec<Val<'p>> = read.collect();
        for op in &moved {
            let constants = op.operands().filter_map(|operand| constant(body, operand));
            for constant in constants.collect::<Vec<_>>() {
                ir::move_to(constant, At::Before(start));
            }
            ir::move_to(*op, At::Before(start));
        }
        let build = OpBuilder {
            context: self.context,
            at: At::Before(start),
            location: built.location(),
        };
        let tensors = read.iter().map(|value| {
            let ty: Type<'p> = RankedTensorType::new(&[], value.r#type(), None).into();
            let read = build.op(tensor::from_elements(&[*value]), ty);
            (*value, read, &[][..])
        });
        let tensors: Vec<_> = tensors.collect();
        if tensors.is_empty() {
            return built;
        }
        let built = structured::read_tensors(self.context, built, &tensors);
        self.extents.enter(built);
        built
    }
}

/// Returns the operations of a body that compute with sizes and constants alone, in order.
fn computed<'p>(body: Blk<'p>, sizes: &[Val<'p>]) -> Vec<Op<'p>> {
    let mut known: FxHashSet<ir::ValueKey> = sizes.iter().copied().map(ir::value_key).collect();
    let mut moved = Vec::new();
    for op in ir::operations(body) {
        let is_known = |operand: &Val<'p>| known.contains(&ir::value_key(*operand));
        let is_computed = MOVED.contains(&ir::name(op))
            && op.operands().any(|operand| is_known(&operand))
            && op
                .operands()
                .all(|operand| is_known(&operand) || constant(body, operand).is_some());
        if is_computed {
            known.insert(ir::value_key(result(op)));
            moved.push(op);
        }
    }
    moved
}

/// Returns the constant of a body that defines a value with one use.
fn constant<'p>(body: Blk<'p>, value: Val<'p>) -> Option<Op<'p>> {
    let op = ir::defining_op(value).filter(|op| ir::name(*op) == arith::CONSTANT)?;
    let is_inside = op.block() == Some(body);
    (is_inside && ir::uses(value).len() == 1).then_some(op)
}
