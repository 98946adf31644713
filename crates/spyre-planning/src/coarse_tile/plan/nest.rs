//! Places each operation of a group in a tree of loops.
//!
//! Every operation goes into the loops of its dimensions: below the deepest level that cuts one of them. Operations
//! stay in the order of the program, and share loops with the operations before them as far as dependences allow. A
//! value that is complete only after a loop (a sum over the loop's dimension, or a tensor that is read in other tiles
//! than it is computed in) ends that loop: its users come after it, at the same depth or in another loop.

use crate::coarse_tile::find::LevelDims;
use crate::coarse_tile::ids::{Id, IdVec, LevelId, MemberId, NodeId, OperandId, RegionId};
use crate::coarse_tile::plan::region::Regions;

/// The facts that the place of an operation depends on.
#[derive(Debug)]
pub(crate) struct NestMember<'m> {
    /// The effect of each level on the operation.
    pub(crate) dims: &'m LevelDims,
    /// The region of each operand, and the operation of the group that computes it.
    pub(crate) operands: Vec<(RegionId, Option<MemberId>)>,
    /// The region of the result.
    pub(crate) result: RegionId,
    /// The outermost level that cuts a dimension that it reduces. The result is complete after its loop.
    pub(crate) complete_behind: Option<LevelId>,
}

/// An item of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Item {
    /// An operation.
    Member(MemberId),
    /// A loop.
    Loop(NodeId),
}

/// A loop in the tree, or the block around all loops.
#[derive(Debug)]
struct Node {
    parent: NodeId,
    /// The number of levels around the items, the loop itself included; 0 for the root.
    depth: usize,
    items: Vec<Item>,
    /// Whether an operation inside depends on the level. If not, there is no loop, and the items are in the body around.
    is_loop: bool,
    /// Whether an operation inside must not be repeated by a loop of this level.
    is_once: bool,
}

/// A level that has a second loop inside the same iteration of the loops around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SecondLoop {
    /// The level.
    pub(crate) level: LevelId,
    /// The operation that ended the first loop, because it reads a value that is complete only after that loop.
    pub(crate) reader: MemberId,
    /// The operand that it reads.
    pub(crate) operand: OperandId,
    /// The operation that computes the operand.
    pub(crate) maker: MemberId,
}

/// The loops of a group and their items.
#[derive(Debug)]
pub(crate) struct LoopNest {
    nodes: IdVec<NodeId, Node>,
    /// The body that each operation is in.
    homes: IdVec<MemberId, NodeId>,
    /// Loops that are not the first of their level in the body around them, with the reason.
    second_loops: Vec<(NodeId, SecondLoop)>,
}

impl LoopNest {
    /// Places the operations of a group.
    pub(crate) fn new(members: &IdVec<MemberId, NestMember<'_>>, regions: &Regions) -> Self {
        let mut nodes = IdVec::default();
        let root = nodes.push(Node {
            parent: NodeId::new(0),
            depth: 0,
            items: Vec::new(),
            is_loop: true,
            is_once: true,
        });
        let mut planner = NestPlanner {
            nest: Self {
                nodes,
                homes: IdVec::default(),
                second_loops: Vec::new(),
            },
            open: vec![root],
            ended: None,
        };
        for member in members.ids() {
            planner.place(member, members, regions);
            planner.nest.mark(member, members[member].dims);
        }
        planner.nest
    }

    /// Returns the block that the group is in, around all loops.
    pub(crate) fn root(&self) -> NodeId {
        NodeId::new(0)
    }

    /// Returns the body that an operation is in.
    pub(crate) fn home(&self, member: MemberId) -> NodeId {
        self.visible(self.homes[member])
    }

    /// Returns whether an operation is in a loop.
    pub(crate) fn is_in_loops(&self, member: MemberId) -> bool {
        self.home(member) != self.root()
    }

    /// Returns the number of levels around the items of a body, the level of the body included; 0 for the root.
    pub(crate) fn depth(&self, node: NodeId) -> usize {
        self.nodes[node].depth
    }

    /// Returns the level of a loop.
    pub(crate) fn level(&self, node: NodeId) -> LevelId {
        LevelId::new(
            self.depth(node)
                .checked_sub(1)
                .expect("the root is no loop"),
        )
    }

    /// Returns the body around a loop.
    pub(crate) fn parent(&self, node: NodeId) -> NodeId {
        self.visible(self.nodes[node].parent)
    }

    /// Returns the innermost body around both.
    pub(crate) fn common(&self, a: NodeId, b: NodeId) -> NodeId {
        let (mut a, mut b) = (a, b);
        while a != b {
            let deep = if self.depth(a) >= self.depth(b) {
                &mut a
            } else {
                &mut b
            };
            *deep = self.parent(*deep);
        }
        a
    }

