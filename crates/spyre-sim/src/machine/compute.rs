//! Going over the iteration space: rows of elements are read, computed, and handed to memory.

use rustc_hash::FxHashMap;
use std::ops::Range;

use crate::kernels::{Accumulation, Elementwise, Prepared, Scratch, Shape, float_code};
use crate::memory::Memory;
use crate::read::Operation;
use crate::report::FaultKind;

use super::gather::{Reader, Row, gather};
use super::order::Order;
use super::pending::Pending;
use super::place::Space;
use super::problem::Problem;
use super::range::Beyond;
use super::view::{Runs, View};

/// One core of an execution, with its view of each tensor.
pub(super) struct Seat<'v> {
    pub core: u16,
    pub slices: &'v [u64],
    pub inputs: Vec<&'v View>,
    /// For each input, the range of bytes (first, end) that all cores together read in the same region.
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
    /// The position in `problems` of that of a kind, core and tensor.
    pub positions: FxHashMap<(FaultKind, u16, usize), usize>,
    /// Results that are beyond the numbers of the card.
    pub beyond: Option<Beyond>,
    /// Reductions with the value of masked elements as their result.
    pub of_mask: Option<Beyond>,
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
    /// Returns the elements of a core along a dimension: at least one.
    pub(super) fn part(&self, dim: usize) -> usize {
        usize::try_from(self.space.parts[dim]).expect("a part of a core is counted in memory")
    }

    /// Returns the coordinates of an element in the whole.
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
                (dim.name.clone(), slice * part + local)
            })
            .collect()
    }

    /// Adds a fault of a core and an input. `details` are the first byte, the first element and the message; they are
    /// made for the first of many.
    pub(super) fn problem(
        &mut self,
        kind: FaultKind,
        seat: &Seat<'_>,
        input: usize,
        details: impl FnOnce(&Self) -> (u64, Vec<(String, u64)>, String),
    ) {
        let tensor = &self.op.inputs[input];
        let next = self.problems.len();
        let entry = self.positions.entry((kind, seat.core, tensor.index));
        if let Some(problem) = self.problems.get_mut(*entry.or_insert(next)) {
            problem.count += 1;
            return;
        }
        let (byte, element, message) = details(self);
        let region = self.memory.region(seat.inputs[input].region);
        let mut problem = Problem::new(kind, message)
            .on(self.op, tensor)
            .of_core(seat.core)
            .at_byte(&region.name, byte);
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
        let view = seat.inputs[input];
        // An element that a change of layout lacks is not in memory.
        let Some(base) = view.offset(point, inner) else {
            row.poison(0..lanes);
            return;
        };
        let reader = Reader {
            execution: self.number,
            core: seat.core,
        };
        let region = self.memory.region_mut(view.region);
        gather(region, view, base, inner, 0, reader, row);
        if row.of_pairs {
            row.leave_out_room(self.memory);
        }
        if let Some((byte, lane)) = row.fault {
            self.problem(FaultKind::NeverWritten, seat, input, |runner| {
                let element = runner.element(seat, point, inner, lane);
                (byte, element, "no operation has written it".to_owned())
            });
        }
        self.mask(seat, input, point, inner, row);
    }

    /// Puts the mask's value where the iteration space is masked.
    fn mask(&self, seat: &Seat<'_>, input: usize, point: &[u64], inner: usize, row: &mut Row) {
        if self.op.masks.is_empty() {
            return;
        }
        let code = self.prepared.mask_code(input, self.op.mask_value);
        for mask in &self.op.masks {
            let first = seat.slices[mask.dim] * self.space.parts[mask.dim];
            let lanes = if mask.dim == inner {
                // The part of the range that is the core's.
                let lane = |at: u64| at.saturating_sub(first).min(row.codes.len() as u64) as usize;
                lane(mask.range.start)..lane(mask.range.end)
            } else {
                // Other rows of the core are masked, or the rows of other cores.
                if !mask.range.contains(&(first + point[mask.dim])) {
                    continue;
                }
                0..row.codes.len()
            };
            if !lanes.is_empty() {
                row.masked = lanes.clone();
                row.replace(lanes, code);
            }
        }
    }

    /// Hands a row of the output to memory. There is a mark for each code, or none.
    pub(super) fn scatter(
        &mut self,
        seat: &Seat<'_>,
        point: &[u64],
        inner: usize,
        codes: &[u32],
        undefined: &[bool],
    ) {
        let view = seat.output;
        // An element that a change of layout lacks is not in memory.
        let Some(base) = view.offset(point, inner) else {
            return;
        };
        let mut push = |at: i64, lanes: Range<usize>| {
            let (value, region) = (seat.value, view.region);
            let marks = match undefined {
                [] => &[],
                marks => &marks[lanes.clone()],
            };
            let (offset, codes) = (view.byte_at(base + at), &codes[lanes]);
            self.pending
                .push(value, region, offset, view.element, codes, marks);
        };
        match view.runs(inner, codes.len()) {
            Runs::Repeat => push(0, 0..1),
            Runs::Steps { unit, step, held } => {
                for (number, from) in (0..).zip((0..held).step_by(step)) {
                    push(number * unit, from..(from + step).min(held));
                }
            }
        }
    }

    /// Returns the lanes of a row along a dimension: one, if it is not there.
    pub(super) fn lanes(&self, inner: usize, there: bool) -> usize {
        if there { self.part(inner) } else { 1 }
    }

    /// Element by element. A dimension that the output lacks is the rest of a stick with one element.
    pub(super) fn elementwise(&mut self, elementwise: &Elementwise, seats: &[Seat<'_>]) {
        let op = self.op;
        let inner = op.output.stick;
        let lanes = self.lanes(inner, op.output.has(inner));
        let parts = self.space.parts.clone();
        let mut scratch = Scratch::default();
        let (mut out, mut undefined, mut beyond) = (Vec::new(), Vec::new(), Vec::new());
        let mut rows = Vec::new();
        rows.resize_with(op.inputs.len(), Row::default);
        let order = Order::for_function(&op.function).filter(|_| op.output.has(inner));
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
                }
                self.add_undefined(elementwise, &rows, &mut undefined);
                self.pending.is_scattered = match order {
                    Some(Order::Apart) => false,
                    _ => rows.iter().any(|row| row.is_scattered),
                };
                let codes: Vec<&[u32]> = rows.iter().map(|row| row.codes.as_slice()).collect();
                self.prepared
                    .row(elementwise, &codes, &mut scratch, &mut out);
                beyond.clear();
                self.prepared
                    .lanes_beyond(elementwise, &scratch, &out, &mut beyond);
                self.count_beyond(seat, &point, inner, &beyond, &undefined);
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

    /// Marks the lanes of a result that are undefined: where an operand is, but of two that are chosen from, only the chosen one
    /// matters.
    fn add_undefined(&self, elementwise: &Elementwise, rows: &[Row], undefined: &mut Vec<bool>) {
        if !matches!(elementwise, Elementwise::Select) {
            for row in rows {
                row.add_undefined(undefined);
            }
            return;
        }
        let [condition, then, other] = rows else {
            unreachable!("a selection has three operands")
        };
        condition.add_undefined(undefined);
        if then.undefined.is_empty() && other.undefined.is_empty() {
            return;
        }
        undefined.resize(condition.codes.len(), false);
        for (lane, mark) in undefined.iter_mut().enumerate() {
            let is_false = self.prepared.is_false(condition.codes[lane]);
            let chosen = if is_false { other } else { then };
            *mark |= chosen.is_undefined(lane);
        }
    }

    /// Calls `run` for the cores of each slice of the output: several if the reduced dimensions are split. They are in
    /// the order of their slices.
    pub(super) fn groups(&mut self, seats: &[Seat<'_>], run: impl Fn(&mut Self, &[&Seat<'_>])) {
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
    pub(super) fn reduce(&mut self, accumulation: &Accumulation, group: &[&Seat<'_>]) {
        let op = self.op;
        let (input, first) = (&op.inputs[0], group[0]);
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
            sums.resize(if across { lanes } else { 1 }, accumulation.start);
            undefined.clear();
            self.pending.is_scattered = false;
            // The accumulation without masked elements, if there are masked elements.
            let (mut unmasked, mut has_mask) = (accumulation.start, false);
            for (seat, row) in group.iter().zip(&mut rows) {
                let mut point = outer.clone();
                loop {
                    self.gather(seat, 0, &point, inner, lanes, row);
                    self.prepared.numbers(0, &row.codes, &mut numbers);
                    if !across && !op.masks.is_empty() {
                        has_mask |= !row.masked.is_empty();
                        let elements = numbers.iter().enumerate();
                        let elements = elements.filter(|(lane, _)| !row.masked.contains(lane));
                        unmasked = elements.fold(unmasked, |sum, (_, element)| {
                            (accumulation.combine)(sum, *element)
                        });
                    }
                    if across {
                        for (sum, number) in sums.iter_mut().zip(&numbers) {
                            *sum = (accumulation.combine)(*sum, *number);
                        }
                        row.add_undefined(&mut undefined);
                        self.pending.is_scattered |= row.is_scattered;
                    } else {
                        let elements = numbers.iter();
                        let sum = elements.fold(sums[0], |sum, element| {
                            (accumulation.combine)(sum, *element)
                        });
                        sums[0] = sum;
                        if let Some(lane) = row.undefined.iter().position(|mark| *mark) {
                            undefined = vec![true];
                            if row.fault.is_none() {
                                self.unmasked(seat, &point, inner, lane);
                            }
                        }
                    }
                    let reduced = |dim| input.moves_along(dim) && !op.output.has(dim);
                    if !next(&mut point, &parts, inner, reduced) {
                        break;
                    }
                }
            }
            let is_of_mask = has_mask && unmasked != sums[0] && !unmasked.is_nan();
            if is_of_mask && !undefined.contains(&true) {
                self.count_of_mask(first, &outer, inner);
            }
            for sum in &mut sums {
                *sum = accumulation.finish.apply(*sum);
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

    /// Adds the fault that an operation reduces over padding.
    pub(super) fn unmasked(&mut self, seat: &Seat<'_>, point: &[u64], inner: usize, lane: usize) {
        self.problem(FaultKind::Unmasked, seat, 0, |runner| {
            let byte = seat.inputs[0].byte(point, inner);
            let element = runner.element(seat, point, inner, lane);
            let what = match runner.prepared.shape {
                Shape::TopK(_) => "searched",
                _ => "added up",
            };
            let message = format!("padding is {what}: coordinateMasking_ does not cover it");
            (byte, element, message)
        });
    }

    /// Adds the fault that padding of the left operand of a product is multiplied: the card does not mask there.
    pub(super) fn padding_in_product(
        &mut self,
        seat: &Seat<'_>,
        point: &[u64],
        inner: usize,
        lane: usize,
    ) {
        self.problem(FaultKind::Unmasked, seat, 0, |runner| {
            let byte = seat.inputs[0].byte(point, inner);
            let element = runner.element(seat, point, inner, lane);
            let name = &runner.op.dims[runner.op.inputs[0].stick].name;
            let message = format!(
                "padding along '{name}' is multiplied: no operation has written it, and the card does not mask it; memory there may \
                 contain NaN, which zeros of the right operand do not cancel"
            );
            (byte, element, message)
        });
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
        let lanes = (0..numbers.len()).filter(|lane| self.prepared.is_beyond(numbers[*lane]));
        let lanes: Vec<usize> = lanes.collect();
        self.count_beyond(seat, point, inner, &lanes, undefined);
        self.scatter(seat, point, inner, &codes, undefined);
    }
}
