//! Attention: `softmax(scale * q @ k^T + mask) @ v`.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_construct::build::element_of;
use spyre_construct::structured::{self, map};
use spyre_dialects::{attr, inductor_attr};
use spyre_index_expr::Expr;
use spyre_index_expr::sizes::divided;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::{arith, math};

use super::super::super::functions::Class;
use super::super::super::functions::class;
use super::super::emit::{Binary, Emit, Is, number};
use super::super::{Graph, error, result};
use super::{Factor, broadcast, var};

/// The scaling and masking of the products of queries and keys.
struct Rule<'p> {
    /// The mask: numbers to add, or truth values of visible keys.
    mask: Option<Factor<'p>>,
    /// Whether a query sees only the keys up to its position.
    is_causal: bool,
    scale: f64,
}

impl<'p> Graph<'p> {
    /// Converts the attention of queries `[b, h, s, d]` to keys and values `[b, k, t, d]`: its result, and the logarithm of the sum
    /// that each row is divided by. A head of keys and values is that of `h / k` heads of queries, one after the other. A mask is added
    /// to the scores; a row that it hides as a whole is 0.
    pub(super) fn attention(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let sizes = [self.size(op, 0)?, self.size(op, 1)?, self.size(op, 2)?];
        let ([b, h, s, d], [_, kv, t, _], [_, _, _, e]) = (
            fours(&sizes[0]).ok_or_else(|| error(op, format!("queries of {:?}", sizes[0])))?,
            fours(&sizes[1]).ok_or_else(|| error(op, format!("keys of {:?}", sizes[1])))?,
            fours(&sizes[2]).ok_or_else(|| error(op, format!("values of {:?}", sizes[2])))?,
        );
        if !is_shape(&sizes[1], &[b, kv, t, d])
            || !is_shape(&sizes[2], &[b, kv, t, e])
            || !is_shared(h, kv)
        {
            return Err(error(
                op,
                format!(
                    "queries of extents {:?} cannot be combined with keys and values of {:?} and {:?}",
                    sizes[0], sizes[1], sizes[2]
                ),
            ));
        }
        let rule = self.rule(op, [b, h, s, t, d], (3, [4, 5, 6]))?;
        let operand = |number: usize| ir::operand(op, number).expect("its extents are known");
        let at = |last: [usize; 2]| -> Vec<Expr> { [0, 1, last[0], last[1]].map(var).to_vec() };
        // Heads of queries that share keys and values follow one another.
        let shared = |last: [usize; 2]| -> Vec<Expr> {
            let mut at = at(last);
            if kv != h {
                let heads = divided(h, kv).expect("heads are shared by as many");
                at[1] = var(1).quotient(heads);
            }
            at
        };
        // Loops b, h, s, t, and d, which is reduced.
        let factors = [(operand(0), at([2, 4])), (operand(1), shared([3, 4]))];
        let scores = self.scores(op, [b, h, s, t, d], factors, &rule)?;
        let (weights, logarithm) = self.weights(op, scores, rule.mask.is_some())?;
        // Loops b, h, s, e, and t, which is reduced.
        let factors = [(weights, at([2, 4])), (operand(2), shared([4, 3]))];
        let output = self.contraction(op, (&[b, h, s, e, t], 4), factors)?;
        self.finish_all(op, vec![output, logarithm]);
        Ok(())
    }