    /// Returns the body that the loop of `level` around `node` is in; `None` if there is no such loop.
    pub(crate) fn outside(&self, node: NodeId, level: LevelId) -> Option<NodeId> {
        let mut node = node;
        while level.is_above(self.depth(node)) {
            if self.level(node) == level {
                return Some(self.parent(node));
            }
            node = self.parent(node);
        }
        None
    }

    /// Returns the items of a body, in order.
    pub(crate) fn items(&self, node: NodeId) -> Vec<Item> {
        let mut items = Vec::new();
        self.collect(node, &mut items);
        items
    }

    fn collect(&self, node: NodeId, items: &mut Vec<Item>) {
        for item in &self.nodes[node].items {
            match item {
                Item::Loop(inner) if !self.nodes[*inner].is_loop => self.collect(*inner, items),
                item => items.push(*item),
            }
        }
    }

    /// Returns the levels that have a second loop in the same iteration of the loops around them, and why.
    pub(crate) fn second_loops(&self) -> impl Iterator<Item = &SecondLoop> {
        let loops = self.second_loops.iter();
        loops
            .filter(|(node, _)| self.nodes[*node].is_loop)
            .map(|(_, second)| second)
    }

    /// Returns the innermost loop around and including `node`, or the root.
    fn visible(&self, node: NodeId) -> NodeId {
        let mut node = node;
        while !self.nodes[node].is_loop {
            node = self.nodes[node].parent;
        }
        node
    }

    /// Marks the loops that a member depends on.
    fn mark(&mut self, member: MemberId, dims: &LevelDims) {
        let mut node = self.homes[member];
        while node != self.root() {
            let cuts = dims.cut(self.level(node)).is_some();
            self.nodes[node].is_loop |= cuts;
            node = self.nodes[node].parent;
        }
    }
}

/// A nest to which operations are added in order.
struct NestPlanner {
    nest: LoopNest,
    /// The loops that are not ended, from the root inwards. Each is the last item of the one before.
    open: Vec<NodeId>,
    /// The operand that ended loops last.
    ended: Option<SecondLoop>,
}

impl NestPlanner {
    /// Places the next operation.
    fn place(
        &mut self,
        index: MemberId,
        members: &IdVec<MemberId, NestMember<'_>>,
        regions: &Regions,
    ) {
        let member = &members[index];
        let need = member.dims.depth();
        self.end_incomplete(index, need, members, regions);
        self.end_conflicting(member, need);
        while self.open.len() <= need {
            self.open_loop();
        }
        for level in LevelId::first(need).filter(|level| must_be_once(member, *level)) {
            let node = self.open[level.depth_inside()];
            self.nest.nodes[node].is_once = true;
        }
        let home = self.open[need];
        let items = &mut self.nest.nodes[home].items;
        // A loop that is still open is the last item.
        let at = items.len() - usize::from(self.open.len() > need + 1);
        items.insert(at, Item::Member(index));
        self.nest.homes.push(home);
    }

    /// Ends the loops inside which an operand of an operation is not complete.
    fn end_incomplete(
        &mut self,
        reader: MemberId,
        need: usize,
        members: &IdVec<MemberId, NestMember<'_>>,
        regions: &Regions,
    ) {
        // Whether an operand is computed inside a loop at the depth of the operation.
        let mut follows = false;
        for (operand, (read, maker)) in members[reader].operands.iter().enumerate() {
            let Some(maker) = *maker else { continue };
            let source = &members[maker];
            let differ = regions.differ_in(source.result, *read);
            let behind = differ.into_iter().chain(source.complete_behind).min();
            let home = self.nest.homes[maker];
            if let Some(level) = behind
                && level.is_above(self.shared(home).min(need))
            {
                self.open.truncate(level.depth_inside());
                self.ended = Some(SecondLoop {
                    level,
                    reader,
                    operand: OperandId::new(operand),
                    maker,
                });
            }
            follows |= self.nest.depth(home) > need && self.shared(home) > need;
        }
        if follows {
            self.open.truncate(need + 1);
        }
    }

    /// Ends the open loops that cannot contain the operation, and the ones that the operation would turn into loops.
    fn end_conflicting(&mut self, member: &NestMember<'_>, need: usize) {
        let open = self.open.iter().skip(1).take(need);
        let conflict = LevelId::first(need).zip(open).find(|(level, node)| {
            let node = &self.nest.nodes[**node];
            let cuts = member.dims.cut(*level).is_some();
            must_be_once(member, *level) && node.is_loop || cuts && node.is_once
        });
        if let Some((level, _)) = conflict {
            self.open.truncate(level.index() + 1);
        }
    }

