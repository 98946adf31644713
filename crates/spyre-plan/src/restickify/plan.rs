//! The facts of the past that a search needs at each node, and the nodes after which it can forget them.
//!
//! At a node, the past matters through two kinds of facts: the candidate of each value with readers
//! to come, and whether a copy that readers to come may share has been made. Each fact has a slot
//! from the first node that makes it matter to the last one. Candidates that all readers to come
//! treat alike are one class, and only the class is kept: a value with one class needs no slot.
//!
//! Nodes that share no fact, even over others, are in different parts. A choice in one part never
//! changes the possible choices or the cost in another, so parts are searched one by one.

use std::collections::{BTreeMap, BTreeSet};

use spyre_layout::Elements;

use super::{
    fold::fold,
    graph::{Graph, Need, Node, NodeId, Operand, TargetId},
};

/// An operand, as a search reads it.
#[derive(Debug)]
pub(super) struct OperandPlan {
    /// The slot with the class of the producer, before this node. Without one, the class is 0.
    pub(super) slot: Option<usize>,
    /// Class of the producer before this operand to its class after it.
    pub(super) classes_after: Vec<usize>,
    /// Copies that this operand is the first one of its node to read.
    pub(super) shares: Vec<(TargetId, Share)>,
    /// For a producer that is folded into this node, its best candidate for each candidate of this node.
    pub(super) picks: Option<Vec<usize>>,
}

/// The part of a copy's cost that a lower bound may charge to one of the nodes that can read it.
///
/// The copy is paid once, but a bound adds up the charges of each node separately. So each of `readers`
/// nodes is charged an equal part, and the first also the remainder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    /// Nodes that may read the copy, this one included.
    readers: u64,
    /// The number of these nodes that come before this one.
    earlier: u64,
}

impl Share {
    /// Returns the charge of this node for a copy of the given cost.
    pub(super) const fn charge(self, cost: u64) -> u64 {
        let part = cost / self.readers;
        if self.earlier == 0 {
            part + cost % self.readers
        } else {
            part
        }
    }

    /// Returns the charges of all nodes after this one together.
    pub(super) const fn later(self, cost: u64) -> u64 {
        cost / self.readers * (self.readers - self.earlier - 1)
    }

    const fn is_last(self) -> bool {
        self.earlier + 1 == self.readers
    }
}

/// A copy that a node may read.
#[derive(Debug)]
pub(super) struct CopyPlan {
    pub(super) producer: NodeId,
    pub(super) target: TargetId,
    /// Operands of this node that may read it, in order.
    pub(super) operands: Vec<usize>,
    /// The slot that records whether it was made, if another node may read it too.
    pub(super) slot: Option<usize>,
    pub(super) share: Share,
    /// Whether no later node may read it.
    pub(super) last: bool,
}

/// A node, as a search reads it.
#[derive(Debug)]
pub(super) struct NodePlan {
    pub(super) operands: Vec<OperandPlan>,
    pub(super) copies: Vec<CopyPlan>,
    /// The slot for the class of this node's value. Without one, it is 0.
    pub(super) slot: Option<usize>,
    /// Candidate to class: the lowest candidate that all readers treat alike.
    pub(super) classes: Vec<usize>,
    /// The cost of the values that are folded into this node, per candidate.
    pub(super) folded_costs: Vec<u64>,
    /// Whether the node is [folded](mod@super::fold) into its reader, and not to be searched.
    pub(super) is_folded: bool,
}

/// Nodes that have to be searched together, in topological order.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) nodes: Vec<NodeId>,
    /// Number of slots in use at most.
    pub(super) slots: usize,
}

/// The first node that may read each copy.
type Readers = BTreeMap<(NodeId, TargetId), NodeId>;

/// The facts of a whole graph.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) nodes: Vec<NodePlan>,
    pub(super) parts: Vec<Part>,
}

