//! The nodes that each scope executes.
//!
//! A node is in a loop when it depends on the loop's range, and an effect also when `End` closes the loop over it. A
//! scope is the program, the body of a call, or the body of a loop. Its plan has the nodes that its roots depend on and
//! that are in exactly its loops, in order. A store does not read its target, only the positions in it.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::{Reason, RunError};
use crate::graph::Graph;
use crate::ids::{IndexVec, NodeId};
use crate::op::Op;

/// The most loops that a node is in.
const MOST_LOOPS: usize = 64;

/// Ranges, ascending.
pub(super) type Ranges = SmallVec<[NodeId; 2]>;

/// How a node is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Use {
    /// The value of the node is read, or its effect executed.
    Value,
    /// The node is a place in a buffer.
    Place,
}

/// The plans of a graph.
pub(super) struct Plans<'g> {
    graph: &'g Graph,
    /// The loops that each node is in.
    loops: IndexVec<NodeId, Ranges>,
    /// The place that a node is, without a final `After`.
    place: IndexVec<NodeId, NodeId>,
    /// The plans of the bodies of calls.
    bodies: FxHashMap<NodeId, Rc<[NodeId]>>,
    /// The plans of nodes that close loops. An `End` may be the body of a call as well.
    closed: FxHashMap<NodeId, Rc<[NodeId]>>,
}

impl<'g> Plans<'g> {
    pub(super) fn new(graph: &'g Graph) -> Result<Self, RunError> {
        let mut place = IndexVec::new();
        for (id, node) in graph.nodes().iter() {
            place.push(if node.op == Op::After {
                place[node.sources[0]]
            } else {
                id
            });
        }
        Ok(Self {
            graph,
            loops: loops(graph)?,
            place,
            bodies: FxHashMap::default(),
            closed: FxHashMap::default(),
        })
    }

    /// Returns the node of the memory that a node is a state of: the first source of a chain of `After`, or the node
    /// itself.
    pub(super) fn place(&self, id: NodeId) -> NodeId {
        self.place[id]
    }

    /// Returns the plan of the program.
    pub(super) fn program(&self, results: &[NodeId]) -> Result<Vec<NodeId>, RunError> {
        Ok(self.plan(results, None, &[])?.0)
    }

    /// Returns the plan of the body of a call, and the cost of computing it: 0 if it is cached.
    pub(super) fn body(&mut self, body: NodeId) -> Result<(Rc<[NodeId]>, u64), RunError> {
        if let Some(body_nodes) = self.bodies.get(&body) {
            return Ok((Rc::clone(body_nodes), 0));
        }
        let (plan, cost) = self.plan(&[body], None, &[])?;
        let plan: Rc<[NodeId]> = plan.into();
        self.bodies.insert(body, Rc::clone(&plan));
        Ok((plan, cost))
    }

    /// Returns the plan of the loops that a node closes, and the cost of computing it: 0 if it is cached.
    pub(super) fn closed(&mut self, id: NodeId) -> Result<(Rc<[NodeId]>, u64), RunError> {
        if let Some(ranges) = self.closed.get(&id) {
            return Ok((Rc::clone(ranges), 0));
        }
        let node = self.graph.node(id);
        let mut inside = self.loops[id].clone();
        inside.extend(node.sources[1..].iter().copied());
        let (plan, cost) = self.plan(&node.sources[..1], Some(&node.sources[1..]), &inside)?;
        let plan: Rc<[NodeId]> = plan.into();
        self.closed.insert(id, Rc::clone(&plan));
        Ok((plan, cost))
    }

