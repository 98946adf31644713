//! The function of operations that are compiled already.

use std::sync::Arc;

use super::ast::Function;
use super::symbols::{OpSymbols, SymbolBase};
use super::tree::{Plan, PlannedNode, PlannedOp};
use super::{BundleOptions, emit};
use crate::codegen::{LevelStep, RuntimeDim};
use crate::error::{Error, OpRef};
use crate::model::LoopSpec;

/// An operation whose file exists: what the function needs to know of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompiledOp {
    /// The operation's name, for messages.
    pub name: String,
    /// Its symbols, in the order of their identifiers.
    pub symbols: OpSymbols,
    /// The runtime sizes among them, each once, in the order of their identifiers.
    pub runtime_dims: Vec<RuntimeDim>,
    /// How each tensor moves, outermost loop first.
    pub steps: Vec<Vec<LevelStep>>,
}

/// A node of a tree of compiled operations.
#[derive(Clone, Debug, PartialEq)]
pub enum CompiledNode {
    /// An operation.
    Op(CompiledOp),
    /// A loop. The body of `heading` is not looked at.
    Loop {
        /// The count, with its runtime sizes.
        heading: LoopSpec,
        /// What an iteration does, in order.
        body: Vec<CompiledNode>,
    },
}

/// The function that executes compiled operations: the second half of
/// [`compile_bundle`](super::compile_bundle). Files and identifiers are numbered depth first.
///
/// # Errors
/// Loops and pools that cannot be printed, symbols without a value, and steps of loops that do not exist.
pub fn link(nodes: &[CompiledNode], options: &BundleOptions) -> Result<Function, Error> {
    let mut plan = Plan::default();
    let mut base = SymbolBase::default();
    plan.nodes = link_nodes(nodes, &mut plan, &mut base)?;
    plan.check_sources()?;
    emit::emit(&plan, options)
}

fn link_nodes(
    nodes: &[CompiledNode],
    plan: &mut Plan,
    base: &mut SymbolBase,
) -> Result<Vec<PlannedNode>, Error> {
    let mut linked = Vec::with_capacity(nodes.len());
    for node in nodes {
        linked.push(match node {
            CompiledNode::Op(op) => {
                let index = plan.ops.len();
                let at = OpRef {
                    name: op.name.clone(),
                    index,
                };
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
        });
    }
    Ok(linked)
}
