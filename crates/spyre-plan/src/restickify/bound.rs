//! A lower bound on the cost of the nodes that are not yet visited.
//!
//! From the last node to the first, each node takes the least remaining cost of its candidates, adds the cost of its
//! operands, and hands the result on to its producers: the least cost of each of their candidates because of this
//! node. No cost is handed on twice, so the sum over all values with unvisited readers is a lower bound; in a tree it
//! is exact. Copies that several nodes may read are charged to them in [shares](super::plan::Share).

use super::{
    graph::{Graph, HAS_CANDIDATES, NEVER, Need, NodeId},
    plan::{OperandPlan, Plan},
};

/// The bounds of one node.
#[derive(Debug, Default)]
pub(super) struct NodeBound {
    /// The cost of all readers at best, per candidate of the node.
    pub(super) ahead: Vec<u64>,
    /// The part of each producer's `ahead` that comes from this node, per operand and class of the producer. Empty if
    /// it is zero.
    pub(super) handed_on: Vec<Vec<u64>>,
    /// The remaining cost, independent of the choice.
    pub(super) constant: u64,
}

/// Bounds of all nodes.
#[derive(Debug)]
pub(super) struct Bounds {
    nodes: Vec<NodeBound>,
}

impl Bounds {
    /// Returns bounds of zero, which do not look ahead.
    pub(super) fn none(graph: &Graph) -> Self {
        let nodes = graph.nodes().map(|(_, node)| NodeBound {
            ahead: vec![0; node.candidates.len()],
            handed_on: vec![Vec::new(); node.operands.len()],
            constant: 0,
        });
        Self {
            nodes: nodes.collect(),
        }
    }

    /// Returns the bounds of a graph. Takes time linear in the size of all tables of needs.
    pub(super) fn new(graph: &Graph, plan: &Plan) -> Self {
        let mut bounds = Self::none(graph);
        for ((id, node), facts) in graph.nodes().zip(&plan.nodes).rev() {
            if facts.is_folded {
                continue;
            }
            let bound = &bounds.nodes[id.index()];
            let both = bound.ahead.iter().zip(&facts.folded_costs);
            let mut rest: Vec<u64> = both
                .map(|(ahead, folded_cost)| ahead.saturating_add(*folded_cost))
                .collect();
            let mut edges: Vec<Vec<Vec<u64>>> = Vec::with_capacity(node.operands.len());
            for (operand, facts) in node.operands.iter().zip(&facts.operands) {
                if facts.picks.is_some() {
                    edges.push(Vec::new());
                    continue;
                }
                // Without a slot, all candidates of the producer are like the first.
                let sources = match facts.slot {
                    Some(_) => graph.node(operand.producer).candidates.len(),
                    None => 1,
                };
                let mut edge = Vec::with_capacity(rest.len());
                for (candidate, rest) in rest.iter_mut().enumerate() {
                    let mut row: Vec<u64> = (0..sources)
                        .map(|source| {
                            let need = operand.needs.need(candidate, source);
                            let cost = match need {
                                Need::Copy(target) => {
                                    graph.copy_cost(operand.producer, source, target).get()
                                }
                                Need::Met | Need::Impossible => 0,
                            };
                            charge(need, facts, cost)
                        })
                        .collect();
                    // The cost that every candidate of the producer has is this node's.
                    let least = *row.iter().min().expect(HAS_CANDIDATES);
                    *rest = rest.saturating_add(least);
                    for cost in row.iter_mut().filter(|cost| **cost != NEVER) {
                        *cost -= least;
                    }
                    edge.push(row);
                }
                edges.push(edge);
            }
            let mut handed_on = Vec::with_capacity(edges.len());
            for (edge, facts) in edges.iter().zip(&facts.operands) {
                let message = match facts.slot {
                    Some(_) => hand_on(&mut rest, edge),
                    None => Vec::new(),
                };
                handed_on.push(message);
            }
            for (operand, message) in node.operands.iter().zip(&handed_on) {
                let producer = &mut bounds.nodes[operand.producer.index()];
                for (ahead, cost) in producer.ahead.iter_mut().zip(message) {
                    *ahead = ahead.saturating_add(*cost);
                }
            }
            let bound = &mut bounds.nodes[id.index()];
            bound.handed_on = handed_on;
            bound.constant = rest.into_iter().min().expect(HAS_CANDIDATES);
        }
        bounds
    }

    pub(super) fn node(&self, id: NodeId) -> &NodeBound {
        &self.nodes[id.index()]
    }

    /// Returns the lower bound for the given nodes, if the graph has no others.
    pub(super) fn total(&self, nodes: &[NodeId]) -> u64 {
        let constants = nodes.iter().map(|&id| self.node(id).constant);
        constants.fold(0, u64::saturating_add)
    }
}

/// Returns the part of a need's cost that is charged to this operand: 0 for a copy that an earlier operand of the node
/// reads as well.
fn charge(need: Need, facts: &OperandPlan, size: u64) -> u64 {
    match need {
        Need::Met => 0,
        Need::Impossible => NEVER,
        Need::Copy(target) => {
            let mut shares = facts.shares.iter();
            let share = shares.find(|(shared, _)| *shared == target);
            share.map_or(0, |(_, share)| share.charge(size))
        }
    }
}

/// Takes the part of one producer from `rest`, the cost of each candidate of the node. The part is as large as
/// possible, such that `rest` and the part together never exceed the earlier cost.
fn hand_on(rest: &mut [u64], edge: &[Vec<u64>]) -> Vec<u64> {
    let mut message = vec![NEVER; edge[0].len()];
    for (rest, row) in rest.iter().zip(edge) {
        for (least, cost) in message.iter_mut().zip(row) {
            *least = (*least).min(rest.saturating_add(*cost));
        }
    }
    for (rest, row) in rest.iter_mut().zip(edge) {
        let left = message
            .iter()
            .zip(row)
            .filter(|(message, _)| **message != NEVER);
        let left = left.map(|(message, cost)| match rest.saturating_add(*cost) {
            NEVER => NEVER,
            // The message is the least of these sums.
            sum => sum - *message,
        });
        // Without a compatible candidate of the producer, this candidate is impossible.
        *rest = left.min().unwrap_or(NEVER);
    }
    message
}
