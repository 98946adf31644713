//! One execution of an operation, on all its cores.

use std::collections::HashMap;

use crate::kernels::{Accumulation, Elementwise, Prepared, Scratch, Shape, float_code};
use crate::memory::{Execution, Memory, RegionId, Value};
use crate::read::{MemoryKind, Operation, Tensor};
use crate::report::FaultKind;

use super::gather::{Reader, Row, Seen, gather};
use super::pending::{Conflict, Pending};
use super::place::{self, Space, tensor_name};
use super::view::{Runs, View};

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

/// One core of an execution, with what it sees of each tensor.
struct Seat<'v> {
    core: u16,
    slices: &'v [u64],
    inputs: Vec<&'v View>,
    output: &'v View,
    value: u32,
}

/// The state of a running execution.
struct Runner<'j> {
    op: &'j Operation,
    prepared: &'j Prepared,
    space: &'j Space,
    number: u32,
    memory: &'j mut Memory,
    pending: Pending,
    problems: &'j mut Vec<Problem>,
    rows: Vec<Row>,
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
            problems.push(problem);
            Vec::new()
        })
    }

    fn try_run(
        &self,
        memory: &mut Memory,
        problems: &mut Vec<Problem>,
    ) -> Result<Vec<Moved>, Problem> {
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
            moved.push(traffic(op, core.number, &own, &output));
            let value = u32::try_from(memory.values.len()).unwrap_or(u32::MAX);
            memory.values.push(Value {
                execution: self.number,
                core: core.number,
                range: range(&output),
                element: u8::try_from(output.element).unwrap_or(u8::MAX),
                sticks: output.sticks(),
                lost: 0,
            });
            seats.push((core, own, output, value));
        }
        let seats: Vec<Seat<'_>> = seats
            .iter()
            .map(|(core, inputs, output, value)| Seat {
                core: core.number,
                slices: &core.slices,
                inputs: inputs.iter().collect(),
                output,
                value: *value,
            })
            .collect();
        let mut rows = Vec::new();
        rows.resize_with(op.inputs.len(), Row::default);
        let mut runner = Runner {
            op,
            prepared: self.prepared,
            space: &space,
            number: self.number,
            memory,
            pending: Pending::default(),
            problems,
            rows,
        };
        match &self.prepared.shape {
            Shape::Elementwise(of) => runner.elementwise(of, &seats),
            Shape::Reduce(of) => runner.groups(&seats, |runner, group| runner.reduce(of, group)),
            Shape::Contract => runner.groups(&seats, Runner::contract),
        }
        runner.commit();
        Ok(moved)
    }
}

/// First byte and the byte behind the last.
fn range(view: &View) -> (u64, u64) {
    let start = u64::try_from(view.start).unwrap_or(0);
    (start, start.saturating_add(view.span().unwrap_or(0)))
}

