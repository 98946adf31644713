//! The program as it is: which values are in the scratchpad, and the traffic of each step.

use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

use spyre_layout::Bytes;

use super::super::{Block, Shape, Step, Tensor};
use super::Machine;
use crate::scratchpad::{Buffer, first_fit};
use crate::work_division::{TensorSlices, slices_agree};

/// The reason why a step of a group has tensors: only steps that may be tiled are in groups, and `--coarse-tile` tiles
/// none without tensors.
pub(super) const HAS_TENSORS: &str = "a step that may be tiled has tensors";

/// Work divisions by the number of tiles of each dimension.
type Divisions = RefCell<FxHashMap<Vec<u64>, Rc<[u32]>>>;

/// The facts of a block that is not tiled.
pub(super) struct Untiled<'b> {
    pub(super) block: &'b Block,
    machine: Machine,
    /// Work divisions of each shape.
    divisions: Vec<Divisions>,
    /// The work division of each step.
    pub(super) splits: Vec<Rc<[u32]>>,
    /// The step that makes each value.
    pub(super) maker: Vec<Option<usize>>,
    /// The steps that read each value, and as which operand, in order.
    pub(super) readers: Vec<Vec<(usize, usize)>>,
    /// Bytes that each core holds of a value that is in the scratchpad.
    pub(super) resident: Vec<Option<u64>>,
}

impl<'b> Untiled<'b> {
    pub(super) fn new(block: &'b Block, machine: &Machine) -> Self {
        let mut untiled = Self {
            block,
            machine: *machine,
            divisions: block.shapes.iter().map(|_| RefCell::default()).collect(),
            splits: Vec::with_capacity(block.steps.len()),
            maker: vec![None; block.values.len()],
            readers: vec![Vec::new(); block.values.len()],
            resident: vec![None; block.values.len()],
        };
        for (at, step) in block.steps.iter().enumerate() {
            let split = match &step.split {
                Some(split) => Rc::clone(split),
                None => {
                    let whole = vec![1; block.shapes[step.shape].space.len()];
                    untiled.split(step.shape, &whole, machine)
                }
            };
            untiled.splits.push(split);
            untiled.maker[step.result] = Some(at);
            for (operand, value) in step.operands.iter().enumerate() {
                untiled.readers[*value].push((at, operand));
            }
        }
        untiled.place(machine);
        untiled
    }

    /// Returns the work division of tiles.
    pub(super) fn split(&self, shape: usize, counts: &[u64], machine: &Machine) -> Rc<[u32]> {
        let mut divisions = self.divisions[shape].borrow_mut();
        if let Some(split) = divisions.get(counts) {
            return Rc::clone(split);
        }
        let split: Rc<[u32]> = self.block.shapes[shape].split(counts, machine.cores).into();
        divisions.insert(counts.to_vec(), Rc::clone(&split));
        split
    }

    pub(super) fn step(&self, at: usize) -> &'b Step {
        &self.block.steps[at]
    }

    pub(super) fn shape(&self, at: usize) -> &'b Shape {
        &self.block.shapes[self.block.steps[at].shape]
    }

    /// Returns the result of a step that the passes support.
    pub(super) fn result(&self, at: usize) -> &'b Tensor {
        self.shape(at).tensors.last().expect(HAS_TENSORS)
    }

    /// Places the values that may be in the scratchpad.
    fn place(&mut self, machine: &Machine) {
        let mut values = Vec::new();
        let mut buffers = Vec::new();
        for at in 0..self.block.steps.len() {
            let value = self.step(at).result;
            let readers = &self.readers[value];
            if !self.may_be_resident(at) {
                continue;
            }
            let last = readers.last().map_or(at, |(reader, _)| *reader);
            let bytes = self.block.values[value].bytes;
            let size = per_core(self.result(at), &self.splits[at], bytes, machine);
            values.push(value);
            buffers.push(Buffer {
                uses: count(readers.len() + 1),
                ..Buffer::new(Bytes(size), count(at)..count(last + 1))
            });
        }
        let placements = first_fit(&buffers, Bytes(machine.lx), Bytes(machine.stick));
        for ((value, buffer), placement) in values.into_iter().zip(buffers).zip(placements) {
            self.resident[value] = placement.address().map(|_| buffer.size.get());
        }
    }

    /// Returns whether the result of a step may be in the scratchpad, apart from its size.
    fn may_be_resident(&self, at: usize) -> bool {
        let value = self.step(at).result;
        let shape = self.shape(at);
        // An operation that passes cannot handle has no tensors.
        let Some(written) = shape.tensors.last() else {
            return false;
        };
        if self.block.values[value].in_memory || shape.in_memory || self.readers[value].is_empty() {
            return false;
        }
        self.readers[value].iter().all(|(reader, operand)| {
            let reading = self.shape(*reader);
            *reader > at
                && !reading.in_memory
                && reading.tensors.get(*operand).is_some_and(|read| {
                    slices_agree(
                        TensorSlices::in_order(&self.splits[at], &written.dims),
                        TensorSlices::in_order(&self.splits[*reader], &read.dims),
                    )
                })
        })
    }

    /// Returns the bytes of device memory that a step reads and writes.
    pub(super) fn moved(&self, at: usize) -> i128 {
        let step = self.step(at);
        let values = step.operands.iter().chain([&step.result]).enumerate();
        let moved = values.filter(|(_, value)| self.resident[**value].is_none());
        moved.map(|(tensor, _)| self.bytes(at, tensor)).sum()
    }

    /// Returns the bytes that a step reads or writes of a tensor in device memory: each core its slice. A step that the
    /// passes do not support has no tensors, and counts 0.
    pub(super) fn bytes(&self, at: usize, tensor: usize) -> i128 {
        let tensor = self.shape(at).tensors.get(tensor);
        tensor.map_or(0, |tensor| {
            self.machine
                .moved(tensor.bytes.into(), tensor.readers(&self.splits[at]))
        })
    }

    /// Returns whether a tensor of a step spans more than a limit.
    pub(super) fn overflows(&self, at: usize, machine: &Machine) -> bool {
        let shape = self.shape(at);
        let widest = machine
            .span_limit
            .zip(shape.widest(&vec![1; shape.space.len()]));
        widest.is_some_and(|(limit, (_, span))| span > limit)
    }

    /// Returns the last step that reads a value.
    pub(super) fn last_read(&self, value: usize) -> Option<usize> {
        self.readers[value].last().map(|(reader, _)| *reader)
    }
}

/// Returns the bytes in the scratchpad of each core that writes a part of `bytes`.
pub(super) fn per_core(result: &Tensor, split: &[u32], bytes: u64, machine: &Machine) -> u64 {
    let dims = result.dims.iter().flatten();
    // Programs may request more cores than the target has, which is an error later.
    let cores = dims.fold(1_u64, |product, dim| {
        product.saturating_mul(u64::from(split[*dim]))
    });
    let size = bytes.div_ceil(cores);
    // A size that is larger than every number fits into no scratchpad.
    size.checked_next_multiple_of(machine.stick)
        .unwrap_or(u64::MAX)
}

/// Returns a number of steps or uses, as planning counts.
pub(super) fn count(count: usize) -> u32 {
    u32::try_from(count).expect("a block has fewer than 2^32 steps")
}
