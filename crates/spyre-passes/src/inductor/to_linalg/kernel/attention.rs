//! Attention: `softmax(scale * q @ k^T) @ v`.

use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_inductor::expr::Expr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};

use super::super::emit::{Emit, Is, number};
use super::super::{Graph, error, extents, result};
use super::var;
use crate::from_linalg::build::element_of;
use crate::from_linalg::structured::{self, map};

impl<'p> Graph<'p> {
    /// Converts the attention of queries `[b, h, s, d]` to keys and values `[b, h, t, d]`: its result, and the logarithm of the sum
    /// that each row is divided by.
    pub(super) fn attention(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let sizes = [self.size(op, 0)?, self.size(op, 1)?, self.size(op, 2)?];
        let ([b, h, s, d], [_, _, t, _], [_, _, _, e]) = (
            fours(&sizes[0]).ok_or_else(|| error(op, format!("queries of {:?}", sizes[0])))?,
            fours(&sizes[1]).ok_or_else(|| error(op, format!("keys of {:?}", sizes[1])))?,
            fours(&sizes[2]).ok_or_else(|| error(op, format!("values of {:?}", sizes[2])))?,
        );
        if sizes[1] != [b, h, t, d] || sizes[2] != [b, h, t, e] {
            return Err(error(
                op,
                format!(
                    "attention of {:?}, {:?} and {:?}",
                    sizes[0], sizes[1], sizes[2]
                ),
            ));
        }
        let given = self.argument(op, "attn_mask", 5);
        if given.is_some_and(|mask| mask.to_string() != "unit") || op.operand_count() > 3 {
            return Err(error(op, "attention with a mask is not converted"));
        }
        #[expect(clippy::cast_precision_loss, reason = "heads are small")]
        let usual = 1.0 / (d as f64).sqrt();
        let scale = self
            .argument(op, "scale", 6)
            .and_then(attr::number)
            .unwrap_or(usual);
        let is_causal = self.flag(op, "is_causal", 4).unwrap_or(false);
        let operand = |number: usize| ir::operand(op, number).expect("its extents are known");
        let at = |last: [usize; 2]| -> Vec<Expr> { [0, 1, last[0], last[1]].map(var).to_vec() };
        // Loops b, h, s, t, and d, which is reduced.
        let factors = [(operand(0), at([2, 4])), (operand(1), at([3, 4]))];
        let scores = self.contraction(op, (&[b, h, s, t, d], 4), factors)?;
        let ty = element_of(scores);
        let scores = self.each(op, &[scores], ty, &|emit, values| {
            let scaled = emit.same("arith.mulf", &[values[0], emit.number(scale, ty)]);
            if !is_causal {
                return scaled;
            }
            let is_seen = emit.is(Is::GreaterEqual, emit.loop_index(2), emit.loop_index(3));
            emit.select(is_seen, scaled, emit.number(f64::NEG_INFINITY, ty))
        });
        let row = |tensor: Val<'p>| (tensor, [0, 1, 2].map(var).to_vec());
        let largest = self.rows(op, scores, "arith.maximumf", f64::NEG_INFINITY);
        let exps = self.with(op, scores, row(largest), &|emit, score, largest| {
            let rest = emit.same("arith.subf", &[score, largest]);
            emit.same("math.exp", &[rest])
        })?;
        let sum = self.rows(op, exps, "arith.addf", 0.0);
        let weights = self.with(op, exps, row(sum), &|emit, exp, sum| {
            emit.same("arith.divf", &[exp, sum])
        })?;
        // Loops b, h, s, e, and t, which is reduced.
        let factors = [(weights, at([2, 4])), (operand(2), at([4, 3]))];
        let made = self.contraction(op, (&[b, h, s, e, t], 4), factors)?;
        let logarithm = self.each(op, &[largest, sum], ty, &|emit, values| {
            let log = emit.same("math.log", &[values[1]]);
            emit.same("arith.addf", &[values[0], log])
        });
        self.finish_all(op, vec![made, logarithm]);
        Ok(())
    }
}

impl<'p> Graph<'p> {
    /// Builds the reduction of the last dimension of a tensor.
    fn rows(&self, op: Op<'p>, tensor: Val<'p>, name: &str, first: f64) -> Val<'p> {
        let context = self.context;
        let (shape, ty) = (extents(tensor), element_of(tensor));
        let parallel = shape.len() - 1;
        let init = self.filled(op, number(context, first, ty), ty, &shape[..parallel]);
        let all: Vec<usize> = (0..shape.len()).collect();
        let maps = [&all[..], &all[..parallel]].map(|dims| map(context, shape.len(), dims));
        let iterators = structured::loops(context, parallel, 1);
        let at = (self.end, op.location());
        let (ins, outs) = ([(tensor, maps[0])], [(init, maps[1])]);
        let (built, block) = structured::generic(context, at, (&ins, &outs), &iterators);
        let emit = Emit {
            context,
            block,
            location: op.location(),
        };
        let values = [1, 0].map(|number| structured::argument(block, number));
        structured::end(block, op.location(), &[emit.same(name, &values)]);
        result(built)
    }
}

/// Returns four extents.
fn fours(size: &[i64]) -> Option<[i64; 4]> {
    size.try_into().ok()
}
