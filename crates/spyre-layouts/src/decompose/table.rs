//! The table of rules.
//!
//! A rule computes in the format of its operand, or in `f32` between two casts where 16 bits would lose precision by
//! cancellation or by multiplying an error. The formulas are in [`formulas`] and [`integers`].

use melior::ir::operation::OperationLike as _;
use melior::ir::{Attribute, ValueLike as _};
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_mlir_rt::rules::{Refusal, Rewriter, Rewritten, Rule};
use spyre_ods::spyre;

use super::make::{Make, element_of, shape_of};
use super::{formulas, integers};

/// The rules of `--spyre-decompose`, each for operations that no OpFunc computes.
pub static RULES: &[Rule] = &[
    Rule {
        name: "sin",
        operations: &[spyre::SIN],
        summary: "a reduction to half a turn in three parts, then an odd polynomial; in `f32`",
        apply: |rewriter, op| in_f32(rewriter, op, formulas::sin),
    },
    Rule {
        name: "cos",
        operations: &[spyre::COS],
        summary: "as `sin`, half a turn later; in `f32`",
        apply: |rewriter, op| in_f32(rewriter, op, formulas::cos),
    },
    Rule {
        name: "tan",
        operations: &[spyre::TAN],
        summary: "`sin(x) / cos(x)`; in `f32`",
        apply: |rewriter, op| in_f32(rewriter, op, formulas::tan),
    },
    Rule {
        name: "asin",
        operations: &[spyre::ASIN],
        summary: "`atan(x / sqrt((1 - x) * (1 + x)))`; in `f32`",
        apply: |rewriter, op| in_f32(rewriter, op, formulas::asin),
    },
    Rule {
        name: "acos",
        operations: &[spyre::ACOS],
        summary: "`2 * atan(sqrt((1 - x) / (1 + x)))`; in `f32`",
        apply: |rewriter, op| in_f32(rewriter, op, formulas::acos),
    },
    Rule {
        name: "atan",
        operations: &[spyre::ATAN],
        summary: "an odd polynomial, of `1 / x` beyond 1",
        apply: |rewriter, op| in_its_format(rewriter, op, formulas::atan),
    },
    Rule {
        name: "sinh",
        operations: &[spyre::SINH],
        summary: "`tanh(x) * cosh(x)`; in `f32`",
        apply: |rewriter, op| in_f32(rewriter, op, formulas::sinh),
    },
    Rule {
        name: "cosh",
        operations: &[spyre::COSH],
        summary: "squares of `e^(x / 2)` and of its reciprocal; in `f32`",
        apply: |rewriter, op| in_f32(rewriter, op, formulas::cosh),
    },
    Rule {
        name: "asinh",
        operations: &[spyre::ASINH],
        summary: "`log1p`, and far from 0 `log(2 * x)`; in `f32`",
        apply: |rewriter, op| in_f32(rewriter, op, formulas::asinh),
    },
    Rule {
        name: "acosh",
        operations: &[spyre::ACOSH],
        summary: "`log1p`, and far from 0 `log(2 * x)`; in `f32`",
        apply: |rewriter, op| in_f32(rewriter, op, formulas::acosh),
    },
    Rule {
        name: "atanh",
        operations: &[spyre::ATANH],
        summary: "half of `log1p(2 * x / (1 - x))`; in `f32`",
        apply: |rewriter, op| in_f32(rewriter, op, formulas::atanh),
    },
    Rule {
        name: "erf",
        operations: &[spyre::ERF],
        summary: "the hyperbolic tangent of an odd polynomial",
        apply: |rewriter, op| in_its_format(rewriter, op, formulas::erf),
    },
    Rule {
        name: "exp2",
        operations: &[spyre::EXP2],
        summary: "`exp` of the operand times `log(2)`; in `f32`",
        apply: |rewriter, op| in_f32(rewriter, op, formulas::exp2),
    },
    Rule {
        name: "expm1",
        operations: &[spyre::EXPM1],
        summary: "`tanh(x / 2) * (e^x + 1)`",
        apply: |rewriter, op| in_its_format(rewriter, op, formulas::expm1),
    },
    Rule {
        name: "log2",
        operations: &[spyre::LOG2],
        summary: "`log` times `1 / log(2)`",
        apply: |rewriter, op| in_its_format(rewriter, op, formulas::log2),
    },
    Rule {
        name: "log1p",
        operations: &[spyre::LOG1P],
        summary: "`log(u) * (x / (u - 1))`, where `u` is `1 + x`, rounded",
        apply: |rewriter, op| in_its_format(rewriter, op, formulas::log1p),
    },
    Rule {
        name: "trunc",
        operations: &[spyre::TRUNC],
        summary: "`floor` of the magnitude, with the sign; exact",
        apply: |rewriter, op| in_its_format(rewriter, op, formulas::trunc),
    },
    Rule {
        name: "ceil",
        operations: &[spyre::CEIL],
        summary: "`floor` of the negative; exact",
        apply: |rewriter, op| in_its_format(rewriter, op, formulas::ceil),
    },
    Rule {
        name: "round",
        operations: &[spyre::ROUND],
        summary: "`floor`, and of two integers at the same distance the even one; exact",
        apply: |rewriter, op| in_its_format(rewriter, op, formulas::round),
    },
    Rule {
        name: "roundaway",
        operations: &[spyre::ROUNDAWAY],
        summary: "`floor`, and of two integers at the same distance the one away from 0; exact",
        apply: |rewriter, op| in_its_format(rewriter, op, formulas::round_away),
    },
    Rule {
        name: "cbrt",
        operations: &[spyre::CBRT],
        summary: "`e^(log(x) / 3)`, and a step of Newton; in `f32`",
        apply: |rewriter, op| in_f32(rewriter, op, formulas::cbrt),
    },
    Rule {
        name: "fptosi",
        operations: &[spyre::FPTOSI],
        summary: "the halves of 16 bits, in the fraction of a float; exact",
        apply: |rewriter, op| in_its_format(rewriter, op, integers::fptosi),
    },
    Rule {
        name: "sitofp",
        operations: &[spyre::SITOFP],
        summary: "the high 9 bits, and the low 23 in the fraction of a float; rounded once",
        apply: |rewriter, op| in_its_format(rewriter, op, integers::sitofp),
    },
    Rule {
        name: "atan2",
        operations: &[spyre::ATAN2],
        summary: "the polynomial of `atan` of the smaller side over the larger one, mapped to its octant; in `f32`",
        apply: |rewriter, op| of_two(rewriter, op, formulas::atan2),
    },
    Rule {
        name: "copysign",
        operations: &[spyre::COPYSIGN],
        summary: "`abs` and `neg`; exact",
        apply: |rewriter, op| of_two(rewriter, op, formulas::copysign),
    },
    Rule {
        name: "fmod",
        operations: &[spyre::FMOD],
        summary: "a long division in three stages of `f32` with exact products; a divisor of `f32` in two parts",
        apply: |rewriter, op| of_two(rewriter, op, formulas::fmod),
    },
    Rule {
        name: "pow",
        operations: &[spyre::POW],
        summary: "for a constant exponent a root, of `abs(x)` for negative infinity, or products where it is an integer up to 16; otherwise `e^(y * log(x))`; in `f32` but for small positive integers and roots",
        apply: |rewriter, op| of_two(rewriter, op, formulas::pow),
    },
    Rule {
        name: "compare-integers",
        operations: &[
            spyre::EQUAL,
            spyre::NOTEQUAL,
            spyre::GREATERTHAN,
            spyre::GREATEREQUAL,
            spyre::LESSERTHAN,
            spyre::LESSEREQUAL,
        ],
        summary: "of integers: `min(max(a - b, -1), 1)` squared, which is 1 where they differ, as a float by its bits; exact",
        apply: compare_integers,
    },
];

