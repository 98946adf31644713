//! One execution of an operation, on all its cores.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

use spyre_plan::cost::{Arithmetic, Work};

use crate::kernels::{Prepared, Shape};
use crate::memory::{Execution, Memory, NOBODY, RegionId, STICK, Value};
use crate::read::{Core, MemoryKind, Operation, Tensor};

use super::compute::{Runner, Seat};
use super::pending::Pending;
use super::place;
use super::problem::Problem;
use super::range::Beyond;
use super::view::{IS_INSIDE, View};

/// The bytes that a core moved in one execution.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moved {
    pub core: u16,
    pub hbm_read: u64,
    pub hbm_written: u64,
    /// The bytes that no core before it read.
    pub hbm_read_distinct: u64,
    pub lx_read: u64,
    pub lx_written: u64,
    /// The end of the part of the scratchpad that is used.
    pub lx_end: u64,
}

/// The bytes of an operand in device memory that one execution moved.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OperandMoved {
    pub all: u64,
    /// The bytes, with bytes that several cores moved counted once.
    pub distinct: u64,
    /// The most cores that moved the same slice.
    pub fan_out: u32,
}

/// The bytes that one execution moved, and the work of its cores.
#[derive(Debug, Default)]
pub(crate) struct Movement {
    pub cores: Vec<Moved>,
    /// By the position of the operand; operands in scratchpads are not here.
    pub operands: BTreeMap<usize, OperandMoved>,
    /// The sticks that the busiest core gets or sends in a relayout; 0 of another operation.
    pub relayed: u64,
    /// The work of each core; `None` if none does any.
    pub compute: Option<Work>,
    /// Results that are beyond the numbers of the card, if there are any.
    pub beyond: Option<Beyond>,
    /// Reductions with the value of masked elements as their result.
    pub of_mask: Option<Beyond>,
}

/// An execution before its faults are known.
pub(crate) struct Job<'o> {
    pub op: &'o Operation,
    pub prepared: &'o Prepared,
    pub symbols: &'o FxHashMap<i64, i64>,
    /// The number of the execution.
    pub number: u32,
}

impl Job<'_> {
    /// Runs on all cores.
    pub(crate) fn run(
        &self,
        memory: &mut Memory,
        execution: Execution,
        problems: &mut Vec<Problem>,
    ) -> Movement {
        memory.executions.push(execution);
        self.try_run(memory, problems).unwrap_or_else(|problem| {
            problems.push(*problem);
            Movement::default()
        })
    }

    fn try_run(
        &self,
        memory: &mut Memory,
        problems: &mut Vec<Problem>,
    ) -> Result<Movement, Box<Problem>> {
        let op = self.op;
        let space = place::space(op, self.symbols)?;
        if let Some(relayout) = &op.relayout {
            return self.relayout(relayout, space.extents, memory, problems);
        }
        problems.extend(place::check_slices(op));
        let views = self.views(&space, memory, problems)?;
        let mut slices = Slices::default();
        let mut cores = Vec::new();
        let mut placed = Vec::new();
        for position in 0..op.cores.len() {
            // A core that is out of range has been reported; the other cores run.
            let Some(mut seat) = PlacedCore::new(op, &views, position) else {
                continue;
            };
            cores.push(traffic(op, &space, &seat, &mut slices));
            seat.value = self.add_value(&seat, &space, memory);
            placed.push(seat);
        }
        let wholes = wholes(&placed);
        let seats: Vec<Seat<'_>> = placed
            .iter()
            .map(|seat| seat.seat(op, &space, &wholes))
            .collect();
        let mut runner = Runner {
            op,
            prepared: self.prepared,
            space: &space,
            number: self.number,
            memory,
            pending: Pending::default(),
            problems,
            positions: FxHashMap::default(),
            beyond: None,
            of_mask: None,
        };
        runner.compute(&seats);
        let (beyond, of_mask) = (runner.beyond.take(), runner.of_mask.take());
        runner.commit();
        let compute = (!cores.is_empty()).then(|| work(op, &self.prepared.shape, &space));
        Ok(Movement {
            cores,
            operands: slices.operands,
            compute,
            beyond,
            of_mask,
            relayed: 0,
        })
    }

    /// Returns the views of each tensor on each core, the output last.
    fn views(
        &self,
        space: &place::Space,
        memory: &mut Memory,
        problems: &mut Vec<Problem>,
    ) -> Result<Vec<Vec<Option<View>>>, Box<Problem>> {
        let op = self.op;
        let mut all = Vec::new();
        for tensor in op.inputs.iter().chain([&op.output]) {
            let starts = place::starts(op, &op.cores, tensor, self.symbols)?;
            let views = place::views(op, &op.cores, tensor, space, &starts, memory, problems);
            all.push(views);
        }
        Ok(all)
    }

    /// Adds the value that a core writes, and returns its number.
    fn add_value(&self, seat: &PlacedCore<'_>, space: &place::Space, memory: &mut Memory) -> u32 {
        let (output, view) = (&self.op.output, &seat.output);
        let covered = space.covered(output);
        let value = Value {
            execution: self.number,
            core: seat.core.number,
            range: range(view),
            // A table that exists has elements, and a choice from a table whose size exceeds 64 bits is a fault.
            whole: View::volume(output, seat.position, covered, 1).unwrap_or(0),
            element: view.element as u8,
        };
        let value = memory.add_value(view.region, value);
        memory.executions[self.number as usize].sticks += view.sticks();
        value
    }
}

