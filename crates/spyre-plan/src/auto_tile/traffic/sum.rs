//! The sum of the costs of one choice of tiles.

use rustc_hash::{FxHashMap, FxHashSet};

use spyre_layout::Bytes;

use super::cost::{Costs, Delta, Tiled, window};
use super::untiled::{count, per_core};
use crate::scratchpad::{Buffer, first_fit};
use crate::work_division::{TensorSlices, slices_agree};

/// The cost of one choice, as it is added up.
pub(super) struct Sum<'c, 'g, 'b> {
    costs: &'c Costs<'g, 'b>,
    tiled: Vec<Tiled>,
    /// Whether a kind finds its slices of another's result, by operand.
    agreed: FxHashMap<(usize, usize, usize), bool>,
    delta: Delta,
    /// Bytes of each scratchpad that are left to the group.
    room: u64,
}

impl<'c, 'g, 'b> Sum<'c, 'g, 'b> {
    /// Returns the cost of the tiles of each kind of steps.
    pub(super) fn delta(costs: &'c Costs<'g, 'b>, tiled: Vec<Tiled>) -> Delta {
        let mut sum = Self {
            costs,
            tiled,
            agreed: FxHashMap::default(),
            delta: Delta::default(),
            room: costs.machine.lx,
        };
        sum.add_outside();
        sum.add_inside();
        sum.delta
    }

    fn is_cut(&self, at: usize) -> bool {
        let group = self.costs.group;
        group.steps.contains(&at) && self.tiled[group.kind_of(at)].is_cut
    }

    /// Returns the bytes that one step reads of an operand in all its executions.
    fn read(&self, at: usize, operand: usize) -> i128 {
        let kind = self.costs.group.kind_of(at);
        let tiled = &self.tiled[kind];
        let tensor = &self.costs.tensors(kind)[operand];
        let bytes = tiled.runs * window(tensor, &tiled.counts);
        self.costs
            .machine
            .moved(bytes, tensor.readers(&tiled.split))
    }

    /// Adds the reads of values from outside the group, and their costs for other readers.
    fn add_outside(&mut self) {
        let untiled = self.costs.untiled;
        let mut resident: Vec<usize> = Vec::new();
        for at in self.costs.group.steps.clone() {
            if !self.is_cut(at) {
                // The step and its result stay before the loops.
                self.take_room(untiled.step(at).result);
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
            // From here on, the value has to be in device memory, for all readers.
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
                self.take_room(*value);
            }
        }
    }

    /// Takes the room of a value, if it is in the scratchpad. Values with disjoint live ranges may add up to more than
    /// the scratchpad: then no room is left.
    fn take_room(&mut self, value: usize) {
        let size = self.costs.untiled.resident[value].unwrap_or(0);
        self.room = self.room.saturating_sub(size);
    }

    /// Returns whether a value in the scratchpad stays there: whole, and in slices that its readers find.
    fn stays(&self, value: usize) -> bool {
        let untiled = self.costs.untiled;
        let maker = untiled.maker[value].expect("only results of steps are in the scratchpad");
        let written = untiled.result(maker);
        untiled.readers[value].iter().all(|(at, operand)| {
            if !self.is_cut(*at) {
                return true;
            }
            let kind = self.costs.group.kind_of(*at);
            let (read, tiled) = (&self.costs.tensors(kind)[*operand], &self.tiled[kind]);
            read.windows(&tiled.counts) == 1
                && slices_agree(
                    TensorSlices::in_order(&untiled.splits[maker], &written.dims),
                    TensorSlices::in_order(&tiled.split, &read.dims),
                )
        })
    }

    /// Returns the tick of each step of the group, as planning counts them: the windows that it is the first to read
    /// precede it, and the insertion of its result follows it.
    fn ticks(&self) -> Vec<usize> {
        let untiled = self.costs.untiled;
        let mut windows: FxHashSet<usize> = FxHashSet::default();
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

    /// Returns whether the result of a step is inserted into a full tensor.
    fn is_outside(&self, at: usize) -> bool {
        let untiled = self.costs.untiled;
        let value = untiled.step(at).result;
        let readers = &untiled.readers[value];
        untiled.block.values[value].in_memory
            || readers.is_empty()
            || readers.iter().any(|(reader, _)| !self.is_cut(*reader))
    }

    /// Adds the writes and reads of values within the group.
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
                    agree &= self.has_equal_slices(kind, reader, *operand);
                }
            }
            if !agree {
                self.spill(at, is_outside);
                continue;
            }
            let tiled = &self.tiled[kind];
            let result = self.costs.result(kind);
            let tile = result.bytes.div_ceil(result.windows(&tiled.counts));
            let size = per_core(result, &tiled.split, tile, machine);
            let read = readers.iter().filter(|(reader, _)| self.is_cut(*reader));
            let last = read.clone().map(|(reader, _)| *reader).max();
            let mut last = last.expect("something inside reads it");
            // An inner loop reads it again in every iteration.
            let depth = tiled.depth;
            let depth_of = |at: usize| self.tiled[self.costs.group.kind_of(at)].depth;
            if read.clone().any(|(reader, _)| depth_of(*reader) > depth) {
                let mut inner = self.costs.group.steps.clone().rev();
                let position = inner.find(|at| depth_of(*at) > depth);
                last = position.expect("a reader is in the loop");
            }
            let start = ticks[at - first];
            let end = ticks[last - first].max(start + usize::from(is_outside)) + 1;
            buffers.push(Buffer {
                uses: count(inside + usize::from(is_outside) + 1),
                ..Buffer::new(Bytes(size), count(start)..count(end))
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

    /// Returns the bytes that one step writes in all its executions.
    fn written(&self, at: usize) -> i128 {
        let tensors = self.costs.tensors(self.costs.group.kind_of(at));
        self.read(at, tensors.len() - 1)
    }

    /// Adds the cost of a tile that is not in the scratchpad.
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

    /// Returns whether each core writes, in steps of the kind `maker`, the slice that it reads as an operand in steps of
    /// the kind `reader`, so that the scratchpads can keep the tensor.
    fn has_equal_slices(&mut self, maker: usize, reader: usize, operand: usize) -> bool {
        if let Some(agrees) = self.agreed.get(&(maker, reader, operand)) {
            return *agrees;
        }
        let shape =
            |kind: usize| &self.costs.untiled.block.shapes[self.costs.group.kinds[kind].shape];
        let (written, read) = (
            self.costs.result(maker),
            &self.costs.tensors(reader)[operand],
        );
        let is_equal = !shape(maker).in_memory
            && !shape(reader).in_memory
            && slices_agree(
                TensorSlices::in_order(&self.tiled[maker].split, &written.dims),
                TensorSlices::in_order(&self.tiled[reader].split, &read.dims),
            );
        self.agreed.insert((maker, reader, operand), is_equal);
        is_equal
    }
}
