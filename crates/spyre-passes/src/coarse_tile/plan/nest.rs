//! Places each operation of a group in a tree of loops.
//!
//! Every operation goes into the loops of its own dimensions: below the deepest level that cuts one of them. Operations stay in
//! the order of the program, and share loops with those before them as far as values allow. A value that is complete only behind
//! a loop (a sum over the loop's dimension, or a tensor that is read in other tiles than it is computed in) ends that loop: its
//! readers come behind it, at the same depth or in another loop.

use crate::coarse_tile::plan::PlannedMember;
use crate::coarse_tile::plan::region::Regions;

/// A loop in the tree. [`ROOT`] is the block around all loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NodeId(usize);

/// The block that a group is in.
pub const ROOT: NodeId = NodeId(0);

/// An item of a body.
#[derive(Debug, Clone, Copy)]
pub enum Item {
    /// An operation, by its position in the group.
    Member(usize),
    /// A loop.
    Loop(NodeId),
}

#[derive(Debug)]
struct Node {
    parent: NodeId,
    /// One more than the loop's level; 0 for the root.
    depth: usize,
    items: Vec<Item>,
    /// Whether an operation inside depends on the level. If not, there is no loop, and the items are in the body around.
    is_loop: bool,
    /// Whether an operation inside must not be repeated by a loop of this level.
    is_once: bool,
}

/// A level that has a second loop inside the same iteration of the loops around it.
#[derive(Debug, Clone, Copy)]
pub struct Split {
    /// The level.
    pub level: usize,
    /// The operation that made the first loop end, because it reads a value that is complete only behind that loop.
    pub reader: usize,
    /// The number of the operand that it reads.
    pub operand: usize,
    /// The operation that computes the operand.
    pub maker: usize,
}

/// The loops of a group and their items.
#[derive(Debug, Default)]
pub struct Nest {
    nodes: Vec<Node>,
    /// The body that each operation is in.
    homes: Vec<NodeId>,
    /// Loops that are not the first of their level in the body around them, with the reason.
    splits: Vec<(NodeId, Split)>,
}

impl Nest {
    /// Places the operations of a group. `maker` returns the operation of the group that computes an operand, from the positions
    /// of the operation and of its operand; `None` if no operation of the group does.
    pub fn new<'p>(
        members: &[PlannedMember<'p>],
        regions: &Regions,
        maker: impl Fn(usize, usize) -> Option<usize>,
    ) -> Self {
        let root = Node {
            parent: ROOT,
            depth: 0,
            items: Vec::new(),
            is_loop: true,
            is_once: true,
        };
        let mut builder = Builder {
            nest: Self {
                nodes: vec![root],
                homes: Vec::with_capacity(members.len()),
                splits: Vec::new(),
            },
            open: vec![ROOT],
            ended: None,
        };
        for (index, member) in members.iter().enumerate() {
            builder.place(index, members, regions, &maker);
            builder.nest.mark(index, member);
        }
        builder.nest
    }

    /// Returns the body that an operation is in.
    pub fn home(&self, member: usize) -> NodeId {
        self.homes
            .get(member)
            .map_or(ROOT, |home| self.visible(*home))
    }

    /// Returns the number of levels around the items of a body, its own level included; 0 for the root.
    pub fn depth(&self, node: NodeId) -> usize {
        self.nodes[node.0].depth
    }

    /// Returns the body around a loop.
    pub fn parent(&self, node: NodeId) -> NodeId {
        self.visible(self.nodes[node.0].parent)
    }

    /// Returns the innermost body around both.
    pub fn common(&self, a: NodeId, b: NodeId) -> NodeId {
        let (mut a, mut b) = (a, b);
        while a != b {
            let (deep, other) = if self.depth(a) >= self.depth(b) {
                (&mut a, b)
            } else {
                (&mut b, a)
            };
            debug_assert!(*deep != other && *deep != ROOT);
            *deep = self.parent(*deep);
        }
        a
    }

    /// Returns the body that the loop of `level` around `node` is in; `None` if there is no such loop.
    pub fn outside(&self, node: NodeId, level: usize) -> Option<NodeId> {
        let mut node = node;
        while self.depth(node) > level {
            if self.depth(node) == level + 1 {
                return Some(self.parent(node));
            }
            node = self.parent(node);
        }
        None
    }

    /// Returns the items of a body, in order.
    pub fn items(&self, node: NodeId) -> Vec<Item> {
        let mut items = Vec::new();
        self.collect(node, &mut items);
        items
    }

    fn collect(&self, node: NodeId, items: &mut Vec<Item>) {
        for item in &self.nodes[node.0].items {
            match item {
                Item::Loop(inner) if !self.nodes[inner.0].is_loop => self.collect(*inner, items),
                item => items.push(*item),
            }
        }
    }

    /// Returns the levels that have a second loop in the same iteration of the loops around them, and why.
    pub fn splits(&self) -> impl Iterator<Item = &Split> {
        self.splits
            .iter()
            .filter(|(node, _)| self.nodes[node.0].is_loop)
            .map(|(_, split)| split)
    }