    /// Builds the softmax of the rows of scores `[b, h, s, t]`, and the logarithms of their
    /// divisors. With a mask, rows may be negative infinity as a whole: their weights are 0.
    pub(super) fn weights(
        &self,
        op: Op<'p>,
        scores: Val<'p>,
        is_masked: bool,
    ) -> Result<(Val<'p>, Val<'p>), Diagnostic<'p>> {
        let ty = element_of(scores);
        let least = f64::NEG_INFINITY;
        let row = |tensor: Val<'p>| (tensor, [0, 1, 2].map(var).to_vec());
        let largest = self.rows(op, scores, arith::maximumf, least);
        let exps = self.with(op, scores, row(largest), &|emit, score, largest| {
            // Hidden elements are 0, so that no difference of infinities is computed.
            let base = match is_masked {
                true => {
                    let is_hidden = emit.is(Is::Equal, largest, emit.number(least, ty));
                    emit.select(is_hidden, emit.number(0.0, ty), largest)
                }
                false => largest,
            };
            let rest = emit.same(arith::subf(score, base));
            emit.same(math::exp(rest))
        })?;
        let sum = self.rows(op, exps, arith::addf, 0.0);
        let weights = self.with(op, exps, row(sum), &|emit, exp, sum| {
            let by = match is_masked {
                true => {
                    let is_hidden = emit.is(Is::Equal, sum, emit.number(0.0, ty));
                    emit.select(is_hidden, emit.number(1.0, ty), sum)
                }
                false => sum,
            };
            emit.same(arith::divf(exp, by))
        })?;
        let logarithm = self.each(op, &[largest, sum], ty, &|emit, values| {
            let log = emit.same(math::log(values[1]));
            emit.same(arith::addf(values[0], log))
        });
        Ok((weights, logarithm))
    }

    /// Builds the scores `[b, h, s, t]`, from queries and keys at the loops of these and of `d`.
    fn scores(
        &self,
        op: Op<'p>,
        [b, h, s, t, d]: [&Expr; 5],
        factors: [Factor<'p>; 2],
        rule: &Rule<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let scores = self.contraction(op, (&[b, h, s, t, d], 4), factors)?;
        let ty = element_of(scores);
        let least = f64::NEG_INFINITY;
        let scores = self.each(op, &[scores], ty, &|emit, values| {
            let scaled = emit.same(arith::mulf(values[0], emit.number(rule.scale, ty)));
            if !rule.is_causal {
                return scaled;
            }
            let is_seen = emit.is(Is::GreaterEqual, emit.loop_index(2), emit.loop_index(3));
            emit.select(is_seen, scaled, emit.number(least, ty))
        });
        let Some(mask) = &rule.mask else {
            return Ok(scores);
        };
        let mask = (mask.0, mask.1.clone());
        let shape = [b, h, s, t].map(Expr::clone);
        self.pointwise_of(
            op,
            &shape,
            (&[scores], &[mask]),
            ty,
            &|emit, values| match class(values[1].r#type()) {
                Class::Truth => emit.select(values[1], values[0], emit.number(least, ty)),
                _ => {
                    let mask = emit.converted(values[1], ty, false);
                    emit.same(arith::addf(values[0], mask))
                }
            },
        )
    }

    /// Returns the scaling and masking of scores over `[b, h, s, t]` of products of `d` elements.
    /// There are `tensors` operands before the mask, and `places` are the positions of `is_causal`,
    /// `attn_mask` and `scale` among the arguments.
    fn rule(
        &self,
        op: Op<'p>,
        [b, h, s, t, d]: [&Expr; 5],
        (tensors, places): (usize, [usize; 3]),
    ) -> Result<Rule<'p>, Diagnostic<'p>> {
        let scale = self.argument(op, "scale", places[2]);
        let scale = match scale.and_then(attr::number) {
            Some(scale) => scale,
            #[expect(clippy::cast_precision_loss, reason = "heads are small")]
            None => 1.0 / (self.fixed(op, d)? as f64).sqrt(),
        };
        Ok(Rule {
            mask: self.mask(op, [b, h, s, t], (tensors, places[1]))?,
            is_causal: self.flag(op, "is_causal", places[0]).unwrap_or(false),
            scale,
        })
    }

    /// Converts the gradients of attention `[b, h, s, d]`: the gradients of queries, keys and
    /// values, from the gradient of the result, the queries, keys and values, the result, and the
    /// logarithms of the divisors of its rows.
    pub(super) fn attention_backward(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let sizes: Vec<Vec<Expr>> = (0..6)
            .map(|number| self.size(op, number))
            .collect::<Result<_, _>>()?;
        let refusal = || {
            error(
                op,
                format!(
                    "the operands of the gradients of attention have extents that do not match, {sizes:?}"
                ),
            )
        };
        let [b, h, s, d] = fours(&sizes[1]).ok_or_else(refusal)?;
        let [_, _, t, e] = fours(&sizes[3]).ok_or_else(refusal)?;
        let expected: [&[&Expr]; 6] = [
            &[b, h, s, e],
            &[b, h, s, d],
            &[b, h, t, d],
            &[b, h, t, e],
            &[b, h, s, e],
            &[b, h, s],
        ];
        if sizes
            .iter()
            .zip(expected)
            .any(|(actual, size)| !is_shape(actual, size))
        {
            return Err(refusal());
        }
        let rule = self.rule(op, [b, h, s, t, d], (6, [7, 8, 9]))?;
        let operand = |number: usize| ir::operand(op, number).expect("its extents are known");
        let at = |last: [usize; 2]| -> Vec<Expr> { [0, 1, last[0], last[1]].map(var).to_vec() };
        let row = |tensor: Val<'p>| (tensor, [0, 1, 2].map(var).to_vec());
        let product = |loops: [&Expr; 5], factors| self.contraction(op, (&loops, 4), factors);
        let factors = [(operand(1), at([2, 4])), (operand(2), at([3, 4]))];
        let scores = self.scores(op, [b, h, s, t, d], factors, &rule)?;
        let ty = element_of(scores);
        // A row that is hidden as a whole has a logarithm of negative infinity, and no weight.
        let weights = self.with(op, scores, row(operand(5)), &|emit, score, logarithm| {
            let least = emit.number(f64::NEG_INFINITY, ty);
            let rest = emit.same(arith::subf(score, logarithm));
            let weight = emit.same(math::exp(rest));
            let is_hidden = emit.is(Is::Equal, score, least);
            emit.select(is_hidden, emit.number(0.0, ty), weight)
        })?;
        let gradient = operand(0);
        let of_values = product(
            [b, h, t, e, s],
            [(weights, at([4, 2])), (gradient, at([4, 3]))],
        )?;
        let of_weights = product(
            [b, h, s, t, e],
            [(gradient, at([2, 4])), (operand(3), at([3, 4]))],
        )?;
        let factors = [(gradient, at([2, 3])), (operand(4), at([2, 3]))];
        let sums = self.contraction(op, (&[b, h, s, e], 3), factors)?;
        let rest = self.with(op, of_weights, row(sums), &|emit, gradient, sum| {
            emit.same(arith::subf(gradient, sum))
        })?;
        let of_scores = self.each(op, &[weights, rest], ty, &|emit, values| {
            let product = emit.same(arith::mulf(values[0], values[1]));
            emit.same(arith::mulf(product, emit.number(rule.scale, ty)))
        });
        let of_queries = product(
            [b, h, s, d, t],
            [(of_scores, at([2, 4])), (operand(2), at([4, 3]))],
        )?;
        let of_keys = product(
            [b, h, t, d, s],
            [(of_scores, at([4, 2])), (operand(1), at([4, 3]))],
        )?;
        self.finish_all(op, vec![of_queries, of_keys, of_values]);
        Ok(())
    }

    /// Returns the mask of attention over `[b, h, s, t]`, which repeats along dimensions of one
    /// element and missing dimensions.
    fn mask(
        &self,
        op: Op<'p>,
        shape: [&Expr; 4],
        (tensors, place): (usize, usize),
    ) -> Result<Option<Factor<'p>>, Diagnostic<'p>> {
        let argument = self.argument(op, "attn_mask", place);
        let Some(argument) = argument.filter(|mask| mask.to_string() != "unit") else {
            return match op.operand_count() {
                count if count == tensors => Ok(None),
                count => Err(error(
                    op,
                    format!("attention without a mask has {tensors} operands, got {count}"),
                )),
            };
        };
        let number = inductor_attr::operand(argument);
        let number = number.ok_or_else(|| error(op, "the mask is no tensor"))?;
        let size = self.size(op, number)?;
        let shape = shape.map(Expr::clone);
        let at = broadcast(&size, &shape).ok_or_else(|| {
            error(
                op,
                format!("a mask of extents {size:?} cannot be broadcast to scores of {shape:?}"),
            )
        })?;
        let mask = ir::operand(op, number).expect("its extents are known");
        Ok(Some((mask, at)))
    }
}

