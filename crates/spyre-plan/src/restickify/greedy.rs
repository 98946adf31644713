//! A greedy choice of candidates, node by node.

use std::collections::BTreeSet;

use spyre_layout::Elements;

use super::{
    DeadEnd,
    graph::{Graph, Need, Node, NodeId, TargetId},
};

/// Copies, by their producer and their layout.
type Copies = BTreeSet<(NodeId, TargetId)>;

/// Chooses the cheapest candidate of each node given the candidates of the nodes before it, the lowest
/// one among equals, or returns the node without one.
pub(super) fn greedy(graph: &Graph) -> Result<Vec<usize>, DeadEnd> {
    let mut chosen: Vec<usize> = Vec::with_capacity(graph.len());
    let mut copies_of_plan = Copies::new();
    for (id, node) in graph.nodes() {
        let mut best: Option<(Elements, usize, Copies)> = None;
        for candidate in 0..node.candidates.len() {
            let Some((cost, copies)) = copies(graph, node, candidate, &chosen, &copies_of_plan)
            else {
                continue;
            };
            if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                best = Some((cost, candidate, copies));
            }
        }
        let Some((_, candidate, copies)) = best else {
            let operand = node.operands.iter().position(|operand| {
                let mut column = operand.needs.column(chosen[operand.producer.index()]);
                column.all(|need| need == Need::Impossible)
            });
            return Err(DeadEnd { node: id, operand });
        };
        chosen.push(candidate);
        copies_of_plan.extend(copies);
    }
    Ok(chosen)
}

/// Returns the copies that a candidate needs and their cost, or `None` if it is impossible.
fn copies(
    graph: &Graph,
    node: &Node,
    candidate: usize,
    chosen: &[usize],
    copies_of_plan: &Copies,
) -> Option<(Elements, Copies)> {
    let mut cost = Elements::ZERO;
    let mut copies = Copies::new();
    for operand in &node.operands {
        let source = chosen[operand.producer.index()];
        match operand.needs.need(candidate, source) {
            Need::Met => {}
            Need::Impossible => return None,
            Need::Copy(target) => {
                let copy = (operand.producer, target);
                if !copies_of_plan.contains(&copy) && copies.insert(copy) {
                    // The costs of all copies of a graph add up.
                    cost.0 += graph.copy_cost(operand.producer, source, target).get();
                }
            }
        }
    }
    Some((cost, copies))
}
