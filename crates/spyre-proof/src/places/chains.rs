//! Histories of bytes and of tensors, as interned lists: equal histories are equal numbers.
//!
//! A *chain* is the list of the executions that have written a tensor, or some bytes, in order: first one that has
//! written all of it, or a tensor without contents, then windows. Executions in loops have no absolute iteration but
//! an *age*: the iterations that have begun since, for each loop around. At the end of an iteration, everything that
//! it did becomes older by one; windows that an iteration adds to a tensor from before the loop become a *family*,
//! that of all iterations so far, so that the state before an iteration is soon the same for all iterations.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::program::{LoopId, Program, StatementId, ValueId};

/// The position of an item in [`Chains`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ItemId(u32);

/// The position of a chain in [`Chains`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ChainId(u32);

/// The ages of an item in the loops around it, outermost first. Within an execution of a loop that is complete, age 1
/// is the last iteration.
pub(super) type Ages = SmallVec<[u32; 4]>;

/// Executions that write.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// The contents of an argument when the function is called.
    Argument(ValueId),
    /// A tensor without contents.
    Empty(ValueId),
    /// A tensor whose contents are not modelled.
    Opaque(ValueId),
    /// The execution of a statement, which writes this result.
    Execution(StatementId, usize),
    /// The items of one iteration, for all iterations up to the one before this number of complete ones.
    Family(LoopId, Arc<[ItemId]>, u32),
}

/// Executions that write, in the iterations that their ages give.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Item {
    pub(super) kind: Kind,
    pub(super) ages: Ages,
}

/// A chain: its first item, or another chain and the next item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Bottom(ItemId),
    Then(ChainId, ItemId),
}

/// All items and chains of a program.
pub(super) struct Chains<'p> {
    program: &'p Program,
    /// The loops around each loop, outermost first, and itself.
    nests: Vec<Vec<LoopId>>,
    items: Vec<Item>,
    item_ids: FxHashMap<Item, ItemId>,
    /// With the number of items before the last one, and the first item.
    nodes: Vec<(Node, u32, ItemId)>,
    node_ids: FxHashMap<Node, ChainId>,
}