    /// Returns the nodes that roots depend on, in order, that are in no loops other than `inside`, and in at least one
    /// of the loops `closed`, if given.
    fn plan(
        &self,
        roots: &[NodeId],
        closed: Option<&[NodeId]>,
        inside: &[NodeId],
    ) -> Result<(Vec<NodeId>, u64), RunError> {
        for root in roots {
            if let Some(open) = self.loops[*root]
                .iter()
                .find(|range| !inside.contains(range))
            {
                return Err(Reason::Open(*open).at(*root));
            }
        }
        let depends = |id: NodeId| {
            closed.is_none_or(|closed| self.loops[id].iter().any(|range| closed.contains(range)))
        };
        let mut seen = FxHashSet::default();
        let mut stack: Vec<(NodeId, Use)> = roots.iter().map(|root| (*root, Use::Value)).collect();
        let mut plan = Vec::new();
        let mut cost = 0;
        while let Some((id, usage)) = stack.pop() {
            cost += 1;
            if !depends(id) || !seen.insert((id, usage)) {
                continue; // It is outside of the loops, or visited.
            }
            if usage == Use::Value && self.loops[id].iter().all(|range| inside.contains(range)) {
                plan.push(id);
            }
            self.uses(id, usage, &mut stack);
        }
        plan.sort_unstable();
        Ok((plan, cost))
    }

    /// Appends the nodes that a node uses.
    fn uses(&self, id: NodeId, usage: Use, stack: &mut Vec<(NodeId, Use)>) {
        let node = self.graph.node(id);
        let mut sources = node.sources.iter().copied();
        match &node.op {
            Op::Store => stack.extend(sources.next().map(|target| (target, Use::Place))),
            Op::Load { .. } if node.sources.len() > 1 => {
                // Positions where the gate is false are not read.
                let source = sources.next().expect("a Load reads a buffer: U2");
                if self.graph.node(source).op == Op::Index {
                    self.uses(source, Use::Value, stack);
                } else {
                    stack.push((source, Use::Value));
                }
            }
            Op::Call(_) => {
                // The body is a separate scope.
                sources.next();
            }
            _ if usage == Use::Place || node.op == Op::After => {
                stack.extend(sources.next().map(|source| (source, Use::Place)));
            }
            _ => {}
        }
        stack.extend(sources.map(|source| (source, Use::Value)));
    }
}

/// Returns the loops that each node is in.
fn loops(graph: &Graph) -> Result<IndexVec<NodeId, Ranges>, RunError> {
    // An effect is in the loops that are closed over it, whether it depends on their ranges or not.
    let mut over: IndexVec<NodeId, Ranges> = IndexVec::repeat(Ranges::new(), graph.nodes().len());
    for (id, node) in graph.nodes().iter().rev() {
        let ranges = over[id].clone();
        let closes = (node.op == Op::End).then(|| node.sources[1]);
        let inner = match node.op {
            Op::End => &node.sources[..1],
            Op::Collect(_) => &node.sources[..],
            _ => continue, // It executes no effects of others.
        };
        for effect in inner {
            add(
                &mut over[*effect],
                ranges.iter().copied().chain(closes),
                *effect,
            )?;
        }
    }
    let mut loops: IndexVec<NodeId, Ranges> = IndexVec::new();
    for (id, node) in graph.nodes().iter() {
        // The number of an iteration is read in the loop alone.
        let mut ranges = Ranges::new();
        ranges.extend(matches!(node.op, Op::Range { .. }).then_some(id));
        let body = usize::from(matches!(node.op, Op::Call(_)));
        for source in &node.sources[body..] {
            add(&mut ranges, loops[*source].iter().copied(), id)?;
        }
        if matches!(node.op, Op::End | Op::Reduce { .. }) {
            ranges.retain(|range| !node.sources[1..].contains(range));
        }
        add(&mut ranges, over[id].iter().copied(), id)?;
        loops.push(ranges);
    }
    Ok(loops)
}

fn add(to: &mut Ranges, ranges: impl Iterator<Item = NodeId>, id: NodeId) -> Result<(), RunError> {
    for range in ranges {
        if !to.contains(&range) {
            to.push(range);
        }
    }
    if to.len() > MOST_LOOPS {
        return Err(Reason::Loops(MOST_LOOPS).at(id));
    }
    Ok(())
}
