//! What a group costs in tiles.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use spyre_layout::Bytes;

use super::super::Tensor;
use super::Machine;
use super::group::Group;
use super::untiled::{Untiled, clamp, per_core};
use crate::scratchpad::{Buffer, first_fit};
use crate::work_division::slices_agree;

/// Bytes through device memory and runs of operations, less those of the same steps untiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Delta {
    pub(super) moved: i128,
    pub(super) runs: i128,
}

impl Delta {
    pub(super) fn cost(self, machine: &Machine) -> i128 {
        self.moved + self.runs * i128::from(machine.overhead)
    }
}

/// What the steps of one kind move that no choice of tiles avoids, untiled.
#[derive(Clone, Debug, Default)]
struct Fixed {
    steps: i128,
    /// What all steps of the kind move untiled.
    untiled: i128,
    /// How many read each tensor from device memory.
    reads: Vec<i128>,
    /// How many results are used outside the group.
    written: i128,
    /// How many results are not.
    inside: i128,
}

/// A group with what is known of it before tiles are chosen.
pub(super) struct Costs<'g, 'b> {
    untiled: &'g Untiled<'b>,
    machine: &'g Machine,
    group: &'g Group,
    fixed: Vec<Fixed>,
    /// Values in the scratchpad that are made before the group and live when it starts.
    live: &'g [usize],
}

/// One kind of steps in tiles.
struct Tiled {
    is_cut: bool,
    depth: usize,
    counts: Vec<u64>,
    runs: i128,
    split: Rc<[u32]>,
}

impl<'g, 'b> Costs<'g, 'b> {
    pub(super) fn new(
        untiled: &'g Untiled<'b>,
        machine: &'g Machine,
        group: &'g Group,
        live: &'g [usize],
    ) -> Self {
        let mut fixed = vec![Fixed::default(); group.kinds.len()];
        for at in group.steps.clone() {
            let step = untiled.step(at);
            let fixed = &mut fixed[group.kind_of(at)];
            fixed.steps += 1;
            fixed.untiled += untiled.moved(at);
            fixed.reads.resize(step.operands.len(), 0);
            for (operand, value) in step.operands.iter().enumerate() {
                let is_made =
                    untiled.maker[*value].is_some_and(|maker| group.steps.contains(&maker));
                if !is_made && untiled.resident[*value].is_none() {
                    fixed.reads[operand] += 1;
                }
            }
            let is_outside = untiled.block.values[step.result].in_memory
                || untiled
                    .last_read(step.result)
                    .is_none_or(|last| last >= group.steps.end);
            *(if is_outside {
                &mut fixed.written
            } else {
                &mut fixed.inside
            }) += 1;
        }
        Self {
            untiled,
            machine,
            group,
            fixed,
            live,
        }
    }

