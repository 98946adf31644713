//! Convolutions.

use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_inductor::expr::Expr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};

use super::super::{Graph, error, extents};
use super::var;

impl<'p> Graph<'p> {
    /// Converts a convolution: the image `[n, c, ...]`, the kernel `[f, c / groups, ...]`, and a bias of `f` elements.
    pub(super) fn convolution(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let (image, kernel) = (self.size(op, 0)?, self.size(op, 1)?);
        let rank = image.len();
        let list = |name: &str, place: usize| -> Option<Vec<i64>> {
            let list = attr::elements(self.argument(op, name, place)?);
            list.into_iter().map(attr::integer).collect()
        };
        let part = |name: &str, place: usize| {
            let list = list(name, place).filter(|list| list.len() + 2 == rank);
            list.ok_or_else(|| {
                error(
                    op,
                    format!("'{name}' has a number for each of {} dimensions", rank - 2),
                )
            })
        };
        if rank < 3 || kernel.len() != rank {
            return Err(error(
                op,
                format!("a convolution of {image:?} by {kernel:?}"),
            ));
        }
        let (stride, padding) = (part("stride", 3)?, part("padding", 4)?);
        let dilation = part("dilation", 5)?;
        let is_transposed = self
            .argument(op, "transposed", 6)
            .is_some_and(|flag| flag.to_string() == "true");
        if is_transposed {
            return Err(error(op, "a transposed convolution is not converted"));
        }
        let groups = self.integer(op, "groups", 8).unwrap_or(1);
        if groups < 1 || kernel[0] % groups != 0 || kernel[1].checked_mul(groups) != Some(image[1])
        {
            return Err(error(
                op,
                format!("{groups} groups of {image:?} by {kernel:?}"),
            ));
        }
        let result = ir::result(op, 0).expect("a kernel has a result");
        let out = self
            .memory(op, melior::ir::ValueLike::r#type(&result))?
            .size;
        // Loops: those of the result, the channels of a group, and the window.
        let mut loops = out.clone();
        loops.extend(&kernel[1..]);
        let overflow = |why| error(op, why);
        let group = var(1).quotient(Expr::constant(kernel[0] / groups));
        let channel = match groups {
            1 => var(rank),
            _ => group
                .scale(kernel[1])
                .and_then(|first| first.add(&var(rank)))
                .map_err(overflow)?,
        };
        let (mut in_image, mut in_kernel) = (vec![var(0), channel], vec![var(1), var(rank)]);
        for dim in 0..rank - 2 {
            let at = var(dim + 2).scale(stride[dim]).and_then(|at| {
                let step = var(rank + 1 + dim).scale(dilation[dim])?;
                at.add(&step)?.add(&Expr::constant(-padding[dim]))
            });
            in_image.push(at.map_err(overflow)?);
            in_kernel.push(var(rank + 1 + dim));
        }
        let operand = |number: usize| ir::operand(op, number).expect("its extents are known");
        let factors = [(operand(0), in_image), (operand(1), in_kernel)];
        let mut made = self.contraction(op, (&loops, rank), factors)?;
        if op.operand_count() > 2 {
            let bias = (operand(2), vec![var(1)]);
            made = self.with(op, made, bias, &|emit, sum, bias| {
                emit.same("arith.addf", &[sum, bias])
            })?;
        }
        debug_assert_eq!(extents(made), out);
        self.finish(op, made)
    }
}
