//! Pairs of moments, with which a layer normalisation begins.
//!
//! `exx2` leaves two numbers of each row in one stick, the arrangement EXX2, and `layernormscale` reads them (contract, K29 and
//! K30). Their places in the stick are not published. Here the mean is the first element and the mean of squares the
//! second, and the rest is padding. So `layernormnorm`, which needs the mean, reads it as it reads any tensor with one
//! element per stick.

use crate::kernels::{Finish, float_code};
use crate::report::FaultKind;

use super::compute::{Runner, Seat, next};
use super::gather::{Reader, Row, gather_pair};

impl Runner<'_> {
    /// Adds up one input and its squares along the stick.
    pub(super) fn moments(&mut self, finish: Finish, group: &[&Seat<'_>]) {
        let op = self.op;
        let (input, first) = (&op.inputs[0], group[0]);
        let inner = input.stick;
        let lanes = self.part(inner);
        let parts = self.space.parts.clone();
        let mut rows = Vec::new();
        rows.resize_with(group.len(), Row::default);
        let mut numbers = Vec::new();
        let mut outer = vec![0; parts.len()];
        loop {
            let (mut sums, mut undefined) = ([0.0_f32; 2], Vec::new());
            for (seat, row) in group.iter().zip(&mut rows) {
                let mut point = outer.clone();
                loop {
                    self.gather(seat, 0, &point, inner, lanes, row);
                    self.prepared.numbers(0, &row.codes, &mut numbers);
                    for number in &numbers {
                        sums[0] += number;
                        sums[1] += number * number;
                    }
                    if let Some(lane) = row.undefined.iter().position(|mark| *mark) {
                        undefined = vec![true; 2];
                        if row.fault.is_none() {
                            self.unmasked(seat, &point, inner, lane);
                        }
                    }
                    let reduced = |dim| input.has(dim) && !op.output.has(dim);
                    if !next(&mut point, &parts, inner, reduced) {
                        break;
                    }
                }
            }
            let moments = sums.map(|sum| finish.apply(sum));
            self.scatter_pair(first, &outer, moments, &undefined);
            if !next(&mut outer, &parts, inner, |dim| op.output.has(dim)) {
                break;
            }
        }
        for (seat, row) in group.iter().zip(rows) {
            self.check_seen(seat, 0, row.seen);
        }
    }

    /// Hands a pair of the output to memory.
    fn scatter_pair(&mut self, seat: &Seat<'_>, point: &[u64], pair: [f32; 2], undefined: &[bool]) {
        let view = seat.output;
        // An element that a change of layout lacks is not in memory.
        let Some(base) = view.offset(point, usize::MAX) else {
            return;
        };
        let beyond: Vec<usize> = (0..2)
            .filter(|lane| self.prepared.is_beyond(pair[*lane]))
            .collect();
        self.count_beyond(seat, point, usize::MAX, &beyond, undefined);
        self.pending.is_scattered = false;
        let codes = pair.map(|number| float_code(self.prepared.output(), number));
        self.pending.push(
            seat.value,
            view.region,
            view.byte_at(base),
            view.element,
            &codes,
            undefined,
        );
    }

    /// Computes the reciprocal of the standard deviation of each pair, for all lanes of the output.
    pub(super) fn norm_scale(&mut self, eps: f32, seats: &[Seat<'_>]) {
        let op = self.op;
        let inner = op.output.stick;
        let lanes = self.lanes(inner, op.output.has(inner));
        let parts = self.space.parts.clone();
        let mut row = Row::default();
        let mut numbers = Vec::new();
        for seat in seats {
            let mut point = vec![0; parts.len()];
            loop {
                self.read_pair(seat, &point, &mut row);
                self.prepared.numbers(0, &row.codes, &mut numbers);
                let variance = numbers[1] - numbers[0] * numbers[0];
                let scale = 1.0 / (variance + eps).sqrt();
                let undefined = vec![!row.undefined.is_empty(); lanes];
                self.pending.is_scattered = false;
                self.scatter_numbers(seat, &point, inner, &vec![scale; lanes], &undefined);
                if !next(&mut point, &parts, inner, |dim| op.output.has(dim)) {
                    break;
                }
            }
            self.check_seen(seat, 0, std::mem::take(&mut row.seen));
        }
    }

    /// Reads the pair of the first input at a point. A pair of which a part is undefined is a fault.
    fn read_pair(&mut self, seat: &Seat<'_>, point: &[u64], row: &mut Row) {
        row.clear(2);
        let view = seat.inputs[0];
        let Some(base) = view.offset(point, usize::MAX) else {
            row.poison(0..2);
            return;
        };
        let reader = Reader {
            execution: self.number,
            core: seat.core,
        };
        gather_pair(self.memory.region_mut(view.region), view, base, reader, row);
        if !row.undefined.is_empty() {
            self.problem(FaultKind::NeverWritten, seat, 0, |runner| {
                let message = "this is no pair of moments, as exx2 writes it".to_owned();
                let element = runner.element(seat, point, usize::MAX, 0);
                (view.byte_at(base), element, message)
            });
        }
    }
}
