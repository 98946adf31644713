//! A lower bound on what the nodes still to come will cost.
//!
//! From the last node to the first, each node takes what its candidates cost at best from here on,
//! adds what its operands cost, and hands the result on to its producers: what each of their
//! candidates will cost at best because of this node. Nothing is handed on twice, so the sum over
//! all values with readers to come is a lower bound; in a tree it is what will be paid exactly.
//! Copies that several nodes may read are charged to them in [shares](super::plan::Share).

use super::{
    graph::{Graph, Need, NodeId},
    plan::{OperandPlan, Plan},
};

/// More than any choice costs: no choice.
pub(super) const NEVER: u64 = u64::MAX;

/// What is known of one node.
#[derive(Debug, Default)]
pub(super) struct NodeBound {
    /// What all readers will cost at best, per candidate of the node.
    pub(super) ahead: Vec<u64>,
    /// What this node adds to each producer's `ahead`, per operand and class of the producer. Empty
    /// if that is nothing.
    pub(super) handed_on: Vec<Vec<u64>>,
    /// What is left, whatever is chosen.
    pub(super) constant: u64,
}

/// Bounds of all nodes.
#[derive(Debug)]
pub(super) struct Bounds {
    nodes: Vec<NodeBound>,
}

impl Bounds {
    /// Bounds of zero, which do not look ahead.
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

    /// Takes time linear in the size of all tables of needs.
    pub(super) fn new(graph: &Graph, plan: &Plan) -> Self {
        let mut bounds = Self::none(graph);
        for ((id, node), facts) in graph.nodes().zip(&plan.nodes).rev() {
            let Some(bound) = bounds.nodes.get(id.index()).filter(|_| !facts.is_folded) else {
                continue;
            };
            let both = bound.ahead.iter().zip(&facts.own);
            let mut rest: Vec<u64> = both
                .map(|(ahead, own)| ahead.saturating_add(*own))
                .collect();
            let mut edges: Vec<Vec<Vec<u64>>> = Vec::with_capacity(node.operands.len());
            for (operand, facts) in node.operands.iter().zip(&facts.operands) {
                if facts.picks.is_some() {
                    edges.push(Vec::new());
                    continue;
                }
                // Without a slot, all candidates of the producer are like the first.
                let sources = match facts.slot {
                    Some(_) => graph
                        .node(operand.producer)
                        .map_or(0, |node| node.candidates.len()),
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
                    // What every candidate of the producer costs is this node's.
                    let least = row.iter().copied().min().unwrap_or(NEVER);
                    *rest = rest.saturating_add(least);
                    for cost in row.iter_mut().filter(|cost| **cost != NEVER) {
                        *cost = cost.saturating_sub(least);
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
                if let Some(producer) = bounds.nodes.get_mut(operand.producer.index()) {
                    for (ahead, cost) in producer.ahead.iter_mut().zip(message) {
                        *ahead = ahead.saturating_add(*cost);
                    }
                }
            }
            if let Some(bound) = bounds.nodes.get_mut(id.index()) {
                bound.handed_on = handed_on;
                bound.constant = rest.into_iter().min().unwrap_or(NEVER);
            }
        }
        bounds
    }

    pub(super) fn node(&self, id: NodeId) -> Option<&NodeBound> {
        self.nodes.get(id.index())
    }

    /// What the given nodes cost at least, if they are all there is.
    pub(super) fn total(&self, nodes: &[NodeId]) -> u64 {
        let constants = nodes.iter().filter_map(|&id| self.node(id));
        constants.fold(0, |sum, bound| sum.saturating_add(bound.constant))
    }
}

/// What a need costs, as far as it is charged to this operand.
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

/// Takes from `rest`, the cost per candidate of the node, what goes to one producer: as much as
/// possible, such that rest and message together never exceed what there was.
fn hand_on(rest: &mut [u64], edge: &[Vec<u64>]) -> Vec<u64> {
    let sources = edge.first().map_or(0, Vec::len);
    let mut message = vec![NEVER; sources];
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
            sum => sum.saturating_sub(*message),
        });
        *rest = left.min().unwrap_or(NEVER);
    }
    message
}
