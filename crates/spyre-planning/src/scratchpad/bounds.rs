//! Makes loops count from 0, like the loops of a bundle.

use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::{BlockLike, ValueLike};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, OpKind, Val};

use super::error;

/// A loop with constant bounds that does not count from 0.
struct Shifted<'p> {
    op: Op<'p>,
    body: Blk<'p>,
    /// The upper bound from 0.
    count: i64,
}

/// Makes every loop of a block with constant bounds count from 0. Its induction variable is replaced by the sum of the new one
/// and the start.
///
/// # Errors
/// A loop has no body, or its bounds are too far apart; then no loop has changed.
pub(super) fn from_zero(block: Blk<'_>) -> Result<(), Diagnostic<'_>> {
    let mut loops = Vec::new();
    find(block, &mut loops)?;
    for Shifted { op, body, count } in loops {
        let variable: Val<'_> = body.argument(0).map_err(|err| error(op, err))?.into();
        let (location, before) = (op.location(), At::Before(op));
        let start = op.operand(0).map_err(|err| error(op, err))?;
        let zero = ir::build_index_constant(before, location, 0);
        let end = ir::build_index_constant(before, location, count);
        let first = body
            .first_operation()
            .ok_or_else(|| error(op, "loop has no terminator"))?;
        let sum = OperationBuilder::new("arith.addi", location)
            .add_operands(&[variable, start])
            .add_results(&[variable.r#type()])
            .build()
            .map_err(|err| error(op, err))?;
        let sum = ir::insert(At::Before(first), sum);
        let sum = sum.ok_or_else(|| error(op, "loop body is in no loop"))?;
        let moved = sum.result(0).map_err(|err| error(op, err))?;
        ir::replace_all_uses(variable, moved.into());
        ir::set_operand(sum, 0, variable);
        ir::set_operand(op, 0, zero);
        ir::set_operand(op, 1, end);
    }
    Ok(())
}

/// Finds the loops that are to count from 0, inner ones first.
fn find<'p>(block: Blk<'p>, loops: &mut Vec<Shifted<'p>>) -> Result<(), Diagnostic<'p>> {
    for op in ir::operations(block) {
        if ir::kind(op) != OpKind::For {
            continue;
        }
        let body = ir::body(op).ok_or_else(|| error(op, "loop has no body"))?;
        find(body, loops)?;
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
    Ok(())
}
