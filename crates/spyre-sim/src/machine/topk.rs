//! Searching a dimension for its first elements in descending order.

use crate::kernels::{Ranked, descending};

use super::compute::{Runner, Seat, next};
use super::gather::{Row, Seen};

/// A ranked element.
struct RankedElement {
    position: u64,
    number: f32,
    code: u32,
    undefined: bool,
}

impl Runner<'_> {
    /// Finds the first elements of one input along the dimension that the output lacks. The output has a separate
    /// dimension for them, which the cores may have divided; without it, there is one element.
    pub(super) fn top_k(&mut self, ranked: Ranked, group: &[&Seat<'_>]) {
        let (op, prepared) = (self.op, self.prepared);
        let (input, first) = (&op.inputs[0], group[0]);
        let inner = input.stick;
        let across = op.output.has(inner);
        let parts = self.space.parts.clone();
        // A window of one element may have another one, of extent 1.
        let searched_dims = (0..parts.len()).filter(|dim| op.output.has(*dim) && !input.has(*dim));
        let ranks = searched_dims.max_by_key(|dim| self.space.extents[*dim]);
        let (skip, count) = match ranks {
            Some(dim) => {
                let skip = usize::try_from(first.slices[dim] * self.space.parts[dim]);
                (skip.expect("ranks are counted in memory"), self.part(dim))
            }
            None => (0, 1),
        };
        let mut seen: Vec<Seen> = group.iter().map(|_| Seen::default()).collect();
        let mut row = Row::default();
        let mut outer = vec![0; parts.len()];
        loop {
            let candidates = self.candidates(group, &mut seen, &mut row, &outer);
            // An element that padding may precede is as undefined as the padding. A rank after the last element is
            // undefined, too.
            let result = |candidates: &[RankedElement], rank: usize| {
                let is_undefined = candidates.iter().any(|candidate| candidate.undefined);
                let at = candidates.get(rank);
                let code = at.map(|at| prepared.ranked(ranked, at.code, at.number, at.position));
                (code.unwrap_or(u32::MAX), is_undefined || code.is_none())
            };
            if across {
                let mut point = outer.clone();
                for rank in 0..count {
                    let (codes, undefined): (Vec<u32>, Vec<bool>) = candidates
                        .iter()
                        .map(|candidates| result(candidates, skip + rank))
                        .unzip();
                    if let Some(dim) = ranks {
                        point[dim] = rank as u64;
                    }
                    self.scatter(first, &point, inner, &codes, &undefined);
                }
            } else {
                let (codes, undefined): (Vec<u32>, Vec<bool>) = (0..count)
                    .map(|rank| result(&candidates[0], skip + rank))
                    .unzip();
                let along = ranks.unwrap_or(usize::MAX);
                self.scatter(first, &outer, along, &codes, &undefined);
            }
            let kept = |dim| op.output.has(dim) && Some(dim) != ranks;
            if !next(&mut outer, &parts, inner, kept) {
                break;
            }
        }
        for (seat, seen) in group.iter().zip(seen) {
            self.check_seen(seat, 0, seen);
        }
    }

    /// Returns the elements at a point in the order of the search: for each lane, or for all lanes where the search is along
    /// the stick.
    fn candidates(
        &mut self,
        group: &[&Seat<'_>],
        seen: &mut [Seen],
        row: &mut Row,
        outer: &[u64],
    ) -> Vec<Vec<RankedElement>> {
        let (op, prepared) = (self.op, self.prepared);
        let input = &op.inputs[0];
        let inner = input.stick;
        let across = op.output.has(inner);
        let lanes = self.lanes(inner, input.has(inner) || across);
        let searched = |dim| input.has(dim) && !op.output.has(dim);
        let mut numbers = Vec::new();
        let mut candidates: Vec<Vec<RankedElement>> = Vec::new();
        candidates.resize_with(if across { lanes } else { 1 }, Vec::new);
        self.pending.is_scattered = false;
        for (seat, seen) in group.iter().zip(seen) {
            std::mem::swap(&mut row.seen, seen);
            let mut point = outer.to_vec();
            loop {
                self.gather(seat, 0, &point, inner, lanes, row);
                self.pending.is_scattered |= across && row.is_scattered;
                prepared.numbers(0, &row.codes, &mut numbers);
                for (lane, (number, code)) in numbers.iter().zip(&row.codes).enumerate() {
                    let (into, at) = if across { (lane, 0) } else { (0, lane as u64) };
                    candidates[into].push(RankedElement {
                        position: self.position(seat, &point, inner, at, searched),
                        number: *number,
                        code: *code,
                        undefined: row.is_undefined(lane),
                    });
                }
                if !across
                    && row.fault.is_none()
                    && let Some(lane) = row.undefined.iter().position(|mark| *mark)
                {
                    self.unmasked(seat, &point, inner, lane);
                }
                if !next(&mut point, &self.space.parts, inner, searched) {
                    break;
                }
            }
            std::mem::swap(&mut row.seen, seen);
        }
        for candidates in &mut candidates {
            candidates.sort_by(|a, b| {
                let order = descending(a.number, b.number);
                order.then(a.position.cmp(&b.position))
            });
        }
        candidates
    }

    /// Returns the position of an element along the searched dimensions. The number of points of the whole space fits
    /// 64 bits.
    fn position(
        &self,
        seat: &Seat<'_>,
        point: &[u64],
        inner: usize,
        lane: u64,
        searched: impl Fn(usize) -> bool,
    ) -> u64 {
        let space = self.space;
        let dims = point.iter().zip(seat.slices).enumerate();
        dims.filter(|(dim, _)| searched(*dim))
            .fold(0, |position, (dim, (at, slice))| {
                let local = if dim == inner { lane } else { *at };
                position * space.extents[dim] + slice * space.parts[dim] + local
            })
    }
}
