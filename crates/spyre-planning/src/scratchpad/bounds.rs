//! Makes loops count from 0, like the loops of a bundle.

use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::{BlockLike, ValueLike};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, OpKind, Val};
use spyre_ods::arith;

use super::error;

/// A loop with constant bounds that does not count from 0.
pub(super) struct Shifted<'p> {
    op: Op<'p>,
    body: Blk<'p>,
    /// The upper bound from 0.
    count: i64,
}

impl<'p> Shifted<'p> {
    /// Makes the loop count from 0. Its induction variable is replaced by the sum of the new one and the start. Returns
    /// both: the variable, and the sum.
    pub(super) fn count_from_zero(&self) -> (Val<'p>, Val<'p>) {
        let (op, location, before) = (self.op, self.op.location(), At::Before(self.op));
        let mut arguments = ir::arguments(self.body);
        let variable = arguments.next().expect("a loop has an induction variable");
        let start = ir::operand(op, 0).expect("a loop has a lower bound");
        let zero = ir::build_index_constant(before, location, 0);
        let end = ir::build_index_constant(before, location, self.count);
        let first = self.body.first_operation();
        let first = first.expect("a loop's body has a terminator");
        let sum = OperationBuilder::new(arith::ADDI, location)
            .add_operands(&[variable, start])
            .add_results(&[variable.r#type()])
            .build()
            .expect("every part of the operation is given");
        let sum = ir::insert(At::Before(first), sum).expect("the body is a block");
        let moved = ir::result(sum, 0).expect("a sum has a result");
        ir::replace_all_uses(variable, moved);
        ir::set_operand(sum, 0, variable);
        ir::set_operand(op, 0, zero);
        ir::set_operand(op, 1, end);
        (variable, moved)
    }
}

/// Returns the loops in a block with constant bounds that do not count from 0, inner ones first.
///
/// # Errors
/// The bounds of a loop are too far apart.
pub(super) fn shifted<'p>(block: Blk<'p>) -> Result<Vec<Shifted<'p>>, Diagnostic<'p>> {
    let mut loops = Vec::new();
    for op in ir::operations(block) {
        if ir::kind(op) != OpKind::For {
            continue;
        }
        let body = ir::body(op).ok_or_else(|| error(op, "loop has no body"))?;
        loops.extend(shifted(body)?);
        let bounds = ir::constant_operand(op, 0).zip(ir::constant_operand(op, 1));
        let Some((lower, upper)) = bounds.filter(|(lower, _)| *lower != 0) else {
            continue;
        };
        let Some(count) = upper.max(lower).checked_sub(lower) else {
            let message = format!(
                "loop counts from {lower} to {upper}; a bundle's loops count from 0, and the distance is more than {}",
                i64::MAX
            );
            return Err(error(op, message));
        };
        loops.push(Shifted { op, body, count });
    }
    Ok(loops)
}
