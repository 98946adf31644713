//! Signs of tensors, by their producers.

use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::{arith, spyre};

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
        spyre::ABS | spyre::EXP | spyre::SIGMOID => true,
        spyre::MUL => {
            let mul = spyre::Mul::cast(op).expect("the name is that of a product");
            ir::value_key(mul.lhs()) == ir::value_key(mul.rhs()) || all(op)
        }
        spyre::ADD
        | spyre::SUM
        | spyre::MEAN
        | spyre::SQRT
        | spyre::DL16TOFP32
        | spyre::FP32TODL16
        | spyre::COPY => all(op),
        spyre::FILL | arith::CONSTANT => {
            let number = ir::attribute(op, "value").and_then(attr::splat);
            let number = number.and_then(attr::number);
            number.is_some_and(|number| number.is_sign_positive() && !number.is_nan())
        }
        _ => false,
    }
}
