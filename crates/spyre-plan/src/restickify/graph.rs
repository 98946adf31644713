//! The graph of values and their candidate layouts.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use spyre_layout::Elements;

/// The most that all operands of a [`Graph`] together can cost. Beyond any memory, and small enough
/// that sums of a few costs cannot overflow.
pub const MAX_COST: Elements = Elements(1 << 62);

/// Why a node has a least candidate: [`Graph::add`] takes none without.
pub(super) const HAS_CANDIDATES: &str = "every node has candidates";

/// A cost above every choice, for no choice. Sums saturate there, so no choice plus any cost is no choice.
pub(super) const NEVER: u64 = u64::MAX;

/// A node of a [`Graph`]: one operation and the value that it defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(usize);

impl NodeId {
    /// Returns the position of the node in its graph, counted from 0 in the order of [`Graph::add`].
    #[must_use]
    pub const fn index(self) -> usize {
        self.0
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A layout that a value can be copied to. Numbers have a meaning per producer only: all needs that
/// name the same producer and the same number share one copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TargetId(pub u32);

/// The way to read an operand for one candidate of its consumer and one of its producer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Need {
    /// The value is read as it is.
    Met,
    /// The value is first restickified to this layout.
    Copy(TargetId),
    /// The two candidates cannot go together.
    Impossible,
}

/// The [`Need`] of an operand for every pair of candidates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needs {
    consumer_candidates: usize,
    producer_candidates: usize,
    /// Row by row, one row per candidate of the consumer.
    table: Vec<Need>,
}

impl Needs {
    /// Builds the table of `need(consumer candidate, producer candidate)`.
    #[must_use]
    pub fn from_fn(
        consumer_candidates: usize,
        producer_candidates: usize,
        mut need: impl FnMut(usize, usize) -> Need,
    ) -> Self {
        let mut table = Vec::new();
        for consumer in 0..consumer_candidates {
            table.extend((0..producer_candidates).map(|producer| need(consumer, producer)));
        }
        Self {
            consumer_candidates,
            producer_candidates,
            table,
        }
    }

    /// Returns the need for one pair of candidates, or `None` outside the table.
    #[must_use]
    pub fn get(&self, consumer: usize, producer: usize) -> Option<Need> {
        if consumer >= self.consumer_candidates || producer >= self.producer_candidates {
            return None;
        }
        Some(self.table[consumer * self.producer_candidates + producer])
    }

    /// Returns the need for candidates that the two nodes have.
    pub(super) fn need(&self, consumer: usize, producer: usize) -> Need {
        let need = self.get(consumer, producer);
        need.expect("a node of a graph has a need for each pair of candidates")
    }

    /// Returns the needs of every candidate of the consumer for one of the producer.
    pub(super) fn column(&self, producer: usize) -> impl Iterator<Item = Need> {
        (0..self.consumer_candidates).map(move |consumer| self.need(consumer, producer))
    }

    /// Returns the layouts that this operand may be copied to.
    pub(super) fn targets(&self) -> BTreeSet<TargetId> {
        let copies = self.table.iter().filter_map(|need| match need {
            Need::Copy(target) => Some(*target),
            Need::Met | Need::Impossible => None,
        });
        copies.collect()
    }

    /// Returns the same table with copies for free.
    fn relaxed(&self) -> Self {
        let free = |need: &Need| match need {
            Need::Copy(_) => Need::Met,
            other => *other,
        };
        Self {
            table: self.table.iter().map(free).collect(),
            ..*self
        }
    }
}

/// An operand of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The node of the value that is read.
    pub producer: NodeId,
    /// The ways to read it.
    pub needs: Needs,
}