impl Plan {
    /// Returns the plan for a search that visits every node.
    ///
    /// Takes time linear in the size of all tables of needs, but for logarithms and the square of
    /// the number of candidates of one node.
    pub(super) fn new(graph: &Graph) -> Self {
        let mut nodes = classify(graph);
        let owners = share_copies(graph, &mut nodes);
        Self::of_nodes(graph, nodes, &owners)
    }

    /// Returns the plan for a search without the nodes that can be [folded](fold()).
    pub(super) fn folded(graph: &Graph) -> Self {
        let mut nodes = classify(graph);
        let owners = share_copies(graph, &mut nodes);
        fold(graph, &mut nodes);
        Self::of_nodes(graph, nodes, &owners)
    }

    fn of_nodes(graph: &Graph, mut nodes: Vec<NodePlan>, owners: &Readers) -> Self {
        let mut groups = Groups::new(graph.len());
        for ((id, node), plan) in graph.nodes().zip(&nodes) {
            for (operand, facts) in node.operands.iter().zip(&plan.operands) {
                if facts.slot.is_some() || facts.picks.is_some() {
                    groups.join(id.index(), operand.producer.index());
                }
            }
            for copy in plan.copies.iter().filter(|copy| copy.slot.is_some()) {
                let owner = owners[&(copy.producer, copy.target)];
                groups.join(id.index(), owner.index());
            }
        }
        let parts = assign_slots(graph, &mut nodes, &mut groups);
        Self { nodes, parts }
    }

    pub(super) fn node(&self, id: NodeId) -> &NodePlan {
        &self.nodes[id.index()]
    }
}

/// Returns plans without copies. A slot records only whether a copy is needed.
fn classify(graph: &Graph) -> Vec<NodePlan> {
    let mut classes: Vec<Vec<usize>> = graph
        .nodes()
        .map(|(_, node)| vec![0; node.candidates.len()])
        .collect();
    let mut plans = Vec::with_capacity(graph.len());
    for (id, node) in graph.nodes().rev() {
        let mut operands = Vec::with_capacity(node.operands.len());
        for operand in node.operands.iter().rev() {
            let classes = &mut classes[operand.producer.index()];
            let before = refine(graph, operand, classes);
            let classes_after = std::mem::replace(classes, before);
            operands.push(OperandPlan {
                slot: several(classes).then_some(0),
                classes_after,
                shares: Vec::new(),
                picks: None,
            });
        }
        operands.reverse();
        // All readers come later, so they are done.
        let classes = std::mem::take(&mut classes[id.index()]);
        plans.push(NodePlan {
            operands,
            copies: Vec::new(),
            slot: several(&classes).then_some(0),
            classes,
            folded_costs: vec![0; node.candidates.len()],
            is_folded: false,
        });
    }
    plans.reverse();
    plans
}

/// Returns whether there is a class other than 0, that of the first candidate.
fn several(classes: &[usize]) -> bool {
    classes.iter().any(|&class| class != 0)
}

/// Returns the classes of a producer before an operand, from those after it: candidates of one class that
/// the operand treats alike. With copies, candidates of different sizes are never alike: the cost of a
/// copy depends on its source layout.
fn refine(graph: &Graph, operand: &Operand, after: &[usize]) -> Vec<usize> {
    let copies = !operand.needs.targets().is_empty();
    let size = |candidate| match copies {
        true => (
            graph.size(operand.producer, candidate),
            graph.extras(operand.producer, candidate),
        ),
        false => (Elements::ZERO, Vec::new()),
    };
    let alike = |a: usize, b: usize| {
        after[a] == after[b]
            && size(a) == size(b)
            && operand.needs.column(a).eq(operand.needs.column(b))
    };
    let class = |candidate| (0..candidate).find(|&lower| alike(lower, candidate));
    (0..after.len())
        .map(|candidate| class(candidate).unwrap_or(candidate))
        .collect()
}

