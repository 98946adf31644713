//! The cost of a group in tiles.

use std::rc::Rc;

use super::super::Tensor;
use super::Machine;
use super::group::Group;
use super::sum::Sum;
use super::untiled::{HAS_TENSORS, Untiled};

/// Bytes through device memory and executions of operations, less the cost of the same steps
/// untiled.
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

/// The traffic of the steps of one kind that no choice of tiles avoids, untiled.
#[derive(Clone, Debug, Default)]
struct Fixed {
    steps: i128,
    /// Bytes that all steps of the kind move untiled.
    untiled: i128,
    /// The number of steps that read each tensor from device memory.
    reads: Vec<i128>,
    /// The number of results that are used outside the group.
    written: i128,
    /// The number of results that are not.
    inside: i128,
}

/// A group and the facts that are known of it before tiles are chosen.
pub(super) struct Costs<'g, 'b> {
    pub(super) untiled: &'g Untiled<'b>,
    pub(super) machine: &'g Machine,
    pub(super) group: &'g Group,
    fixed: Vec<Fixed>,
    /// Values in the scratchpad that are defined before the group and live at its start.
    pub(super) live: &'g [usize],
}

/// One kind of steps in tiles.
pub(super) struct Tiled {
    /// Whether a loop cuts it. Otherwise it stays before the loops.
    pub(super) is_cut: bool,
    /// The number of loops around it.
    pub(super) depth: usize,
    /// The number of tiles of each dimension.
    pub(super) counts: Vec<u64>,
    /// The number of times that it runs.
    pub(super) runs: i128,
    /// The work division.
    pub(super) split: Rc<[u32]>,
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

    /// Returns the tensors of a kind.
    pub(super) fn tensors(&self, kind: usize) -> &'b [Tensor] {
        &self.untiled.block.shapes[self.group.kinds[kind].shape].tensors
    }

    /// Returns the result of a kind.
    pub(super) fn result(&self, kind: usize) -> &'b Tensor {
        self.tensors(kind).last().expect(HAS_TENSORS)
    }

    /// Returns whether any tiles could be better than none.
    pub(super) fn is_worth_a_look(&self) -> bool {
        self.fixed.iter().enumerate().any(|(kind, fixed)| {
            let tensors = self.tensors(kind);
            let reads: i128 = fixed
                .reads
                .iter()
                .zip(tensors)
                .map(|(reads, tensor)| reads * i128::from(tensor.bytes))
                .sum();
            let written = fixed.written * i128::from(self.result(kind).bytes);
            fixed.untiled > reads + written
        })
    }

    /// Returns a lower bound on the cost of tiles, in bytes less the cost of the same steps
    /// untiled.
    pub(super) fn lower_bound(&self, counts: &[u64]) -> i128 {
        self.bound(counts, |_| None)
    }

    /// Returns the bound, under the assumption that one core reads each operand without a known
    /// work division.
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
                bound += self.machine.moved(reads * runs * tile(tensor), cores);
            }
            let tile = tile(self.result(number));
            bound += fixed.written * runs * tile;
            // A tile that fits into no scratchpad is written and read.
            if tile > i128::from(self.machine.lx) * i128::from(self.machine.cores) {
                bound += 2 * fixed.inside * runs * tile;
            }
        }
        bound
    }

    /// Returns the cost of tiles; `None` if it is more than `most`, or a span stays over the limit.
    pub(super) fn total(&self, counts: &[u64], most: i128) -> Option<Delta> {
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
        Some(Sum::delta(self, tiled))
    }
}

/// Returns the bytes of the window that an iteration sees.
pub(super) fn window(tensor: &Tensor, counts: &[u64]) -> i128 {
    i128::from(tensor.bytes.div_ceil(tensor.windows(counts)))
}