/// A node that does not fit into its graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// No layout for the result.
    #[error("node {node} has no candidate layouts")]
    NoCandidates {
        /// The position that the node would have had.
        node: usize,
    },
    /// An operand that is not an earlier node.
    #[error("operand {operand} of node {node} is node {producer}, which is not an earlier one")]
    NoSuchProducer {
        /// The position that the node would have had.
        node: usize,
        /// The operand.
        operand: usize,
        /// The node that it refers to.
        producer: NodeId,
    },
    /// A table of needs of the wrong size.
    #[error(
        "operand {operand} of node {node} has needs for {actual_consumer} x {actual_producer} \
         candidates, but the node has {consumer} and its producer {producer}"
    )]
    NeedsSize {
        /// The position that the node would have had.
        node: usize,
        /// The operand.
        operand: usize,
        /// Candidates of the node.
        consumer: usize,
        /// Candidates of the producer.
        producer: usize,
        /// Rows of the table.
        actual_consumer: usize,
        /// Columns of the table.
        actual_producer: usize,
    },
    /// Costs that cannot be added up.
    #[error("with node {node}, copies can cost more than {MAX_COST}")]
    TooExpensive {
        /// The position that the node would have had.
        node: usize,
    },
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Device elements of the value, per candidate.
    pub(super) candidates: Vec<Elements>,
    pub(super) operands: Vec<Operand>,
    /// The cost of a copy of a candidate in addition to its device elements, where it is more than one operation.
    extra: BTreeMap<(usize, TargetId), Elements>,
}

/// A restickify that a choice of candidates makes necessary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restickify {
    /// The value that is copied.
    pub producer: NodeId,
    /// The layout that it is copied to.
    pub target: TargetId,
    /// The cost of the copy in device elements: the elements of the value in its chosen layout, plus the extra cost
    /// that [`Graph::charge`] sets for this copy.
    pub cost: Elements,
    /// The first node that reads the copy.
    pub consumer: NodeId,
    /// The first operand of that node which reads the copy.
    pub operand: usize,
}

/// Operations in topological order, the layouts that each result could have, and the needs of the operands for each
/// combination of layouts.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    /// The cost of the operands if each is copied from its most expensive candidate.
    worst: Elements,
}

impl Graph {
    /// Returns a graph without nodes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an operation. `candidates` has the device elements of its result in each layout that it
    /// could have; the operands are earlier nodes.
    ///
    /// # Errors
    /// The node does not fit into the graph, which is then left as it was.
    pub fn add(
        &mut self,
        candidates: Vec<Elements>,
        operands: Vec<Operand>,
    ) -> Result<NodeId, GraphError> {
        let node = self.nodes.len();
        if candidates.is_empty() {
            return Err(GraphError::NoCandidates { node });
        }
        let mut worst = Some(self.worst);
        for (index, operand) in operands.iter().enumerate() {
            let Some(producer) = self.nodes.get(operand.producer.0) else {
                return Err(GraphError::NoSuchProducer {
                    node,
                    operand: index,
                    producer: operand.producer,
                });
            };
            let needs = &operand.needs;
            let expected = (candidates.len(), producer.candidates.len());
            if (needs.consumer_candidates, needs.producer_candidates) != expected {
                return Err(GraphError::NeedsSize {
                    node,
                    operand: index,
                    consumer: expected.0,
                    producer: expected.1,
                    actual_consumer: needs.consumer_candidates,
                    actual_producer: needs.producer_candidates,
                });
            }
            let copied = producer
                .candidates
                .iter()
                .enumerate()
                .filter(|(id, _)| needs.column(*id).any(|need| matches!(need, Need::Copy(_))));
            // 0 without copies.
            let most = copied.map(|(_, size)| *size).max().unwrap_or_default();
            worst = worst.and_then(|worst| worst.checked_add(most));
        }
        self.worst = worst
            .filter(|worst| *worst <= MAX_COST)
            .ok_or(GraphError::TooExpensive { node })?;
        self.nodes.push(Node {
            candidates,
            operands,
            extra: BTreeMap::new(),
        });
        Ok(NodeId(node))
    }

    /// Adds to the cost of a copy of a value from one of its candidates to a layout, in addition to the device
    /// elements of the candidate: a copy may take several operations.
    ///
    /// # Errors
    /// The sum of the costs of all copies overflows; the graph is unchanged then.
    ///
    /// # Panics
    /// The graph has no such node, or the node no such candidate.
    pub fn charge(
        &mut self,
        node: NodeId,
        candidate: usize,
        target: TargetId,
        extra: Elements,
    ) -> Result<(), GraphError> {
        let worst = self
            .worst
            .checked_add(extra)
            .filter(|worst| *worst <= MAX_COST);
        self.worst = worst.ok_or(GraphError::TooExpensive { node: node.0 })?;
        let node = self.nodes.get_mut(node.0).expect("a node of this graph");
        assert!(candidate < node.candidates.len(), "a candidate of the node");
        node.extra.insert((candidate, target), extra);
        Ok(())
    }

