//! Positions of the largest or the smallest elements.

use melior::ir::attribute::IntegerAttribute;
use melior::ir::block::BlockLike;
use melior::ir::r#type::IntegerType;
use spyre_construct::loops::Linear;
use spyre_index_expr::{Expr, Overflow};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Val};
use spyre_ods::arith;

use super::super::functions::Class;
use super::super::functions::class;
use super::super::types::width;
use super::emit::{Is, number};
use super::nest::{Nest, is_unsigned};
use super::{Graph, error};

impl<'p> Graph<'p> {
    /// Builds the position of the largest or smallest element, the first of equal ones. NaN is
    /// both. Where the body has positions other than the numbers of iterations, it is the smallest
    /// position of equal elements.
    pub(super) fn search(&self, nest: &Nest<'p>, largest: bool) -> Result<Val<'p>, Diagnostic<'p>> {
        let ty = nest.stored[0];
        let position = IntegerType::new(self.context, 64).into();
        let least = -(2.0_f64.powi(i32::try_from(width(ty)).expect("bits are few") - 1));
        let is_unsigned = is_unsigned(nest.of);
        let first = match (class(ty), largest) {
            (_, true) if is_unsigned => 0.0,
            (_, false) if is_unsigned => -1.0,
            (Class::Float, true) => f64::NEG_INFINITY,
            (Class::Float, false) => f64::INFINITY,
            (_, true) => least,
            (_, false) => -(least + 1.0),
        };
        let first = number(self.context, first, ty);
        let at = Self::position(nest).map_err(|err| error(nest.of, err))?;
        let is_numbered = nest.stored.len() == 1 || self.numbers_iterations(nest, &at);
        let start = if is_numbered { 0 } else { i64::MAX };
        let start = IntegerAttribute::new(position, start).into();
        let results = [(ty, Some(first)), (position, Some(start))];
        let built = self.structured(nest, &[], &results, &|body, values, so_far| {
            let emit = body.emit;
            let is = if largest { Is::Greater } else { Is::Less };
            let mut is_better = match (is_unsigned, largest) {
                (true, true) => emit.below(so_far[0], values[0]),
                (true, false) => emit.below(values[0], so_far[0]),
                _ => emit.is(is, values[0], so_far[0]),
            };
            if class(ty) == Class::Float {
                let is_first = emit.not(emit.is_nan(so_far[0]));
                let is_nan = emit.same(arith::andi(emit.is_nan(values[0]), is_first));
                is_better = emit.same(arith::ori(is_better, is_nan));
            }
            let here = match is_numbered {
                true => {
                    let here = body.linear(&at);
                    emit.op(arith::index_cast(here), position)
                }
                false => emit.converted(values[1], position, false),
            };
            if !is_numbered {
                let mut is_equal = emit.is(Is::Equal, values[0], so_far[0]);
                if class(ty) == Class::Float {
                    let [first, second] = [values[0], so_far[0]].map(|value| emit.is_nan(value));
                    let are_nan = emit.same(arith::andi(first, second));
                    is_equal = emit.same(arith::ori(is_equal, are_nan));
                }
                let is_before = emit.is(Is::Less, here, so_far[1]);
                let is_first = emit.same(arith::andi(is_equal, is_before));
                is_better = emit.same(arith::ori(is_better, is_first));
            }
            vec![
                emit.select(is_better, values[0], so_far[0]),
                emit.select(is_better, here, so_far[1]),
            ]
        })?;
        Ok(built[1])
    }

    /// Returns whether the second value that a nest stores is the number of the iteration.
    fn numbers_iterations(&self, nest: &Nest<'p>, position: &Linear) -> bool {
        let end = nest.block.terminator().expect("a nest ends with a store");
        let stored = ir::operand(end, 1).and_then(ir::defining_op);
        let expr = stored.and_then(|op| nest.plan.indices.get(&ir::op_key(op)));
        expr.and_then(|expr| nest.plan.loops.linear(expr)).as_ref() == Some(position)
    }

    /// Returns the number of an iteration among the reduced ones.
    fn position(nest: &Nest<'p>) -> Result<Linear, Overflow> {
        let digits = nest.plan.loops.digits();
        let mut terms = std::collections::BTreeMap::new();
        let mut weight = Expr::constant(1);
        for number in (nest.plan.loops.parallel()..digits.len()).rev() {
            terms.insert(number, weight.clone());
            weight = weight.mul(&digits[number].extent)?;
        }
        Ok(Linear {
            terms,
            offset: 0.into(),
        })
    }
}