    /// Returns the innermost loop around and including `node`, or the root.
    fn visible(&self, node: NodeId) -> NodeId {
        let mut node = node;
        while !self.nodes[node.0].is_loop {
            node = self.nodes[node.0].parent;
        }
        node
    }

    /// Marks the loops that a member depends on.
    fn mark(&mut self, index: usize, member: &PlannedMember<'_>) {
        let mut node = self.homes[index];
        while node != ROOT {
            let level = self.nodes[node.0].depth - 1;
            if member.dims.get(level).is_some_and(Option::is_some) {
                self.nodes[node.0].is_loop = true;
            }
            node = self.nodes[node.0].parent;
        }
    }
}

struct Builder {
    nest: Nest,
    /// The loops that are not ended, from the root inwards. Each is the last item of the one before.
    open: Vec<NodeId>,
    /// The operand that ended loops last.
    ended: Option<Split>,
}

impl Builder {
    fn place<'p>(
        &mut self,
        index: usize,
        members: &[PlannedMember<'p>],
        regions: &Regions,
        maker: &impl Fn(usize, usize) -> Option<usize>,
    ) {
        let member = &members[index];
        let need = member
            .dims
            .iter()
            .rposition(Option::is_some)
            .map_or(0, |level| level + 1);
        // Whether an operand is computed inside a loop at the depth of the operation.
        let mut follows = false;
        let operands = member.windows.regions.len() - 1;
        for operand in 0..operands {
            let Some(made) = maker(index, operand) else {
                continue;
            };
            let source = &members[made];
            let read = member.windows.regions[operand];
            let computed = source.windows.regions.last().copied();
            let computed = computed.expect("the last region is that of the result");
            let mut depth = regions.common_depth(computed, read);
            if let Some(reduction) = &source.reduction {
                let outer = reduction.outer;
                depth = Some(depth.map_or(outer, |depth| depth.min(outer)));
            }
            let shared = self.shared(self.nest.homes[made]);
            if let Some(depth) = depth
                && shared.min(need) > depth
            {
                self.open.truncate(depth + 1);
                self.ended = Some(Split {
                    level: depth,
                    reader: index,
                    operand,
                    maker: made,
                });
            }
            follows |= self.nest.depth_of(self.nest.homes[made]) > need
                && self.shared(self.nest.homes[made]) > need;
        }
        if follows {
            self.open.truncate(need + 1);
        }
        // Inside the loops of a reduction, no loop may repeat an operation: a part that is computed again would be added again.
        // Also, an operation must not be inside the loop of a scope that it is not in.
        let is_once = |level: usize| {
            let inside = member
                .reduction
                .as_ref()
                .is_some_and(|own| own.outer < level);
            let lacks = member.dims.get(level).is_some_and(Option::is_none);
            level < need && (member.apart.has(level) || inside && lacks)
        };
        let depends = |level: usize| member.dims.get(level).is_some_and(Option::is_some);
        let conflict = self
            .open
            .iter()
            .enumerate()
            .skip(1)
            .take(need)
            .find(|(depth, node)| {
                let (level, node) = (depth - 1, &self.nest.nodes[node.0]);
                is_once(level) && node.is_loop || depends(level) && node.is_once
            });
        if let Some((depth, _)) = conflict {
            self.open.truncate(depth);
        }
        while self.open.len() <= need {
            self.open_loop();
        }
        for level in (0..need).filter(|level| is_once(*level)) {
            self.nest.nodes[self.open[level + 1].0].is_once = true;
        }
        let home = self.open[need];
        let items = &mut self.nest.nodes[home.0].items;
        // A loop that is still open is the last item.
        let at = items.len() - usize::from(self.open.len() > need + 1);
        items.insert(at, Item::Member(index));
        self.nest.homes.push(home);
    }

    fn open_loop(&mut self) {
        let depth = self.open.len();
        let parent = self.open[depth - 1];
        let node = NodeId(self.nest.nodes.len());
        let is_second = self.nest.nodes[parent.0]
            .items
            .iter()
            .any(|item| matches!(item, Item::Loop(_)));
        if is_second && let Some(ended) = self.ended.take() {
            self.nest.splits.push((node, ended));
        }
        self.nest.nodes.push(Node {
            parent,
            depth,
            items: Vec::new(),
            is_loop: false,
            is_once: false,
        });
        self.nest.nodes[parent.0].items.push(Item::Loop(node));
        self.open.push(node);
    }

    /// Returns how many of the open loops are around `node`.
    fn shared(&self, node: NodeId) -> usize {
        let mut node = node;
        loop {
            let depth = self.nest.depth_of(node);
            if self.open.get(depth) == Some(&node) {
                return depth;
            }
            node = self.nest.nodes[node.0].parent;
        }
    }
}

impl Nest {
    fn depth_of(&self, node: NodeId) -> usize {
        self.nodes[node.0].depth
    }
}
