//! Graphs from files, and files from graphs.

mod arg;

use rustc_hash::FxHashMap;

use crate::dtype::DType;
use crate::graph::{Broken, Graph, Type};
use crate::ids::{Id, NodeId};
use crate::op::Op;
use crate::schema;
use crate::table::{OUT_OF_SCOPE, Row};
use arg::Fields;

/// A file has a node that no graph has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at {path}: {reason}")]
pub struct ImportError {
    /// The place, from the root of the JSON.
    pub path: String,
    /// The reason.
    pub reason: String,
}

/// A graph of a file, with the numbers that its nodes have there.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The graph, with the nodes of the file, in order.
    pub graph: Graph,
    ids: FxHashMap<u64, NodeId>,
}

impl Imported {
    /// Returns the node of a number in the file.
    #[must_use]
    pub fn node(&self, id: u64) -> Option<NodeId> {
        self.ids.get(&id).copied()
    }
}

/// An error without the path to its node.
struct Located {
    field: String,
    reason: String,
}

impl From<Broken> for Located {
    fn from(broken: Broken) -> Self {
        Self {
            field: String::new(),
            reason: broken.to_string(),
        }
    }
}

impl Located {
    fn new(field: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            reason: reason.into(),
        }
    }
}

/// Builds a graph of the nodes of a file.
///
/// # Errors
/// A node is unknown, lacks arguments of its operation, or breaks a rule; with its place in the
/// JSON.
pub fn import(nodes: &[schema::Node]) -> Result<Imported, ImportError> {
    let mut imported = Imported {
        graph: Graph::new(),
        ids: FxHashMap::default(),
    };
    for (position, node) in nodes.iter().enumerate() {
        imported.add(node).map_err(|error| ImportError {
            path: format!("nodes[{position}]{}", error.field),
            reason: error.reason,
        })?;
    }
    Ok(imported)
}

impl Imported {
    fn add(&mut self, node: &schema::Node) -> Result<(), Located> {
        if self.ids.contains_key(&node.id) {
            return Err(Located::new(
                ".id",
                format!("[U33] two nodes have the id {}", node.id),
            ));
        }
        let source = |(position, id): (usize, &u64)| {
            self.ids.get(id).copied().ok_or_else(|| {
                let reason = format!("[U3] no node {id} comes before node {}", node.id);
                Located::new(format!(".src[{position}]"), reason)
            })
        };
        let sources: Vec<NodeId> = node
            .src
            .iter()
            .enumerate()
            .map(source)
            .collect::<Result<_, _>>()?;
        let id = self.graph.add(op(node)?, sources)?;
        let ty = &self.graph.node(id).ty;
        let (dtype, shape) = written(ty);
        if node.dtype != dtype {
            let reason = format!("[U34] the result is {dtype}, and not {}", node.dtype);
            return Err(Located::new(".dtype", reason));
        }
        if node.shape.as_deref() != shape {
            let show =
                |shape: Option<&[u64]>| shape.map_or("null".to_owned(), |s| format!("{s:?}"));
            let (inferred_shape, other) = (show(shape), show(node.shape.as_deref()));
            return Err(Located::new(
                ".shape",
                format!("[U34] the shape is {inferred_shape}, and not {other}"),
            ));
        }
        self.ids.insert(node.id, id);
        Ok(())
    }
}

/// Returns the element type and the shape of a type, as they are in a file.
fn written(ty: &Type) -> (&'static str, Option<&[u64]>) {
    match ty {
        Type::Tensor(ty) => (ty.dtype.name(), Some(&ty.shape[..])),
        Type::Tuple(_) | Type::Void => ("void", None),
    }
}

/// Returns the operation of a node of a file.
fn op(node: &schema::Node) -> Result<Op, Located> {
    let row = Row::of_name(&node.op).ok_or_else(|| unknown(&node.op))?;
    let mut fields = Fields::new(node);
    let op = row.op(|field| fields.read(field))?;
    fields.finish()?;
    Ok(op)
}

/// Returns the error of a name that is no operation.
fn unknown(name: &str) -> Located {
    let reason = if OUT_OF_SCOPE.contains(&name) {
        format!("{name} is an operation of generated code, and no part of a program")
    } else {
        format!("{name:?} is no operation")
    };
    Located::new(".op", reason)
}

/// Returns the element type of a name.
fn dtype(field: &str, name: &str) -> Result<DType, Located> {
    DType::of_name(name).ok_or_else(|| Located::new(field, format!("{name:?} is no element type")))
}

/// Exports a graph as nodes of a file. Their numbers are positions.
#[must_use]
pub fn export(graph: &Graph) -> Vec<schema::Node> {
    let nodes = graph.nodes().iter();
    nodes
        .map(|(id, node)| {
            let (dtype, shape) = written(&node.ty);
            let src = node.sources.iter();
            schema::Node::new(
                id.position() as u64,
                node.op.name(),
                dtype,
                shape.map(<[u64]>::to_vec),
                src.map(|source| source.position() as u64).collect(),
                arg::write(&node.op),
            )
        })
        .collect()
}