/// Builds a function of one operand in the format of the operand.
fn in_its_format<'p>(
    rewriter: &Rewriter<'p>,
    op: Op<'p>,
    formula: fn(&Make<'p>, Val<'p>) -> Val<'p>,
) -> Result<Rewritten<'p>, Refusal<'p>> {
    let make = Make::new(rewriter.context(), op, hints(op));
    let value = formula(&make, operand(op, 0)?);
    Ok(Rewritten::by(converted(&make, value)?))
}

/// Builds a function of one operand in `f32`, rounded to the format of the result.
fn in_f32<'p>(
    rewriter: &Rewriter<'p>,
    op: Op<'p>,
    formula: fn(&Make<'p>, Val<'p>) -> Val<'p>,
) -> Result<Rewritten<'p>, Refusal<'p>> {
    let make = Make::new(rewriter.context(), op, hints(op));
    let wide = formula(&make, make.widened(operand(op, 0)?));
    let value = make.narrowed(wide, element_of(result(op)?));
    Ok(Rewritten::by(converted(&make, value)?))
}

/// Builds a function of two operands with the element type of the result.
fn of_two<'p>(
    rewriter: &Rewriter<'p>,
    op: Op<'p>,
    formula: fn(&Make<'p>, [Val<'p>; 2], Val<'p>) -> Val<'p>,
) -> Result<Rewritten<'p>, Refusal<'p>> {
    let make = Make::new(rewriter.context(), op, hints(op));
    let value = formula(&make, [operand(op, 0)?, operand(op, 1)?], result(op)?);
    Ok(Rewritten::by(converted(&make, value)?))
}

