//! Signs of tensors, by their producers.

use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, Op, Val};

/// The most operations that are visited, one after the other: the variance of a norm takes four.
const MOST_STEPS: u32 = 6;

/// Returns whether all elements of a tensor are known to be positive, positive zeros, or NaN.
pub fn is_non_negative(value: Val<'_>) -> bool {
    within(value, MOST_STEPS)
}

fn within(value: Val<'_>, steps: u32) -> bool {
    let Some(op) = ir::defining_op(value) else {
        return false;
    };
    let all = |op: Op<'_>| steps > 0 && op.operands().all(|operand| within(operand, steps - 1));
    match ir::name(op) {
        "spyre.abs" | "spyre.exp" | "spyre.sigmoid" => true,
        "spyre.mul" => {
            let (a, b) = (ir::operand(op, 0), ir::operand(op, 1));
            a.map(ir::value_key) == b.map(ir::value_key) || all(op)
        }
        "spyre.add" | "spyre.sum" | "spyre.mean" | "spyre.sqrt" | "spyre.dl16tofp32"
        | "spyre.fp32todl16" | "spyre.copy" => all(op),
        "spyre.fill" | "arith.constant" => {
            let number = ir::attribute(op, "value").and_then(attr::splat);
            let number = number.and_then(attr::number);
            number.is_some_and(|number| number.is_sign_positive() && !number.is_nan())
        }
        _ => false,
    }
}