    /// Returns the number of nodes.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether there are no nodes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the restickifies that a choice of one candidate per node makes necessary, in the order of
    /// their first readers, or `None` when it is not a choice: not one candidate per node, one that
    /// does not exist, or two that [cannot go together](Need::Impossible).
    ///
    /// This is the definition of the cost of a choice. The search does not use it.
    #[must_use]
    pub fn restickifies(&self, candidates: &[usize]) -> Option<Vec<Restickify>> {
        if candidates.len() != self.nodes.len() {
            return None;
        }
        let mut all_copies = BTreeSet::new();
        let mut copies = Vec::new();
        for ((index, node), &chosen) in self.nodes.iter().enumerate().zip(candidates) {
            node.candidates.get(chosen)?;
            for (position, operand) in node.operands.iter().enumerate() {
                let producer = operand.producer;
                let source = candidates[producer.0];
                let target = match operand.needs.need(chosen, source) {
                    Need::Met => continue,
                    Need::Copy(target) => target,
                    Need::Impossible => return None,
                };
                if all_copies.insert((producer, target)) {
                    copies.push(Restickify {
                        producer,
                        target,
                        cost: self.copy_cost(producer, source, target),
                        consumer: NodeId(index),
                        operand: position,
                    });
                }
            }
        }
        Some(copies)
    }

    /// Returns the sum of the costs of all [`restickifies`](Self::restickifies), or `None` when this is not
    /// a choice.
    #[must_use]
    pub fn cost(&self, candidates: &[usize]) -> Option<Elements> {
        let copies = self.restickifies(candidates)?;
        let costs = copies.iter().map(|copy| copy.cost.get());
        // At most `MAX_COST`, which `add` and `charge` have checked.
        Some(Elements(costs.sum()))
    }

    pub(super) fn nodes(
        &self,
    ) -> impl DoubleEndedIterator<Item = (NodeId, &Node)> + ExactSizeIterator {
        self.nodes
            .iter()
            .enumerate()
            .map(|(index, node)| (NodeId(index), node))
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// Returns the device elements of a value in one of its layouts.
    pub(super) fn size(&self, node: NodeId, candidate: usize) -> Elements {
        self.node(node).candidates[candidate]
    }

    /// Returns the cost of a copy of a value in one of its layouts to another.
    pub(super) fn copy_cost(&self, node: NodeId, candidate: usize, target: TargetId) -> Elements {
        let extra = self.node(node).extra.get(&(candidate, target));
        // Most copies need one operation.
        let extra = extra.copied().unwrap_or_default();
        // `charge` has checked that the sum of all costs fits.
        Elements(self.size(node, candidate).get() + extra.get())
    }

    /// Returns the additions to the costs of the copies of a value in one of its layouts.
    pub(super) fn extras(&self, node: NodeId, candidate: usize) -> Vec<(TargetId, Elements)> {
        let extras = self.node(node).extra.iter();
        let matching = extras.filter(|((copy_candidate, _), _)| *copy_candidate == candidate);
        matching
            .map(|((_, target), extra)| (*target, *extra))
            .collect()
    }

    /// Returns the same graph with free copies: a choice is possible in one exactly if it is in the other.
    pub(super) fn relaxed(&self) -> Self {
        let relax = |operand: &Operand| Operand {
            producer: operand.producer,
            needs: operand.needs.relaxed(),
        };
        let nodes = self.nodes.iter().map(|node| Node {
            candidates: node.candidates.clone(),
            operands: node.operands.iter().map(relax).collect(),
            extra: BTreeMap::new(),
        });
        Self {
            nodes: nodes.collect(),
            worst: Elements::ZERO,
        }
    }
}
