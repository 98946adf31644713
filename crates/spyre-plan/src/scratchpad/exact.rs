//! Placement with the least traffic: best-first search over the spilled buffers, with an exact packing of the others.
//!
//! Buffers that are never alive at the same time, and are not connected through others, are independent, so each
//! connected group is placed alone. In a group, the search goes from no spilled buffer to more of them, in the order of
//! a lower bound on the traffic: in a step with more buffers than fit, the cheapest bytes are spilled. The first set of
//! spilled buffers that leaves a [packing](super::pack) costs the least.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use spyre_layout::Bytes;

use super::pack::{Block, Packing, pack};
use super::{Buffer, Placement, best_fit, first_fit, greedy, spill_traffic};

/// The nodes that [`place`](super::place) gives the exact solver: less than a second for real programs.
pub const NODES: u64 = 1 << 18;

/// The largest number of buffers in a group that is searched, since the depth of the search is this number. A larger
/// group has the placements of the best heuristic, and the bound 0.
const LARGEST: usize = 1024;

/// Placements, and how good they can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exact {
    /// The place of each buffer, in the order given.
    pub placements: Vec<Placement>,
    /// Traffic that no placements can avoid.
    pub bound: Bytes,
    /// Nodes that the search has visited.
    pub nodes: u64,
}

impl Exact {
    /// Returns the traffic above the bound: 0 for placements that are known to be the best.
    #[must_use]
    pub fn gap(&self, buffers: &[Buffer]) -> Bytes {
        let traffic = spill_traffic(buffers, &self.placements).get();
        Bytes(traffic.saturating_sub(self.bound.get()))
    }
}

/// Places buffers with the least [traffic](spill_traffic), at multiples of `align` (0 counts as 1) below `capacity`.
///
/// Visits at most `nodes` nodes, so the result is the same on every machine; a node is one buffer in one partial
/// placement. If that is not enough, the result has the best known placements, which are never worse than the
/// placements of [`greedy`], [`first_fit`] and [`best_fit`], with a bound below their traffic. Where one of these is
/// optimal, its addresses are the result, first fit before the others.
#[must_use]
pub fn exact(buffers: &[Buffer], capacity: Bytes, align: Bytes, nodes: u64) -> Exact {
    let solutions = [
        first_fit(buffers, capacity, align),
        best_fit(buffers, capacity, align),
        greedy(buffers, capacity, align),
    ];
    let mut result = Exact {
        placements: solutions[0].clone(),
        bound: Bytes::ZERO,
        nodes: 0,
    };
    let groups = groups(buffers);
    let mut left = nodes;
    for (number, members) in groups.iter().enumerate() {
        let traffic = |placements: &[Placement]| {
            let spilled = members
                .iter()
                .filter(|&&id| placements[id] == Placement::Spilled);
            spilled.fold(0u64, |sum, &id| sum.saturating_add(buffers[id].traffic()))
        };
        // The first of equals stays.
        let best = solutions
            .iter()
            .min_by_key(|placements| traffic(placements));
        let best = best.expect("there are three heuristics");
        let most = traffic(best);
        for &id in members {
            result.placements[id] = best[id];
        }
        let share = left / u64::try_from(groups.len() - number).expect("a length is a number");
        let mut budget = share;
        let (best_placements, bound) = if most == 0 || members.len() > LARGEST {
            (None, 0)
        } else {
            let search = Search {
                group: &Group::new(buffers, members, capacity.get(), align.get().max(1)),
                most,
                budget: &mut budget,
                states: Vec::new(),
                queue: BinaryHeap::new(),
            };
            search.run()
        };
        left -= share - budget;
        for (&id, placement) in members.iter().zip(best_placements.into_iter().flatten()) {
            result.placements[id] = placement;
        }
        result.bound = Bytes(result.bound.get().saturating_add(bound));
    }
    result.nodes = nodes - left;
    result
}

