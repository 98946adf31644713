//! The layouts that every value of a function may have, and the copies that each combination needs.

use std::rc::Rc;

use melior::ir::Attribute;
use spyre_analysis::tensor::{TensorType, TensorTypes};
use spyre_layout::{Elements, View};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{Blk, Op, Val};
use spyre_plan::restickify::{Graph, Need, Needs, NodeId, Operand, TargetId};

use super::restick::Relayout;
use super::walk::Builder;

/// A tensor type with a layout that a value may have.
pub(crate) type Candidate<'p> = Rc<TensorType<'p>>;

/// Returns the size of a candidate in device memory, in elements with padding. This is the cost of a copy of it.
#[must_use]
pub(crate) fn device_elements(candidate: &TensorType<'_>) -> Elements {
    Elements(candidate.device.device_size().iter().product())
}

/// The kind of a node.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NodeKind<'p> {
    /// A tensor: an argument of a block, or the result of an operation.
    Value(Val<'p>),
    /// A value that a loop yields or a function returns: a reader only.
    Yield,
}

/// A copy of a value that readers may share.
#[derive(Debug, Clone)]
pub(crate) struct Target<'p> {
    /// The type of the copy.
    pub ty: Candidate<'p>,
    /// The tiling hints of the copy: the hints of its user, so that the copy is tiled with it. `None` without hints.
    pub hints: Option<Attribute<'p>>,
}

/// A value with a layout to choose, or a user of such a value.
#[derive(Debug)]
pub(crate) struct Node<'p> {
    /// The kind of the node.
    pub what: NodeKind<'p>,
    /// The operation that defines the value, or that reads; for a block argument, the parent operation of the block.
    pub op: Op<'p>,
    /// The layouts that it may have, at least one.
    pub candidates: Vec<Candidate<'p>>,
    /// The value as a view of its buffer, per candidate.
    pub views: Vec<View>,
    /// The operands that it reads.
    pub reads: Vec<Read<'p>>,
    /// The copies of the value that readers may need.
    pub targets: Vec<Target<'p>>,
    /// Whether the type in the IR has the layout already.
    pub decided: bool,
}

/// An operand of a node.
#[derive(Debug)]
pub(crate) struct Read<'p> {
    /// The node that is read.
    pub producer: usize,
    /// The operation that reads.
    pub user: Op<'p>,
    /// The number of the operand.
    pub operand: usize,
    /// The needs of the operand, per candidate of the node and candidate of the producer.
    pub needs: Needs,
}

/// The analysis of a function.
pub(crate) struct Analysis<'p> {
    /// Values and readers, in order of execution.
    pub nodes: Vec<Node<'p>>,
}

impl<'p> Analysis<'p> {
    /// Analyses the body of a function for `pass`. Diagnostics have this name.
    ///
    /// # Errors
    /// An operation that no layouts fit, or one without a rule for layouts.
    pub(crate) fn of_function(
        pass: &'static str,
        types: &TensorTypes<'p>,
        function: Op<'p>,
        body: Blk<'p>,
    ) -> Result<Self, Diagnostic<'p>> {
        let nodes = Builder::new(pass, types, body).function(function, body)?;
        Ok(Self { nodes })
    }

    /// Returns whether every value has its layout and no operand needs a copy.
    #[must_use]
    pub(crate) fn is_decided(&self) -> bool {
        self.nodes.iter().all(|node| {
            node.decided
                && node
                    .reads
                    .iter()
                    .all(|read| read.needs.get(0, 0) == Some(Need::Met))
        })
    }

    /// Returns the problem of choosing one candidate for each node, as a graph.
    pub(crate) fn graph(&self) -> Result<Graph, String> {
        let mut graph = Graph::new();
        let mut ids: Vec<NodeId> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let sizes = node.candidates.iter().map(|ty| device_elements(ty));
            let operands = node.reads.iter().map(|read| Operand {
                producer: ids[read.producer],
                needs: read.needs.clone(),
            });
            let id = graph
                .add(sizes.collect(), operands.collect())
                .map_err(|err| err.to_string())?;
            ids.push(id);
            for (candidate, have) in node.candidates.iter().enumerate() {
                for (number, target) in node.targets.iter().enumerate() {
                    let Ok(relayout) = Relayout::between(have, &target.ty) else {
                        // The copy is impossible, so no operand needs it.
                        continue;
                    };
                    let (have, want) = (&have.device, &target.ty.device);
                    let extra = relayout.extra(have, want);
                    if extra != Elements::ZERO {
                        let number = u32::try_from(number).map_err(|err| err.to_string())?;
                        graph
                            .charge(id, candidate, TargetId(number), extra)
                            .map_err(|err| err.to_string())?;
                    }
                }
            }
        }
        Ok(graph)
    }

    /// Returns the copy that an operand of a node reads in a choice of candidates, with its number among the copies of the
    /// producer; `None` where the operand reads the value itself.
    ///
    /// # Panics
    /// The choice has not one candidate for each node.
    #[must_use]
    pub(crate) fn copy(
        &self,
        choice: &[usize],
        node: usize,
        read: &Read<'p>,
    ) -> Option<(usize, &Target<'p>)> {
        let need = read.needs.get(choice[node], choice[read.producer]);
        let need = need.expect("a choice is of the candidates of the nodes");
        let Need::Copy(TargetId(target)) = need else {
            return None;
        };
        let target = target as usize;
        Some((target, &self.nodes[read.producer].targets[target]))
    }
}
