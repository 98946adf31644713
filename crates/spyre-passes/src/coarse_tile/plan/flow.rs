//! Finds the tensors that loops carry, which bring values from where they are computed to where they are read.
//!
//! A value that is read in the body that computes it, or in loops inside, is read as a tile. In every body further out that needs
//! it, a tensor is filled with its tiles: each loop between carries the tensor. Parts of a reduction are combined in a tensor of
//! their own, which is complete behind the outermost loop that cuts a reduced dimension. A search for positions compares elements,
//! which are carried as well, unless a search for the elements of the same operand is in front of it.

use melior::ir::operation::OperationLike;
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_mlir_rt::ir;
use spyre_ops::Ranked;

use crate::coarse_tile::ids::{IdVec, MemberId, NodeId, SinkId};
use crate::coarse_tile::plan::TiledMember;
use crate::coarse_tile::plan::nest::LoopNest;
use crate::coarse_tile::plan::reduce::Reduction;

/// A tensor that loops carry and that a member fills with its tiles or with the result of its reduction.
#[derive(Debug)]
pub(crate) struct Sink {
    /// The member.
    pub(crate) member: MemberId,
    /// The body in which the tensor is complete.
    pub(crate) home: NodeId,
    /// The body in which it is written: that of the member, or that in which the member's reduction is complete.
    pub(crate) source: NodeId,
    /// The contents of the tensor.
    pub(crate) contents: SinkContents,
}

/// The contents of a tensor that loops carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SinkContents {
    /// The member's results, side by side.
    Tiles,
    /// The member's results, combined.
    Parts,
    /// The elements whose positions the member searches for.
    Elements,
}

/// The sinks of a group.
#[derive(Debug)]
pub(crate) struct DataFlow {
    /// The sinks, in the order of the members.
    pub(crate) sinks: IdVec<SinkId, Sink>,
    /// The sinks of each member.
    of_member: IdVec<MemberId, Vec<SinkId>>,
    /// The sinks that each loop carries.
    carried: FxHashMap<NodeId, Vec<SinkId>>,
    /// For each member that searches for positions, the member before it that searches for the elements, if there is one.
    pub(crate) elements: FxHashMap<MemberId, MemberId>,
    /// The members that are values of `elements`.
    with_positions: FxHashSet<MemberId>,
}

impl DataFlow {
    /// Finds the sinks of a group. `is_used_outside` says of each member whether operations outside of the group read its result.
    pub(crate) fn new(
        members: &IdVec<MemberId, TiledMember<'_>>,
        nest: &LoopNest,
        is_used_outside: &IdVec<MemberId, bool>,
    ) -> Self {
        // The bodies in which each value is needed and is no tile.
        let mut needed: IdVec<MemberId, Vec<NodeId>> = members.iter().map(|_| Vec::new()).collect();
        for (reader, member) in members.pairs() {
            if is_used_outside[reader] {
                needed[reader].push(nest.root());
            }
            for maker in member.makers() {
                let source = nest.home(maker);
                let common = nest.common(source, nest.home(reader));
                // Operations in the maker's body or in loops inside it read its tile.
                let is_beside = common == source && members[maker].reduction.is_none();
                if !is_beside && !needed[maker].contains(&common) {
                    needed[maker].push(common);
                }
            }
        }
        let elements = elements(members, nest);
        let mut flow = Self {
            sinks: IdVec::default(),
            of_member: members.iter().map(|_| Vec::new()).collect(),
            carried: FxHashMap::default(),
            with_positions: elements.values().copied().collect(),
            elements,
        };
        for (member, homes) in needed.pairs() {
            let mut source = nest.home(member);
            if let Some(reduction) = &members[member].reduction
                && let Some(home) = nest.outside(source, reduction.outer)
            {
                flow.add(nest, member, home, source, SinkContents::Parts);
                let search = reduction.search();
                if search.is_some_and(|search| search.result == Ranked::Position)
                    && !flow.elements.contains_key(&member)
                {
                    flow.add(nest, member, home, source, SinkContents::Elements);
                }
                source = home;
            }
            for home in homes.iter().filter(|home| **home != source) {
                flow.add(nest, member, *home, source, SinkContents::Tiles);
            }
        }
        flow
    }

    /// Adds a sink, which the loops between its source and its home carry.
    fn add(
        &mut self,
        nest: &LoopNest,
        member: MemberId,
        home: NodeId,
        source: NodeId,
        contents: SinkContents,
    ) {
        let sink = self.sinks.push(Sink {
            member,
            home,
            source,
            contents,
        });
        self.of_member[member].push(sink);
        let mut node = source;
        while node != home {
            self.carried.entry(node).or_default().push(sink);
            node = nest.parent(node);
        }
    }

    /// Returns the sinks of a member.
    pub(crate) fn of_member(&self, member: MemberId) -> &[SinkId] {
        &self.of_member[member]
    }

    /// Returns the sink of a member's results that is complete in a body; `None` if there is none.
    pub(crate) fn complete_in(&self, member: MemberId, home: NodeId) -> Option<SinkId> {
        self.find(member, |sink| {
            sink.home == home && sink.contents != SinkContents::Elements
        })
    }

    /// Returns a member's sink with these contents; `None` if there is none.
    pub(crate) fn holding(&self, member: MemberId, contents: SinkContents) -> Option<SinkId> {
        self.find(member, |sink| sink.contents == contents)
    }

    fn find(&self, member: MemberId, is: impl Fn(&Sink) -> bool) -> Option<SinkId> {
        let mut sinks = self.of_member[member].iter().copied();
        sinks.find(|sink| is(&self.sinks[*sink]))
    }

    /// Returns whether a member searches for the elements of which another member searches for the positions.
    pub(crate) fn has_positions(&self, member: MemberId) -> bool {
        self.with_positions.contains(&member)
    }

    /// Returns the sinks that a loop carries.
    pub(crate) fn carried(&self, node: NodeId) -> &[SinkId] {
        self.carried.get(&node).map_or(&[], Vec::as_slice)
    }
}

/// Returns, for each member that searches for positions, the member in front of it in the same body that searches for the
/// elements.
fn elements(
    members: &IdVec<MemberId, TiledMember<'_>>,
    nest: &LoopNest,
) -> FxHashMap<MemberId, MemberId> {
    let mut known = FxHashMap::default();
    let mut found = FxHashMap::default();
    for (index, member) in members.pairs() {
        let Some(search) = member.reduction.as_ref().and_then(Reduction::search) else {
            continue;
        };
        let outer = member.reduction.map(|by| by.outer);
        let operand = member.op.op().operand(0).expect("a search has an operand");
        let key = (ir::value_key(operand), search.dim, nest.home(index), outer);
        match search.result {
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