impl Runner<'_> {
    /// Computes the elements of all cores.
    fn compute(&mut self, seats: &[Seat<'_>]) {
        match &self.prepared.shape {
            Shape::Elementwise(elementwise) => match self.op.gather {
                Some(gather) => self.choose(elementwise, gather, seats),
                None => self.elementwise(elementwise, seats),
            },
            Shape::Reduce(accumulation) => {
                self.groups(seats, |runner, group| runner.reduce(accumulation, group));
            }
            Shape::Moments(finish) => {
                self.groups(seats, |runner, group| runner.moments(*finish, group));
            }
            Shape::NormScale(eps) => self.norm_scale(*eps, seats),
            Shape::Contract => self.groups(seats, Runner::contract),
            Shape::TopK(ranked) => self.groups(seats, |runner, group| runner.top_k(*ranked, group)),
        }
    }
}

/// A core with its views.
struct PlacedCore<'o> {
    /// The position of the core in the operation.
    position: usize,
    core: &'o Core,
    inputs: Vec<View>,
    output: View,
    /// The number of the value that it writes.
    value: u32,
}

impl<'o> PlacedCore<'o> {
    /// Returns a core that has a view of each tensor, before it has a value. `views` has the output last.
    fn new(op: &'o Operation, views: &[Vec<Option<View>>], position: usize) -> Option<Self> {
        let (output, inputs) = views.split_last().expect("the output is the last tensor");
        let inputs = inputs.iter().map(|views| views[position].clone());
        Some(Self {
            position,
            core: &op.cores[position],
            inputs: inputs.collect::<Option<_>>()?,
            output: output[position].clone()?,
            value: NOBODY,
        })
    }

    fn seat<'s>(&'s self, op: &Operation, space: &place::Space, wholes: &Wholes) -> Seat<'s> {
        let inputs = self.inputs.iter().enumerate();
        let size = |(tensor, view): (&Tensor, &View)| {
            let gathered = tensor.order.iter().find(|dim| dim.gathered);
            let rows = gathered.map_or(1, |tensor_dim| view.held(tensor_dim.dim));
            View::volume(tensor, self.position, space.covered(tensor), rows)
        };
        Seat {
            core: self.core.number,
            slices: &self.core.slices,
            inputs: self.inputs.iter().collect(),
            wholes: inputs
                .map(|(input, view)| wholes[&(input, view.region)])
                .collect(),
            sizes: op.inputs.iter().zip(&self.inputs).map(size).collect(),
            output: &self.output,
            value: self.value,
        }
    }
}

/// The range of each input that all cores see together, by region.
type Wholes = FxHashMap<(usize, RegionId), (u64, u64)>;

