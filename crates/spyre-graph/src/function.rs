//! A function as data: its nodes, in the order of their computation.

use spyre_dialects::hint::TileHint;
use spyre_layout::Layout;
use spyre_mlir_rt::ir::Val;
use spyre_ods::OpParts;

use crate::attributes::Attributes;
use crate::tensor::TensorType;

/// Builds the parts of an operation of its operands.
pub(crate) type Build = Box<dyn for<'p> Fn(Attributes<'p>, &[Val<'p>]) -> OpParts<'p>>;

/// A tensor of the graph, with its computation.
pub(crate) struct Node {
    pub(crate) ty: TensorType,
    /// The layout in device memory; `None` where the passes of layouts choose it.
    pub(crate) device_layout: Option<Layout>,
    pub(crate) definition: Definition,
}

pub(crate) enum Definition {
    /// An argument of the function.
    Input { name: String },
    /// The result of an operation.
    Operation {
        name: &'static str,
        /// The operands, as numbers of earlier nodes.
        operands: Vec<usize>,
        build: Build,
        /// The hints around the operation, outermost first.
        hints: Vec<TileHint>,
    },
}

/// A function of a graph.
pub(crate) struct Function {
    pub(crate) name: String,
    /// The inputs and the operations. An operation comes after its operands.
    pub(crate) nodes: Vec<Node>,
}

impl Function {
    /// Returns the inputs, with their names, in order.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = (&str, &TensorType)> {
        self.nodes.iter().filter_map(|node| match &node.definition {
            Definition::Input { name } => Some((name.as_str(), &node.ty)),
            Definition::Operation { .. } => None,
        })
    }

    /// Returns the name of a node for a message: of an input in quotes, or of an operation with the number of the node.
    pub(crate) fn node_name(&self, node: usize) -> String {
        match &self.nodes[node].definition {
            Definition::Input { name } => format!("\"{name}\""),
            Definition::Operation { name, .. } => format!("{name} #{node}"),
        }
    }
}