impl<'p> Graph<'p> {
    /// Builds the reduction of the last dimension of a tensor.
    pub(super) fn rows(&self, op: Op<'p>, tensor: Val<'p>, combine: Binary, first: f64) -> Val<'p> {
        let context = self.context;
        let (shape, ty) = (self.shape(tensor), element_of(tensor));
        let parallel = shape.len() - 1;
        let init = self.filled(op, number(context, first, ty), ty, &shape[..parallel]);
        let all: Vec<usize> = (0..shape.len()).collect();
        let maps = [&all[..], &all[..parallel]].map(|dims| map(context, shape.len(), dims));
        let (ins, outs) = ([(tensor, maps[0])], [(init, maps[1])]);
        let (built, block) = self.generic(op, (&ins, &outs), (parallel, 1));
        let emit = Emit {
            context,
            block,
            location: op.location(),
        };
        let [so_far, element] = [1, 0].map(|number| structured::argument(block, number));
        let combined = emit.same(combine(so_far, element));
        structured::end(block, op.location(), &[combined]);
        result(built)
    }
}

/// Returns four extents.
fn fours(size: &[Expr]) -> Option<[&Expr; 4]> {
    let size: &[Expr; 4] = size.try_into().ok()?;
    Some(size.each_ref())
}

/// Returns whether some extents are others.
fn is_shape(size: &[Expr], shape: &[&Expr]) -> bool {
    size.iter().eq(shape.iter().copied())
}

/// Returns whether heads of keys and values are those of equally many heads of queries.
fn is_shared(heads: &Expr, shared: &Expr) -> bool {
    *shared != 0 && divided(heads, shared).is_some()
}
