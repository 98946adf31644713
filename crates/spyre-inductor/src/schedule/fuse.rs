//! Which nodes run together, as PyTorch's scheduler decides it: in rounds, the pairs that save most memory traffic first.

mod backend;
mod score;

use std::mem;
use std::rc::Rc;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};
use spyre_index_expr::{Expr, Overflow};

pub use score::Score;

use super::Policy;
use super::deps::{Accesses, Dep};
use super::graph::{Graph, sort};
use super::nest::Simpler;
use super::order;
use super::program::{BufferId, NodeId, NodeKind};

/// The most rounds.
const ROUNDS: usize = 10;

/// The number of later users of a buffer that are tried as partners of each user.
const WINDOW: usize = 64;

/// The most nodes of a kernel.
const LARGEST: usize = 64;

/// The fewest bytes that two nodes without dependence have to share.
const FEWEST_BYTES: i64 = 10;

/// The most nodes between two that do not depend on each other.
const FARTHEST: usize = 64;

/// The most elements of memory per byte of saved traffic.
const MEMORY_FACTOR: i64 = 32;

/// The nodes of a kernel.
pub type Nodes = Rc<[NodeId]>;

/// Nodes that run together.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// The nodes, in order.
    pub nodes: Nodes,
    /// The loop nests that share their outer loops, if that is how they run together.
    pub outer: Option<Outer>,
    /// The extents of the parallel loops, and of the reduced loops.
    pub group: Group,
    /// Whether a node of it reduces.
    pub is_reduction: bool,
    /// The numbers of its first and of its last node.
    pub order: (usize, usize),
    /// The dependences that it reads and does not make.
    pub reads: Vec<Dep>,
    /// The dependences that it makes.
    pub writes: Vec<Dep>,
    /// The dependences that it needs and other kernels make.
    pub unmet: Vec<Dep>,
}

/// The extents of the parallel loops, and of the reduced loops.
pub type Group = (Vec<Expr>, Vec<Expr>);

/// Loop nests that share their outer loops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outer {
    /// The number of shared loops.
    pub depth: usize,
    /// The nodes of each nest.
    pub parts: Vec<Nodes>,
}

/// A round of fusion.
#[derive(Debug, Clone, Default)]
pub struct Round {
    /// The number of kernels before it.
    pub kernels: usize,
    /// The pairs that may run together, the best first.
    pub candidates: Vec<(Nodes, Nodes, Score)>,
    /// The pairs that run together from then on.
    pub fused: Vec<(Nodes, Nodes)>,
    /// The pairs that may not.
    pub refused: Vec<(Nodes, Nodes, Refusal)>,
}

/// The reason why two kernels are not fused.
#[derive(Debug, Clone, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Refusal {
    /// The second one has to be first.
    #[error("node1 must go before node2")]
    Reversed,
    /// They have no access in common.
    #[error("no shared data")]
    Apart,
    /// The kernel would have too many nodes.
    #[error("exceeds max fusion")]
    TooLarge,
    /// The memory of buffers could not be reused.
    #[error("Fusion will increase peak memory")]
    PeakMemory,
    /// The second reads other elements than the first writes.
    #[error("memory deps did not match")]
    Mismatch,
    /// The second needs a node that needs the first.
    #[error("intermediate nodes between node1 & node2")]
    Between,
    /// The two nodes share too few bytes.
    #[error("score_fusion_memory_threshold")]
    Little,
    /// Too many nodes are between the two nodes.
    #[error("Nodes are too far away. Fusing them may increase peak memory.")]
    Far,
    /// A path leads from one to the other through other kernels.
    #[error("will create cycle")]
    Cycle,
    /// The numbers of iterations differ.
    #[error("{0}")]
    Iterations(String),
    /// The loops do not match. PyTorch has no message for it.
    #[error("the loops differ")]
    Loops,
}

/// The decisions about a program.
#[derive(Debug, Clone)]
pub struct Fused {
    /// The kernels, in order.
    pub kernels: Vec<Kernel>,
    /// The rounds, in order.
    pub rounds: Vec<Round>,
    /// The nodes with loops that were simplified again, to match a partner.
    pub changed: Vec<NodeId>,
}

/// A dependence, by its number.
type DepId = u32;

/// Dependences, of which most kernels have few.
type DepIds = SmallVec<[DepId; 4]>;