/// Adds the copies that each node may read. Returns the first reader of each.
fn share_copies(graph: &Graph, plans: &mut [NodePlan]) -> Readers {
    let mut readers: BTreeMap<(NodeId, TargetId), (NodeId, u64)> = BTreeMap::new();
    let mut count = |id: NodeId, key| {
        let (_, readers) = readers.entry(key).or_insert((id, 0));
        let earlier = *readers;
        *readers += 1;
        earlier
    };
    for ((id, node), plan) in graph.nodes().zip(plans.iter_mut()) {
        for ((producer, target), operands) in readable(node) {
            let earlier = count(id, (producer, target));
            plan.copies.push(CopyPlan {
                producer,
                target,
                operands,
                slot: None,
                share: Share {
                    readers: 0,
                    earlier,
                },
                last: true,
            });
        }
    }
    for plan in plans {
        for copy in &mut plan.copies {
            (_, copy.share.readers) = readers[&(copy.producer, copy.target)];
            copy.slot = (copy.share.readers > 1).then_some(0);
            copy.last = copy.share.is_last();
            let first = &mut plan.operands[copy.operands[0]];
            first.shares.push((copy.target, copy.share));
        }
    }
    readers
        .into_iter()
        .map(|(key, (first, _))| (key, first))
        .collect()
}

/// Returns the copies that a node may read, each with the operands that may read it: at least one.
fn readable(node: &Node) -> BTreeMap<(NodeId, TargetId), Vec<usize>> {
    let mut copies: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (index, operand) in node.operands.iter().enumerate() {
        let targets: BTreeSet<TargetId> = operand.needs.targets();
        for target in targets {
            copies
                .entry((operand.producer, target))
                .or_default()
                .push(index);
        }
    }
    copies
}

/// Slots of one part: released slots are used again, so that numbers stay small.
#[derive(Debug, Default)]
struct Slots {
    free: Vec<usize>,
    next: usize,
}

impl Slots {
    fn take(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            let slot = self.next;
            self.next += 1;
            slot
        })
    }
}

/// Assigns slots to the facts that need one, from the first node at which a fact matters to the last.
fn assign_slots(graph: &Graph, plans: &mut [NodePlan], groups: &mut Groups) -> Vec<Part> {
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let mut parts: Vec<(Part, Slots)> = Vec::new();
    let mut values: Vec<Option<usize>> = vec![None; graph.len()];
    let mut copies: BTreeMap<(NodeId, TargetId), usize> = BTreeMap::new();
    for ((id, node), plan) in graph.nodes().zip(plans) {
        let new = parts.len();
        let number = *numbers.entry(groups.find(id.index())).or_insert(new);
        if number == new {
            parts.push(Default::default());
        }
        let (part, slots) = &mut parts[number];
        part.nodes.push(id);
        // Slots are freed at the end of a node only, so that a slot has the same meaning within a node.
        let mut freed = Vec::new();
        for (operand, facts) in node.operands.iter().zip(&mut plan.operands) {
            if facts.slot.is_some() {
                let slot = values[operand.producer.index()];
                facts.slot = Some(slot.expect("a value of several classes has a slot"));
                if !several(&facts.classes_after) {
                    freed.extend(facts.slot);
                }
            }
        }
        for copy in plan.copies.iter_mut().filter(|copy| copy.slot.is_some()) {
            let key = (copy.producer, copy.target);
            let slot = *copies.entry(key).or_insert_with(|| slots.take());
            copy.slot = Some(slot);
            if copy.last {
                copies.remove(&key);
                freed.push(slot);
            }
        }
        if plan.slot.is_some() {
            plan.slot = Some(slots.take());
            values[id.index()] = plan.slot;
        }
        slots.free.append(&mut freed);
    }
    let finish = |(part, slots): (Part, Slots)| Part {
        slots: slots.next,
        ..part
    };
    parts.into_iter().map(finish).collect()
}

/// Disjoint sets of nodes.
#[derive(Debug)]
struct Groups {
    parents: Vec<usize>,
}

impl Groups {
    fn new(nodes: usize) -> Self {
        Self {
            parents: (0..nodes).collect(),
        }
    }

