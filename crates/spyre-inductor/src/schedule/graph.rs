//! The graph of nodes: dependences, users, order, dead nodes.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use spyre_index_expr::Overflow;

use super::deps::{Accesses, Dep, Elements, distinct};
use super::nest::{Access, Simpler};
use super::program::{BufferId, NodeId, NodeKind, Program};

/// A node, ready to be fused.
#[derive(Debug, Clone)]
pub struct Scheduled {
    /// The loops, if it has any.
    pub loops: Option<Rc<Simpler>>,
    /// The dependences that it reads, in order.
    pub reads: Vec<Dep>,
    /// The dependences that it makes.
    pub writes: Vec<Dep>,
    /// The number of nodes before it; `None` if it is dead.
    pub order: Option<usize>,
    /// The least and the largest number of nodes on a path from an input or constant to it.
    pub distance: (usize, usize),
}

/// A user of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct User {
    /// The node; `None` for the caller of the program.
    pub node: Option<NodeId>,
    /// Whether it may write its result over the buffer.
    pub in_place: bool,
    /// Whether it only has to run after the node of the buffer.
    pub is_weak: bool,
}

/// The nodes of a program, with their dependences.
#[derive(Debug, Clone)]
pub struct Graph<'p> {
    /// The program.
    pub program: &'p Program,
    /// The nodes, by their numbers.
    pub nodes: Vec<Scheduled>,
    /// The users of each buffer.
    pub users: Vec<Vec<User>>,
    /// All nodes, in topological order: each after the nodes that compute its operands.
    pub sorted: Vec<NodeId>,
    /// The live nodes, in that order.
    pub order: Vec<NodeId>,
    /// The dead nodes, in the order of their removal.
    pub removed: Vec<NodeId>,
}

/// Simplified loops, with their reads and writes.
struct Simplified {
    loops: Rc<Simpler>,
    accesses: Accesses,
}

impl<'p> Graph<'p> {
    /// Simplifies the loops of every node, finds its dependences, sorts nodes and removes dead ones.
    ///
    /// # Errors
    /// A number is too large.
    pub fn new(program: &'p Program) -> Result<Self, Overflow> {
        let mut graph = Self {
            program,
            nodes: Vec::with_capacity(program.nodes.len()),
            users: vec![Vec::new(); program.buffers.len()],
            sorted: Vec::new(),
            order: Vec::new(),
            removed: Vec::new(),
        };
        let simpler: Vec<Simplified> = program
            .loops
            .iter()
            .map(|loops| {
                let loops = Rc::new(loops.nest.simpler(program, &[])?);
                let accesses = Accesses::from_nest(&loops.nest)?;
                Ok(Simplified { loops, accesses })
            })
            .collect::<Result<_, _>>()?;
        for id in program.node_ids() {
            let node = graph.scheduled(id, &simpler)?;
            graph.nodes.push(node);
        }
        graph.find_users();
        graph.sorted = graph.sort();
        graph.remove_dead();
        graph.number();
        Ok(graph)
    }