/// Returns groups of buffers that live and take room, such that buffers of two groups are never alive at the same time.
fn groups(buffers: &[Buffer]) -> Vec<Vec<usize>> {
    let lives = |id: &usize| !buffers[*id].live.is_empty() && buffers[*id].size != Bytes::ZERO;
    let mut order: Vec<usize> = (0..buffers.len()).filter(lives).collect();
    order.sort_by_key(|&id| (buffers[id].live.start, id));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut end = 0;
    for id in order {
        let live = &buffers[id].live;
        match groups.last_mut() {
            Some(group) if live.start < end => group.push(id),
            _ => groups.push(vec![id]),
        }
        end = end.max(live.end);
    }
    groups
}

/// The decision about a buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Open,
    Kept,
    Spilled,
}

/// A search through sets of spilled buffers, by rising traffic.
struct Search<'a> {
    group: &'a Group,
    /// The traffic of the best placements that are known.
    most: u64,
    budget: &'a mut u64,
    /// The decisions of each state.
    states: Vec<Vec<Fate>>,
    /// The traffic that each state cannot avoid, and its number. Among equals the earliest comes first.
    queue: BinaryHeap<Reverse<(u64, usize)>>,
}

impl Search<'_> {
    /// Returns placements with less traffic than the known ones, if there are any, and the traffic that none can avoid.
    fn run(mut self) -> (Option<Vec<Placement>>, u64) {
        let fates = self.group.sizes.iter();
        let fates = fates.map(|size| match *size > self.group.capacity {
            true => Fate::Spilled,
            false => Fate::Open,
        });
        self.add(fates.collect());
        // The traffic of the first state of which it is not known whether its buffers have places.
        let mut unproven = None;
        while let Some(Reverse((bound, number))) = self.queue.pop() {
            let bound_of_all = unproven.unwrap_or(bound);
            if *self.budget == 0 {
                return (None, bound_of_all);
            }
            let fates = std::mem::take(&mut self.states[number]);
            let (_, crowded) = self.group.bound(&fates).expect("the state was possible");
            let branches = match crowded {
                Some(section) => self.group.alive[section].clone(),
                None => {
                    // Half of the remaining budget for one state: the others may be easier.
                    let share = self.budget.div_ceil(2);
                    let mut budget = share;
                    let placed = self.group.place(&fates, &mut budget);
                    *self.budget -= share - budget;
                    match placed {
                        Ok(placements) => return (Some(placements), bound_of_all),
                        Err(Proof::None) => unproven = Some(bound_of_all),
                        Err(Proof::Whole) => {}
                    }
                    (0..fates.len()).collect()
                }
            };
            self.branch(fates, branches);
        }
        (None, unproven.unwrap_or(self.most))
    }

    /// Adds the states in which one more of the given buffers is spilled, and the ones tried before it are kept.
    fn branch(&mut self, mut fates: Vec<Fate>, mut open: Vec<usize>) {
        open.retain(|&at| fates[at] == Fate::Open);
        open.sort_by_key(|&at| (self.group.costs[at], at));
        for at in open {
            let mut next = fates.clone();
            next[at] = Fate::Spilled;
            self.add(next);
            fates[at] = Fate::Kept;
        }
    }

    /// Adds a state, if it may lead to less traffic than the best known placement.
    fn add(&mut self, fates: Vec<Fate>) {
        let nodes = u64::try_from(fates.len()).expect("a length is a number");
        *self.budget = self.budget.saturating_sub(nodes);
        if let Some((bound, _)) = self.group.bound(&fates)
            && bound < self.most
        {
            self.queue.push(Reverse((bound, self.states.len())));
            self.states.push(fates);
        }
    }
}

/// The proof of a failed search for a placement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Proof {
    /// There is no placement.
    Whole,
    /// The budget was exhausted, so there is no proof.
    None,
}

/// Buffers that are placed together, by their position in the group.
struct Group {
    sizes: Vec<u64>,
    costs: Vec<u64>,
    /// The sections of time, which begin where a buffer starts to live, in which each buffer lives.
    sections: Vec<std::ops::Range<usize>>,
    /// The buffers that live in each section.
    alive: Vec<Vec<usize>>,
    /// The buffers that each one may overwrite.
    parents: Vec<Vec<usize>>,
    capacity: u64,
    align: u64,
}

