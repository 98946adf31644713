//! Going over the iteration space: rows of elements are read, computed, and handed to memory.

use std::collections::HashMap;

use crate::kernels::{Accumulation, Elementwise, Prepared, Scratch, Shape, float_code};
use crate::memory::Memory;
use crate::read::{Operation, Tensor};
use crate::report::FaultKind;

use super::execute::Problem;
use super::gather::{Reader, Row, gather};
use super::order::Order;
use super::pending::Pending;
use super::place::Space;
use super::view::{Runs, View};

/// One core of an execution, with what it sees of each tensor.
pub(super) struct Seat<'v> {
    pub core: u16,
    pub slices: &'v [u64],
    pub inputs: Vec<&'v View>,
    /// For each input, first byte and the byte behind the last of what all cores see in the same region.
    pub wholes: Vec<(u64, u64)>,
    /// For each input, the bytes of the tensor that it is a window of, if they fit 64 bits.
    pub sizes: Vec<Option<u64>>,
    pub output: &'v View,
    pub value: u32,
}

/// The state of a running execution.
pub(super) struct Runner<'j> {
    pub op: &'j Operation,
    pub prepared: &'j Prepared,
    pub space: &'j Space,
    pub number: u32,
    pub memory: &'j mut Memory,
    pub pending: Pending,
    pub problems: &'j mut Vec<Problem>,
    /// Where in `problems` that of a kind, core and tensor is.
    pub found: HashMap<(FaultKind, u16, usize), usize>,
}

