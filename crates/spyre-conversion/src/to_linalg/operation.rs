//! Lowers a device operation by its meaning.

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{TypeLike, ValueLike};
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::Val;
use spyre_ods::{Arithmetic, OpParts};
use spyre_ops::Meaning;

use super::structured::{Lowering, unexpected};
use super::{gather, topk};

/// Lowers a device operation on tensors without layouts. The new operations are before it.
pub(super) fn lower<'p>(context: &'p Context, device: DeviceOp<'p>) -> Result<Val<'p>, String> {
    let facts = device.facts();
    let Some(meaning) = &facts.meaning else {
        let mnemonic = facts.mnemonic.unwrap_or(facts.name);
        return Err(format!("'spyre.{mnemonic}' has no definition on values"));
    };
    let lowering = Lowering::new(context, device)?;
    match meaning {
        Meaning::Identity => {
            let operand: Val<'p> = device.op().operand(0).map_err(|err| err.to_string())?;
            let result = device.op().result(0).map_err(|err| err.to_string())?;
            if operand.r#type() == result.r#type() {
                return Ok(operand);
            }
            // The operand is repeated along a dimension.
            lowering.pointwise(|_, operands| match operands {
                [element] => Ok(*element),
                _ => Err(unexpected(operands)),
            })
        }
        Meaning::Bits => lowering.pointwise(|body, operands| match operands {
            [element] => Ok(body.bits(*element, lowering.element)),
            _ => Err(unexpected(operands)),
        }),
        Meaning::Select => lowering.pointwise(|body, operands| match operands {
            [condition, a, b] => Ok(body.select(*condition, *a, *b)),
            _ => Err(unexpected(operands)),
        }),
        Meaning::Number(_, name) if lowering.element.is_integer() => {
            lowering.pointwise(|body, operands| Ok(body.same(OpParts::named(*name, operands))))
        }
        Meaning::Float(formula) | Meaning::Number(formula, _) => {
            lowering.pointwise(|body, operands| {
                let widened = operands
                    .iter()
                    .map(|x| body.widen(*x))
                    .collect::<Result<Vec<_>, _>>()?;
                body.round(body.formula(formula, &widened)?, lowering.element)
            })
        }
        Meaning::Compare(how) => lowering.pointwise(|body, operands| match operands {
            [a, b] => Ok(body.compare(*how, body.comparable(*a)?, body.comparable(*b)?)),
            _ => Err(unexpected(operands)),
        }),
        Meaning::Reduce => lowering.reduce(),
        Meaning::OfMagnitude(formula) => lowering.of_magnitude(formula),
        Meaning::Moments => lowering.moments(),
        Meaning::Contract if lowering.has_integers() => lowering.contract_integers(),
        Meaning::Contract => lowering.contract(),
        Meaning::TopK(told) => topk::lower(&lowering, *told),
        Meaning::Gather => gather::lower(&lowering),
    }
}