    /// Opens a loop in the innermost open one.
    fn open_loop(&mut self) {
        let depth = self.open.len();
        let parent = self.open[depth - 1];
        let is_loop = |item: &Item| matches!(item, Item::Loop(_));
        let is_second = self.nest.nodes[parent].items.iter().any(is_loop);
        let node = self.nest.nodes.push(Node {
            parent,
            depth,
            items: Vec::new(),
            is_loop: false,
            is_once: false,
        });
        if is_second && let Some(ended) = self.ended.take() {
            self.nest.second_loops.push((node, ended));
        }
        self.nest.nodes[parent].items.push(Item::Loop(node));
        self.open.push(node);
    }

    /// Returns how many of the open loops are around `node`.
    fn shared(&self, node: NodeId) -> usize {
        let mut node = node;
        while self.open.get(self.nest.depth(node)) != Some(&node) {
            node = self.nest.nodes[node].parent;
        }
        self.nest.depth(node)
    }
}

/// Returns whether no loop of a level may repeat an operation. Inside the loops of a reduction, a part that is computed again would
/// be added again. Also, an operation must not be inside the loop of a scope that it is not in.
fn must_be_once(member: &NestMember<'_>, level: LevelId) -> bool {
    let is_inside = member.complete_behind.is_some_and(|outer| outer < level);
    member.dims.is_apart(level) || is_inside && member.dims.cut(level).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coarse_tile::find::LevelDim;
    use crate::coarse_tile::find::LevelDim::{Cuts, Lacks};
    use crate::coarse_tile::ids::IterDim;
    use crate::coarse_tile::plan::region::Axis;

    /// Returns the region of a tensor with dimensions that these levels cut.
    fn region(regions: &mut Regions, levels: &[usize]) -> RegionId {
        let axis = |level: &usize| Axis {
            movement: vec![(LevelId::new(*level), 64)],
            whole: 256,
            dynamic: None,
        };
        regions.intern(levels.iter().map(axis).collect())
    }

    /// The dimensions by level, the operands with their producers, the result, and the level after which it is
    /// complete.
    type Described<'t> = (
        &'t [LevelDim],
        &'t [(RegionId, Option<usize>)],
        RegionId,
        Option<usize>,
    );

    fn nest(members: &[Described<'_>], regions: &Regions) -> LoopNest {
        let dims: Vec<LevelDims> = members
            .iter()
            .map(|(dims, ..)| dims.iter().copied().collect())
            .collect();
        let members = members
            .iter()
            .zip(&dims)
            .map(|((_, operands, result, behind), dims)| NestMember {
                dims,
                operands: operands
                    .iter()
                    .map(|(region, maker)| (*region, maker.map(MemberId::new)))
                    .collect(),
                result: *result,
                complete_behind: behind.map(LevelId::new),
            });
        LoopNest::new(&members.collect(), regions)
    }

    #[test]
    fn operations_share_loops_and_those_that_lack_a_dimension_are_around_it() {
        let mut regions = Regions::default();
        let (rows, tiles) = (region(&mut regions, &[0]), region(&mut regions, &[0, 1]));
        let [row, column] = [0, 1].map(|dim| Cuts(IterDim::new(dim)));
        let nest = nest(
            &[
                (&[row, Lacks], &[], rows, None),
                (&[row, column], &[(rows, Some(0))], tiles, None),
                (&[row, column], &[(tiles, Some(1))], tiles, None),
            ],
            &regions,
        );
        let homes = [0, 1, 2].map(|member| nest.home(MemberId::new(member)));
        assert_eq!(homes.map(|home| nest.depth(home)), [1, 2, 2]);
        assert_eq!(homes[1], homes[2]);
        assert_eq!(nest.common(homes[0], homes[1]), homes[0]);
        assert_eq!(nest.second_loops().count(), 0);
    }

    #[test]
    fn a_reduction_ends_its_loop() {
        let mut regions = Regions::default();
        let (whole, columns) = (region(&mut regions, &[]), region(&mut regions, &[0]));
        let cut = [Cuts(IterDim::new(0))];
        let nest = nest(
            &[
                (&cut, &[(columns, None)], whole, Some(0)),
                (&cut, &[(columns, None), (whole, Some(0))], columns, None),
            ],
            &regions,
        );
        assert_eq!(nest.items(nest.root()).len(), 2);
        let second = SecondLoop {
            level: LevelId::new(0),
            reader: MemberId::new(1),
            operand: OperandId::new(1),
            maker: MemberId::new(0),
        };
        assert_eq!(nest.second_loops().collect::<Vec<_>>(), [&second]);
    }
}
