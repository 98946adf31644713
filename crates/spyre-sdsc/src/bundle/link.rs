//! The function of operations that are compiled already.

use std::sync::Arc;

use super::ast::Function;
use super::symbols::{OpSymbols, SymbolBase};
use super::tree::{Plan, PlannedNode, PlannedOp};
use super::{BundleOptions, conserved, emit};
use crate::codegen::{LevelStep, RuntimeDim};
use crate::error::{Error, OpRef};
use crate::model::LoopSpec;

/// An operation with an existing file: the facts that the function needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompiledOp {
    /// The operation's name, for messages.
    pub name: String,
    /// The symbols, in the order of their identifiers.
    pub symbols: OpSymbols,
    /// The symbols that are runtime sizes, each once, in the order of their identifiers.
    pub runtime_dims: Vec<RuntimeDim>,
    /// How each tensor moves, outermost loop first.
    pub steps: Vec<Vec<LevelStep>>,
}

/// A node of a tree of compiled operations.
#[derive(Clone, Debug, PartialEq)]
pub enum CompiledNode {
    /// An operation.
    Op(CompiledOp),
    /// A loop. The body of `heading` is ignored.
    Loop {
        /// The count, with its runtime sizes.
        heading: LoopSpec,
        /// The nodes of an iteration, in order.
        body: Vec<CompiledNode>,
    },
}

/// The function that executes compiled operations: the second half of
/// [`compile_bundle`](super::compile_bundle). Files and identifiers are numbered depth first.
///
/// # Errors
/// Loops and pools that cannot be printed, symbols without a value or at a position that does not exist, and steps of
/// tensors without symbols or of loops that do not exist.
pub fn link(nodes: &[CompiledNode], options: &BundleOptions) -> Result<Function, Error> {
    let mut plan = Plan::default();
    let mut base = SymbolBase::default();
    plan.nodes = link_nodes(nodes, &mut plan, &mut base)?;
    plan.check_sources()?;
    let function = emit::emit(&plan, options)?;
    conserved::check_linked(nodes, &function)?;
    Ok(function)
}

/// Checks that the positions of an operation's symbols are in its list, and that every tensor that moves has symbols.
fn check_positions(op: &CompiledOp, at: &OpRef) -> Result<(), Error> {
    let inconsistent = |problem: String| Error::Inconsistent {
        op: at.clone(),
        problem,
    };
    let count = op.symbols.kinds().len();
    if let Some(position) = op.symbols.positions().find(|position| *position >= count) {
        return Err(inconsistent(format!(
            "symbol {position} is used, but there are only {count} symbols"
        )));
    }
    let is_still = |(tensor, steps): (usize, &Vec<LevelStep>)| {
        steps.is_empty() || !op.symbols.addresses(tensor).is_empty()
    };
    match op.steps.iter().enumerate().position(|step| !is_still(step)) {
        Some(tensor) => Err(inconsistent(format!(
            "operand {tensor} moves, but has no symbols"
        ))),
        None => Ok(()),
    }
}

fn link_nodes(
    nodes: &[CompiledNode],
    plan: &mut Plan,
    base: &mut SymbolBase,
) -> Result<Vec<PlannedNode>, Error> {
    let mut linked = Vec::with_capacity(nodes.len());
    for node in nodes {
        let node = match node {
            CompiledNode::Op(op) => {
                let index = plan.ops.len();
                let at = OpRef {
                    name: op.name.clone(),
                    index,
                };
                check_positions(op, &at)?;
                let next = base.after(op.symbols.kinds().len());
                let next = next.ok_or_else(|| Error::Overflow {
                    op: at.clone(),
                    what: "the number of symbols".into(),
                })?;
                plan.ops.push(PlannedOp {
                    symbols: Arc::new(op.symbols.clone()),
                    runtime_dims: op.runtime_dims.clone(),
                    steps: op.steps.clone(),
                    base: *base,
                    file_base: *base,
                    file: index,
                    at,
                });
                *base = next;
                PlannedNode::Op(index)
            }
            CompiledNode::Loop { heading, body } => {
                let number = plan.open_loop(heading)?;
                let body = link_nodes(body, plan, base)?;
                PlannedNode::Loop { number, body }
            }
        };
        linked.push(node);
    }
    Ok(linked)
}
