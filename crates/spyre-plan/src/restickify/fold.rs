//! Choices that only one reader depends on.
//!
//! A value with one reader, with an operation that depends on no choice that matters to others, is
//! decided by that reader: for each candidate of the reader, the best candidate of the value is
//! known. It is folded into the reader, and then perhaps the reader into its reader. So trees are
//! solved exactly and in any order, and no search is needed, although a level of a tree has as many
//! live values as nodes.

use super::{
    graph::{Graph, HAS_CANDIDATES, NEVER, Need, Node, Operand},
    plan::{NodePlan, reads},
};

/// Folds all values that can be folded. Takes time linear in the size of all tables of needs.
pub(super) fn fold(graph: &Graph, plans: &mut [NodePlan]) {
    let mut readers = vec![0usize; graph.len()];
    for (_, node) in graph.nodes() {
        for operand in &node.operands {
            readers[operand.producer.index()] += 1;
        }
    }
    // Costs per candidate of the nodes that can be folded into their reader, which is to come.
    let mut totals: Vec<Option<Vec<u64>>> = vec![None; graph.len()];
    for ((id, node), readers) in graph.nodes().zip(readers) {
        let index = id.index();
        for (position, operand) in node.operands.iter().enumerate() {
            if let Some(total) = totals[operand.producer.index()].take() {
                take(graph, &mut plans[index], position, operand, &total);
            }
        }
        let plan = &mut plans[index];
        let alone = plan.operands.iter().all(|operand| operand.slot.is_none())
            && plan.copies.iter().all(|copy| copy.slot.is_none());
        if readers == 1 && alone && plan.slot.is_some() {
            plan.is_folded = true;
            plan.slot = None;
            let total = (0..node.candidates.len()).map(|to| total(graph, node, plan, to));
            totals[index] = Some(total.collect());
        }
    }
}

/// Folds the producer of an operand, given the cost of each of its candidates in `total`.
fn take(graph: &Graph, plan: &mut NodePlan, position: usize, operand: &Operand, total: &[u64]) {
    let mut picks = Vec::with_capacity(plan.folded_costs.len());
    for (to, folded_cost) in plan.folded_costs.iter_mut().enumerate() {
        let costs = total.iter().enumerate().map(|(from, total)| {
            let cost = match operand.needs.need(to, from) {
                Need::Met => 0,
                Need::Copy(target) => graph.copy_cost(operand.producer, from, target).get(),
                Need::Impossible => NEVER,
            };
            (total.saturating_add(cost), from)
        });
        let (least, from) = costs.min().expect(HAS_CANDIDATES);
        *folded_cost = folded_cost.saturating_add(least);
        picks.push(from);
    }
    // Only this operand reads the producer, so the cost of its copies is counted above.
    plan.copies.retain(|copy| copy.producer != operand.producer);
    let facts = &mut plan.operands[position];
    facts.slot = None;
    facts.picks = Some(picks);
}

/// Returns the cost of a candidate of a node with operands that are folded or have one class.
fn total(graph: &Graph, node: &Node, plan: &NodePlan, candidate: usize) -> u64 {
    let mut rest = node.operands.iter().zip(&plan.operands);
    let impossible = rest.any(|(operand, facts)| {
        facts.picks.is_none() && operand.needs.need(candidate, 0) == Need::Impossible
    });
    if impossible {
        return NEVER;
    }
    let copies = plan.copies.iter();
    copies
        .filter(|copy| reads(node, copy, candidate, 0))
        .map(|copy| graph.copy_cost(copy.producer, 0, copy.target).get())
        .fold(plan.folded_costs[candidate], u64::saturating_add)
}