/// Steps to the next point of a space without dimension `inner`, the last dimension fastest.
pub(super) fn next(
    point: &mut [u64],
    parts: &[u64],
    inner: usize,
    moves: impl Fn(usize) -> bool,
) -> bool {
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
    pub(super) fn part(&self, dim: usize) -> usize {
        let part = self.space.parts.get(dim).copied().unwrap_or(1);
        usize::try_from(part).unwrap_or(usize::MAX)
    }

    /// Coordinates of an element in the whole.
    pub(super) fn element(
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

    /// Adds a fault of a core and an input. `details` are the first byte, the first element and the message; they are
    /// made for the first of many.
    pub fn problem(
        &mut self,
        kind: FaultKind,
        seat: &Seat<'_>,
        input: usize,
        details: impl FnOnce(&Self) -> (u64, Vec<(String, u64)>, String),
    ) {
        let (Some(tensor), Some(view)) = (self.op.inputs.get(input), seat.inputs.get(input)) else {
            return;
        };
        let next = self.problems.len();
        let known = self.found.entry((kind, seat.core, tensor.index));
        if let Some(problem) = self.problems.get_mut(*known.or_insert(next)) {
            problem.count += 1;
            return;
        }
        let (byte, element, message) = details(self);
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
    pub(super) fn gather(
        &mut self,
        seat: &Seat<'_>,
        input: usize,
        point: &[u64],
        inner: usize,
        lanes: usize,
        row: &mut Row,
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
            gather(region, view, base, inner, reader, row);
        }
        if row.of_pairs {
            row.leave_out_room(self.memory);
        }
        if let Some((byte, lane)) = row.fault {
            self.problem(FaultKind::NeverWritten, seat, input, |runner| {
                let element = runner.element(seat, point, inner, lane);
                (byte, element, "nobody has written this".to_owned())
            });
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
    pub(super) fn scatter(
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

    /// The lanes of a row along a dimension: one, if it is not there.
    pub(super) fn lanes(&self, inner: usize, there: bool) -> usize {
        if there { self.part(inner) } else { 1 }
    }

    /// Element by element. A dimension that the output lacks is the rest of a stick with one element.
    pub fn elementwise(&mut self, of: &Elementwise, seats: &[Seat<'_>]) {
        let op = self.op;
        let inner = op.output.stick;
        let lanes = self.lanes(inner, op.output.has(inner));
        let parts = self.space.parts.clone();
        let mut scratch = Scratch::default();
        let (mut out, mut undefined) = (Vec::new(), Vec::new());
        let mut rows = Vec::new();
        rows.resize_with(op.inputs.len(), Row::default);
        let order = Order::of(&op.function).filter(|_| op.output.has(inner));
        for row in &mut rows {
            row.of_pairs = matches!(order, Some(Order::Together));
        }
        for seat in seats {
            let mut point = vec![0; parts.len()];
            loop {
                undefined.clear();
                for (input, row) in rows.iter_mut().enumerate() {
                    self.gather(seat, input, &point, inner, lanes, row);
                    if let Some(order) = order {
                        row.reorder(order);
                    }
                    row.add_undefined(&mut undefined);
                }
                self.pending.is_scattered = match order {
                    Some(Order::Apart) => false,
                    _ => rows.iter().any(|row| row.is_scattered),
                };
                let codes: Vec<&[u32]> = rows.iter().map(|row| row.codes.as_slice()).collect();
                self.prepared.row(of, &codes, &mut scratch, &mut out);
                self.scatter(seat, &point, inner, &out, &undefined);
                if !next(&mut point, &parts, inner, |dim| op.output.has(dim)) {
                    break;
                }
            }
            for (input, row) in rows.iter_mut().enumerate() {
                self.check_seen(seat, input, std::mem::take(&mut row.seen));
            }
        }
    }

    /// Calls `run` for the cores of each slice of the output: several if the reduced dimensions are split. They are in
    /// the order of their slices.
    pub fn groups(&mut self, seats: &[Seat<'_>], run: impl Fn(&mut Self, &[&Seat<'_>])) {
        let op = self.op;
        let numbers = |seat: &Seat<'_>, kept: bool| -> Vec<u64> {
            let slices = seat.slices.iter().enumerate();
            let chosen = slices.filter(|(dim, _)| op.output.has(*dim) == kept);
            chosen.map(|(_, slice)| *slice).collect()
        };
        let mut sorted: Vec<&Seat<'_>> = seats.iter().collect();
        sorted.sort_by_cached_key(|seat| (numbers(seat, true), numbers(seat, false)));
        for group in sorted.chunk_by(|a, b| numbers(a, true) == numbers(b, true)) {
            run(self, group);
        }
    }

    /// Adds up one input over the dimensions that the output lacks.
    pub fn reduce(&mut self, of: &Accumulation, group: &[&Seat<'_>]) {
        let op = self.op;
        let (Some(input), Some(first)) = (op.inputs.first(), group.first()) else {
            return;
        };
        let inner = input.stick;
        let across = op.output.has(inner);
        let lanes = self.lanes(inner, input.has(inner) || across);
        let parts = self.space.parts.clone();
        let mut rows = Vec::new();
        rows.resize_with(group.len(), Row::default);
        let (mut numbers, mut sums, mut undefined) = (Vec::new(), Vec::new(), Vec::new());
        let mut outer = vec![0; parts.len()];
        loop {
            sums.clear();
            sums.resize(if across { lanes } else { 1 }, of.start);
            undefined.clear();
            for (seat, row) in group.iter().zip(&mut rows) {
                let mut point = outer.clone();
                loop {
                    self.gather(seat, 0, &point, inner, lanes, row);
                    self.prepared.numbers(0, &row.codes, &mut numbers);
                    if across {
                        for (sum, number) in sums.iter_mut().zip(&numbers) {
                            *sum = (of.combine)(*sum, *number);
                        }
                        row.add_undefined(&mut undefined);
                    } else if let Some(sum) = sums.first_mut() {
                        let elements = numbers.iter();
                        *sum = elements.fold(*sum, |sum, element| (of.combine)(sum, *element));
                        if let Some(lane) = row.undefined.iter().position(|mark| *mark) {
                            undefined = vec![true];
                            if row.fault.is_none() {
                                self.unmasked(seat, &point, inner, lane);
                            }
                        }
                    }
                    let reduced = |dim| input.has(dim) && !op.output.has(dim);
                    if !next(&mut point, &parts, inner, reduced) {
                        break;
                    }
                }
            }
            for sum in &mut sums {
                *sum = of.finish.apply(*sum);
            }
            self.scatter_numbers(first, &outer, inner, &sums, &undefined);
            if !next(&mut outer, &parts, inner, |dim| op.output.has(dim)) {
                break;
            }
        }
        for (seat, row) in group.iter().zip(rows) {
            self.check_seen(seat, 0, row.seen);
        }
    }

    /// Adds the fault that padding is among what an operation puts together.
    pub(super) fn unmasked(&mut self, seat: &Seat<'_>, point: &[u64], inner: usize, lane: usize) {
        self.problem(FaultKind::Unmasked, seat, 0, |runner| {
            let byte = seat.inputs.first().and_then(|view| {
                let byte = view.offset(point, inner)?.checked_add(view.start)?;
                u64::try_from(byte).ok()
            });
            let element = runner.element(seat, point, inner, lane);
            let what = match runner.prepared.shape {
                Shape::TopK(_) => "searched",
                _ => "added up",
            };
            let message = format!("padding is {what}: coordinateMasking_ does not cover it");
            (byte.unwrap_or(0), element, message)
        });
    }

    /// Adds the fault that padding of the left operand is not behind the end of what is contracted: the hardware masks
    /// what lies behind the last element, and takes the sticks before the last one for full.
    pub(super) fn padding_in_product(&mut self, seat: &Seat<'_>, point: &[u64]) {
        let op = self.op;
        let Some(left) = op.inputs.first() else {
            return;
        };
        let along = left.stick;
        if op.output.has(along) || self.is_in_last_stick(seat, left, point) != Some(false) {
            return;
        }
        let lane = point.get(along).copied().unwrap_or(0);
        self.problem(FaultKind::Unmasked, seat, 0, |runner| {
            let byte = seat.inputs.first().and_then(|view| {
                let byte = view.offset(point, op.output.stick)?.checked_add(view.start)?;
                u64::try_from(byte).ok()
            });
            let lane = usize::try_from(lane).unwrap_or(usize::MAX);
            let element = runner.element(seat, point, along, lane);
            let name = op.dims.get(along).map_or("", |dim| dim.name.as_str());
            let message = format!(
                "padding is multiplied: this stick is not full and not the last one along '{name}', and the hardware \
                 masks what is behind the end only"
            );
            (byte.unwrap_or(0), element, message)
        });
    }

    /// Whether a point of the left operand is in the last stick along the operand's stick: of the tensor where that is an
    /// argument, else of what the operation works on. `None` if the operand does not have the dimension.
    pub(super) fn is_in_last_stick(
        &self,
        seat: &Seat<'_>,
        left: &Tensor,
        point: &[u64],
    ) -> Option<bool> {
        let along = left.stick;
        let own = left.order.iter().find(|own| own.dim == along)?;
        let core = self
            .op
            .cores
            .iter()
            .position(|core| core.number == seat.core)?;
        let dim = self.op.dims.get(along)?;
        let part = *self.space.parts.get(along)?;
        let extent = part.checked_mul(dim.slices)?;
        let view = seat.inputs.first()?;
        if self.memory.region(view.region)?.temporary {
            let at = seat.slices.get(along)?.checked_mul(part)? + point.get(along)?;
            return Some(at / left.per_stick == extent.checked_sub(1)? / left.per_stick);
        }
        let sticks = extent
            .checked_add(*own.gaps.get(core)?)?
            .div_ceil(left.per_stick);
        let byte = view
            .offset(point, self.op.output.stick)?
            .checked_add(view.start)?;
        let number = byte.checked_div(view.axis(along)?.unit)?;
        let number = u64::try_from(number).ok()?.checked_rem(sticks)?;
        // What a cast to 32 bits leaves has room for a pair of sticks, of which the second may hold nothing.
        let together = (super::order::BLOCK as u64).div_ceil(left.per_stick);
        Some(number / together == (sticks - 1) / together)
    }

    /// Hands a row of numbers to memory. Without the dimension `inner`, the output has one element there.
    pub(super) fn scatter_numbers(
        &mut self,
        seat: &Seat<'_>,
        point: &[u64],
        inner: usize,
        numbers: &[f32],
        undefined: &[bool],
    ) {
        let format = self.prepared.output();
        let codes = numbers.iter().map(|number| float_code(format, *number));
        let codes: Vec<u32> = codes.collect();
        self.scatter(seat, point, inner, &codes, undefined);
    }
}