impl Group {
    fn new(buffers: &[Buffer], members: &[usize], capacity: u64, align: u64) -> Self {
        let mut starts: Vec<u32> = members.iter().map(|&id| buffers[id].live.start).collect();
        starts.sort_unstable();
        starts.dedup();
        let section = |step: u32| starts.partition_point(|&start| start < step);
        let sections: Vec<_> = members
            .iter()
            .map(|&id| section(buffers[id].live.start)..section(buffers[id].live.end))
            .collect();
        let mut alive = vec![Vec::new(); starts.len()];
        for (at, sections) in sections.iter().enumerate() {
            sections.clone().for_each(|section| alive[section].push(at));
        }
        let parents = members.iter().map(|&id| {
            let child = &buffers[id];
            let old = child
                .may_overwrite
                .iter()
                .filter(|&&old| buffers.get(old).is_some_and(|old| child.can_overwrite(old)));
            // A parent lives with its child, so it is in the group if it has a size.
            let mut old: Vec<usize> = old
                .filter_map(|old| members.iter().position(|member| member == old))
                .collect();
            old.sort_unstable();
            old.dedup();
            old
        });
        Self {
            sizes: members.iter().map(|&id| buffers[id].size.get()).collect(),
            costs: members.iter().map(|&id| buffers[id].traffic()).collect(),
            alive,
            parents: parents.collect(),
            sections,
            capacity,
            align,
        }
    }

    /// Returns a lower bound on the traffic of a state, and the section with the highest spill cost, if one is too
    /// full; `None` if the kept buffers do not fit.
    fn bound(&self, fates: &[Fate]) -> Option<(u64, Option<usize>)> {
        let is_there = |at: usize| fates[at] != Fate::Spilled;
        let mut worst: (u64, Option<usize>) = (0, None);
        for (section, alive) in self.alive.iter().enumerate() {
            let mut load: u128 = 0;
            for &at in alive.iter().filter(|&&at| is_there(at)) {
                // For the bound, a buffer that may overwrite another one takes no additional bytes in that step.
                let shares = self.sections[at].start == section
                    && self.parents[at].iter().any(|&old| is_there(old));
                if !shares {
                    load += u128::from(self.sizes[at]);
                }
            }
            let Some(mut over) = load
                .checked_sub(u128::from(self.capacity))
                .filter(|over| *over > 0)
            else {
                continue; // The section is not too full.
            };
            let mut open: Vec<usize> = alive
                .iter()
                .copied()
                .filter(|&at| fates[at] == Fate::Open)
                .collect();
            // The cheapest bytes first.
            let rate = |at: usize| u128::from(self.costs[at]);
            open.sort_by(|&a, &b| {
                let (one, other) = (
                    rate(a) * u128::from(self.sizes[b]),
                    rate(b) * u128::from(self.sizes[a]),
                );
                one.cmp(&other).then(a.cmp(&b))
            });
            let mut cost: u128 = 0;
            for at in open {
                let size = u128::from(self.sizes[at]);
                if size >= over {
                    cost += rate(at) * over / size;
                    over = 0;
                    break;
                }
                cost += rate(at);
                over -= size;
            }
            if over > 0 {
                return None;
            }
            let cost = u64::try_from(cost).unwrap_or(u64::MAX); // More than any traffic counts as that.
            if worst.1.is_none() || cost > worst.0 {
                worst = (cost, Some(section));
            }
        }
        let spilled = (0..fates.len()).filter(|&at| !is_there(at));
        let spilled = spilled.fold(0u64, |sum, at| sum.saturating_add(self.costs[at]));
        Some((spilled.saturating_add(worst.0), worst.1))
    }

