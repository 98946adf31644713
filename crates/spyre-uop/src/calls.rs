//! The bodies of calls, for analyses that follow values into them.
//!
//! The results of a call depend on its arguments, so its body is followed anew for each call. Nested calls can take
//! exponential time: after a limit on all followed nodes, callers use the properties of the body without its arguments.

use rustc_hash::FxHashSet;

use crate::graph::{Graph, Node};
use crate::ids::NodeId;
use crate::op::Op;

/// The nodes that are followed for each node of a graph.
const EACH: usize = 64;

/// The nodes that are followed in small graphs.
const LEAST: usize = 1 << 20;

/// Follows calls, up to a limit.
pub(crate) struct Calls {
    left: usize,
}

/// A result of a call's body.
pub(crate) struct Returned {
    /// The node.
    pub(crate) node: NodeId,
    /// The nodes that it needs, itself included, in order.
    pub(crate) needed: Vec<NodeId>,
}

impl Calls {
    pub(crate) fn from_graph(graph: &Graph) -> Self {
        Self {
            left: (EACH * graph.nodes().len()).max(LEAST),
        }
    }

    /// Returns a result of a call; none where the call returns none, and above the limit.
    pub(crate) fn result(&mut self, graph: &Graph, call: &Node, index: usize) -> Option<Returned> {
        let body = graph.node(call.sources[0]);
        let node = match body.op {
            Op::Tuple => body.sources[index],
            _ => return None,
        };
        // The properties of a body are a list with an entry for each node of the graph.
        self.left = self.left.checked_sub(graph.nodes().len())?;
        let mut seen = FxHashSet::default();
        let mut stack = vec![node];
        while let Some(next) = stack.pop() {
            if seen.insert(next) {
                let next_node = graph.node(next);
                let body = usize::from(matches!(next_node.op, Op::Call(_)));
                stack.extend(&next_node.sources[body..]);
            }
        }
        let mut needed: Vec<NodeId> = seen.into_iter().collect();
        needed.sort_unstable();
        Some(Returned { node, needed })
    }
}
