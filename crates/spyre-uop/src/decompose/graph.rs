//! Decomposition of the operations of a graph.

use rustc_hash::FxHashMap;

use super::{Emit, Keep, emit, is_decomposable};
use crate::dtype::DType;
use crate::element;
use crate::graph::{Broken, Graph};
use crate::ids::{IndexVec, NodeId};
use crate::op::{Elementwise, Op};
use crate::schema::Datum;
use crate::shape::Shape;

/// A graph that has been rewritten.
#[derive(Debug, Clone)]
pub struct Rewritten {
    /// The new graph.
    pub graph: Graph,
    /// The new node of each old one.
    pub nodes: IndexVec<NodeId, NodeId>,
}

/// Returns the graph with every operation that is not kept in terms of others.
///
/// # Panics
/// A formula breaks a rule of graphs, which none does.
#[must_use]
pub fn rewrite(graph: &Graph, keep: Keep<'_>) -> Rewritten {
    let mut emitter = Nodes {
        graph: Graph::new(),
        constants: FxHashMap::default(),
    };
    let mut nodes: IndexVec<NodeId, NodeId> = IndexVec::new();
    for (_, node) in graph.nodes().iter() {
        let sources: Vec<NodeId> = node.sources.iter().map(|source| nodes[*source]).collect();
        let result = match &node.op {
            Op::Elementwise(op) if is_decomposable(*op, last(graph, &node.sources)) => {
                emit(&mut emitter, keep, *op, &sources)
            }
            op => emitter.graph.add(op.clone(), sources),
        };
        nodes.push(result.unwrap_or_else(|broken| panic!("{}: {broken}", node.op.name())));
    }
    let graph = emitter.graph;
    Rewritten { graph, nodes }
}

/// Returns the element type of the last source.
fn last(graph: &Graph, sources: &[NodeId]) -> DType {
    let last = sources
        .last()
        .expect("an elementwise operation has operands");
    graph.tensor(*last).dtype
}

/// The most movements between a constant and its use.
const MOST_MOVED: usize = 8;

/// Adds nodes. Constants are unique by value and shape.
struct Nodes {
    graph: Graph,
    constants: FxHashMap<(DType, u64, Shape), NodeId>,
}

impl Emit for Nodes {
    type Value = NodeId;
    type Error = Broken;

    fn dtype(&self, value: &NodeId) -> DType {
        self.graph.tensor(*value).dtype
    }

    fn constant_of(&self, value: &NodeId) -> Option<Datum> {
        let mut node = self.graph.node(*value);
        // A movement of a constant is the same constant. A front end writes two movements; longer
        // chains are not followed.
        for _ in 0..MOST_MOVED {
            if matches!(node.op, Op::Reshape(_) | Op::Expand(_) | Op::Permute(_)) {
                node = self.graph.node(node.sources[0]);
            }
        }
        match node.op {
            Op::Const { value, dtype } => {
                Some(element::datum(dtype, element::constant(dtype, value)))
            }
            _ => None,
        }
    }

    fn constant(&mut self, dtype: DType, value: Datum, like: &NodeId) -> Result<NodeId, Broken> {
        let shape = self.graph.tensor(*like).shape.clone();
        let key = (dtype, element::constant(dtype, value), shape);
        if let Some(id) = self.constants.get(&key) {
            return Ok(*id);
        }
        let shape = &key.2;
        let mut constant = self.graph.add(Op::Const { value, dtype }, [])?;
        if !shape.is_empty() {
            let ones: Shape = shape.iter().map(|_| 1).collect();
            constant = self.graph.add(Op::Reshape(ones), [constant])?;
            constant = self.graph.add(Op::Expand(shape.clone()), [constant])?;
        }
        self.constants.insert(key, constant);
        Ok(constant)
    }

    fn elementwise(&mut self, op: Elementwise, operands: &[NodeId]) -> Result<NodeId, Broken> {
        self.graph
            .add(Op::Elementwise(op), operands.iter().copied())
    }

    fn cast(&mut self, to: DType, value: &NodeId) -> Result<NodeId, Broken> {
        self.graph.add(Op::Cast(to), [*value])
    }

    fn bitcast(&mut self, to: DType, value: &NodeId) -> Result<NodeId, Broken> {
        self.graph.add(Op::Bitcast(to), [*value])
    }
}
