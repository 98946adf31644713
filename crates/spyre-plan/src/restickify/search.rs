//! The beam search of one part of a graph.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

use super::{
    DeadEnd, Statistics,
    bound::{Bounds, NodeBound},
    graph::{Graph, NEVER, Need, Node, NodeId},
    plan::{NodePlan, Part, Plan, reads},
    state::{Map, Maps},
};

/// The aim of a search, and how far it goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// States kept after each node.
    pub(super) width: usize,
    /// Only choices that cost less than this are of interest.
    pub(super) below: u64,
}

/// The end of a search.
#[derive(Debug)]
pub(super) enum Ending {
    /// A choice for each node of the part, and its cost.
    Found {
        choices: Vec<(NodeId, usize)>,
        cost: u64,
    },
    /// All states were too expensive, or dropped states might have led to a choice.
    NothingBelow,
    /// No state was dropped, and no candidate of this node is compatible with the earlier choices.
    DeadEnd(DeadEnd),
}

/// The result of a search.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) ending: Ending,
    /// The least that a dropped state could have led to, if the width was too small.
    pub(super) dropped: Option<u64>,
}

/// The facts of a choice for the visited nodes that matter for later nodes.
#[derive(Clone, Copy, Debug)]
struct State {
    facts: Map,
    /// The cost of the visited nodes plus a lower bound on the remaining cost; at the end, the cost.
    bound: u64,
    /// The last step that led here.
    step: usize,
}

/// A choice, and the step before it.
#[derive(Clone, Copy, Debug)]
struct Step {
    before: usize,
    candidate: usize,
}

/// A state after a node, not yet known to be kept.
#[derive(Clone, Copy, Debug)]
struct Next {
    state: State,
    candidate: usize,
}

pub(super) struct Search<'a> {
    graph: &'a Graph,
    plan: &'a Plan,
    bounds: &'a Bounds,
    limits: Limits,
    maps: Maps,
    /// Steps of all states that were ever kept; they are a tree.
    history: Vec<Step>,
    dropped: Option<u64>,
    /// Whether a state was left out because of its bound.
    pruned: bool,
}

impl<'a> Search<'a> {
    /// Searches one part.
    pub(super) fn run(
        graph: &'a Graph,
        plan: &'a Plan,
        bounds: &'a Bounds,
        part: &Part,
        limits: Limits,
        statistics: &mut Statistics,
    ) -> Outcome {
        let mut search = Self {
            graph,
            plan,
            bounds,
            limits,
            maps: Maps::new(part.slots),
            history: Vec::new(),
            dropped: None,
            pruned: false,
        };
        let ending = search.ending(part, statistics);
        Outcome {
            ending,
            dropped: search.dropped,
        }
    }

    fn ending(&mut self, part: &Part, statistics: &mut Statistics) -> Ending {
        let start = State {
            facts: Map::EMPTY,
            bound: self.bounds.total(&part.nodes),
            step: 0,
        };
        if start.bound >= self.limits.below {
            return Ending::NothingBelow;
        }
        let mut states = vec![start];
        for &id in &part.nodes {
            let (node, facts) = (self.graph.node(id), self.plan.node(id));
            if facts.is_folded {
                continue;
            }
            let at = At {
                graph: self.graph,
                node,
                facts,
                bound: self.bounds.node(id),
            };
            let mut next = Vec::new();
            let mut positions: FxHashMap<Map, usize> = FxHashMap::default();
            for &state in &states {
                statistics.expanded += 1;
                self.expand(&at, state, &mut next, &mut positions);
            }
            if next.is_empty() {
                return if self.pruned || self.dropped.is_some() {
                    Ending::NothingBelow
                } else {
                    let operand = at.blocked_operand(&self.maps, &states);
                    Ending::DeadEnd(DeadEnd { node: id, operand })
                };
            }
            self.narrow(&mut next);
            statistics.widest = statistics.widest.max(next.len());
            states.clear();
            states.extend(next.into_iter().map(|next| self.keep(next, node)));
            self.maps
                .keep(states.iter_mut().map(|state| &mut state.facts));
        }
        // After the last node no fact is left, so all states are equal.
        Ending::Found {
            choices: self.choices(part, states[0].step),
            cost: states[0].bound,
        }
    }

    /// Adds the successors of a state with each candidate of a node. Of states with the same facts, only
    /// the cheapest is added, the first one among equals.
    fn expand(
        &mut self,
        at: &At<'_>,
        state: State,
        next: &mut Vec<Next>,
        positions: &mut FxHashMap<Map, usize>,
    ) {
        let sources = at.sources(&self.maps, state.facts);
        let copies = at.copies(&self.maps, state.facts);
        let settled = at.settled(&sources);
        let mut changes = Vec::new();
        for candidate in 0..at.node.candidates.len() {
            changes.clear();
            if !at.is_possible(candidate, &sources) {
                continue;
            }
            let (ahead, folded_cost) =
                (at.bound.ahead[candidate], at.facts.folded_costs[candidate]);
            let paid = at
                .pay(candidate, &copies, &mut changes)
                .saturating_add(folded_cost);
            let bound = state.bound.saturating_add(paid).saturating_add(ahead);
            let bound = bound.checked_sub(settled);
            let bound = bound.expect("the bound of a state has what it has for the node");
            if ahead == NEVER || folded_cost == NEVER || bound >= self.limits.below {
                self.pruned = true;
                continue;
            }
            at.forget(&sources, &mut changes);
            if let Some(slot) = at.facts.slot {
                changes.push((slot, at.facts.classes[candidate]));
            }
            let facts = self.maps.with(state.facts, &mut changes);
            let state = State {
                facts,
                bound,
                ..state
            };
            let new = Next { state, candidate };
            let index = *positions.entry(facts).or_insert(next.len());
            match next.get_mut(index) {
                None => next.push(new),
                Some(old) if bound < old.state.bound => *old = new,
                Some(_) => {}
            }
        }
    }

