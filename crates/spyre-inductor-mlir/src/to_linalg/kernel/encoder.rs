//! The layer of a transformer's encoder that PyTorch has as one kernel: attention of a sequence to itself, and
//! two linear layers, each added to its input, and normed.

use melior::ir::operation::OperationLike;
use spyre_construct::build::element_of;
use spyre_dialects::attr;
use spyre_index_expr::Expr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::{arith, math};

use super::super::{Graph, error};
use super::{Factor, var};

/// The names of the tensors, in the order of the operands.
#[derive(Clone, Copy)]
enum Tensor {
    Source,
    InWeight,
    InBias,
    OutWeight,
    OutBias,
    FirstNorm,
    FirstNormBias,
    SecondNorm,
    SecondNormBias,
    FirstLinear,
    FirstLinearBias,
    SecondLinear,
    SecondLinearBias,
}

/// The number of tensors of a layer without a mask.
const TENSORS: usize = 13;

/// `1 / sqrt(2)`.
const ROOT_OF_HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;

impl<'p> Graph<'p> {
    /// Converts the layer of an encoder on sequences `[b, s, e]`.
    pub(super) fn encoder(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        if op.operand_count() != TENSORS {
            let message = format!(
                "an encoder layer of {} tensors; one with a mask is not converted",
                op.operand_count()
            );
            return Err(error(op, message));
        }
        let heads = self.integer(op, "num_heads", 2).unwrap_or(0);
        let flag = |name: &str, place: usize| self.flag(op, name, place).unwrap_or(false);
        let (use_gelu, norm_first) = (flag("use_gelu", 7), flag("norm_first", 8));
        let eps = self.argument(op, "eps", 9).and_then(attr::number);
        let eps = eps.ok_or_else(|| error(op, "the norms have no 'eps'"))?;
        let source = self.whole(op, Tensor::Source as usize)?;
        let source = self.cast(op, source, self.computed(element_of(source)));
        let shape = self.extents(source);
        let [_, _, width] = shape.as_slice() else {
            return Err(error(
                op,
                format!(
                    "the input of an encoder layer must have 3 dimensions, but has extents {shape:?}"
                ),
            ));
        };
        let width = self.fixed(op, width)?;
        if heads < 1 || width % heads != 0 {
            return Err(error(
                op,
                format!("{width} elements cannot be divided into {heads} heads"),
            ));
        }
        let norms = [
            (Tensor::FirstNorm, Tensor::FirstNormBias),
            (Tensor::SecondNorm, Tensor::SecondNormBias),
        ];
        let norm = |tensor: Val<'p>, of: usize| self.layer_norm(op, tensor, norms[of], eps);
        let input = if norm_first { norm(source, 0)? } else { source };
        let attended = self.self_attention(op, input, heads)?;
        let mut sum = self.sum_of(op, attended, source);
        if !norm_first {
            sum = norm(sum, 0)?;
        }
        let input = if norm_first { norm(sum, 1)? } else { sum };
        let hidden = self.linear(op, input, Tensor::FirstLinear, Tensor::FirstLinearBias)?;
        let ty = element_of(hidden);
        let hidden = self.each(op, &[hidden], ty, &|emit, values| {
            let x = values[0];
            if !use_gelu {
                return emit.same(arith::maximumf(x, emit.number(0.0, ty)));
            }
            let scaled = emit.same(arith::mulf(x, emit.number(ROOT_OF_HALF, ty)));
            let erf = emit.same(math::erf(scaled));
            let share = emit.same(arith::addf(erf, emit.number(1.0, ty)));
            let half = emit.same(arith::mulf(x, emit.number(0.5, ty)));
            emit.same(arith::mulf(half, share))
        });
        let output = self.linear(op, hidden, Tensor::SecondLinear, Tensor::SecondLinearBias)?;
        let mut output = self.sum_of(op, output, sum);
        if !norm_first {
            output = norm(output, 1)?;
        }
        self.finish(op, output)
    }

    /// Builds the attention of a sequence to itself, and the linear layer after it.
    fn self_attention(
        &self,
        op: Op<'p>,
        input: Val<'p>,
        heads: i64,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let shape = self.extents(input);
        let [b, s, width] = shape.as_slice() else {
            return Err(error(op, format!("attention of {shape:?}")));
        };
        let all = self.linear(op, input, Tensor::InWeight, Tensor::InBias)?;
        let e = self.fixed(op, width)?;
        let d = e / heads;
        // A row has the queries, then the keys, then the values; each has its heads in order.
        let overflow = |err| error(op, err);
        let part = |number: i64, row: usize, inner: usize| -> Result<Factor<'p>, Diagnostic<'p>> {
            let head = var(1).mul(&Expr::constant(d)).map_err(overflow)?;
            let at = head.add(&var(inner)).map_err(overflow)?;
            let at = at.add(&Expr::constant(number * e)).map_err(overflow)?;
            Ok((all, vec![var(0), var(row), at]))
        };
        // Loops b, h, s, t, and d, which is reduced.
        let factors = [part(0, 2, 4)?, part(1, 3, 4)?];
        let scores = self.contraction(op, (&[b, &heads.into(), s, s, &d.into()], 4), factors)?;
        let ty = element_of(scores);
        #[expect(clippy::cast_precision_loss, reason = "heads are small")]
        let scale = 1.0 / (d as f64).sqrt();
        let scores = self.each(op, &[scores], ty, &|emit, values| {
            emit.same(arith::mulf(values[0], emit.number(scale, ty)))
        });
        let (weights, _) = self.weights(op, scores, false)?;
        // Loops b, h, s, d, and t, which is reduced.
        let rows = (weights, [0, 1, 2, 4].map(var).to_vec());
        let factors = [rows, part(2, 4, 3)?];
        let product = self.contraction(op, (&[b, &heads.into(), s, &d.into(), s], 4), factors)?;
        // Loops b, s, and the columns of both, where the columns of the heads are reduced.
        let head = var(3).quotient(Expr::constant(d));
        let inner = var(3).digit(Expr::constant(1), Expr::constant(d));
        let rows = (product, vec![var(0), head, var(1), inner]);
        self.affine(
            op,
            rows,
            [b, s, width, width],
            (Tensor::OutWeight, Tensor::OutBias),
        )
    }

