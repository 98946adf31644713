//! Unrolling: one operation per iteration, without loops (SDSC bundle specification, section 7.1).
//!
//! The start of every tensor moves by the same steps that [`codegen`] gives to kept loops, so both forms of a tree
//! visit the same addresses. The unroller of the first revision moved in the order of the host tensor instead; it is
//! in [`revision`](crate::revision).

use crate::Bytes;
use crate::codegen::{self, EnclosingLoops, LevelStep, PlanOptions};
use crate::error::{Error, LoopError, OpRef};
use crate::model::{Allocation, LoopBound, LoopSpec, Node, OpSpec};

/// The most operations that a tree may unroll to. A bundle has one file for each.
pub const MAX_UNROLLED: u64 = 1 << 20;

/// The operations of a tree in the order in which they run. Operations in loops become one copy per iteration, with
/// the start of each tensor where that iteration finds it, and without advances.
///
/// # Errors
/// Loops without a fixed count, more than [`MAX_UNROLLED`] operations, and the errors of the same tree with its loops
/// kept.
pub fn unroll(nodes: &[Node], options: &PlanOptions) -> Result<Vec<Node>, Error> {
    let mut ops = 0;
    let prepared = prepare(nodes, 0, &mut ops, options)?;
    let total = size(&prepared).filter(|total| *total <= MAX_UNROLLED);
    if total.is_none() {
        return Err(LoopError::TooManyIterations {
            limit: MAX_UNROLLED,
        }
        .into());
    }
    let mut unrolled = Vec::new();
    expand(&prepared, &mut Vec::new(), &mut unrolled)?;
    Ok(unrolled)
}

/// A node with the facts that each iteration needs, computed once.
enum Prepared<'a> {
    /// Outside of loops, or without operands that move.
    Fixed(&'a Node),
    Op {
        op: &'a OpSpec,
        steps: Vec<Vec<LevelStep>>,
        at: OpRef,
    },
    Loop {
        count: u64,
        body: Vec<Prepared<'a>>,
    },
}

/// Plans every operation once: all copies move by the same steps (SDSC bundle specification, section 3.4).
fn prepare<'a>(
    nodes: &'a [Node],
    depth: usize,
    ops: &mut usize,
    options: &PlanOptions,
) -> Result<Vec<Prepared<'a>>, Error> {
    let prepare_one = |node: &'a Node| match node {
        Node::Unimplemented { .. } => Ok(Prepared::Fixed(node)),
        Node::Op(op) => {
            let index = *ops;
            *ops += 1;
            if depth == 0 {
                return Ok(Prepared::Fixed(node));
            }
            let loops = EnclosingLoops::Known(depth);
            let planned = codegen::plan(op, index, loops, options)?;
            Ok(Prepared::Op {
                op,
                steps: planned.tensors.into_iter().map(|t| t.steps).collect(),
                at: OpRef {
                    name: op.op.clone(),
                    index,
                },
            })
        }
        Node::Loop(spec) => Ok(Prepared::Loop {
            count: fixed_count(spec)?,
            body: prepare(&spec.body, depth + 1, ops, options)?,
        }),
    };
    nodes.iter().map(prepare_one).collect()
}

fn fixed_count(spec: &LoopSpec) -> Result<u64, LoopError> {
    let not_fixed = || LoopError::NotUnrollable {
        count: spec.count.to_string(),
    };
    match spec.bound()? {
        LoopBound::Static(count) => u64::try_from(count).map_err(|_| not_fixed()),
        LoopBound::Runtime { .. } => Err(not_fixed()),
    }
}

/// The number of nodes after unrolling, if it fits.
fn size(nodes: &[Prepared<'_>]) -> Option<u64> {
    nodes.iter().try_fold(0_u64, |total, node| {
        let operations = match node {
            Prepared::Fixed(_) | Prepared::Op { .. } => 1,
            Prepared::Loop { count, body } => count.checked_mul(size(body)?)?,
        };
        total.checked_add(operations)
    })
}

/// Copies bodies in order, once per iteration (SDSC bundle specification, section 7.1).
fn expand(
    nodes: &[Prepared<'_>],
    iterations: &mut Vec<u64>,
    unrolled: &mut Vec<Node>,
) -> Result<(), Error> {
    for node in nodes {
        match node {
            Prepared::Fixed(node) => unrolled.push((*node).clone()),
            Prepared::Op { op, steps, at } => {
                let copy = copy_at(op, steps, iterations).ok_or_else(|| Error::Overflow {
                    op: at.clone(),
                    what: "an unrolled address".into(),
                })?;
                unrolled.push(copy.into());
            }
            Prepared::Loop { body, .. } if size(body) == Some(0) => {}
            Prepared::Loop { count, body } => {
                for iteration in 0..*count {
                    iterations.push(iteration);
                    expand(body, iterations, unrolled)?;
                    iterations.pop();
                }
            }
        }
    }
    Ok(())
}

/// The operation in one iteration of each enclosing loop, outermost first; `None` if an address does not fit (SDSC
/// bundle specification, section 7.1).
fn copy_at(op: &OpSpec, steps: &[Vec<LevelStep>], iterations: &[u64]) -> Option<OpSpec> {
    let mut copy = op.clone();
    copy.tiled_levels.clear();
    copy.tiled_symbol_trip_counts = Default::default();
    for (arg, steps) in copy.args.iter_mut().zip(steps) {
        arg.advance = None;
        let distance = steps.iter().try_fold(0_u64, |sum, step| {
            let iteration = iterations[step.level];
            sum.checked_add(iteration.checked_mul(step.bytes.get())?)
        })?;
        match &mut arg.allocation {
            Allocation::Hbm { offset, .. } | Allocation::HbmPool { offset } => {
                *offset = Bytes(offset.get().checked_add(distance)?);
            }
            Allocation::Lx { .. } => {
                assert_eq!(distance, 0, "planning refuses scratchpad tensors that move");
            }
        }
    }
    Some(copy)
}