    /// Returns a node by its number.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Scheduled {
        &self.nodes[id.0 as usize]
    }

    /// Returns the users of a buffer.
    #[must_use]
    pub fn users_of(&self, buffer: BufferId) -> &[User] {
        &self.users[buffer.0 as usize]
    }

    /// Returns the dependences of a node on other nodes.
    pub fn unmet(&self, id: NodeId) -> impl Iterator<Item = &Dep> {
        let reads = self.node(id).reads.iter();
        reads.filter(|dep| self.program[dep.buffer()].maker.is_some())
    }

    /// Returns the nodes that compute the operands of a node.
    pub fn makers(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        self.unmet(id)
            .filter_map(|dep| self.program[dep.buffer()].maker)
    }

    fn scheduled(&self, id: NodeId, simpler: &[Simplified]) -> Result<Scheduled, Overflow> {
        let node = &self.program[id];
        let star = |buffer: &BufferId| Dep::Star(*buffer, None);
        let (loops, reads, writes) = match &node.kind {
            NodeKind::Loops { loops, reads } => {
                let Simplified { loops, accesses } = &simpler[loops.0 as usize];
                let writes = accesses.writes(node.makes[0]);
                (Some(Rc::clone(loops)), accesses.reads(reads), writes)
            }
            NodeKind::Extern { reads, writes, .. } => {
                let writes = match writes {
                    None => node.makes.iter().map(star).collect(),
                    Some((loops, index)) => {
                        let [buffer] = node.makes[..] else {
                            unreachable!("one result of several is one buffer")
                        };
                        let access = Access {
                            index: index.clone(),
                            mode: None,
                        };
                        vec![Dep::Memory(
                            buffer,
                            Rc::new(Elements::from_access(&access, loops)?),
                        )]
                    }
                };
                (None, distinct(reads.iter().map(star)), writes)
            }
            NodeKind::Nothing { reads } => {
                let reads = distinct(reads.iter().map(star));
                (None, reads, node.makes.iter().map(star).collect())
            }
        };
        Ok(Scheduled {
            loops,
            reads,
            writes,
            order: None,
            distance: (0, 0),
        })
    }

    /// Finds the users of every buffer, and the nodes that must run before a buffer is overwritten.
    fn find_users(&mut self) {
        let mut users = Users::new(self.program);
        for id in self.program.node_ids() {
            let writer = &self.program[id];
            let mode = match self.node(id).writes.as_slice() {
                [Dep::Memory(_, elements)] => elements.mode.clone(),
                _ => None,
            };
            for output in &writer.makes {
                let Some(target) = self.program[*output].overwrites else {
                    continue;
                };
                users.add(target, Some(id), false, false);
                self.add_read(id, Dep::Star(target, mode.clone()));
                for user in users.users(target).to_vec() {
                    let Some(reader) = user.node.filter(|node| *node != id) else {
                        continue;
                    };
                    for buffer in self.program[reader].makes.clone() {
                        let is_fake = !self.program[buffer].aliases.contains(&target);
                        let weak = Dep::Weak {
                            buffer,
                            overwriting: *output,
                            is_fake,
                        };
                        self.add_read(id, weak);
                        users.add(buffer, Some(id), false, true);
                    }
                }
            }
            for read in &self.node(id).reads {
                if !matches!(read, Dep::Weak { .. }) {
                    let in_place = self.in_place(id, read);
                    users.add(read.buffer(), Some(id), in_place, false);
                }
            }
        }
        for buffer in self.program.outputs.iter().chain(&self.program.written) {
            users.add(*buffer, None, false, false);
        }
        self.users = users.finish();
    }

    fn add_read(&mut self, id: NodeId, dep: Dep) {
        let reads = &mut self.nodes[id.0 as usize].reads;
        if !reads.contains(&dep) {
            reads.push(dep);
        }
    }

    /// Returns whether a node may overwrite an operand with its result: reads and writes have the same indices.
    fn in_place(&self, id: NodeId, read: &Dep) -> bool {
        let node = &self.program[id];
        let is_plain = |buffer: &BufferId| self.program[*buffer].aliases.is_empty();
        if !matches!(node.kind, NodeKind::Loops { .. }) || !node.makes.iter().all(is_plain) {
            return false;
        }
        match (self.node(id).writes.as_slice(), read) {
            ([Dep::Memory(_, write)], Dep::Memory(_, read)) => {
                read.index == write.index && read.loops == write.loops
            }
            _ => false,
        }
    }

    /// Returns all nodes in topological order: each after the nodes that compute its operands.
    fn sort(&self) -> Vec<NodeId> {
        let nodes: Vec<NodeId> = self.program.node_ids().collect();
        let needs = |id: NodeId| {
            let mut needs: Vec<(&str, NodeId)> = self
                .unmet(id)
                .filter_map(|dep| {
                    let buffer = &self.program[dep.buffer()];
                    Some((buffer.name.as_str(), buffer.maker?))
                })
                .collect();
            needs.sort_by_key(|(name, _)| *name);
            needs.into_iter().map(|(_, maker)| maker).collect()
        };
        sort(&nodes, |_| true, needs)
    }

    /// Removes nodes with unused buffers.
    fn remove_dead(&mut self) {
        let mut left = Vec::new();
        let mut removed: FxHashSet<NodeId> = FxHashSet::default();
        for id in self.sorted.iter().rev().copied() {
            let node = &self.program[id];
            let is_removed = |user: &User| user.node.is_some_and(|node| removed.contains(&node));
            let is_dead = |buffer: &BufferId| {
                let mut users = self.users_of(*buffer).iter();
                users.all(|user| user.is_weak || is_removed(user))
            };
            let has_effects = matches!(
                node.kind,
                NodeKind::Extern {
                    has_effects: true,
                    ..
                }
            );
            if has_effects || !node.makes.iter().all(is_dead) {
                left.push(id);
                continue;
            }
            removed.insert(id);
            self.removed.push(id);
            let read: Vec<BufferId> = self.node(id).reads.iter().map(Dep::buffer).collect();
            for buffer in read {
                self.users[buffer.0 as usize].retain(|user| user.node != Some(id));
            }
        }
        left.reverse();
        self.order = left;
        if removed.is_empty() {
            return;
        }
        let program = self.program;
        for node in &mut self.nodes {
            node.reads.retain(|dep| {
                let maker = program[dep.buffer()].maker;
                !matches!(dep, Dep::Weak { .. })
                    || !maker.is_some_and(|maker| removed.contains(&maker))
            });
        }
    }

    /// Numbers the live nodes, and computes their distances from inputs and constants.
    fn number(&mut self) {
        for (number, id) in self.order.clone().into_iter().enumerate() {
            let far: Vec<(usize, usize)> = self
                .makers(id)
                .map(|maker| self.node(maker).distance)
                .collect();
            let near = far.iter().map(|(near, _)| near + 1).min();
            let far = far.iter().map(|(_, far)| far + 1).max();
            let node = &mut self.nodes[id.0 as usize];
            node.order = Some(number);
            node.distance = (near.unwrap_or(0), far.unwrap_or(0));
        }
    }

    /// Returns whether a node of `to` depends on a node of `from`, through any number of nodes.
    ///
    /// Nodes before the first node of `from` are not visited.
    #[must_use]
    pub fn reaches(&self, from: &[NodeId], to: &[NodeId]) -> bool {
        let order = |id: &NodeId| self.node(*id).order;
        let first = from.iter().filter_map(order).min();
        let last = to.iter().filter_map(order).max();
        let (Some(first), Some(last)) = (first, last) else {
            return false;
        };
        if last <= first {
            return false;
        }
        let mut seen = FxHashSet::default();
        let mut open = to.to_vec();
        while let Some(id) = open.pop() {
            for maker in self.makers(id) {
                if from.contains(&maker) {
                    return true;
                }
                if order(&maker).is_some_and(|order| order > first) && seen.insert(maker) {
                    open.push(maker);
                }
            }
        }
        false
    }
}