/// A kernel, by its number.
type KernelId = usize;

/// Nodes while they are fused.
struct State {
    nodes: Nodes,
    outer: Option<Outer>,
    /// The loops of the node that reduces, or of the first one.
    loops: Option<Rc<Simpler>>,
    is_reduction: bool,
    order: (usize, usize),
    reads: DepIds,
    writes: DepIds,
    unmet: DepIds,
    /// The dependences of its reads and writes, sorted.
    accesses: DepIds,
    /// Whether it is a loop nest, or several.
    has_loops: bool,
}

impl State {
    /// Returns the extents of its parallel loops and of its reduced loops.
    fn group(&self) -> (&[Expr], &[Expr]) {
        groups(self.loops.as_deref())
    }
}

/// Returns the extents of the parallel loops and of the reduced loops.
fn groups(loops: Option<&Simpler>) -> (&[Expr], &[Expr]) {
    loops.map_or_else(Default::default, |loops| loops.nest.groups())
}

/// The dependences of one node.
#[derive(Clone, Default)]
struct Leaf {
    reads: DepIds,
    writes: DepIds,
    unmet: DepIds,
}

/// Decides which nodes run together.
///
/// # Errors
/// A number is too large.
pub fn fuse(graph: &mut Graph<'_>, policy: Policy) -> Result<Fused, Overflow> {
    let mut fusion = Fusion::new(graph, policy);
    let mut kernels: Vec<KernelId> = (0..fusion.kernels.len()).collect();
    for _ in 0..ROUNDS {
        let before = kernels.len();
        kernels = fusion.round(kernels)?;
        if kernels.len() == before || kernels.len() == 1 {
            break;
        }
    }
    // PyTorch tries once more, with other orders of loops on devices that are not of interest here.
    kernels = fusion.round(kernels)?;
    Ok(fusion.finish(&kernels))
}

struct Fusion<'g, 'p> {
    graph: &'g mut Graph<'p>,
    policy: Policy,
    deps: Vec<Dep>,
    bytes: Vec<i64>,
    ids: FxHashMap<Dep, DepId>,
    leaves: Vec<Leaf>,
    kernels: Vec<State>,
    /// The kernel of each node.
    kernel_of_node: Vec<KernelId>,
    rounds: Vec<Round>,
    changed: Vec<NodeId>,
    /// The number of changes of the loops of a node.
    refits: usize,
}

impl<'g, 'p> Fusion<'g, 'p> {
    fn new(graph: &'g mut Graph<'p>, policy: Policy) -> Self {
        let count = graph.nodes.len();
        let order = graph.order.clone();
        let mut fusion = Self {
            graph,
            policy,
            deps: Vec::new(),
            bytes: Vec::new(),
            ids: FxHashMap::with_capacity_and_hasher(2 * count, FxBuildHasher),
            leaves: vec![Leaf::default(); count],
            kernels: Vec::with_capacity(order.len()),
            kernel_of_node: vec![usize::MAX; count],
            rounds: Vec::new(),
            changed: Vec::new(),
            refits: 0,
        };
        for id in order {
            fusion.read_leaf(id);
            let state = fusion.state(&[id], None);
            fusion.kernel_of_node[id.0 as usize] = fusion.kernels.len();
            fusion.kernels.push(state);
        }
        fusion
    }

    /// Returns the number of a dependence.
    fn dep(&mut self, dep: &Dep) -> DepId {
        if let Some(id) = self.ids.get(dep) {
            return *id;
        }
        let id = DepId::try_from(self.deps.len()).expect("dependences are counted");
        self.ids.insert(dep.clone(), id);
        self.bytes.push(dep.bytes(self.graph.program));
        self.deps.push(dep.clone());
        id
    }

    fn buffer(&self, dep: DepId) -> BufferId {
        self.deps[dep as usize].buffer()
    }

    fn maker(&self, dep: DepId) -> Option<NodeId> {
        self.graph.program[self.buffer(dep)].maker
    }

