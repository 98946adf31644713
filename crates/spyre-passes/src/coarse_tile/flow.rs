//! How values get from where they are computed to where they are read: the tensors that loops carry.

use melior::ir::operation::OperationLike;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Use, Val};

use super::nest::{Nest, NodeId, ROOT};
use super::plan::{GroupPlan, internal};

/// A tensor that loops carry and a member fills: with its tiles, or with what it reduces.
#[derive(Debug)]
pub struct Sink {
    /// The member.
    pub member: usize,
    /// The body in which the tensor is complete.
    pub home: NodeId,
    /// The body in which it is written: that of the member, or that in which the member's reduction is complete.
    pub source: NodeId,
    /// Whether the member's results are combined in it, rather than inserted.
    pub accumulates: bool,
}

/// The sinks of a group.
#[derive(Debug)]
pub struct Flow<'p> {
    /// In the order of the members.
    pub sinks: Vec<Sink>,
    /// For each member, its first sink; and at the end their number.
    first: Vec<usize>,
    /// For each loop, by its number, the sinks that it carries.
    carried: rustc_hash::FxHashMap<NodeId, Vec<usize>>,
    /// For each member, its uses outside the group.
    pub outside: Vec<Vec<Use<'p>>>,
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
            for operand in 0..op.operand_count() {
                let Some(maker) = plan.maker(index, operand) else {
                    continue;
                };
                let source = nest.home(maker);
                let common = nest.common(source, nest.home(index));
                // Beside or inside the loops of the maker, its tile is there.
                let is_beside = common == source && plan.members[maker].reduction.is_none();
                if !is_beside && !homes[maker].contains(&common) {
                    homes[maker].push(common);
                }
            }
        }
        let mut flow = Self {
            sinks: Vec::new(),
            first: Vec::with_capacity(plan.members.len() + 1),
            carried: rustc_hash::FxHashMap::default(),
            outside,
        };
        for (member, homes) in homes.into_iter().enumerate() {
            flow.first.push(flow.sinks.len());
            let mut source = nest.home(member);
            let reduction = plan.members[member].reduction.as_ref();
            if let Some(home) = reduction.and_then(|by| nest.outside(source, by.outer)) {
                flow.add(nest, member, home, source, true);
                source = home;
            }
            for home in homes.into_iter().filter(|home| *home != source) {
                flow.add(nest, member, home, source, false);
            }
        }
        flow.first.push(flow.sinks.len());
        Ok(flow)
    }

    fn add(&mut self, nest: &Nest, member: usize, home: NodeId, source: NodeId, accumulates: bool) {
        let mut node = source;
        while node != home {
            self.carried.entry(node).or_default().push(self.sinks.len());
            node = nest.parent(node);
        }
        self.sinks.push(Sink {
            member,
            home,
            source,
            accumulates,
        });
    }

    /// The sinks of a member.
    pub fn of_member(&self, member: usize) -> std::ops::Range<usize> {
        self.first[member]..self.first[member + 1]
    }

    /// The sink of a member that is complete in a body.
    pub fn complete_in(&self, member: usize, home: NodeId) -> Option<usize> {
        self.of_member(member)
            .find(|sink| self.sinks[*sink].home == home)
    }

    /// The sinks that a loop carries.
    pub fn carried(&self, node: NodeId) -> &[usize] {
        self.carried.get(&node).map_or(&[], Vec::as_slice)
    }
}