impl<'p> Chains<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        let mut nests: Vec<Vec<LoopId>> = Vec::new();
        for (at, of) in program.loops.iter().enumerate() {
            let mut nest = of
                .parent
                .map_or_else(Vec::new, |parent| nests[parent.index()].clone());
            nest.push(LoopId::new(at));
            nests.push(nest);
        }
        Self {
            program,
            nests,
            items: Vec::new(),
            item_ids: FxHashMap::default(),
            nodes: Vec::new(),
            node_ids: FxHashMap::default(),
        }
    }

    pub(super) fn item(&self, id: ItemId) -> &Item {
        &self.items[id.0 as usize]
    }

    pub(super) fn node(&self, id: ChainId) -> Node {
        self.nodes[id.0 as usize].0
    }

    /// Returns the number of items before the last one.
    pub(super) fn depth(&self, id: ChainId) -> u32 {
        self.nodes[id.0 as usize].1
    }

    /// Returns the loops around an item, outermost first.
    pub(super) fn loops_of(&self, kind: &Kind) -> &[LoopId] {
        match kind {
            Kind::Argument(value) | Kind::Empty(value) | Kind::Opaque(value) => {
                &self.program.value(*value).loops
            }
            Kind::Execution(statement, _) => &self.program.statement(*statement).loops,
            Kind::Family(id, ..) => {
                let nest = &self.nests[id.index()];
                &nest[..nest.len() - 1]
            }
        }
    }

    /// Returns an item of the current iteration of all loops around it.
    pub(super) fn now(&mut self, kind: Kind) -> ItemId {
        let ages = self.loops_of(&kind).iter().map(|_| 0).collect();
        self.intern(Item { kind, ages })
    }

    pub(super) fn bottom(&mut self, item: ItemId) -> ChainId {
        self.chain(Node::Bottom(item))
    }

    pub(super) fn then(&mut self, chain: ChainId, item: ItemId) -> ChainId {
        self.chain(Node::Then(chain, item))
    }

    /// Returns the first item of a chain.
    pub(super) fn bottom_of(&self, chain: ChainId) -> ItemId {
        self.nodes[chain.0 as usize].2
    }

    /// Returns the items after the first one, the last one first, down to a chain that it begins with, if there is one.
    pub(super) fn items_down_to(&self, mut chain: ChainId, end: Option<ChainId>) -> Vec<ItemId> {
        let mut items = Vec::new();
        while Some(chain) != end {
            match self.node(chain) {
                Node::Bottom(_) => break,
                Node::Then(before, item) => {
                    items.push(item);
                    chain = before;
                }
            }
        }
        items
    }

    /// Returns the longest chain that two chains begin with.
    pub(super) fn common(&self, mut a: ChainId, mut b: ChainId) -> Option<ChainId> {
        let before = |chain| match self.node(chain) {
            Node::Bottom(_) => None,
            Node::Then(before, _) => Some(before),
        };
        while self.depth(a) > self.depth(b) {
            a = before(a)?;
        }
        while self.depth(b) > self.depth(a) {
            b = before(b)?;
        }
        while a != b {
            (a, b) = (before(a)?, before(b)?);
        }
        Some(a)
    }

    fn intern(&mut self, item: Item) -> ItemId {
        if let Some(id) = self.item_ids.get(&item) {
            return *id;
        }
        let id = ItemId(u32::try_from(self.items.len()).expect("fewer than 2^32 items"));
        self.items.push(item.clone());
        self.item_ids.insert(item, id);
        id
    }

    fn chain(&mut self, node: Node) -> ChainId {
        if let Some(id) = self.node_ids.get(&node) {
            return *id;
        }
        let id = ChainId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 chains"));
        let (depth, first) = match node {
            Node::Bottom(item) => (0, item),
            Node::Then(before, _) => (self.depth(before) + 1, self.bottom_of(before)),
        };
        self.nodes.push((node, depth, first));
        self.node_ids.insert(node, id);
        id
    }

    /// Returns whether the first item of a chain is a tensor without contents in the current execution of a loop.
    pub(super) fn is_empty_in(&self, chain: ChainId, id: LoopId) -> bool {
        let first = self.bottom_of(chain);
        matches!(self.item(first).kind, Kind::Empty(_)) && self.position(first, id).is_some()
    }

    /// Returns the position of a loop in the loops around an item of the current execution of the loop.
    fn position(&self, item: ItemId, id: LoopId) -> Option<usize> {
        let Item { kind, ages } = self.item(item);
        let at = self.loops_of(kind).iter().position(|of| *of == id)?;
        ages[..at].iter().all(|age| *age == 0).then_some(at)
    }

    /// Returns an item after one more iteration of a loop.
    fn aged_item(&mut self, item: ItemId, at: usize) -> ItemId {
        let mut item = self.item(item).clone();
        item.ages[at] += 1;
        self.intern(item)
    }

    /// Returns a chain after one more iteration of a loop, which may be the first one.
    pub(super) fn aged(&mut self, chain: ChainId, id: LoopId, is_first: bool) -> ChainId {
        let (mut top, mut at) = (Vec::new(), chain);
        loop {
            let (item, before) = match self.node(at) {
                Node::Bottom(item) => (item, None),
                Node::Then(before, item) => (item, Some(before)),
            };
            let Some(position) = self.position(item, id) else {
                return self.with_iteration(at, &top, id, is_first);
            };
            top.push((item, position));
            let Some(before) = before else { break };
            at = before;
        }
        // The first item is of the loop, so the chain starts anew in each iteration.
        let (first, position) = top.pop().expect("a chain has a first item");
        let first = self.aged_item(first, position);
        let base = self.bottom(first);
        self.with_aged(base, &top)
    }

    /// Adds items that are one iteration older, the last one first.
    fn with_aged(&mut self, base: ChainId, added: &[(ItemId, usize)]) -> ChainId {
        added.iter().rev().fold(base, |chain, (item, position)| {
            let item = self.aged_item(*item, *position);
            self.then(chain, item)
        })
    }

    /// Adds the items of one iteration of a loop to a chain from before the loop; the last item comes first. They are
    /// those of all iterations so far if the iteration is the first one, or if the chain has them for all before.
    fn with_iteration(
        &mut self,
        base: ChainId,
        added: &[(ItemId, usize)],
        id: LoopId,
        is_first: bool,
    ) -> ChainId {
        let family = match self.node(base) {
            Node::Then(before, last) => self.family(last, id).map(|family| (before, family)),
            Node::Bottom(_) => None,
        };
        let items: Arc<[ItemId]> = added.iter().rev().map(|(item, _)| *item).collect();
        match family {
            Some((_, (of, 0))) if of == items => base,
            Some((before, (of, lag))) => {
                let older = self.now(Kind::Family(id, of, lag + 1));
                let base = self.then(before, older);
                self.with_aged(base, added)
            }
            None if added.is_empty() => base,
            None if is_first => {
                let family = self.now(Kind::Family(id, items, 0));
                self.then(base, family)
            }
            None => self.with_aged(base, added),
        }
    }

    /// Returns the items and the lag of the family of the current execution of a loop.
    fn family(&self, item: ItemId, id: LoopId) -> Option<(Arc<[ItemId]>, u32)> {
        let Item { kind, ages } = self.item(item);
        match kind {
            Kind::Family(of, items, lag) if *of == id && ages.iter().all(|age| *age == 0) => {
                Some((Arc::clone(items), *lag))
            }
            _ => None,
        }
    }
}
