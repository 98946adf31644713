//! One execution of an operation, on all its cores.

use std::collections::HashMap;

use crate::kernels::{Prepared, Shape};
use crate::memory::{Execution, Memory, RegionId, Value};
use crate::read::{MemoryKind, Operation, Tensor};
use crate::report::FaultKind;

use super::compute::{Runner, Seat};
use super::pending::Pending;
use super::place::{self, tensor_name};
use super::view::View;

/// A fault before the machine says where in the program it is.
#[derive(Debug)]
pub(crate) struct Problem {
    pub kind: FaultKind,
    pub message: String,
    pub tensor: Option<String>,
    pub core: Option<u16>,
    pub memory: Option<String>,
    pub address: Option<i64>,
    pub element: Vec<(String, u64)>,
    /// How often it was found.
    pub count: u64,
}

impl Problem {
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            tensor: None,
            core: None,
            memory: None,
            address: None,
            element: Vec::new(),
            count: 1,
        }
    }

    pub fn on(mut self, op: &Operation, tensor: &Tensor) -> Self {
        self.tensor = Some(tensor_name(op, tensor));
        self
    }

    pub fn of_core(mut self, core: u16) -> Self {
        self.core = Some(core);
        self
    }

    pub fn at(mut self, memory: &str, address: i64) -> Self {
        self.memory = Some(memory.to_owned());
        self.address = Some(address);
        self
    }
}

/// What a core moved in one execution.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moved {
    pub core: u16,
    pub hbm_read: u64,
    pub hbm_written: u64,
    pub lx_read: u64,
    pub lx_written: u64,
    /// Behind the last byte of the scratchpad that is used.
    pub lx_end: u64,
}

/// An execution, before it is known what goes wrong.
pub(crate) struct Job<'o> {
    pub op: &'o Operation,
    pub prepared: &'o Prepared,
    pub symbols: &'o HashMap<i64, i64>,
    /// The number of the execution.
    pub number: u32,
}

impl Job<'_> {
    /// Runs on all cores.
    pub fn run(
        &self,
        memory: &mut Memory,
        execution: Execution,
        problems: &mut Vec<Problem>,
    ) -> Vec<Moved> {
        memory.executions.push(execution);
        self.try_run(memory, problems).unwrap_or_else(|problem| {
            problems.push(*problem);
            Vec::new()
        })
    }

    fn try_run(
        &self,
        memory: &mut Memory,
        problems: &mut Vec<Problem>,
    ) -> Result<Vec<Moved>, Box<Problem>> {
        let op = self.op;
        let space = place::space(op, self.symbols)?;
        problems.extend(place::check_slices(op));
        let mut all = Vec::new();
        for tensor in op.inputs.iter().chain([&op.output]) {
            let starts = place::starts(op, tensor, self.symbols)?;
            all.push(place::views(op, tensor, &space, &starts, memory, problems));
        }
        let Some((outputs, inputs)) = all.split_last() else {
            return Ok(Vec::new());
        };
        let mut seats = Vec::new();
        let mut moved = Vec::new();
        for (position, core) in op.cores.iter().enumerate() {
            let view = |views: &'_ Vec<Option<View>>| views.get(position)?.clone();
            let own: Option<Vec<View>> = inputs.iter().map(view).collect();
            let (Some(own), Some(output)) = (own, view(outputs)) else {
                continue;
            };
            moved.push(traffic(op, &space, core.number, &own, &output));
            let value = Value {
                execution: self.number,
                core: core.number,
                range: range(&output),
                whole: View::volume(&op.output, position, &space.extents, 1).unwrap_or(0),
                element: u8::try_from(output.element).unwrap_or(u8::MAX),
            };
            let value = memory.add_value(output.region, value);
            if let Some(execution) = memory.executions.last_mut() {
                execution.sticks = execution.sticks.saturating_add(output.sticks());
            }
            seats.push((position, core, own, output, value));
        }
        // What all cores together see of each input, by region.
        let mut wholes: HashMap<(usize, RegionId), (u64, u64)> = HashMap::new();
        for (_, _, inputs, ..) in &seats {
            for (input, view) in inputs.iter().enumerate() {
                let own = range(view);
                let whole = wholes.entry((input, view.region)).or_insert(own);
                *whole = (whole.0.min(own.0), whole.1.max(own.1));
            }
        }
        let whole = |(input, view): (usize, &View)| {
            let known = wholes.get(&(input, view.region)).copied();
            known.unwrap_or_else(|| range(view))
        };
        let sizes = |position: usize, views: &[View]| {
            let size = |(tensor, view): (&Tensor, &View)| {
                let gathered = tensor.order.iter().find(|own| own.gathered);
                let rows = gathered.and_then(|own| view.axis(own.dim));
                let rows = rows.map_or(1, |axis| axis.held);
                let extents = match tensor.memory {
                    MemoryKind::Hbm => &space.extents,
                    MemoryKind::Lx => &space.parts,
                };
                View::volume(tensor, position, extents, rows)
            };
            op.inputs.iter().zip(views).map(size).collect()
        };
        let seats: Vec<Seat<'_>> = seats
            .iter()
            .map(|(position, core, inputs, output, value)| Seat {
                core: core.number,
                slices: &core.slices,
                inputs: inputs.iter().collect(),
                wholes: inputs.iter().enumerate().map(whole).collect(),
                sizes: sizes(*position, inputs),
                output,
                value: *value,
            })
            .collect();
        let mut runner = Runner {
            op,
            prepared: self.prepared,
            space: &space,
            number: self.number,
            memory,
            pending: Pending::default(),
            problems,
            found: HashMap::new(),
        };
        match &self.prepared.shape {
            Shape::Elementwise(of) => match op.gather {
                Some(gather) => runner.choose(of, gather, &seats),
                None => runner.elementwise(of, &seats),
            },
            Shape::Reduce(of) => runner.groups(&seats, |runner, group| runner.reduce(of, group)),
            Shape::Contract => runner.groups(&seats, Runner::contract),
            Shape::TopK(told) => runner.groups(&seats, |runner, group| runner.top_k(*told, group)),
        }
        runner.commit();
        Ok(moved)
    }
}