    /// Drops the states with the highest bounds, the last ones among equals.
    fn narrow(&mut self, next: &mut Vec<Next>) {
        if next.len() <= self.limits.width {
            return;
        }
        next.sort_by_key(|next| next.state.bound);
        let least = next[self.limits.width].state.bound;
        self.dropped = Some(self.dropped.map_or(least, |previous| previous.min(least)));
        next.truncate(self.limits.width);
    }

    /// Records the choice that led to a state, if there was one.
    fn keep(&mut self, next: Next, node: &Node) -> State {
        if node.candidates.len() <= 1 {
            return next.state;
        }
        self.history.push(Step {
            before: next.state.step,
            candidate: next.candidate,
        });
        // Step 0 is the start, so the first one recorded is 1.
        State {
            step: self.history.len(),
            ..next.state
        }
    }

    fn choices(&self, part: &Part, last: usize) -> Vec<(NodeId, usize)> {
        let mut step = last;
        let mut choices = Vec::with_capacity(part.nodes.len());
        // Of folded nodes: their readers come later, and are chosen first.
        let mut picked: BTreeMap<NodeId, usize> = BTreeMap::new();
        for &id in part.nodes.iter().rev() {
            let (node, facts) = (self.graph.node(id), self.plan.node(id));
            let choice = if facts.is_folded {
                let pick = picked.remove(&id);
                pick.expect("the reader of a folded node picks its candidate")
            } else if node.candidates.len() > 1 {
                let taken = self.history[step - 1];
                step = taken.before;
                taken.candidate
            } else {
                0
            };
            for (operand, facts) in node.operands.iter().zip(&facts.operands) {
                let pick = facts.picks.as_ref().map(|picks| picks[choice]);
                picked.extend(pick.map(|pick| (operand.producer, pick)));
            }
            choices.push((id, choice));
        }
        choices.reverse();
        choices
    }
}

/// A node, with all facts that are known of it.
struct At<'a> {
    graph: &'a Graph,
    node: &'a Node,
    facts: &'a NodePlan,
    bound: &'a NodeBound,
}

/// A copy that a node may read, in one state.
struct CopyState {
    /// Class of the producer.
    source: usize,
    is_new: bool,
    cost: u64,
}

impl At<'_> {
    /// Returns the class of each operand's producer.
    fn sources(&self, maps: &Maps, facts: Map) -> Vec<usize> {
        let operands = self.facts.operands.iter();
        operands
            .map(|operand| operand.slot.map_or(0, |slot| maps.get(facts, slot)))
            .collect()
    }

    fn copies(&self, maps: &Maps, facts: Map) -> Vec<CopyState> {
        let copies = self.facts.copies.iter().map(|copy| {
            let slot = self.facts.operands[copy.operands[0]].slot;
            let source = slot.map_or(0, |slot| maps.get(facts, slot));
            CopyState {
                source,
                is_new: copy.slot.is_some_and(|slot| maps.get(facts, slot) != 0),
                cost: self
                    .graph
                    .copy_cost(copy.producer, source, copy.target)
                    .get(),
            }
        });
        copies.collect()
    }

    fn is_possible(&self, candidate: usize, sources: &[usize]) -> bool {
        let operands = self.node.operands.iter().zip(&self.facts.operands);
        operands.zip(sources).all(|((operand, facts), &source)| {
            facts.picks.is_some() || operand.needs.need(candidate, source) != Need::Impossible
        })
    }

    /// Returns the part of the bound of a state that is for this node.
    fn settled(&self, sources: &[usize]) -> u64 {
        let messages = self.bound.handed_on.iter().zip(sources);
        let moving = messages.filter(|(message, _)| !message.is_empty());
        moving.fold(self.bound.constant, |sum, (message, &source)| {
            sum.saturating_add(message[source])
        })
    }

    /// Returns the change of the bound of a state by the copies: their cost, if they are made here, less
    /// the charges of later readers, which will not pay. The charge is added again at each later reader.
    fn pay(
        &self,
        candidate: usize,
        copies: &[CopyState],
        changes: &mut Vec<(usize, usize)>,
    ) -> u64 {
        let mut sum: u64 = 0;
        for (copy, state) in self.facts.copies.iter().zip(copies) {
            let read = !state.is_new && reads(self.node, copy, candidate, state.source);
            if state.is_new {
                sum += copy.share.charge(state.cost);
            } else if read {
                sum += state.cost - copy.share.later(state.cost);
            }
            if let Some(slot) = copy.slot.filter(|_| state.is_new || read) {
                changes.push((slot, usize::from(!copy.last)));
            }
        }
        sum
    }

    /// Merges the classes of producers that no later reader distinguishes.
    fn forget(&self, sources: &[usize], changes: &mut Vec<(usize, usize)>) {
        for (operand, &source) in self.facts.operands.iter().zip(sources) {
            if let Some(slot) = operand.slot {
                changes.push((slot, operand.classes_after[source]));
            }
        }
    }

    /// Returns the first operand that is impossible for every candidate in every state.
    fn blocked_operand(&self, maps: &Maps, states: &[State]) -> Option<usize> {
        let mut operands = self.node.operands.iter().zip(&self.facts.operands);
        operands.position(|(operand, facts)| {
            states.iter().all(|state| {
                let source = facts.slot.map_or(0, |slot| maps.get(state.facts, slot));
                operand
                    .needs
                    .column(source)
                    .all(|need| need == Need::Impossible)
            })
        })
    }
}
