//! Rows of a table that indices choose.

use crate::kernels::{Elementwise, Scratch};
use crate::read::Gather;
use crate::report::FaultKind;

use super::compute::{Runner, Seat, next};
use super::gather::Row;
use super::problem::tensor_name;

impl Runner<'_> {
    /// Moves the rows of a table that indices choose. An index that the table has no row for is a fault, and the result is
    /// undefined there.
    pub(super) fn choose(&mut self, elementwise: &Elementwise, gather: Gather, seats: &[Seat<'_>]) {
        let op = self.op;
        let inner = op.output.stick;
        let lanes = self.lanes(inner, op.output.has(inner));
        let parts = self.space.parts.clone();
        let (mut index, mut row) = (Row::default(), Row::default());
        let mut scratch = Scratch::default();
        let mut out = Vec::new();
        for seat in seats {
            let mut point = vec![0; parts.len()];
            loop {
                match self.index(seat, gather, &point, &mut index) {
                    Some(chosen) => {
                        let mut there = point.clone();
                        there[gather.dim] = chosen;
                        self.gather(seat, gather.table, &there, inner, lanes, &mut row);
                    }
                    None => {
                        row.clear(lanes);
                        row.poison(0..lanes);
                    }
                }
                self.prepared
                    .row(elementwise, &[&row.codes], &mut scratch, &mut out);
                self.pending.is_scattered = row.is_scattered;
                self.scatter(seat, &point, inner, &out, &row.undefined);
                if !next(&mut point, &parts, inner, |dim| op.output.has(dim)) {
                    break;
                }
            }
            self.check_seen(seat, gather.indices, std::mem::take(&mut index.seen));
            self.check_seen(seat, gather.table, std::mem::take(&mut row.seen));
        }
    }

    /// Returns the index at a point; `None` if it is undefined or the table has no row for it.
    fn index(
        &mut self,
        seat: &Seat<'_>,
        gather: Gather,
        point: &[u64],
        row: &mut Row,
    ) -> Option<u64> {
        // A single element is read, at the point in all dimensions.
        self.gather(seat, gather.indices, point, usize::MAX, 1, row);
        let byte = seat.inputs[gather.indices].byte(point, usize::MAX);
        if row.is_undefined(0) {
            if row.fault.is_none() {
                self.problem(FaultKind::NeverWritten, seat, gather.indices, |runner| {
                    let element = runner.element(seat, point, usize::MAX, 0);
                    (byte, element, "padding is an index".to_owned())
                });
            }
            return None;
        }
        let code = row.codes[0];
        let rows = seat.inputs[gather.table].held(gather.dim);
        if u64::from(code) < rows {
            return Some(code.into());
        }
        self.problem(FaultKind::Index, seat, gather.indices, |runner| {
            let element = runner.element(seat, point, usize::MAX, 0);
            let name = tensor_name(runner.op, &runner.op.inputs[gather.table]);
            let message = format!(
                "index {} is outside of {name}, which has an extent of {rows} there",
                code.cast_signed()
            );
            (byte, element, message)
        });
        None
    }
}
