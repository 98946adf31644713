//! Finds the tensors that loops carry, which bring values from where they are computed to where they are read.
//!
//! A value that is read in the body that computes it, or in loops inside, is read as a tile. In every body further out
//! that uses it, a tensor is filled with its tiles: each loop between carries the tensor. Parts of a reduction are
//! combined in a separate tensor, which is complete after the outermost loop that cuts a reduced dimension. A search
//! for positions compares elements, which are carried as well, unless a search for the elements of the same operand is
//! before it.

use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};
use spyre_ops::Ranked;

use crate::coarse_tile::find::LevelDims;
use crate::coarse_tile::ids::{IdVec, MemberId, NodeId, SinkId};
use crate::coarse_tile::plan::nest::LoopNest;
use crate::coarse_tile::plan::reduce::Reduction;

/// The facts about a member that the flow of data depends on. `V` identifies the values that are searched.
#[derive(Debug)]
pub(crate) struct FlowMember<'t, V> {
    /// The effect of each level on the operation.
    pub(crate) dims: &'t LevelDims,
    /// The members that compute its operands.
    pub(crate) makers: Vec<MemberId>,
    /// The way in which its parts are combined; `None` if no level cuts a dimension that it reduces.
    pub(crate) reduction: Option<Reduction>,
    /// The value that it searches; `None` if it does not search.
    pub(crate) searched: Option<V>,
    /// Whether operations outside of the group read its result.
    pub(crate) is_used_outside: bool,
}

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
    /// The elements at the positions that the member searches for.
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
    /// Finds the sinks of a group.
    pub(crate) fn new<V: Copy + Eq + Hash>(
        members: &IdVec<MemberId, FlowMember<'_, V>>,
        nest: &LoopNest,
    ) -> Self {
        // The bodies in which each value is needed and is no tile.
        let mut needed: IdVec<MemberId, Vec<NodeId>> = members.iter().map(|_| Vec::new()).collect();
        for (reader, member) in members.pairs() {
            if member.is_used_outside {
                needed[reader].push(nest.root());
            }
            for maker in member.makers.iter().copied() {
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

/// Returns, for each member that searches for positions, the member before it in the same body that searches for the
/// elements.
fn elements<V: Copy + Eq + Hash>(
    members: &IdVec<MemberId, FlowMember<'_, V>>,
    nest: &LoopNest,
) -> FxHashMap<MemberId, MemberId> {
    let mut searches = FxHashMap::default();
    let mut partners = FxHashMap::default();
    for (index, member) in members.pairs() {
        let Some(search) = member.reduction.as_ref().and_then(Reduction::search) else {
            continue;
        };
        let outer = member.reduction.map(|by| by.outer);
        let searched = member.searched.expect("a search looks through a value");
        // Positions follow the choice of elements with the same operand and comparison.
        let key = (
            searched,
            search.dim,
            search.comparison,
            nest.home(index),
            outer,
        );
        match search.result {
            Ranked::Value => {
                searches.insert(key, index);
            }
            Ranked::Position => {
                if let Some(elements) = searches.get(&key) {
                    partners.insert(index, *elements);
                }
            }
        }
    }
    partners
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coarse_tile::find::LevelDim::{Cuts, Lacks};
    use crate::coarse_tile::ids::{Id, IterDim, LevelId};
    use crate::coarse_tile::plan::nest::NestMember;
    use crate::coarse_tile::plan::reduce::{Combination, Fold};
    use crate::coarse_tile::plan::region::{Axis, Regions};
    use crate::coarse_tile::plan::search::{Comparison, Search};

    const SUM: Combination = Combination::Fold {
        fold: Fold {
            identity: 0.0,
            combine: "spyre.add",
            is_exact: false,
        },
        average: None,
    };

    fn search(result: Ranked) -> Combination {
        Combination::Search(Search {
            result,
            comparison: Comparison::Truth,
            dim: 0,
            extent: 256,
        })
    }

    /// Members that one level cuts: the producers of their operands, the combination of their parts along the level,
    /// and whether the result is used outside.
    type Described<'t> = (&'t [usize], Option<Combination>, bool);

    /// Returns the flow of members, and their loops. All searches are in one value.
    fn flow(described: &[Described<'_>]) -> (DataFlow, LoopNest) {
        let level = LevelId::new(0);
        let mut regions = Regions::default();
        let axis = Axis {
            movement: vec![(level, 64)],
            whole: 256,
            dynamic: None,
        };
        let (tiles, whole) = (regions.intern(vec![axis]), regions.intern(Vec::new()));
        let dims: LevelDims = [Cuts(IterDim::new(0))].into_iter().collect();
        let makers = |of: &[usize]| of.iter().copied().map(MemberId::new).collect::<Vec<_>>();
        let nest = described.iter().map(|(of, reduction, _)| NestMember {
            dims: &dims,
            operands: makers(of).into_iter().map(|of| (tiles, Some(of))).collect(),
            result: if reduction.is_some() { whole } else { tiles },
            complete_behind: reduction.map(|_| level),
        });
        let nest = LoopNest::new(&nest.collect(), &regions);
        let members = described
            .iter()
            .map(|(of, reduction, is_used_outside)| FlowMember {
                dims: &dims,
                makers: makers(of),
                reduction: reduction.map(|combination| Reduction {
                    outer: level,
                    combination,
                }),
                searched: matches!(reduction, Some(Combination::Search(_))).then_some('x'),
                is_used_outside: *is_used_outside,
            });
        (DataFlow::new(&members.collect(), &nest), nest)
    }

    /// Returns the contents of the sinks with the numbers of their members.
    fn sinks(flow: &DataFlow) -> Vec<(MemberId, SinkContents)> {
        let sinks = flow.sinks.iter();
        sinks.map(|sink| (sink.member, sink.contents)).collect()
    }

    #[test]
    fn a_value_that_is_read_in_its_body_needs_no_tensor() {
        let (flow, nest) = flow(&[(&[], None, false), (&[0], None, true)]);
        let (first, second) = (MemberId::new(0), MemberId::new(1));
        assert_eq!(sinks(&flow), [(second, SinkContents::Tiles)]);
        assert_eq!(flow.complete_in(first, nest.root()), None);
        let sink = flow.complete_in(second, nest.root()).expect("carried");
        assert_eq!(flow.carried(nest.home(second)), [sink]);
        assert_eq!(flow.sinks[sink].source, nest.home(second));
    }

    #[test]
    fn parts_are_combined_in_a_tensor_of_their_own() {
        let (flow, nest) = flow(&[(&[], None, false), (&[0], Some(SUM), true)]);
        let sum = MemberId::new(1);
        assert_eq!(sinks(&flow), [(sum, SinkContents::Parts)]);
        assert_eq!(
            flow.holding(sum, SinkContents::Parts),
            flow.complete_in(sum, nest.root())
        );
    }

    #[test]
    fn positions_need_the_elements_unless_a_search_in_front_has_them() {
        let position = || Some(search(Ranked::Position));
        let (alone, _) = flow(&[(&[], position(), true)]);
        let only = MemberId::new(0);
        assert_eq!(
            sinks(&alone),
            [(only, SinkContents::Parts), (only, SinkContents::Elements)]
        );
        let (both, _) = flow(&[
            (&[], Some(search(Ranked::Value)), true),
            (&[], position(), true),
        ]);
        let positions = MemberId::new(1);
        assert_eq!(
            sinks(&both),
            [
                (only, SinkContents::Parts),
                (positions, SinkContents::Parts)
            ]
        );
        assert_eq!(both.elements.get(&positions), Some(&only));
        assert!(both.has_positions(only) && !both.has_positions(positions));
    }

    #[test]
    fn members_that_lack_the_dimension_are_around_the_loop() {
        let lacks: LevelDims = [Lacks].into_iter().collect();
        let members = [FlowMember {
            dims: &lacks,
            makers: Vec::new(),
            reduction: None,
            searched: None::<char>,
            is_used_outside: true,
        }];
        let mut regions = Regions::default();
        let whole = regions.intern(Vec::new());
        let nest = NestMember {
            dims: &lacks,
            operands: Vec::new(),
            result: whole,
            complete_behind: None,
        };
        let nest = LoopNest::new(&[nest].into_iter().collect(), &regions);
        let flow = DataFlow::new(&members.into_iter().collect(), &nest);
        assert_eq!(nest.home(MemberId::new(0)), nest.root());
        assert!(sinks(&flow).is_empty());
    }
}