    fn find(&mut self, mut node: usize) -> usize {
        while self.parents[node] != node {
            // Halve the path, so that the next look-ups are short.
            let above = self.parents[self.parents[node]];
            self.parents[node] = above;
            node = above;
        }
        node
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        // Towards the earlier node.
        self.parents[a.max(b)] = a.min(b);
    }
}

/// Returns whether any of `operands` reads the copy for a candidate of the node and one of the producer.
pub(super) fn reads(node: &Node, copy: &CopyPlan, candidate: usize, source: usize) -> bool {
    copy.operands.iter().any(|&operand| {
        let needs = &node.operands[operand].needs;
        needs.need(candidate, source) == Need::Copy(copy.target)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::restickify::Needs;

    /// Same layout, or a copy to it.
    fn same(producer: NodeId, consumers: usize, producers: usize) -> Operand {
        let needs = Needs::from_fn(consumers, producers, |to, from| match to == from {
            true => Need::Met,
            false => Need::Copy(TargetId(to as u32)),
        });
        Operand { producer, needs }
    }

    fn value(graph: &mut Graph, candidates: usize, operands: Vec<Operand>) -> NodeId {
        graph.add(vec![Elements(6); candidates], operands).unwrap()
    }

    #[test]
    fn shares_add_up_to_the_cost() {
        for (readers, cost) in [(1, 7), (2, 7), (3, 7), (7, 3), (4, u64::MAX)] {
            let share = |earlier| Share { readers, earlier };
            let mut rest = cost;
            for earlier in 0..readers {
                rest -= share(earlier).charge(cost);
                assert_eq!(share(earlier).later(cost), rest, "{earlier} of {readers}");
                assert_eq!(share(earlier).is_last(), earlier + 1 == readers);
            }
            assert_eq!(rest, 0);
        }
    }

    #[test]
    fn slots_are_held_as_long_as_readers_come_and_used_again() {
        let mut graph = Graph::new();
        let mut last = value(&mut graph, 2, vec![]);
        for _ in 0..10 {
            last = value(&mut graph, 2, vec![same(last, 2, 2)]);
        }
        let plan = Plan::new(&graph);
        assert_eq!(plan.parts.len(), 1);
        assert_eq!(plan.parts[0].slots, 2);
        // The last value has no reader, so its candidates are alike.
        assert_eq!(plan.nodes[10].slot, None);
        assert_eq!(plan.nodes[10].classes, [0, 0]);
        assert_eq!(plan.nodes[9].classes, [0, 1]);
    }

    #[test]
    fn candidates_of_different_size_are_alike_only_without_copies() {
        for (need, classes) in [(Need::Met, [0, 0]), (Need::Copy(TargetId(0)), [0, 1])] {
            let mut graph = Graph::new();
            let producer = graph.add(vec![Elements(1), Elements(2)], vec![]).unwrap();
            let needs = Needs::from_fn(1, 2, |_, _| need);
            value(&mut graph, 1, vec![Operand { producer, needs }]);
            assert_eq!(Plan::new(&graph).nodes[0].classes, classes);
        }
    }

    #[test]
    fn values_with_one_candidate_separate_parts_unless_a_copy_is_shared() {
        // a and b each read x; only with two candidates may they read the same copies of it.
        for (candidates, expected) in [(1, vec![1, 1, 1]), (2, vec![1, 2])] {
            let mut graph = Graph::new();
            let x = value(&mut graph, 1, vec![]);
            let a = value(&mut graph, candidates, vec![same(x, candidates, 1)]);
            let b = value(&mut graph, candidates, vec![same(x, candidates, 1)]);
            let plan = Plan::new(&graph);
            let sizes: Vec<usize> = plan.parts.iter().map(|part| part.nodes.len()).collect();
            assert_eq!(sizes, expected);
            let together = plan.parts.iter().any(|part| part.nodes == [a, b]);
            assert_eq!(together, candidates == 2);
        }
    }
}