/// Returns items in topological order by `needs`. Independent items keep their order.
pub(super) fn sort<T: Copy + Eq + std::hash::Hash>(
    items: &[T],
    is_known: impl Fn(T) -> bool,
    needs: impl Fn(T) -> Vec<T>,
) -> Vec<T> {
    let mut seen = FxHashSet::default();
    let mut sorted = Vec::with_capacity(items.len());
    for item in items {
        if !seen.insert(*item) {
            continue;
        }
        let mut open = vec![(*item, needs(*item).into_iter())];
        while let Some((item, rest)) = open.last_mut() {
            match rest.next() {
                Some(next) => {
                    if is_known(next) && seen.insert(next) {
                        open.push((next, needs(next).into_iter()));
                    }
                }
                None => {
                    sorted.push(*item);
                    open.pop();
                }
            }
        }
    }
    sorted
}

/// Users of buffers during the search. A buffer within another one shares its users.
struct Users {
    /// Where the users of each buffer are.
    shared: Vec<usize>,
    lists: Vec<Vec<User>>,
    seen: FxHashSet<(usize, User)>,
}

impl Users {
    fn new(program: &Program) -> Self {
        let mut shared: Vec<usize> = (0..program.buffers.len()).collect();
        let mut roots: FxHashMap<BufferId, usize> = FxHashMap::default();
        for (number, buffer) in program.buffers.iter().enumerate() {
            for alias in &buffer.aliases {
                let root = *roots.entry(*alias).or_insert(alias.0 as usize);
                shared[number] = root;
            }
        }
        Self {
            lists: vec![Vec::new(); shared.len()],
            shared,
            seen: FxHashSet::default(),
        }
    }

    fn add(&mut self, buffer: BufferId, node: Option<NodeId>, in_place: bool, is_weak: bool) {
        let list = self.shared[buffer.0 as usize];
        let user = User {
            node,
            in_place,
            is_weak,
        };
        if self.seen.insert((list, user)) {
            self.lists[list].push(user);
        }
    }

    fn users(&self, buffer: BufferId) -> &[User] {
        &self.lists[self.shared[buffer.0 as usize]]
    }

    /// Returns the users of each buffer, each node once. A user is in place if all its uses of the buffer are in place,
    /// and weak if all are weak.
    fn finish(self) -> Vec<Vec<User>> {
        let merged = self.lists.into_iter().map(|list| {
            let mut places: FxHashMap<Option<NodeId>, usize> = FxHashMap::default();
            let mut merged: Vec<User> = Vec::new();
            for user in list {
                let place = *places.entry(user.node).or_insert(merged.len());
                match merged.get_mut(place) {
                    Some(listed_user) => {
                        listed_user.in_place &= user.in_place;
                        listed_user.is_weak &= user.is_weak;
                    }
                    None => merged.push(user),
                }
            }
            merged
        });
        let lists: Vec<Vec<User>> = merged.collect();
        let shared = self.shared.into_iter();
        shared.map(|list| lists[list].clone()).collect()
    }
}