fn wholes(placed: &[PlacedCore<'_>]) -> Wholes {
    let mut wholes = Wholes::default();
    for core in placed {
        for (input, view) in core.inputs.iter().enumerate() {
            let byte_range = range(view);
            let whole = wholes.entry((input, view.region)).or_insert(byte_range);
            *whole = (whole.0.min(byte_range.0), whole.1.max(byte_range.1));
        }
    }
    wholes
}

/// Returns the range of bytes (first, end) of a view in its region.
pub(super) fn range(view: &View) -> (u64, u64) {
    let start = view.byte_at(0);
    (start, start + view.span().expect(IS_INSIDE))
}

/// Returns how many indices a core reads.
fn choices(indices: &Tensor, space: &place::Space) -> u64 {
    let parts = indices
        .order
        .iter()
        .map(|tensor_dim| space.parts[tensor_dim.dim]);
    parts.product()
}

/// A slice of a tensor in device memory: the number of the tensor, its region, and the bytes there. Two cores' slices are the
/// same or apart, but for windows that overlap.
type Slice = (usize, RegionId, (u64, u64));

/// The slices that cores of an execution have moved.
#[derive(Default)]
struct Slices {
    /// How many cores moved each.
    cores: FxHashMap<Slice, u32>,
    operands: BTreeMap<usize, OperandMoved>,
}

impl Slices {
    /// Counts a core that moves a view of an operand. Returns how many have.
    fn count(&mut self, operand: usize, view: &View) -> u32 {
        let cores = (self.cores).entry((operand, view.region, range(view)));
        let cores = cores.or_default();
        *cores += 1;
        *cores
    }

    /// Counts the `bytes` of a view of an operand that a core moves. Returns the number of bytes that no earlier core
    /// has moved.
    fn add(&mut self, operand: usize, view: &View, bytes: u64) -> u64 {
        let cores = self.count(operand, view);
        let distinct = if cores == 1 { bytes } else { 0 };
        let moved = self.operands.entry(operand).or_default();
        moved.all += bytes;
        moved.distinct += distinct;
        moved.fan_out = moved.fan_out.max(cores);
        distinct
    }

    /// Counts the `bytes` of a view of the output that a core writes, and returns the number of bytes that it stores.
    /// Cores with the same view have partial results; they pass them on, and one core stores the sum.
    fn write(&mut self, output: usize, view: &View, bytes: u64) -> u64 {
        let bytes = match self.count(output, view) {
            1 => bytes,
            _ => 0,
        };
        let moved = self.operands.entry(output).or_default();
        moved.all += bytes;
        moved.distinct += bytes;
        moved.fan_out = 1;
        bytes
    }
}

/// Returns the work of a core, for the modelled time. All cores have slices of the same extents. The rows of a product
/// are those of the innermost dimension that its left operand and its output have and its right operand lacks. If a
/// dimension that the output lacks is split, every slice of it but one passes on its partial results.
fn work(op: &Operation, shape: &Shape, space: &place::Space) -> Work {
    // More than 2^64 - 1 points count as 2^64 - 1.
    let (mut points, mut results, mut slices) = (1_u64, 1_u64, 1_u64);
    for (dim, part) in space.parts.iter().enumerate() {
        points = points.saturating_mul(*part);
        if op.output.has(dim) {
            results = results.saturating_mul(*part);
        } else {
            slices = slices.saturating_mul(space.extents[dim].div_ceil((*part).max(1)));
        }
    }
    let arithmetic = if matches!(shape, Shape::Contract) {
        let (left, right) = (&op.inputs[0], &op.inputs[1]);
        let is_row = |dim: &usize| left.has(*dim) && op.output.has(*dim) && !right.has(*dim);
        let rows = op
            .output
            .order
            .iter()
            .map(|tensor_dim| tensor_dim.dim)
            .find(is_row);
        let rows = rows.map_or(1, |dim| space.parts[dim]);
        Arithmetic::Products { rows }
    } else {
        Arithmetic::Elements
    };
    Work {
        arithmetic,
        points,
        partials: slices.saturating_sub(1).saturating_mul(results),
    }
}

/// Returns how many of the bytes that all windows together have are different ones: windows overlap.
fn visited(tensor: &Tensor, view: &View, bytes: u64) -> u64 {
    tensor.order.iter().fold(bytes, |bytes, tensor_dim| {
        let Some(walk) = tensor_dim.walk else {
            return bytes;
        };
        let windows = view.held(tensor_dim.dim);
        let elements = windows * walk.kernel;
        let reached = walk.span(windows).expect("a view has counted it");
        bytes / elements * elements.min(reached)
    })
}

/// Returns the traffic of a core: every stick of its slice of a tensor, counted once. Slices that no earlier core had
/// are added to `slices`.
fn traffic(
    op: &Operation,
    space: &place::Space,
    seat: &PlacedCore<'_>,
    slices: &mut Slices,
) -> Moved {
    let (inputs, output) = (&seat.inputs, &seat.output);
    let mut moved = Moved {
        core: seat.core.number,
        ..Moved::default()
    };
    let bytes = |view: &View| view.sticks() * STICK as u64;
    let bytes_of = |tensor: &Tensor, view: &View| visited(tensor, view, bytes(view));
    let mut end = |view: &View| {
        let (_, end) = range(view);
        moved.lx_end = moved.lx_end.max(end.next_multiple_of(STICK as u64));
    };
    let (mut hbm, mut lx) = (0_u64, 0_u64);
    for (at, (tensor, view)) in op.inputs.iter().zip(inputs).enumerate() {
        match tensor.memory {
            MemoryKind::Hbm => {
                let (bytes, distinct) = match op.gather.filter(|gather| gather.table == at) {
                    // At most as many rows as there are indices.
                    Some(gather) => {
                        let (held, indices) = (view.held(gather.dim), &op.inputs[gather.indices]);
                        let rows = held.min(choices(indices, space));
                        // Cores with the same indices read the same rows.
                        let bytes = bytes(view) / held * rows;
                        (bytes, slices.add(at, &inputs[gather.indices], bytes))
                    }
                    None => {
                        let bytes = bytes_of(tensor, view);
                        (bytes, slices.add(at, view, bytes))
                    }
                };
                hbm += bytes;
                moved.hbm_read_distinct += distinct;
            }
            MemoryKind::Lx => {
                lx += bytes_of(tensor, view);
                end(view);
            }
        }
    }
    if op.output.memory == MemoryKind::Lx {
        end(output);
        moved.lx_written = bytes(output);
    } else {
        moved.hbm_written = slices.write(inputs.len(), output, bytes(output));
    }
    (moved.hbm_read, moved.lx_read) = (hbm, lx);
    moved
}