    /// Reads the dependences of a node.
    fn read_leaf(&mut self, id: NodeId) {
        let node = &mut self.graph.nodes[id.0 as usize];
        let (own_reads, own_writes) = (mem::take(&mut node.reads), mem::take(&mut node.writes));
        let reads: DepIds = own_reads.iter().map(|dep| self.dep(dep)).collect();
        let unmet = reads.iter().copied();
        let unmet = unmet.filter(|dep| self.maker(*dep).is_some()).collect();
        let writes = own_writes.iter().map(|dep| self.dep(dep)).collect();
        let node = &mut self.graph.nodes[id.0 as usize];
        (node.reads, node.writes) = (own_reads, own_writes);
        self.leaves[id.0 as usize] = Leaf {
            reads,
            writes,
            unmet,
        };
    }

    /// Returns the kernel of some nodes.
    fn state(&self, nodes: &[NodeId], outer: Option<Outer>) -> State {
        let leaves = || nodes.iter().map(|id| &self.leaves[id.0 as usize]);
        let writes = union(leaves().map(|leaf| leaf.writes.as_slice()));
        let is_write = |dep: &DepId| writes.contains(dep);
        let mut reads = union(leaves().map(|leaf| leaf.reads.as_slice()));
        let mut unmet = union(leaves().map(|leaf| leaf.unmet.as_slice()));
        if nodes.len() > 1 {
            reads.retain(|dep| !is_write(dep));
            let outputs: FxHashSet<BufferId> = self.outputs(nodes).collect();
            unmet.retain(|dep| !is_write(dep) && !outputs.contains(&self.buffer(*dep)));
        }
        let mut accesses: DepIds = reads.iter().chain(&writes).copied().collect();
        accesses.sort_unstable();
        accesses.dedup();
        let order = |id: &NodeId| {
            let order = self.graph.node(*id).order;
            order.expect("a node that is left has a number")
        };
        let first = nodes.iter().map(order).min();
        let last = nodes.iter().map(order).max();
        let main = self.main(nodes);
        State {
            loops: self.graph.node(main).loops.clone(),
            is_reduction: self.reduces(main),
            order: (first.unwrap_or(0), last.unwrap_or(0)),
            has_loops: self.graph.node(nodes[0]).loops.is_some(),
            nodes: nodes.into(),
            outer,
            reads,
            writes,
            unmet,
            accesses,
        }
    }

    fn outputs(&self, nodes: &[NodeId]) -> impl Iterator<Item = BufferId> {
        let program = self.graph.program;
        nodes
            .iter()
            .flat_map(|id| program[*id].makes.iter().copied())
    }

    fn reduces(&self, id: NodeId) -> bool {
        let loops = self.graph.program.loops_of(id);
        loops.is_some_and(|loops| loops.is_reduction)
    }

    /// Returns the first node that reduces, or the first one.
    fn main(&self, nodes: &[NodeId]) -> NodeId {
        let reduces = nodes.iter().find(|id| self.reduces(**id));
        *reduces.unwrap_or(&nodes[0])
    }

    /// Returns the extents of the parallel loops and of the reduced loops of a node.
    fn group(&self, id: NodeId) -> (&[Expr], &[Expr]) {
        groups(self.graph.node(id).loops.as_deref())
    }

    fn kernel_of(&self, node: NodeId) -> KernelId {
        self.kernel_of_node[node.0 as usize]
    }

    fn nodes(&self, id: KernelId) -> Nodes {
        Rc::clone(&self.kernels[id].nodes)
    }

    /// Fuses pairs among some kernels, and returns the resulting kernels, in order.
    fn round(&mut self, kernels: Vec<KernelId>) -> Result<Vec<KernelId>, Overflow> {
        for kernel in &kernels {
            self.prune(*kernel);
        }
        let mut round = Round {
            kernels: kernels.len(),
            ..Round::default()
        };
        let candidates = self.candidates(&kernels, &mut round);
        round.candidates = candidates
            .iter()
            .map(|(a, b, score)| (self.nodes(*a), self.nodes(*b), *score))
            .collect();
        for (a, b, _) in candidates {
            let (a, b) = (self.now(a), self.now(b));
            if self.check(a, b, &mut round) && !self.makes_cycle(a, b, &mut round) {
                round.fused.push((self.nodes(a), self.nodes(b)));
                self.fuse_two(a, b)?;
            }
        }
        self.rounds.push(round);
        // No two kernels have the same first node.
        let mut left: Vec<KernelId> = kernels.iter().map(|kernel| self.now(*kernel)).collect();
        left.sort_by_key(|kernel| self.kernels[*kernel].order.0);
        left.dedup();
        Ok(self.sorted(&left))
    }