    /// Builds `tensor @ weight^T + bias`.
    fn linear(
        &self,
        op: Op<'p>,
        tensor: Val<'p>,
        weight: Tensor,
        bias: Tensor,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let (shape, of) = (self.extents(tensor), self.size(op, weight as usize)?);
        let ([b, s, e], Some(columns)) = (shape.as_slice(), of.first()) else {
            return Err(error(
                op,
                format!(
                    "the input of a linear layer must have 3 dimensions, but has extents {shape:?}"
                ),
            ));
        };
        let rows = (tensor, [0, 1, 3].map(var).to_vec());
        self.affine(op, rows, [b, s, columns, e], (weight, bias))
    }

    /// Builds the sums of products of rows and a weight, with a bias, over loops `[b, s, columns, reduced]`.
    fn affine(
        &self,
        op: Op<'p>,
        rows: Factor<'p>,
        loops: [&Expr; 4],
        (weight, bias): (Tensor, Tensor),
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        for (tensor, shape) in [(weight, &loops[2..]), (bias, &loops[2..3])] {
            let size = self.size(op, tensor as usize)?;
            if !size.iter().eq(shape.iter().copied()) {
                return Err(error(
                    op,
                    format!("a parameter must have extents {shape:?}, but has {size:?}"),
                ));
            }
        }
        let [weight, bias] =
            [weight, bias].map(|tensor| ir::operand(op, tensor as usize).expect("it has a size"));
        let weight = (weight, [2, 3].map(var).to_vec());
        let product = self.contraction(op, (&loops, 3), [rows, weight])?;
        self.with(op, product, (bias, vec![var(2)]), &|emit, sum, bias| {
            emit.same(arith::addf(sum, bias))
        })
    }

    /// Builds the sum of two tensors.
    fn sum_of(&self, op: Op<'p>, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.each(op, &[a, b], element_of(a), &|emit, values| {
            emit.same(arith::addf(values[0], values[1]))
        })
    }

    /// Builds the norm of the rows of a tensor: its mean is 0 and its variance 1, then a weight and a bias.
    fn layer_norm(
        &self,
        op: Op<'p>,
        tensor: Val<'p>,
        (weight, bias): (Tensor, Tensor),
        eps: f64,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let shape = self.extents(tensor);
        let ty = element_of(tensor);
        let width = shape.last().map_or(Ok(1), |width| self.fixed(op, width))?;
        for parameter in [weight, bias] {
            let size = self.size(op, parameter as usize)?;
            if size != [width] {
                return Err(error(
                    op,
                    format!("a parameter must have extents [{width}], but has {size:?}"),
                ));
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "rows are short")]
        let count = width as f64;
        let row = |tensor: Val<'p>| (tensor, [0, 1].map(var).to_vec());
        let mean_of = |tensor: Val<'p>| {
            let sum = self.rows(op, tensor, arith::addf, 0.0);
            self.each(op, &[sum], ty, &|emit, values| {
                emit.same(arith::divf(values[0], emit.number(count, ty)))
            })
        };
        let rest = self.with(op, tensor, row(mean_of(tensor)), &|emit, value, mean| {
            emit.same(arith::subf(value, mean))
        })?;
        let squares = self.each(op, &[rest], ty, &|emit, values| {
            emit.same(arith::mulf(values[0], values[0]))
        });
        let normed = self.with(op, rest, row(mean_of(squares)), &|emit, rest, variance| {
            let more = emit.same(arith::addf(variance, emit.number(eps, ty)));
            emit.same(arith::mulf(rest, emit.same(math::rsqrt(more))))
        })?;
        let [weight, bias] =
            [weight, bias].map(|tensor| ir::operand(op, tensor as usize).expect("it has a size"));
        let scaled = self.with(
            op,
            normed,
            (weight, vec![var(2)]),
            &|emit, value, weight| emit.same(arith::mulf(value, weight)),
        )?;
        self.with(op, scaled, (bias, vec![var(2)]), &|emit, value, bias| {
            emit.same(arith::addf(value, bias))
        })
    }
}