/// Every stick that a core's slice of a tensor is in moves once.
fn traffic(op: &Operation, core: u16, inputs: &[View], output: &View) -> Moved {
    let mut moved = Moved {
        core,
        ..Moved::default()
    };
    let bytes = |view: &View| view.sticks().saturating_mul(128);
    let mut end =
        |view: &View| moved.lx_end = moved.lx_end.max(range(view).1.next_multiple_of(128));
    let (mut hbm, mut lx) = (0_u64, 0_u64);
    for (tensor, view) in op.inputs.iter().zip(inputs) {
        match tensor.memory {
            MemoryKind::Hbm => hbm = hbm.saturating_add(bytes(view)),
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

/// Steps to the next point of a space without dimension `inner`, the last dimension fastest.
fn next(point: &mut [u64], parts: &[u64], inner: usize, moves: impl Fn(usize) -> bool) -> bool {
    for (dim, (at, part)) in point.iter_mut().zip(parts).enumerate().rev() {
        if dim != inner && moves(dim) {
            *at += 1;
            if *at < *part {
                return true;
            }
            *at = 0;
        }
    }
    false
}

impl Runner<'_> {
    /// Elements of a core along a dimension.
    fn part(&self, dim: usize) -> usize {
        let part = self.space.parts.get(dim).copied().unwrap_or(1);
        usize::try_from(part).unwrap_or(usize::MAX)
    }

    /// Coordinates of an element in the whole.
    fn element(
        &self,
        seat: &Seat<'_>,
        point: &[u64],
        inner: usize,
        lane: usize,
    ) -> Vec<(String, u64)> {
        let dims = self
            .op
            .dims
            .iter()
            .zip(seat.slices)
            .zip(point.iter().zip(&self.space.parts));
        dims.enumerate()
            .map(|(at, ((dim, slice), (local, part)))| {
                let local = if at == inner { lane as u64 } else { *local };
                (
                    dim.name.clone(),
                    slice.saturating_mul(*part).saturating_add(local),
                )
            })
            .collect()
    }

    fn problem(
        &mut self,
        kind: FaultKind,
        seat: &Seat<'_>,
        input: usize,
        byte: u64,
        element: Vec<(String, u64)>,
        message: &str,
    ) {
        let (Some(tensor), Some(view)) = (self.op.inputs.get(input), seat.inputs.get(input)) else {
            return;
        };
        let region = self.memory.region(view.region);
        let name = region.map_or("", |region| region.name.as_str());
        let mut problem = Problem::new(kind, message)
            .on(self.op, tensor)
            .of_core(seat.core)
            .at(name, i64::try_from(byte).unwrap_or(i64::MAX));
        problem.element = element;
        self.problems.push(problem);
    }

    /// Reads the row of an input along `inner` at a point.
    fn gather(
        &mut self,
        seat: &Seat<'_>,
        input: usize,
        point: &[u64],
        inner: usize,
        lanes: usize,
        row: &mut Row,
        seen: &mut Seen,
    ) {
        row.clear(lanes);
        let Some(view) = seat.inputs.get(input) else {
            return;
        };
        let Some(base) = view.offset(point, inner) else {
            row.poison(0..lanes);
            return;
        };
        let reader = Reader {
            execution: self.number,
            core: seat.core,
        };
        if let Some(region) = self.memory.region_mut(view.region) {
            gather(region, view, base, inner, reader, row, seen);
        }
        if let Some((byte, lane)) = row.fault {
            let element = self.element(seat, point, inner, lane);
            let message = "nobody has written this";
            self.problem(FaultKind::NeverWritten, seat, input, byte, element, message);
        }
        self.mask(seat, input, point, inner, row);
    }

    /// Puts the mask's value where the iteration space is masked.
    fn mask(&self, seat: &Seat<'_>, input: usize, point: &[u64], inner: usize, row: &mut Row) {
        if self.op.masks.is_empty() {
            return;
        }
        let code = float_code(self.prepared.input(input), self.op.mask_value);
        for mask in &self.op.masks {
            let part = self.space.parts.get(mask.dim).copied().unwrap_or(0);
            let slice = seat.slices.get(mask.dim).copied().unwrap_or(0);
            let first = slice.saturating_mul(part);
            let lanes = if mask.dim == inner {
                let lane = |at: u64| {
                    let at = at.saturating_sub(first);
                    usize::try_from(at)
                        .unwrap_or(usize::MAX)
                        .min(row.codes.len())
                };
                lane(mask.range.start)..lane(mask.range.end)
            } else {
                let at = point.get(mask.dim).copied().unwrap_or(0);
                if !mask.range.contains(&first.saturating_add(at)) {
                    continue;
                }
                0..row.codes.len()
            };
            if !lanes.is_empty() {
                row.replace(lanes, code);
            }
        }
    }

    /// Hands a row of the output to memory.
    fn scatter(
        &mut self,
        seat: &Seat<'_>,
        point: &[u64],
        inner: usize,
        codes: &[u32],
        undefined: &[bool],
    ) {
        let view = seat.output;
        let Some(base) = view.offset(point, inner) else {
            return;
        };
        let mut push = |at: i64, codes: &[u32], undefined: &[bool]| {
            let offset = view
                .start
                .checked_add(base)
                .and_then(|to| to.checked_add(at));
            if let Some(offset) = offset.and_then(|offset| u64::try_from(offset).ok()) {
                let (value, region) = (seat.value, view.region);
                self.pending
                    .push(value, region, offset, view.element, codes, undefined);
            }
        };
        match view.runs(inner, codes.len()) {
            Runs::Repeat => push(
                0,
                codes.get(..1).unwrap_or(&[]),
                undefined.get(..1).unwrap_or(&[]),
            ),
            Runs::Steps { unit, step, held } => {
                let codes = codes.get(..held).unwrap_or(codes);
                let mut marks = undefined.get(..held).unwrap_or(&[]);
                let mut at = 0_i64;
                for chunk in codes.chunks(step) {
                    let (own, later) = marks.split_at(chunk.len().min(marks.len()));
                    marks = later;
                    push(at, chunk, own);
                    at = at.saturating_add(unit);
                }
            }
        }
    }

    /// Element by element. A dimension that the output lacks is the rest of a stick with one element.
    fn elementwise(&mut self, of: &Elementwise, seats: &[Seat<'_>]) {
        let op = self.op;
        let inner = op.output.stick;
        let lanes = if op.output.has(inner) {
            self.part(inner)
        } else {
            1
        };
        let parts = self.space.parts.clone();
        let mut scratch = Scratch::default();
        let (mut out, mut undefined) = (Vec::new(), Vec::new());
        let mut rows = std::mem::take(&mut self.rows);
        let mut codes: Vec<Vec<u32>> = vec![Vec::new(); rows.len()];
        for seat in seats {
            let mut seen: Vec<Seen> = Vec::new();
            seen.resize_with(rows.len(), Seen::default);
            let mut point = vec![0; parts.len()];
            loop {
                undefined.clear();
                for (input, (row, seen)) in rows.iter_mut().zip(&mut seen).enumerate() {
                    self.gather(seat, input, &point, inner, lanes, row, seen);
                    if !row.undefined.is_empty() {
                        undefined.resize(lanes, false);
                        for (all, own) in undefined.iter_mut().zip(&row.undefined) {
                            *all |= own;
                        }
                    }
                }
                for (codes, row) in codes.iter_mut().zip(&mut rows) {
                    std::mem::swap(codes, &mut row.codes);
                }
                self.prepared.row(of, &codes, &mut scratch, &mut out);
                for (codes, row) in codes.iter_mut().zip(&mut rows) {
                    std::mem::swap(codes, &mut row.codes);
                }
                self.scatter(seat, &point, inner, &out, &undefined);
                if !next(&mut point, &parts, inner, |dim| op.output.has(dim)) {
                    break;
                }
            }
            for (input, seen) in seen.into_iter().enumerate() {
                self.check_seen(seat, input, seen);
            }
        }
        self.rows = rows;
    }

    /// Calls `run` for the cores of each slice of the output: several if the reduced dimensions are split. They are in
    /// the order of their slices.
    fn groups(&mut self, seats: &[Seat<'_>], run: impl Fn(&mut Self, &[&Seat<'_>])) {
        let op = self.op;
        let key = |seat: &Seat<'_>| {
            let slices = seat.slices.iter().enumerate();
            let (kept, reduced): (Vec<_>, Vec<_>) =
                slices.partition(|(dim, _)| op.output.has(*dim));
            let numbers =
                |pairs: Vec<(usize, &u64)>| pairs.into_iter().map(|(_, at)| *at).collect();
            (numbers(kept), numbers(reduced))
        };
        let mut keyed: Vec<((Vec<u64>, Vec<u64>), &Seat<'_>)> =
            seats.iter().map(|seat| (key(seat), seat)).collect();
        keyed.sort_by(|a, b| a.0.cmp(&b.0));
        for group in keyed.chunk_by(|a, b| a.0.0 == b.0.0) {
            let group: Vec<&Seat<'_>> = group.iter().map(|(_, seat)| *seat).collect();
            run(self, &group);
        }
    }

    /// Adds up one input over the dimensions that the output lacks.
    fn reduce(&mut self, of: &Accumulation, group: &[&Seat<'_>]) {
        let op = self.op;
        let (Some(input), Some(first)) = (op.inputs.first(), group.first()) else {
            return;
        };
        let inner = input.stick;
        let across = op.output.has(inner);
        // A dimension that nobody has is the rest of a stick with one element.
        let has = |dim: usize| input.has(dim) || op.output.has(dim);
        let lanes = if has(inner) { self.part(inner) } else { 1 };
        let parts = self.space.parts.clone();
        let mut rows = std::mem::take(&mut self.rows);
        let mut seen: Vec<Seen> = Vec::new();
        seen.resize_with(group.len(), Seen::default);
        let (mut numbers, mut sums, mut undefined) = (Vec::new(), Vec::new(), Vec::new());
        let mut codes = Vec::new();
        let mut outer = vec![0; parts.len()];
        loop {
            sums.clear();
            sums.resize(if across { lanes } else { 1 }, of.start);
            undefined.clear();
            for (seat, seen) in group.iter().zip(&mut seen) {
                let mut point = outer.clone();
                loop {
                    let Some(row) = rows.first_mut() else { return };
                    self.gather(seat, 0, &point, inner, lanes, row, seen);
                    self.prepared.numbers(0, &row.codes, &mut numbers);
                    if across {
                        for (sum, number) in sums.iter_mut().zip(&numbers) {
                            *sum = (of.combine)(*sum, *number);
                        }
                        if !row.undefined.is_empty() {
                            undefined.resize(lanes, false);
                            for (all, own) in undefined.iter_mut().zip(&row.undefined) {
                                *all |= own;
                            }
                        }
                    } else if let Some(sum) = sums.first_mut() {
                        *sum = numbers
                            .iter()
                            .fold(*sum, |sum, number| (of.combine)(sum, *number));
                        let unknown = row.undefined.iter().position(|mark| *mark);
                        if let Some(lane) = unknown {
                            undefined = vec![true];
                            if row.fault.is_none() {
                                self.unmasked(seat, &point, inner, lane);
                            }
                        }
                    }
                    if !next(&mut point, &parts, inner, |dim| {
                        input.has(dim) && !op.output.has(dim)
                    }) {
                        break;
                    }
                }
            }
            codes.clear();
            let format = self.prepared.output();
            codes.extend(
                sums.iter()
                    .map(|sum| float_code(format, of.finish.apply(*sum))),
            );
            // Without the reduced stick dimension, the row has one element wherever `inner` is.
            self.scatter(first, &outer, inner, &codes, &undefined);
            if !next(&mut outer, &parts, inner, |dim| op.output.has(dim)) {
                break;
            }
        }
        self.rows = rows;
        for (seat, seen) in group.iter().zip(seen) {
            self.check_seen(seat, 0, seen);
        }
    }

    fn unmasked(&mut self, seat: &Seat<'_>, point: &[u64], inner: usize, lane: usize) {
        let element = self.element(seat, point, inner, lane);
        let byte = seat.inputs.first().and_then(|view| {
            let byte = view.offset(point, inner)?.checked_add(view.start)?;
            u64::try_from(byte).ok()
        });
        let message = "the padding of the stick is added up: coordinateMasking_ does not cover it";
        let byte = byte.unwrap_or(0);
        self.problem(FaultKind::Unmasked, seat, 0, byte, element, message);
    }

    /// The sums of products of two inputs over the dimensions that the output lacks. The hardware masks what lies
    /// behind the end of those in the left operand (middle-end specification, section 2.5).
    fn contract(&mut self, group: &[&Seat<'_>]) {
        let op = self.op;
        let Some(first) = group.first() else { return };
        let inner = op.output.stick;
        let lanes = if op.output.has(inner) {
            self.part(inner)
        } else {
            1
        };
        let parts = self.space.parts.clone();
        let mut rows = std::mem::take(&mut self.rows);
        let mut seen: Vec<[Seen; 2]> = Vec::new();
        seen.resize_with(group.len(), Default::default);
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let (mut sums, mut undefined, mut codes) = (Vec::new(), Vec::new(), Vec::new());
        let mut outer = vec![0; parts.len()];
        loop {
            sums.clear();
            sums.resize(lanes, 0.0_f32);
            undefined.clear();
            for (seat, [seen_left, seen_right]) in group.iter().zip(&mut seen) {
                let mut point = outer.clone();
                loop {
                    let [a, b, ..] = rows.as_mut_slice() else {
                        return;
                    };
                    let one = match op.inputs.first().is_some_and(|left| left.has(inner)) {
                        true => lanes,
                        false => 1,
                    };
                    self.gather(seat, 0, &point, inner, one, a, seen_left);
                    self.gather(seat, 1, &point, inner, lanes, b, seen_right);
                    self.prepared.numbers(0, &a.codes, &mut left);
                    self.prepared.numbers(1, &b.codes, &mut right);
                    for (number, mark) in left.iter_mut().zip(&a.undefined) {
                        if *mark {
                            *number = 0.0;
                        }
                    }
                    match left.as_slice() {
                        [left] => {
                            for (sum, right) in sums.iter_mut().zip(&right) {
                                *sum += left * right;
                            }
                        }
                        _ => {
                            for (sum, (left, right)) in sums.iter_mut().zip(left.iter().zip(&right))
                            {
                                *sum += left * right;
                            }
                        }
                    }
                    if !b.undefined.is_empty() {
                        undefined.resize(lanes, false);
                        for (all, own) in undefined.iter_mut().zip(&b.undefined) {
                            *all |= own;
                        }
                    }
                    let reduced =
                        |dim| !op.output.has(dim) && op.inputs.iter().any(|own| own.has(dim));
                    if !next(&mut point, &parts, inner, reduced) {
                        break;
                    }
                }
            }
            codes.clear();
            let format = self.prepared.output();
            codes.extend(sums.iter().map(|sum| float_code(format, *sum)));
            self.scatter(first, &outer, inner, &codes, &undefined);
            if !next(&mut outer, &parts, inner, |dim| op.output.has(dim)) {
                break;
            }
        }
        self.rows = rows;
        for (seat, [left, right]) in group.iter().zip(seen) {
            self.check_seen(seat, 0, left);
            self.check_seen(seat, 1, right);
        }
    }

    /// Whether what a core has read of an input is still what was written there.
    fn check_seen(&mut self, seat: &Seat<'_>, input: usize, seen: Seen) {
        let Some(view) = seat.inputs.get(input) else {
            return;
        };
        let (mut values, mut over) = (seen.values, seen.over);
        values.sort_unstable();
        values.dedup();
        over.sort_unstable();
        over.dedup();
        let here = range(view);
        let mut found: Vec<(FaultKind, u64, String)> = Vec::new();
        for value in &values {
            let Some(value) = self.memory.values.get(*value as usize) else {
                continue;
            };
            if usize::from(value.element) != view.element {
                let message = format!(
                    "elements of {} bytes, written by {} with {}",
                    view.element,
                    self.writer(value),
                    value.element
                );
                found.push((FaultKind::OtherFormat, value.range.0.max(here.0), message));
            }
        }
        for (new, old) in over {
            let (Some(new), Some(previous)) = (
                self.memory.values.get(new as usize),
                self.memory.values.get(old as usize),
            ) else {
                continue;
            };
            // A value inside of what is read is an update of a part, as when a buffer is filled and then written into.
            let update = new.range.0 >= here.0 && new.range.1 <= here.1;
            if values.binary_search(&old).is_err()
                || update
                || self.site(new) == self.site(previous)
            {
                continue;
            }
            let start = new.range.0.max(here.0);
            let bytes = new.range.1.min(here.1).saturating_sub(start);
            let message = format!(
                "{} of what {} wrote here were overwritten by {}, at bytes {} to {}",
                place::in_sticks(i64::try_from(bytes).unwrap_or(i64::MAX)),
                self.writer(previous),
                self.writer(new),
                new.range.0,
                new.range.1
            );
            found.push((FaultKind::Overlap, start, message));
        }
        for (kind, byte, message) in found {
            self.problem(kind, seat, input, byte, Vec::new(), &message);
        }
    }

    fn site(&self, value: &Value) -> Option<usize> {
        let execution = self.memory.executions.get(value.execution as usize)?;
        Some(execution.site)
    }

    /// The operation that wrote a value.
    fn writer(&self, value: &Value) -> String {
        writer(self.memory, value)
    }

    /// Writes what has been computed.
    fn commit(self) {
        let Self {
            op,
            pending,
            memory,
            problems,
            number,
            ..
        } = self;
        let element = usize::try_from(op.output.element_bytes()).unwrap_or(1);
        let mut conflicts: Vec<(u32, RegionId, u64, Conflict)> = Vec::new();
        pending.commit(
            memory,
            number,
            element,
            |value, region, address, conflict| {
                // One of a kind and value is enough; the report counts operations and not bytes.
                let same = |known: &(u32, RegionId, u64, Conflict)| {
                    known.0 == value
                        && std::mem::discriminant(&known.3) == std::mem::discriminant(&conflict)
                };
                if !conflicts.iter().rev().take(4).any(same) {
                    conflicts.push((value, region, address, conflict));
                }
            },
        );
        for (value, region, address, conflict) in conflicts {
            let value = memory.values.get(value as usize);
            let core_of = |other: u32| memory.values.get(other as usize).map(|other| other.core);
            let by = |other: u32| {
                let other = memory.values.get(other as usize);
                other.map_or(String::new(), |other| writer(memory, other))
            };
            let (kind, message) = match conflict {
                Conflict::TwoWriters { other } => {
                    let own = value.map(|value| value.core);
                    let message = match core_of(other) {
                        Some(other) if Some(other) != own => {
                            format!("core {other} writes the same bytes in this execution")
                        }
                        _ => "the core writes these bytes twice".to_owned(),
                    };
                    (FaultKind::TwoWriters, message)
                }
                Conflict::Race { reader } => {
                    let reader =
                        reader.map_or("other cores".to_owned(), |core| format!("core {core}"));
                    let message = format!("{reader} read the same bytes in this execution");
                    (FaultKind::Race, message)
                }
                Conflict::Lost { other } => {
                    // Arguments may be filled before they are written into.
                    let argument = memory
                        .region(region)
                        .is_some_and(|region| !region.temporary);
                    if argument {
                        continue;
                    }
                    let message = format!(
                        "overwrites all that {} wrote before anybody has read it",
                        by(other)
                    );
                    (FaultKind::Lost, message)
                }
                Conflict::Overwritten { other } => {
                    let ranges = memory
                        .values
                        .get(other as usize)
                        .zip(value)
                        .map(|(old, new)| {
                            let by = |a: u64, b: u64| {
                                i64::try_from(a)
                                    .ok()
                                    .zip(i64::try_from(b).ok())
                                    .and_then(|(a, b)| a.checked_sub(b))
                            };
                            (
                                by(new.range.0, old.range.0),
                                old.range.1.saturating_sub(old.range.0),
                            )
                        });
                    let message = match ranges {
                        Some((Some(step), length)) => format!(
                            "overwrites a part of what {} wrote: its window starts {} from there, and that one spans {}",
                            by(other),
                            place::in_sticks(step),
                            place::in_sticks(i64::try_from(length).unwrap_or(i64::MAX)),
                        ),
                        _ => format!("overwrites a part of what {} wrote", by(other)),
                    };
                    (FaultKind::Overwritten, message)
                }
            };
            let name = memory
                .region(region)
                .map_or("", |region| region.name.as_str());
            let mut problem = Problem::new(kind, message)
                .on(op, &op.output)
                .at(name, i64::try_from(address).unwrap_or(i64::MAX));
            problem.core = value.map(|value| value.core);
            problems.push(problem);
        }
    }
}

/// The operation that wrote a value.
fn writer(memory: &Memory, value: &Value) -> String {
    let execution = memory.executions.get(value.execution as usize);
    let site = execution.and_then(|execution| memory.sites.get(execution.site));
    match execution.zip(site) {
        Some((execution, site)) if execution.iteration.is_empty() => site.to_string(),
        Some((execution, site)) => format!("{site} in iteration {:?}", execution.iteration),
        None => "another operation".to_owned(),
    }
}
