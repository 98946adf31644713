//! The order of execution: which nodes are executed where.
//!
//! The nodes that a root depends on are executed in their order. A node is in a loop if it depends on the loop's range,
//! and an effect also if `end` closes the loop over it. The program, a call, or one iteration of a loop executes the
//! nodes that its roots depend on and that are in exactly the same loops.

use rustc_hash::FxHashSet;
use spyre_uop::graph::Graph;
use spyre_uop::ids::{IndexVec, NodeId};
use spyre_uop::op::Op;

/// Ranges.
type Ranges = Vec<NodeId>;

/// How a node is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Need {
    /// The value of the node, or the execution of its effect.
    Value,
    /// The position of the node in a buffer; only the indices of the node are computed.
    Place,
}

/// The loops of a graph's nodes.
pub(super) struct Order {
    loops: IndexVec<NodeId, Ranges>,
}

impl Order {
    pub(super) fn of(graph: &Graph) -> Self {
        Self {
            loops: loops(graph),
        }
    }

    /// Returns the nodes that are executed for some roots outside of all loops, in order; the first root that is in a
    /// loop, if there is one.
    pub(super) fn of_roots(&self, graph: &Graph, roots: &[NodeId]) -> Result<Vec<NodeId>, NodeId> {
        if let Some(open) = roots.iter().find(|root| !self.loops[**root].is_empty()) {
            return Err(*open);
        }
        Ok(self.plan(graph, roots, None, &[]))
    }

    /// Returns the nodes that are executed in each iteration of the loops that a node closes, in order.
    pub(super) fn of_iteration(&self, graph: &Graph, id: NodeId) -> Vec<NodeId> {
        let node = graph.node(id);
        let (root, closed) = (&node.sources[..1], &node.sources[1..]);
        let inside: Vec<NodeId> = self.loops[id].iter().chain(closed).copied().collect();
        self.plan(graph, root, Some(closed), &inside)
    }

    /// Returns the nodes that roots depend on: the ones in no loops but `inside`, and with `closed` in one of these
    /// loops.
    fn plan(
        &self,
        graph: &Graph,
        roots: &[NodeId],
        closed: Option<&[NodeId]>,
        inside: &[NodeId],
    ) -> Vec<NodeId> {
        let is_in = |id: NodeId, ranges: &[NodeId]| {
            let mut loops = self.loops[id].iter();
            loops.any(|range| ranges.contains(range))
        };
        let mut seen = FxHashSet::default();
        let mut stack: Vec<_> = roots.iter().map(|root| (*root, Need::Value)).collect();
        let mut plan = Vec::new();
        while let Some((id, need)) = stack.pop() {
            let is_outside = closed.is_some_and(|closed| !is_in(id, closed));
            if is_outside || !seen.insert((id, need)) {
                continue; // It is executed before the loops, or already in the plan.
            }
            let is_here = self.loops[id].iter().all(|range| inside.contains(range));
            if need == Need::Value && is_here {
                plan.push(id);
            }
            needs(graph, (id, need), &mut stack);
        }
        plan.sort_unstable();
        plan.dedup();
        plan
    }
}

/// Appends the dependences of a node.
fn needs(graph: &Graph, (id, need): (NodeId, Need), stack: &mut Vec<(NodeId, Need)>) {
    let node = graph.node(id);
    let mut sources = node.sources.iter().copied();
    match &node.op {
        Op::Store => stack.extend(sources.next().map(|target| (target, Need::Place))),
        // Where its gate is false, positions may be out of bounds, so the source is not read without the gate.
        Op::Load { .. } if node.sources.len() > 1 => {
            let source = sources.next().expect("a load reads a buffer");
            if graph.node(source).op == Op::Index {
                needs(graph, (source, Need::Value), stack);
            } else {
                stack.push((source, Need::Value));
            }
        }
        // The body of a call has a separate order.
        Op::Call(_) => drop(sources.next()),
        _ if need == Need::Place || node.op == Op::After => {
            stack.extend(sources.next().map(|source| (source, Need::Place)));
        }
        _ => {}
    }
    stack.extend(sources.map(|source| (source, Need::Value)));
}

/// Returns the loops that each node is in.
fn loops(graph: &Graph) -> IndexVec<NodeId, Ranges> {
    // An effect is in the loops that are closed over it, whether it depends on their ranges or not.
    let mut over: IndexVec<NodeId, Ranges> = IndexVec::repeat(Ranges::new(), graph.nodes().len());
    for (id, node) in graph.nodes().iter().rev() {
        let mut ranges = over[id].clone();
        let effects = match node.op {
            Op::End => {
                ranges.extend(node.sources[1..].iter().copied());
                &node.sources[..1]
            }
            Op::Collect(_) => &node.sources[..],
            _ => continue, // It executes no effects of others.
        };
        for effect in effects {
            add(&mut over[*effect], &ranges);
        }
    }
    let mut loops: IndexVec<NodeId, Ranges> = IndexVec::new();
    for (id, node) in graph.nodes().iter() {
        let mut ranges = Ranges::new();
        if matches!(node.op, Op::Range { .. }) {
            ranges.push(id);
        }
        let body = usize::from(matches!(node.op, Op::Call(_)));
        for source in &node.sources[body..] {
            add(&mut ranges, &loops[*source]);
        }
        if matches!(node.op, Op::End | Op::Reduce { .. }) {
            ranges.retain(|range| !node.sources[1..].contains(range));
        }
        add(&mut ranges, &over[id]);
        loops.push(ranges);
    }
    loops
}

fn add(to: &mut Ranges, ranges: &[NodeId]) {
    for range in ranges {
        if !to.contains(range) {
            to.push(*range);
        }
    }
}