    /// Returns the current kernel of the nodes of a kernel.
    fn now(&self, kernel: KernelId) -> KernelId {
        self.kernel_of(self.kernels[kernel].nodes[0])
    }

    /// Returns kernels in topological order: each after the kernels that write its operands.
    fn sorted(&self, kernels: &[KernelId]) -> Vec<KernelId> {
        let kernel_ids: FxHashSet<KernelId> = kernels.iter().copied().collect();
        let needs = |kernel: KernelId| {
            let unmet = self.kernels[kernel].unmet.iter();
            let mut needs: Vec<(&str, KernelId)> = unmet
                .filter_map(|dep| {
                    let buffer = &self.graph.program[self.buffer(*dep)];
                    Some((buffer.name.as_str(), self.kernel_of(buffer.maker?)))
                })
                .collect();
            needs.sort_by_key(|(name, _)| *name);
            needs.into_iter().map(|(_, kernel)| kernel).collect()
        };
        sort(kernels, |kernel| kernel_ids.contains(&kernel), needs)
    }

    /// Removes the orders that follow from other dependences.
    fn prune(&mut self, kernel: KernelId) {
        let nodes = self.nodes(kernel);
        let is_weak = |dep: &DepId| matches!(self.deps[*dep as usize], Dep::Weak { .. });
        if !self.kernels[kernel].unmet.iter().any(is_weak) {
            return;
        }
        let kernel_of_dep = |dep: DepId| self.maker(dep).map(|maker| self.kernel_of(maker));
        let unmet = &self.kernels[kernel].unmet;
        let needed: FxHashSet<KernelId> = unmet
            .iter()
            .filter(|dep| !is_weak(dep))
            .filter_map(|dep| kernel_of_dep(*dep))
            .collect();
        let redundant: FxHashSet<DepId> = unmet
            .iter()
            .copied()
            .filter(|dep| {
                let Some(producer_kernel) = kernel_of_dep(*dep).filter(|_| is_weak(dep)) else {
                    return false;
                };
                producer_kernel == kernel
                    || needed.contains(&producer_kernel)
                        && self.acts_in_place(*dep, producer_kernel, kernel)
            })
            .collect();
        let is_left = |dep: &mut DepId| !redundant.contains(dep);
        let state = &mut self.kernels[kernel];
        state.unmet.retain(is_left);
        state.reads.retain(is_left);
        state.accesses.retain(is_left);
        for node in nodes.iter() {
            let leaf = &mut self.leaves[node.0 as usize];
            leaf.unmet.retain(is_left);
            leaf.reads.retain(is_left);
        }
    }

    /// Returns the pairs that may run together, the best first.
    fn candidates(
        &self,
        kernels: &[KernelId],
        round: &mut Round,
    ) -> Vec<(KernelId, KernelId, Score)> {
        let mut groups: Vec<SmallVec<[KernelId; 4]>> = Vec::new();
        // The group of each buffer that is used, and the last kernel in it.
        let mut last_uses: Vec<Option<(usize, KernelId)>> =
            vec![None; self.graph.program.buffers.len()];
        for kernel in kernels {
            // External kernels run alone, except in a hint scope.
            let scope = self.graph.program[self.kernels[*kernel].nodes[0]].scope;
            let is_free = match self.policy {
                Policy::Spyre => scope.is_some(),
                _ => self.kernels[*kernel].has_loops,
            };
            if !is_free {
                continue;
            }
            for node in self.kernels[*kernel].nodes.iter() {
                let leaf = &self.leaves[node.0 as usize];
                for dep in leaf.reads.iter().chain(&leaf.writes) {
                    let last_use = &mut last_uses[self.buffer(*dep).0 as usize];
                    let group = match *last_use {
                        Some((_, last)) if last == *kernel => continue,
                        Some((group, _)) => group,
                        None => {
                            groups.push(SmallVec::new());
                            groups.len() - 1
                        }
                    };
                    *last_use = Some((group, *kernel));
                    groups[group].push(*kernel);
                }
            }
        }
        let mut seen = FxHashSet::with_capacity_and_hasher(kernels.len(), FxBuildHasher);
        let mut pairs: Vec<(KernelId, KernelId, Score)> = Vec::new();
        for group in groups {
            for (place, a) in group.iter().enumerate() {
                for b in group[place + 1..].iter().take(WINDOW) {
                    if seen.insert((*a, *b)) && self.check(*a, *b, round) {
                        pairs.push((*a, *b, self.score(*a, *b)));
                    }
                }
            }
        }
        let priority = |(a, b, _): &(KernelId, KernelId, Score)| self.priority(*a, *b);
        let best = pairs.iter().map(priority).min();
        pairs.retain(|pair| Some(priority(pair)) == best);
        // The best first; equal ones keep their order.
        pairs.reverse();
        order::sort(&mut pairs, |a, b| a.2.is_below(&b.2));
        pairs.reverse();
        pairs
    }