    /// Places all buffers that are not spilled. The error states whether it is proved that they have no placement.
    fn place(&self, fates: &[Fate], budget: &mut u64) -> Result<Vec<Placement>, Proof> {
        let mut children: Vec<usize> = (0..fates.len())
            .filter(|&at| fates[at] != Fate::Spilled && !self.parents[at].is_empty())
            .collect();
        children.sort_by_key(|&at| (self.sections[at].start, at));
        let mut over = vec![None; fates.len()];
        let mut taken = vec![false; fates.len()];
        let mut proof = Proof::Whole;
        let placements = self.choose(fates, &children, &mut over, &mut taken, budget, &mut proof);
        placements.ok_or(proof)
    }

    /// Chooses for each of the `children` which buffer it overwrites, if any, and places all.
    fn choose(
        &self,
        fates: &[Fate],
        children: &[usize],
        over: &mut Vec<Option<usize>>,
        taken: &mut Vec<bool>,
        budget: &mut u64,
        proof: &mut Proof,
    ) -> Option<Vec<Placement>> {
        let Some((&child, rest)) = children.split_first() else {
            return self.pack(fates, over, budget, proof);
        };
        for old in self.parents[child].iter().copied() {
            if taken[old] || fates[old] == Fate::Spilled {
                continue; // Its place is not to be had.
            }
            if *budget == 0 {
                *proof = Proof::None;
                return None;
            }
            *budget -= 1;
            (taken[old], over[child]) = (true, Some(old));
            let placements = self.choose(fates, rest, over, taken, budget, proof);
            (taken[old], over[child]) = (false, None);
            if placements.is_some() {
                return placements;
            }
        }
        // In the step in which it starts, it needs room in addition to the buffer that it could overwrite.
        if self.load(fates, over, children, self.sections[child].start) > u128::from(self.capacity)
        {
            return None;
        }
        self.choose(fates, rest, over, taken, budget, proof)
    }

    /// Returns a lower bound on the bytes of a section, where the first of the `open` children overwrites no buffer and
    /// the others take no room in the step in which they start.
    fn load(&self, fates: &[Fate], over: &[Option<usize>], open: &[usize], section: usize) -> u128 {
        let there = self.alive[section]
            .iter()
            .filter(|&&at| fates[at] != Fate::Spilled);
        let room = there.filter(|&&at| {
            let starts = self.sections[at].start == section;
            !(starts && (over[at].is_some() || open[1..].contains(&at)))
        });
        room.map(|&at| u128::from(self.sizes[at])).sum()
    }

    /// Places all buffers, where it is decided which are written over which.
    fn pack(
        &self,
        fates: &[Fate],
        over: &[Option<usize>],
        budget: &mut u64,
        proof: &mut Proof,
    ) -> Option<Vec<Placement>> {
        let mut block_of = vec![None; fates.len()];
        let mut blocks: Vec<Block> = Vec::new();
        let mut order: Vec<usize> = (0..fates.len())
            .filter(|&at| fates[at] != Fate::Spilled)
            .collect();
        // An overwritten buffer starts before the one that overwrites it.
        order.sort_by_key(|&at| (self.sections[at].start, at));
        for at in order {
            let sections = &self.sections[at];
            block_of[at] = Some(match over[at] {
                Some(old) => {
                    let block: usize = block_of[old].expect("a parent comes before its child");
                    // In the step of the parent's last use, the block has the parent's size.
                    let more = self.sections[at].end - self.sections[old].end;
                    let sizes = &mut blocks[block].sizes;
                    sizes.extend(std::iter::repeat_n(self.sizes[at], more));
                    block
                }
                None => {
                    blocks.push(Block {
                        first: sections.start,
                        sizes: vec![self.sizes[at]; sections.len()],
                    });
                    blocks.len() - 1
                }
            });
        }
        match pack(&blocks, self.alive.len(), self.capacity, self.align, budget) {
            Packing::At(addresses) => {
                let place = |block: &Option<usize>| match block {
                    Some(block) => Placement::At(Bytes(addresses[*block])),
                    None => Placement::Spilled,
                };
                Some(block_of.iter().map(place).collect())
            }
            Packing::Impossible => None,
            Packing::Unknown => {
                *proof = Proof::None;
                None
            }
        }
    }
}