    /// The tensors of a kind.
    fn tensors(&self, kind: usize) -> &'b [Tensor] {
        &self.untiled.block.shapes[self.group.kinds[kind].shape].tensors
    }

    /// Whether any tiles could be better than none.
    pub(super) fn is_worth_a_look(&self) -> bool {
        self.fixed.iter().enumerate().any(|(kind, fixed)| {
            let tensors = self.tensors(kind);
            let reads: i128 = fixed
                .reads
                .iter()
                .zip(tensors)
                .map(|(reads, tensor)| reads * i128::from(tensor.bytes))
                .sum();
            let written =
                fixed.written * tensors.last().map_or(0, |tensor| i128::from(tensor.bytes));
            fixed.untiled > reads + written
        })
    }

    /// No less than this, in bytes less those of the same steps untiled, do tiles cost.
    pub(super) fn lower_bound(&self, counts: &[u64]) -> i128 {
        self.bound(counts, |_| None)
    }

    /// The bound, when only one core reads what no work division is known for.
    fn bound<'t>(&self, counts: &[u64], split: impl Fn(usize) -> Option<&'t [u32]>) -> i128 {
        let mut bound = 0;
        for (number, (kind, fixed)) in self.group.kinds.iter().zip(&self.fixed).enumerate() {
            if !kind.is_cut(counts) {
                continue;
            }
            let runs = i128::from(kind.runs(counts));
            let tensors = self.tensors(number);
            let tile =
                |tensor: &Tensor| i128::from(tensor.bytes.div_ceil(kind.windows(tensor, counts)));
            bound += (runs - 1) * fixed.steps * i128::from(self.machine.overhead) - fixed.untiled;
            for (reads, tensor) in fixed
                .reads
                .iter()
                .zip(tensors)
                .filter(|(reads, _)| **reads > 0)
            {
                let cores = split(number).map_or(1, |split| tensor.readers(split));
                bound += reads * runs * tile(tensor) * i128::from(cores);
            }
            if let Some(result) = tensors.last() {
                let tile = tile(result);
                bound += fixed.written * runs * tile;
                // What fits into no scratchpad is written and read.
                if tile > i128::from(self.machine.lx) * i128::from(self.machine.cores) {
                    bound += 2 * fixed.inside * runs * tile;
                }
            }
        }
        bound
    }

    /// What tiles cost; `None` if that is more than `most`, or a span stays over the limit.
    pub(super) fn of(&self, counts: &[u64], most: i128) -> Option<Delta> {
        let tiled = self.group.kinds.iter().map(|kind| {
            let tiles = kind.counts(counts);
            Tiled {
                is_cut: kind.is_cut(counts),
                depth: kind.depth(counts),
                runs: i128::from(kind.runs(counts)),
                split: self.untiled.split(kind.shape, &tiles, self.machine),
                counts: tiles,
            }
        });
        let tiled: Vec<Tiled> = tiled.collect();
        if self.bound(counts, |kind| Some(&tiled[kind].split)) > most {
            return None;
        }
        if let Some(limit) = self.machine.span_limit {
            for (kind, tiled) in self.group.kinds.iter().zip(&tiled) {
                let widest = self.untiled.block.shapes[kind.shape].widest(&tiled.counts);
                if widest.is_some_and(|(_, span)| span > limit) {
                    return None;
                }
            }
        }
        let mut sum = Sum {
            costs: self,
            tiled,
            agreed: HashMap::new(),
            delta: Delta::default(),
            room: self.machine.lx,
        };
        sum.add_outside();
        sum.add_inside();
        Some(sum.delta)
    }
}

/// Bytes of the window that an iteration sees.
fn window(tensor: &Tensor, counts: &[u64]) -> i128 {
    i128::from(tensor.bytes.div_ceil(tensor.windows(counts)))
}

/// The cost of one choice, as it is added up.
struct Sum<'c, 'g, 'b> {
    costs: &'c Costs<'g, 'b>,
    tiled: Vec<Tiled>,
    /// Whether a kind finds its slices of what another makes, by operand.
    agreed: HashMap<(usize, usize, usize), bool>,
    delta: Delta,
    /// Bytes of each scratchpad that are left to the group.
    room: u64,
}