    /// Returns whether two kernels may run together. Otherwise, the round has the reason.
    fn check(&self, a: KernelId, b: KernelId, round: &mut Round) -> bool {
        if a == b {
            return false;
        }
        match self.refusal(a, b) {
            None => true,
            Some(err) => {
                round.refused.push((self.nodes(a), self.nodes(b), err));
                false
            }
        }
    }

    fn refusal(&self, a: KernelId, b: KernelId) -> Option<Refusal> {
        let (one, two) = (&self.kernels[a], &self.kernels[b]);
        if self.graph.reaches(&two.nodes, &one.nodes) {
            return Some(Refusal::Reversed);
        }
        if self.policy == Policy::Spyre {
            return self.scopes_differ(a, b).then_some(Refusal::Loops);
        }
        let shared = self.shared_bytes(a, b);
        if shared == 0 {
            return Some(Refusal::Apart);
        }
        if one.nodes.len() + two.nodes.len() > LARGEST {
            return Some(Refusal::TooLarge);
        }
        if self.reused_elements(a, b) > MEMORY_FACTOR * shared {
            return Some(Refusal::PeakMemory);
        }
        if self.graph.reaches(&one.nodes, &two.nodes) {
            return self
                .cannot_follow(a, b)
                .or_else(|| self.backend_refuses(a, b, true));
        }
        if shared < FEWEST_BYTES {
            return Some(Refusal::Little);
        }
        if distance(one.order, two.order) > FARTHEST {
            return Some(Refusal::Far);
        }
        self.backend_refuses(a, b, false)
    }

    /// Returns why a kernel cannot run after another one in the same loops.
    fn cannot_follow(&self, a: KernelId, b: KernelId) -> Option<Refusal> {
        let (one, two) = (&self.kernels[a], &self.kernels[b]);
        let mut left: SmallVec<[(BufferId, DepIds); 2]> = SmallVec::new();
        for dep in &two.unmet {
            let is_weak = matches!(self.deps[*dep as usize], Dep::Weak { .. });
            if is_weak && self.acts_in_place(*dep, a, b) {
                continue;
            }
            let buffer = self.buffer(*dep);
            match left.iter_mut().find(|(buffer_id, _)| *buffer_id == buffer) {
                Some((_, deps)) => deps.push(*dep),
                None => left.push((buffer, smallvec![*dep])),
            }
        }
        for write in &one.writes {
            let buffer = self.buffer(*write);
            let Some((_, reads)) = left.iter_mut().find(|(buffer_id, _)| *buffer_id == buffer)
            else {
                continue;
            };
            // PyTorch removes reads from a list while it iterates over the list, which skips the next element; so does
            // this loop.
            let mut place = 0;
            while place < reads.len() {
                if self.follows(reads[place], *write) {
                    reads.remove(place);
                }
                place += 1;
            }
        }
        left.retain(|(_, deps)| !deps.is_empty());
        let maker = |buffer: BufferId| {
            let maker = self.graph.program[buffer].maker;
            maker.expect("what is unmet has a maker")
        };
        if left
            .iter()
            .any(|(buffer, _)| self.kernel_of(maker(*buffer)) == a)
        {
            return Some(Refusal::Mismatch);
        }
        let is_between = left.iter().any(|(buffer, _)| {
            let maker = maker(*buffer);
            let between = &self.kernels[self.kernel_of(maker)].nodes;
            self.graph.reaches(&one.nodes, between)
        });
        is_between.then_some(Refusal::Between)
    }

