//! The tensors that loops carry, which bring values from where they are computed to where they are read.

use melior::ir::operation::OperationLike;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Use, Val};
use spyre_ops::Ranked;

use super::nest::{Nest, NodeId, ROOT};
use super::plan::{GroupPlan, internal};
use super::reduce::Reduction;

/// A tensor that loops carry and that a member fills with its tiles or with the result of its reduction.
#[derive(Debug)]
pub struct Sink {
    /// The index of the member.
    pub member: usize,
    /// The body in which the tensor is complete.
    pub home: NodeId,
    /// The body in which it is written: that of the member, or that in which the member's reduction is complete.
    pub source: NodeId,
    /// The contents of the tensor.
    pub holds: Holds,
}

/// The contents of a tensor that loops carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// The member's results, side by side.
    Tiles,
    /// The member's results, combined.
    Parts,
    /// The elements whose positions the member searches for.
    Elements,
}

/// The sinks of a group.
#[derive(Debug)]
pub struct Flow<'p> {
    /// The sinks, in the order of the members.
    pub sinks: Vec<Sink>,
    /// For each member the index of its first sink, and at the end the number of sinks.
    first: Vec<usize>,
    /// For each loop, by its number, the indices of the sinks that it carries.
    carried: rustc_hash::FxHashMap<NodeId, Vec<usize>>,
    /// For each member, its uses outside the group.
    pub outside: Vec<Vec<Use<'p>>>,
    /// For each member that searches for positions, the member before it that searches for the elements, if there is one.
    pub elements: rustc_hash::FxHashMap<usize, usize>,
    /// The members that are values of `elements`.
    with_positions: rustc_hash::FxHashSet<usize>,
}

impl<'p> Flow<'p> {
    /// Finds the sinks of a group.
    pub fn new(plan: &GroupPlan<'p>) -> Result<Self, Diagnostic<'p>> {
        let nest = &plan.nest;
        let mut homes: Vec<Vec<NodeId>> = vec![Vec::new(); plan.members.len()];
        let mut outside: Vec<Vec<Use<'p>>> = Vec::with_capacity(plan.members.len());
        for (index, member) in plan.members.iter().enumerate() {
            let op = member.op.op();
            let value: Val<'p> = op.result(0).map_err(|why| internal(op, &why))?.into();
            let mut uses = Vec::new();
            ir::for_each_use(value, |found| {
                if !plan.positions.contains_key(&ir::op_key(found.owner)) {
                    uses.push(found);
                }
            });
            if !uses.is_empty() {
                homes[index].push(ROOT);
            }
            outside.push(uses);
            for operand in 0..member.operands() {
                let Some(maker) = plan.maker(index, operand) else {
                    continue;
                };
                let source = nest.home(maker);
                let common = nest.common(source, nest.home(index));
                // Operations in the maker's body or in loops inside it read its tile.
                let is_beside = common == source && plan.members[maker].reduction.is_none();
                if !is_beside && !homes[maker].contains(&common) {
                    homes[maker].push(common);
                }
            }
        }
        let elements = elements(plan);
        let mut flow = Self {
            sinks: Vec::new(),
            first: Vec::with_capacity(plan.members.len() + 1),
            carried: rustc_hash::FxHashMap::default(),
            outside,
            with_positions: elements.values().copied().collect(),
            elements,
        };
        for (member, homes) in homes.into_iter().enumerate() {
            flow.first.push(flow.sinks.len());
            let mut source = nest.home(member);
            let reduction = plan.members[member].reduction.as_ref();
            if let Some(home) = reduction.and_then(|by| nest.outside(source, by.outer)) {
                flow.add(nest, member, home, source, Holds::Parts);
                let search = reduction.and_then(Reduction::search);
                if search.is_some_and(|search| search.told == Ranked::Position)
                    && !flow.elements.contains_key(&member)
                {
                    flow.add(nest, member, home, source, Holds::Elements);
                }
                source = home;
            }
            for home in homes.into_iter().filter(|home| *home != source) {
                flow.add(nest, member, home, source, Holds::Tiles);
            }
        }
        flow.first.push(flow.sinks.len());
        Ok(flow)
    }

    fn add(&mut self, nest: &Nest, member: usize, home: NodeId, source: NodeId, holds: Holds) {
        let mut node = source;
        while node != home {
            self.carried.entry(node).or_default().push(self.sinks.len());
            node = nest.parent(node);
        }
        self.sinks.push(Sink {
            member,
            home,
            source,
            holds,
        });
    }

    /// Returns the indices of the sinks of a member.
    pub fn of_member(&self, member: usize) -> std::ops::Range<usize> {
        self.first[member]..self.first[member + 1]
    }

    /// Returns the index of the sink of a member's results that is complete in a body; `None` if there is none.
    pub fn complete_in(&self, member: usize, home: NodeId) -> Option<usize> {
        self.of_member(member).find(|sink| {
            let sink = &self.sinks[*sink];
            sink.home == home && sink.holds != Holds::Elements
        })
    }

    /// Returns whether a member searches for the elements of which another member searches for the positions.
    pub fn has_positions(&self, member: usize) -> bool {
        self.with_positions.contains(&member)
    }

    /// Returns the index of a member's sink with these contents; `None` if there is none.
    pub fn holding(&self, member: usize, holds: Holds) -> Option<usize> {
        self.of_member(member)
            .find(|sink| self.sinks[*sink].holds == holds)
    }

    /// Returns the indices of the sinks that a loop carries.
    pub fn carried(&self, node: NodeId) -> &[usize] {
        self.carried.get(&node).map_or(&[], Vec::as_slice)
    }
}

/// Returns, for each member that searches for positions, the member in front of it in the same body that searches for the
/// elements.
fn elements(plan: &GroupPlan<'_>) -> rustc_hash::FxHashMap<usize, usize> {
    let mut known = rustc_hash::FxHashMap::default();
    let mut found = rustc_hash::FxHashMap::default();
    for (index, member) in plan.members.iter().enumerate() {
        let Some(reduction) = &member.reduction else {
            continue;
        };
        let Some((search, operand)) = reduction.search().zip(member.op.op().operands().next())
        else {
            continue;
        };
        let key = (
            ir::value_key(operand),
            search.among(),
            plan.nest.home(index),
            reduction.outer,
        );
        match search.told {
            Ranked::Value => {
                known.insert(key, index);
            }
            Ranked::Position => {
                if let Some(elements) = known.get(&key) {
                    found.insert(index, *elements);
                }
            }
        }
    }
    found
}