/// Builds a comparison of two tensors of integers. A comparison of floats has an OpFunc.
fn compare_integers<'p>(rewriter: &Rewriter<'p>, op: Op<'p>) -> Result<Rewritten<'p>, Refusal<'p>> {
    if !integers::is_comparison(op) {
        return Ok(Rewritten::No);
    }
    let make = Make::new(rewriter.context(), op, hints(op));
    let operands = [operand(op, 0)?, operand(op, 1)?];
    let value = integers::compare(&make, ir::name(op), operands);
    value.set_type(result(op)?.r#type());
    Ok(Rewritten::by(value))
}

fn operand<'p>(op: Op<'p>, number: usize) -> Result<Val<'p>, Refusal<'p>> {
    let operand = op.operand(number);
    operand.map_err(|err| err.to_string().into())
}

fn result<'p>(op: Op<'p>) -> Result<Val<'p>, Refusal<'p>> {
    let result = op.result(0).map_err(|err| err.to_string())?;
    Ok(result.into())
}

/// Returns a value with the elements of the result of the decomposed operation as a value of the type of the result.
fn converted<'p>(make: &Make<'p>, value: Val<'p>) -> Result<Val<'p>, Refusal<'p>> {
    let result = result(make.op)?;
    if value.r#type() == result.r#type() {
        return Ok(value);
    }
    if shape_of(value) != shape_of(result) {
        // A constant exponent has more elements than its base.
        return Ok(make.repeated(value, result.r#type()));
    }
    // The first power is the operand, which keeps its type.
    let value = if value == operand(make.op, 0)? {
        make.with(spyre::MUL, value, 1.0)
    } else {
        value
    };
    // The result may have a layout.
    value.set_type(result.r#type());
    Ok(value)
}

/// Returns the tiling hints for the operations that replace `op`: the hints of `op`, or else of the first device
/// operation in its block with hints, among the users of the result and then the producers of the operands.
#[must_use]
pub fn hints<'p>(op: Op<'p>) -> Option<Attribute<'p>> {
    if let Some(hints) = DeviceOp::cast(op).and_then(DeviceOp::hints_attribute) {
        return Some(hints);
    }
    let result: Val<'p> = ir::result(op, 0)?;
    let readers = ir::uses(result).into_iter().map(|user| user.owner);
    let makers = op.operands().filter_map(ir::defining_op);
    let near = readers
        .chain(makers)
        .filter(|near| near.block() == op.block());
    near.filter_map(DeviceOp::cast)
        .find_map(DeviceOp::hints_attribute)
}

#[cfg(test)]
mod tests {
    use spyre_ops::DECOMPOSED;

    use super::RULES;

    #[test]
    fn every_operation_without_an_opfunc_has_one_rule() {
        for row in DECOMPOSED {
            let name = format!("spyre.{}", row.mnemonic);
            let rules = RULES
                .iter()
                .filter(|rule| rule.operations.contains(&&*name));
            assert_eq!(rules.count(), 1, "{name}");
        }
    }
}
