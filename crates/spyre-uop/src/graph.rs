//! Graphs of nodes that keep the rules of tinyspec.
//!
//! A node is added with [`Graph::add`], which infers its type and checks the rules U1, U2, ... of
//! `docs/Dialects/UopConstraints.md`. So every graph can be executed: its users do not check again. Nodes are in an
//! order of execution, and a node records the loops that it depends on, until an `End` or a `Reduce` closes the loop.

mod call;
mod infer;
mod memory;
mod movement;

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::ids::{Id, IndexVec, NodeId};
use crate::op::{AddressSpace, Op, TensorType};

/// The type of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// A tensor.
    Tensor(TensorType),
    /// Several tensors.
    Tuple(Arc<[TensorType]>),
    /// An effect without a value.
    Void,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tensor(ty) => ty.fmt(f),
            Self::Tuple(types) => write!(f, "a tuple of {}", types.len()),
            Self::Void => f.write_str("an effect"),
        }
    }
}

/// The nodes that a node reads.
pub type Sources = SmallVec<[NodeId; 3]>;

/// A node of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The operation.
    pub op: Op,
    /// The nodes that it reads, which come before it.
    pub sources: Sources,
    /// The type of its result.
    pub ty: Type,
    /// The ranges that it depends on and that no `End` and no `Reduce` has closed, ascending.
    pub open: SmallVec<[NodeId; 2]>,
    /// The buffer or the parameter of a node that is a writable view; `None` for other nodes.
    pub storage: Option<NodeId>,
}

impl Node {
    /// Returns the type of the tensor.
    ///
    /// # Panics
    /// The node is no tensor.
    #[must_use]
    pub fn tensor(&self) -> &TensorType {
        match &self.ty {
            Type::Tensor(ty) => ty,
            other => panic!("{} gives {other}, and no tensor", self.op.name()),
        }
    }
}

/// A node breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("[U{rule}] {reason}")]
pub struct Broken {
    /// The number of the rule in `docs/Dialects/UopConstraints.md`.
    pub rule: u32,
    /// The error, with the numbers.
    pub reason: String,
}

impl Broken {
    pub(crate) fn new(rule: u32, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { rule, reason }
    }
}

/// Returns an error of rule `rule` unless `holds`.
pub(crate) fn check(rule: u32, holds: bool, reason: impl FnOnce() -> String) -> Result<(), Broken> {
    if holds {
        Ok(())
    } else {
        Err(Broken::new(rule, reason()))
    }
}

/// The most axes of a tensor.
const MOST_AXES: usize = 64;

/// A graph.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    nodes: IndexVec<NodeId, Node>,
    /// The first node of each buffer.
    buffers: FxHashMap<(AddressSpace, u32), NodeId>,
    /// The parameters that bodies of functions read, by their number.
    params: FxHashMap<NodeId, Arc<[(u32, NodeId)]>>,
    /// The visits of nodes that `params` has cost.
    visits: u64,
}

/// Graphs are equal when their nodes are.
impl PartialEq for Graph {
    fn eq(&self, other: &Self) -> bool {
        self.nodes == other.nodes
    }
}

impl Eq for Graph {}

impl Graph {
    /// Returns an empty graph.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the nodes.
    #[must_use]
    pub fn nodes(&self) -> &IndexVec<NodeId, Node> {
        &self.nodes
    }

    /// Returns a node.
    ///
    /// # Panics
    /// It is of another graph.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// Returns the type of a tensor.
    ///
    /// # Panics
    /// The node is no tensor.
    #[must_use]
    pub fn tensor(&self, id: NodeId) -> &TensorType {
        self.nodes[id].tensor()
    }

    /// Adds a node. Returns its id.
    ///
    /// # Errors
    /// It breaks a rule.
    pub fn add(
        &mut self,
        op: Op,
        sources: impl IntoIterator<Item = NodeId>,
    ) -> Result<NodeId, Broken> {
        let sources: Sources = sources.into_iter().collect();
        for source in &sources {
            check(3, source.position() < self.nodes.len(), || {
                format!("node {source} does not come before {}", op.name())
            })?;
        }
        let ty = self.infer(&op, &sources)?;
        if let Type::Tensor(ty) = &ty {
            let rank = ty.shape.len();
            check(1, rank <= MOST_AXES, || {
                format!("a tensor has {rank} axes, and the most are {MOST_AXES}")
            })?;
            check(1, ty.shape.checked_elements().is_some(), || {
                format!("a tensor of shape {} has 2^63 elements or more", ty.shape)
            })?;
        }
        if let Op::Buffer { slot, space, .. } = &op {
            let next = NodeId::of(self.nodes.len());
            let first = *self.buffers.entry((*space, *slot)).or_insert(next);
            check(32, first == next || self.nodes[first].op == op, || {
                format!(
                    "buffer {slot} is {ty}, and {} elsewhere",
                    self.nodes[first].ty
                )
            })?;
        }
        let open = self.open(&op, &sources)?;
        let storage = self.storage(&op, &sources);
        let storage = storage.or_else(|| op.is_storage().then(|| NodeId::of(self.nodes.len())));
        Ok(self.nodes.push(Node {
            op,
            sources,
            ty,
            open,
            storage,
        }))
    }
}