/// First byte and the byte behind the last.
pub(super) fn range(view: &View) -> (u64, u64) {
    let start = u64::try_from(view.start).unwrap_or(0);
    (start, start.saturating_add(view.span().unwrap_or(0)))
}

/// How many indices a core reads.
fn choices(op: &Operation, space: &place::Space) -> u64 {
    let indices = op.gather.and_then(|gather| op.inputs.get(gather.indices));
    let dims = indices.iter().flat_map(|indices| &indices.order);
    let parts = dims.filter_map(|own| space.parts.get(own.dim));
    parts.fold(1, |count, part| count.saturating_mul(*part))
}

/// Every stick that a core's slice of a tensor is in moves once.
fn traffic(
    op: &Operation,
    space: &place::Space,
    core: u16,
    inputs: &[View],
    output: &View,
) -> Moved {
    let mut moved = Moved {
        core,
        ..Moved::default()
    };
    let bytes = |view: &View| view.sticks().saturating_mul(128);
    let mut end =
        |view: &View| moved.lx_end = moved.lx_end.max(range(view).1.next_multiple_of(128));
    let (mut hbm, mut lx) = (0_u64, 0_u64);
    for (at, (tensor, view)) in op.inputs.iter().zip(inputs).enumerate() {
        match tensor.memory {
            MemoryKind::Hbm => {
                let chosen = op.gather.filter(|gather| gather.table == at);
                let moved = match chosen.and_then(|gather| view.axis(gather.dim)) {
                    // At most as many rows as there are indices.
                    Some(rows) => {
                        let held = rows.held.max(1);
                        bytes(view) / held * held.min(choices(op, space))
                    }
                    None => bytes(view),
                };
                hbm = hbm.saturating_add(moved);
            }
            MemoryKind::Lx => {
                lx = lx.saturating_add(bytes(view));
                end(view);
            }
        }
    }
    if op.output.memory == MemoryKind::Lx {
        end(output);
        moved.lx_written = bytes(output);
    } else {
        moved.hbm_written = bytes(output);
    }
    (moved.hbm_read, moved.lx_read) = (hbm, lx);
    moved
}