impl Sum<'_, '_, '_> {
    fn is_cut(&self, at: usize) -> bool {
        let group = self.costs.group;
        group.steps.contains(&at) && self.tiled[group.kind_of(at)].is_cut
    }

    /// What one step reads of an operand in all its runs.
    fn read(&self, at: usize, operand: usize) -> i128 {
        let kind = self.costs.group.kind_of(at);
        let tiled = &self.tiled[kind];
        let tensor = &self.costs.tensors(kind)[operand];
        tiled.runs * window(tensor, &tiled.counts) * i128::from(tensor.readers(&tiled.split))
    }

    /// Adds what steps read that is made elsewhere, and what follows for the others that use it.
    fn add_outside(&mut self) {
        let untiled = self.costs.untiled;
        let mut resident: Vec<usize> = Vec::new();
        for at in self.costs.group.steps.clone() {
            if !self.is_cut(at) {
                // It stays in front of the loops. So does what it makes.
                let value = untiled.step(at).result;
                self.room = self
                    .room
                    .saturating_sub(untiled.resident[value].unwrap_or(0));
                continue;
            }
            let kind = &self.tiled[self.costs.group.kind_of(at)];
            self.delta.runs += kind.runs - 1;
            self.delta.moved -= untiled.moved(at);
            for (operand, value) in untiled.step(at).operands.iter().enumerate() {
                if untiled.maker[*value].is_some_and(|maker| self.is_cut(maker)) {
                    continue;
                }
                if untiled.resident[*value].is_none() {
                    self.delta.moved += self.read(at, operand);
                } else if !resident.contains(value) {
                    resident.push(*value);
                }
            }
        }
        for value in &resident {
            if self.stays(*value) {
                continue;
            }
            // It has to be in device memory now, for all.
            self.delta.moved += i128::from(untiled.block.values[*value].bytes);
            for (at, operand) in &untiled.readers[*value] {
                self.delta.moved += if self.is_cut(*at) {
                    self.read(*at, *operand)
                } else {
                    untiled.bytes(*at, *operand)
                };
            }
        }
        for value in self.costs.live {
            if !resident.contains(value) || self.stays(*value) {
                self.room = self
                    .room
                    .saturating_sub(untiled.resident[*value].unwrap_or(0));
            }
        }
    }

    /// Whether a value from outside stays in the scratchpad: whole, and in slices that its readers find.
    fn stays(&self, value: usize) -> bool {
        let untiled = self.costs.untiled;
        let Some(maker) = untiled.maker[value] else {
            return false;
        };
        let Some(written) = untiled.shape(maker).tensors.last() else {
            return false;
        };
        untiled.readers[value].iter().all(|(at, operand)| {
            if !self.is_cut(*at) {
                return true;
            }
            let kind = self.costs.group.kind_of(*at);
            let (read, tiled) = (&self.costs.tensors(kind)[*operand], &self.tiled[kind]);
            read.windows(&tiled.counts) == 1
                && slices_agree(
                    (&untiled.splits[maker], &written.dims),
                    (&tiled.split, &read.dims),
                )
        })
    }

    /// When each step of the group runs, as planning counts: the windows that it is the first to read come before it,
    /// the insertion of its result behind it.
    fn ticks(&self) -> Vec<usize> {
        let untiled = self.costs.untiled;
        let mut windows: HashSet<usize> = HashSet::new();
        let mut next = 0;
        let steps = self.costs.group.steps.clone();
        let ticks = steps.map(|at| {
            if !self.is_cut(at) {
                return next;
            }
            let kind = self.costs.group.kind_of(at);
            let counts = &self.tiled[kind].counts;
            let step = untiled.step(at);
            for (tensor, value) in self.costs.tensors(kind).iter().zip(&step.operands) {
                let is_made = untiled.maker[*value].is_some_and(|maker| self.is_cut(maker));
                if !is_made && tensor.windows(counts) > 1 && windows.insert(*value) {
                    next += 1;
                }
            }
            let tick = next;
            next += 1 + usize::from(self.is_outside(at));
            tick
        });
        ticks.collect()
    }

    /// Whether what a step makes is inserted into a full tensor.
    fn is_outside(&self, at: usize) -> bool {
        let untiled = self.costs.untiled;
        let value = untiled.step(at).result;
        let readers = &untiled.readers[value];
        untiled.block.values[value].in_memory
            || readers.is_empty()
            || readers.iter().any(|(reader, _)| !self.is_cut(*reader))
    }

    /// Adds what steps make and read of each other.
    fn add_inside(&mut self) {
        let untiled = self.costs.untiled;
        let machine = self.costs.machine;
        let first = self.costs.group.steps.start;
        let ticks = self.ticks();
        let mut buffers = Vec::new();
        let mut makers = Vec::new();
        for at in self.costs.group.steps.clone() {
            if !self.is_cut(at) {
                continue;
            }
            let value = untiled.step(at).result;
            let readers = &untiled.readers[value];
            let kind = self.costs.group.kind_of(at);
            let inside = readers
                .iter()
                .filter(|(reader, _)| self.is_cut(*reader))
                .count();
            let is_outside = self.is_outside(at);
            if is_outside {
                self.delta.moved += self.written(at);
                if untiled.resident[value].is_some() {
                    for (reader, operand) in readers {
                        if !self.is_cut(*reader) {
                            self.delta.moved += untiled.bytes(*reader, *operand);
                        }
                    }
                }
            }
            if inside == 0 {
                continue;
            }
            let mut agree = true;
            for (reader, operand) in readers {
                if self.is_cut(*reader) {
                    let reader = self.costs.group.kind_of(*reader);
                    agree &= self.agree(kind, reader, *operand);
                }
            }
            if !agree {
                self.spill(at, is_outside);
                continue;
            }
            let tiled = &self.tiled[kind];
            let Some(result) = self.costs.tensors(kind).last() else {
                continue;
            };
            let shape = untiled.shape(at);
            let tile = result.bytes.div_ceil(result.windows(&tiled.counts));
            let size = per_core(shape, &tiled.split, tile, machine);
            let read = readers.iter().filter(|(reader, _)| self.is_cut(*reader));
            let mut last = read.clone().map(|(reader, _)| *reader).max().unwrap_or(at);
            // An inner loop comes round to it again.
            let depth = tiled.depth;
            let depth_of = |at: usize| self.tiled[self.costs.group.kind_of(at)].depth;
            if read.clone().any(|(reader, _)| depth_of(*reader) > depth) {
                let inner = self.costs.group.steps.clone().rev();
                last = inner
                    .into_iter()
                    .find(|at| depth_of(*at) > depth)
                    .unwrap_or(last);
            }
            let start = ticks[at - first];
            let end = ticks[last - first].max(start + usize::from(is_outside)) + 1;
            buffers.push(Buffer {
                uses: clamp(inside + usize::from(is_outside) + 1),
                ..Buffer::new(Bytes(size), clamp(start)..clamp(end))
            });
            makers.push((at, is_outside));
        }
        let placements = first_fit(&buffers, Bytes(self.room), Bytes(machine.stick));
        for ((at, is_outside), placement) in makers.into_iter().zip(placements) {
            if placement.address().is_none() {
                self.spill(at, is_outside);
            } else if is_outside {
                // A copy writes it out of the scratchpad.
                self.delta.runs += self.tiled[self.costs.group.kind_of(at)].runs;
            }
        }
    }

    /// What one step writes in all its runs.
    fn written(&self, at: usize) -> i128 {
        let tensors = self.costs.tensors(self.costs.group.kind_of(at));
        self.read(at, tensors.len().saturating_sub(1))
    }

    /// Adds what a tile costs that is not in the scratchpad.
    fn spill(&mut self, at: usize, is_written: bool) {
        let value = self.costs.untiled.step(at).result;
        if !is_written {
            self.delta.moved += self.written(at);
        }
        for (reader, operand) in &self.costs.untiled.readers[value] {
            if self.is_cut(*reader) {
                self.delta.moved += self.read(*reader, *operand);
            }
        }
    }

    /// Whether the cores that run steps of one kind find what those of another have left of their results.
    fn agree(&mut self, maker: usize, reader: usize, operand: usize) -> bool {
        if let Some(known) = self.agreed.get(&(maker, reader, operand)) {
            return *known;
        }
        let shape =
            |kind: usize| &self.costs.untiled.block.shapes[self.costs.group.kinds[kind].shape];
        let (written, read) = (
            shape(maker).tensors.last(),
            shape(reader).tensors.get(operand),
        );
        let agree = !shape(maker).in_memory
            && !shape(reader).in_memory
            && written.zip(read).is_some_and(|(written, read)| {
                slices_agree(
                    (&self.tiled[maker].split, &written.dims),
                    (&self.tiled[reader].split, &read.dims),
                )
            });
        self.agreed.insert((maker, reader, operand), agree);
        agree
    }
}