    /// Returns whether a read has exactly the elements that the write stores in the same iteration.
    fn follows(&self, read: DepId, write: DepId) -> bool {
        match (&self.deps[read as usize], &self.deps[write as usize]) {
            (Dep::Memory(_, read), Dep::Memory(_, write)) => {
                !read.is_indirect()
                    && !write.is_indirect()
                    && write.mode.is_none()
                    && read.index == write.index
                    && read.loops.starts_with(&write.loops)
            }
            (Dep::Star(_, read), Dep::Memory(_, write)) => {
                write.mode.is_some() && *read == write.mode
            }
            _ => false,
        }
    }

    /// Returns whether a kernel overwrites a buffer at the indices where another one reads it, so that both may be
    /// fused.
    fn acts_in_place(&self, weak: DepId, a: KernelId, b: KernelId) -> bool {
        let Dep::Weak {
            buffer,
            overwriting,
            ..
        } = self.deps[weak as usize]
        else {
            unreachable!("an order is a weak dependence")
        };
        let (one, two) = (&self.kernels[a], &self.kernels[b]);
        if !self.outputs(&one.nodes).any(|output| output == buffer) {
            return false;
        }
        let mut writes = two.writes.iter().map(|dep| &self.deps[*dep as usize]);
        let mut writes = writes.by_ref().filter(|dep| dep.buffer() == overwriting);
        let (Some(Dep::Memory(_, write)), None) = (writes.next(), writes.next()) else {
            return false;
        };
        let is_everywhere = (0..write.loops.len()).all(|dim| write.index.has_loop(dim));
        if write.is_indirect() || !is_everywhere {
            return false;
        }
        let memory = self.graph.program.memory(overwriting);
        let reads = one.reads.iter().map(|dep| &self.deps[*dep as usize]);
        let mut reads = reads.filter(|dep| dep.buffer() == memory);
        reads.all(|dep| match dep {
            Dep::Memory(_, read) => {
                !read.is_indirect() && read.index == write.index && read.loops == write.loops
            }
            _ => false,
        })
    }

    /// Returns whether a path leads from one of two kernels to the other through others.
    fn makes_cycle(&self, a: KernelId, b: KernelId, round: &mut Round) -> bool {
        let first = self.kernels[a].order.0.min(self.kernels[b].order.0);
        let mut seen = FxHashSet::default();
        let mut open = vec![a, b];
        let mut is_cycle = false;
        while let Some(kernel) = open.pop() {
            for dep in &self.kernels[kernel].unmet {
                let Some(maker) = self.maker(*dep) else {
                    continue;
                };
                let needed = self.kernel_of(maker);
                let is_end = needed == a || needed == b;
                let is_start = kernel == a || kernel == b;
                is_cycle |= is_end && !is_start;
                if !is_end && self.kernels[needed].order.1 > first && seen.insert(needed) {
                    open.push(needed);
                }
            }
        }
        if is_cycle {
            round
                .refused
                .push((self.nodes(a), self.nodes(b), Refusal::Cycle));
        }
        is_cycle
    }

    /// Fuses two kernels.
    fn fuse_two(&mut self, a: KernelId, b: KernelId) -> Result<(), Overflow> {
        let refits = self.refits;
        self.fit(a, b)?;
        let outer = self.outer(a, b);
        let state = if self.refits == refits {
            self.merged(a, b, outer)
        } else {
            let (one, two) = (self.nodes(a), self.nodes(b));
            let nodes: Vec<NodeId> = one.iter().chain(two.iter()).copied().collect();
            self.state(&nodes, outer)
        };
        let new = self.kernels.len();
        for node in state.nodes.iter() {
            self.kernel_of_node[node.0 as usize] = new;
        }
        self.kernels.push(state);
        Ok(())
    }

