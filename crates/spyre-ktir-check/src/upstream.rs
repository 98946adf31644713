//! What the scheduler of the published compiler takes.
//!
//! A stage is loads, one operation of `linalg`, and a store. The scheduler takes each stage out of the kernel with its
//! views, so no view and no tensor is of two stages.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_dialects::ktdp_attr::access_tile_shape;
use spyre_mlir_rt::ir::{self, Blk, Op, Val};
use spyre_ods::{arith, ktdp, linalg, math, scf, tensor};

use crate::check::{Check, at};
use crate::report::Finding;
use crate::rules::{STAGE, UPSTREAM};
use crate::schedulable;

/// Operations that no kernel for the scheduler has, and that its check does not look at.
const NOT_SCHEDULED: [&str; 8] = [
    scf::IF,
    tensor::COLLAPSE_SHAPE,
    tensor::EXPAND_SHAPE,
    tensor::EXTRACT_SLICE,
    tensor::INSERT_SLICE,
    tensor::RESHAPE,
    ktdp::RUNTIME_ARG_EXTRACT,
    ktdp::INTER_TILE_PRODUCE,
];

impl<'p> Check<'_, 'p> {
    /// Checks an operation of a kernel for the scheduler.
    pub(crate) fn upstream(&mut self, op: Op<'p>) {
        let name = ir::name(op);
        let mut of_tensors = arith::OPERATIONS.iter().chain(math::OPERATIONS);
        let is_of_tensors = of_tensors.any(|it| it.name == name)
            && name != arith::CONSTANT
            && ir::results(op).any(|value| ir::is_ranked_tensor(value.r#type()));
        if name == ktdp::CONSTRUCT_INDIRECT_ACCESS_TILE {
            self.find(UPSTREAM, op, "the scheduler takes no gathers");
        } else if name == scf::FOR && op.result_count() > 0 {
            let message = "the scheduler takes no loop that carries tensors";
            self.find(UPSTREAM, op, message);
        } else if let Some(reason) = schedulable::refusal(op) {
            self.find(UPSTREAM, op, format!("the scheduler takes no {reason}"));
        } else if NOT_SCHEDULED.contains(&name) {
            self.find(UPSTREAM, op, format!("the scheduler takes no '{name}'"));
        } else if is_of_tensors {
            let message = format!("the scheduler takes no '{name}' of tensors");
            self.find(UPSTREAM, op, message);
        } else if let Some(view) = ktdp::ConstructMemoryView::cast(op)
            && view.sizes().len() + view.strides().len() > 0
        {
            self.find(UPSTREAM, op, "the scheduler takes no dynamic extents");
        }
    }

    /// Checks that each view is of one stage: loads, the computation, and the stores after them.
    pub(crate) fn stages(&mut self) {
        let kernel = self.kernel;
        for (number, view) in kernel.views.iter().enumerate() {
            let mut accesses = kernel.accesses.iter().filter(|it| it.view == Some(number));
            let Some(first) = accesses.next() else {
                continue; // a view that is not used
            };
            if let Some(other) = accesses.find(|it| it.stage != first.stage) {
                let message = format!(
                    "the view is of stage {} and of stage {}, and the scheduler takes one view for each stage and buffer",
                    first.stage, other.stage
                );
                let finding = Finding::new(STAGE, at(view.op.op()), message);
                let finding = finding.note(at(first.op), "the first stage uses it here");
                self.report
                    .add(finding.note(at(other.op), "the other stage uses it here"));
            }
        }
        let body = ir::function_body(kernel.function).expect("a kernel has a body");
        self.tensors(body);
    }

    /// Checks that no tensor of a computation or of a load is an operand of two computations.
    fn tensors(&mut self, block: Blk<'p>) {
        for op in ir::operations(block) {
            if is_computation(op) || ir::name(op) == ktdp::LOAD {
                for value in ir::results(op) {
                    self.tensor(op, value);
                }
            }
            if !is_computation(op) {
                for block in ir::blocks(op) {
                    self.tensors(block);
                }
            }
        }
    }

    fn tensor(&mut self, op: Op<'p>, value: Val<'p>) {
        let users = ir::uses(value).into_iter().map(|usage| usage.owner);
        let mut readers = users.filter(|user| is_computation(*user));
        let first = readers.next();
        let other = match is_computation(op) {
            true => first,
            false => readers.find(|user| Some(*user) != first),
        };
        let Some(other) = other else {
            return;
        };
        let message = "the tensor is of two stages, and the scheduler takes none that crosses a stage; a store and a load \
                       take it through memory";
        let finding = Finding::new(STAGE, at(op), message);
        self.report
            .add(finding.note(at(other), "the other stage reads it here"));
    }
}

fn is_computation(op: Op<'_>) -> bool {
    linalg::OPERATIONS.iter().any(|it| it.name == ir::name(op))
}

/// Returns whether a tile has one element of each stick: the last extent is 1, at the constant 0.
pub(crate) fn is_of_heads(tile: Op<'_>) -> bool {
    let shape = ir::result(tile, 0).and_then(|tile| access_tile_shape(tile.r#type()));
    let is_one = shape.is_some_and(|shape| shape.last() == Some(&Some(1)));
    let last = tile.operand_count().checked_sub(1);
    is_one && last.and_then(|last| ir::constant_operand(tile, last)) == Some(0)
}