    /// Returns the kernel of two kernels with unchanged nodes, as [`Self::state`] does, in a time that does not depend
    /// on the number of nodes.
    fn merged(&self, a: KernelId, b: KernelId, outer: Option<Outer>) -> State {
        let (one, two) = (&self.kernels[a], &self.kernels[b]);
        let writes = union([one, two].into_iter().map(|state| state.writes.as_slice()));
        let is_write = |dep: &DepId| writes.contains(dep);
        let mut reads = union([one, two].into_iter().map(|state| state.reads.as_slice()));
        let mut unmet = union([one, two].into_iter().map(|state| state.unmet.as_slice()));
        reads.retain(|dep| !is_write(dep));
        unmet.retain(|dep| {
            let maker = self.maker(*dep).map(|maker| self.kernel_of(maker));
            !is_write(dep) && maker != Some(a) && maker != Some(b)
        });
        let grouped = if two.is_reduction && !one.is_reduction {
            two
        } else {
            one
        };
        State {
            loops: grouped.loops.clone(),
            is_reduction: one.is_reduction || two.is_reduction,
            order: (one.order.0.min(two.order.0), one.order.1.max(two.order.1)),
            has_loops: one.has_loops,
            nodes: one.nodes.iter().chain(two.nodes.iter()).copied().collect(),
            outer,
            reads,
            writes,
            unmet,
            accesses: sorted_union(&one.accesses, &two.accesses),
        }
    }

    /// Simplifies the loops of a node again, under the further constraints.
    fn refit(&mut self, id: NodeId, constraints: &[Expr]) -> Result<(), Overflow> {
        let program = self.graph.program;
        let NodeKind::Loops {
            loops,
            reads: buffers,
        } = &program[id].kind
        else {
            unreachable!("only loop nests are made simpler")
        };
        let nest = &program[*loops].nest;
        let formulas: Vec<&Expr> = nest.formulas().collect();
        let mut others: Vec<Expr> = Vec::new();
        for expr in constraints {
            if !formulas.contains(&expr) && !others.contains(expr) {
                others.push(expr.clone());
            }
        }
        let simpler = nest.simpler(program, &others)?;
        let accesses = Accesses::from_nest(&simpler.nest)?;
        let mut reads = accesses.reads(buffers);
        let node = &mut self.graph.nodes[id.0 as usize];
        let others = node.reads.iter();
        reads.extend(
            others
                .filter(|dep| !matches!(dep, Dep::Memory(..)))
                .cloned(),
        );
        node.loops = Some(Rc::new(simpler));
        node.reads = reads;
        node.writes = accesses.writes(program[id].makes[0]);
        self.read_leaf(id);
        self.refits += 1;
        if !self.changed.contains(&id) {
            self.changed.push(id);
        }
        Ok(())
    }

    fn finish(self, kernels: &[KernelId]) -> Fused {
        let deps = |list: &[DepId]| {
            list.iter()
                .map(|dep| self.deps[*dep as usize].clone())
                .collect()
        };
        let kernels = kernels.iter().map(|kernel| {
            let state = &self.kernels[*kernel];
            Kernel {
                nodes: Rc::clone(&state.nodes),
                outer: state.outer.clone(),
                group: {
                    let (parallel, reduced) = state.group();
                    (parallel.to_vec(), reduced.to_vec())
                },
                is_reduction: state.is_reduction,
                order: state.order,
                reads: deps(&state.reads),
                writes: deps(&state.writes),
                unmet: deps(&state.unmet),
            }
        });
        Fused {
            kernels: kernels.collect(),
            rounds: self.rounds,
            changed: self.changed,
        }
    }
}

/// Returns the largest distance between the ends of two ranges of nodes.
fn distance(one: (usize, usize), two: (usize, usize)) -> usize {
    one.0.abs_diff(two.1).max(two.0.abs_diff(one.1))
}

/// Returns the dependences of some lists, each once, in the order in which they come first.
fn union<'a>(lists: impl Iterator<Item = &'a [DepId]>) -> DepIds {
    let mut all = DepIds::new();
    for list in lists {
        // The elements of one list differ.
        let before = all.len();
        if before == 0 {
            all.extend_from_slice(list);
            continue;
        }
        for dep in list {
            if !all[..before].contains(dep) {
                all.push(*dep);
            }
        }
    }
    all
}

/// Returns the dependences of two sorted lists, each once, sorted.
fn sorted_union(one: &[DepId], two: &[DepId]) -> DepIds {
    let mut all = DepIds::with_capacity(one.len() + two.len());
    let mut rest = one;
    for dep in two {
        let before = rest.partition_point(|id| id < dep);
        all.extend_from_slice(&rest[..before]);
        all.push(*dep);
        rest = &rest[before..];
        rest = rest.strip_prefix(&[*dep]).unwrap_or(rest);
    }
    all.extend_from_slice(rest);
    all
}
