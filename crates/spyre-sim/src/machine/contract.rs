//! Sums of products of two inputs over the dimensions that the output lacks.
//!
//! A row of the right input, along the stick of the output, is read once for all rows of the output that it adds to:
//! the rows that differ in dimensions which the right input lacks. The elements of the left input along its stick are
//! read at once where the stick is the innermost reduced dimension. Each element of the output still adds up its
//! products one after the other, in ascending order.
//!
//! The card does not mask after the end of the reduced dimension (contract, K18): the right operand has zeros there,
//! which cancel every number of the left one, but not a NaN. So unwritten padding of the left operand is a fault, and
//! NaN. A value that an operation has written there, such as a masked exponential, is a number like any other.

use super::compute::{Runner, Seat, next};
use super::gather::Row;

/// The way in which the inputs are read.
struct Plan {
    /// The stick of the output, and its elements.
    inner: usize,
    lanes: usize,
    /// The dimension along which the left input is read, and the elements that are read at once.
    along: usize,
    ahead: usize,
    /// Whether the left input is read anew for each product: it has an element for each lane of the right one, or its
    /// stick is not the innermost reduced dimension.
    each: bool,
}

/// The rows of one core.
#[derive(Default)]
struct Rows {
    left: Row,
    right: Row,
    /// Numbers of the left input for each row of the output, as many as are read at once.
    numbers: Vec<Vec<f32>>,
}

/// A row of the output.
struct Target {
    point: Vec<u64>,
    sums: Vec<f32>,
    /// Lanes that the left input does not define, if there are any.
    undefined: Vec<bool>,
}

impl Runner<'_> {
    /// Computes the sums of products of two inputs over the dimensions that the output lacks.
    pub(super) fn contract(&mut self, group: &[&Seat<'_>]) {
        let op = self.op;
        let (left, right) = (&op.inputs[0], &op.inputs[1]);
        // Under a split of a reduced dimension, the last core has the sums in its scratchpad (contract, K68a).
        let writer = group[group.len() - 1];
        let plan = self.plan();
        let parts = self.space.parts.clone();
        let shared = |dim: usize| op.output.has(dim) && right.has(dim);
        let is_row = |dim: usize| op.output.has(dim) && !right.has(dim);
        let reduced = |dim: usize| !op.output.has(dim) && (left.has(dim) || right.has(dim));

        let mut rows: Vec<Rows> = Vec::new();
        rows.resize_with(group.len(), Rows::default);
        let mut numbers = Vec::new();
        let mut undefined: Vec<bool> = Vec::new();
        let mut outer = vec![0; parts.len()];
        loop {
            let mut targets = targets(&outer, &parts, &plan, is_row);
            undefined.clear();
            self.pending.is_scattered = false;
            for (seat, row) in group.iter().zip(&mut rows) {
                row.numbers.resize(targets.len(), Vec::new());
                let mut at = outer.clone();
                loop {
                    self.gather(seat, 1, &at, plan.inner, plan.lanes, &mut row.right);
                    row.right.add_undefined(&mut undefined);
                    self.pending.is_scattered |= row.right.is_scattered;
                    self.prepared.numbers(1, &row.right.codes, &mut numbers);
                    let lane = self.lane(&plan, &at);
                    for (target, left) in targets.iter_mut().zip(&mut row.numbers) {
                        if plan.each || lane == 0 {
                            let point = with(&target.point, &at, reduced);
                            let marks = &mut target.undefined;
                            self.left(seat, &plan, &point, &mut row.left, left, marks);
                        }
                        let chosen = if plan.each {
                            &left[..]
                        } else {
                            &left[lane..=lane]
                        };
                        add(&mut target.sums, chosen, &numbers);
                    }
                    if !next(&mut at, &parts, plan.inner, reduced) {
                        break;
                    }
                }
            }
            for target in &mut targets {
                let marks = join(&mut target.undefined, &undefined);
                self.scatter_numbers(writer, &target.point, plan.inner, &target.sums, marks);
            }
            if !next(&mut outer, &parts, plan.inner, shared) {
                break;
            }
        }
        for (seat, row) in group.iter().zip(rows) {
            self.check_seen(seat, 0, row.left.seen);
            self.check_seen(seat, 1, row.right.seen);
        }
    }

    fn plan(&self) -> Plan {
        let op = self.op;
        let inner = op.output.stick;
        let lanes = self.lanes(inner, op.output.has(inner));
        let left = &op.inputs[0];
        let moves = left.has(inner);
        let reduced = |dim: &usize| {
            !op.output.has(*dim) && *dim != inner && op.inputs.iter().any(|input| input.has(*dim))
        };
        let last = (0..self.space.parts.len()).rfind(reduced);
        if !moves && last == Some(left.stick) && left.has(left.stick) {
            return Plan {
                inner,
                lanes,
                along: left.stick,
                ahead: self.part(left.stick),
                each: false,
            };
        }
        Plan {
            inner,
            lanes,
            along: inner,
            ahead: if moves { lanes } else { 1 },
            each: true,
        }
    }

    /// Returns the position of a point's element among the elements of the left input that were read at once.
    fn lane(&self, plan: &Plan, at: &[u64]) -> usize {
        if plan.each {
            return 0;
        }
        usize::try_from(at[plan.along]).expect("a part of a core is counted in memory")
    }

    /// Reads the numbers of the left input at a point. Undefined elements are NaN. Undefined padding of the reduced
    /// dimension is a fault; other padding is padding of the output as well, and marked there.
    fn left(
        &mut self,
        seat: &Seat<'_>,
        plan: &Plan,
        point: &[u64],
        row: &mut Row,
        numbers: &mut Vec<f32>,
        marks: &mut Vec<bool>,
    ) {
        self.gather(seat, 0, point, plan.along, plan.ahead, row);
        self.prepared.numbers(0, &row.codes, numbers);
        let Some(lane) = row.undefined.iter().position(|mark| *mark) else {
            return;
        };
        if self.op.output.has(self.op.inputs[0].stick) {
            marks.resize(plan.lanes, false);
            match row.undefined.as_slice() {
                [_] => marks.fill(true),
                all => {
                    for (mark, is_undefined) in marks.iter_mut().zip(all) {
                        *mark |= is_undefined;
                    }
                }
            }
        } else if row.fault.is_none() {
            self.padding_in_product(seat, point, plan.along, lane);
        }
        for (number, mark) in numbers.iter_mut().zip(&row.undefined) {
            if *mark {
                *number = f32::NAN;
            }
        }
    }
}

/// Returns the rows of the output that differ from a point only in dimensions that the right input lacks.
fn targets(
    outer: &[u64],
    parts: &[u64],
    plan: &Plan,
    is_row: impl Fn(usize) -> bool,
) -> Vec<Target> {
    let mut targets = Vec::new();
    let mut point = outer.to_vec();
    loop {
        targets.push(Target {
            point: point.clone(),
            sums: vec![0.0; plan.lanes],
            undefined: Vec::new(),
        });
        if !next(&mut point, parts, plan.inner, &is_row) {
            return targets;
        }
    }
}

/// Returns the marks of both lists, of which one may be empty.
fn join<'m>(marks: &'m mut Vec<bool>, shared: &'m [bool]) -> &'m [bool] {
    if marks.is_empty() {
        return shared;
    }
    for (mark, shared) in marks.iter_mut().zip(shared) {
        *mark |= shared;
    }
    marks
}

/// Returns a point with some coordinates of another one.
fn with(point: &[u64], other: &[u64], taken: impl Fn(usize) -> bool) -> Vec<u64> {
    let pairs = point.iter().zip(other).enumerate();
    pairs
        .map(|(dim, (slice, other))| if taken(dim) { *other } else { *slice })
        .collect()
}

/// Adds products to sums: products of the only number on the left with each on the right, or of pairs of both sides.
fn add(sums: &mut [f32], left: &[f32], right: &[f32]) {
    if let [left] = left {
        for (sum, right) in sums.iter_mut().zip(right) {
            *sum += left * right;
        }
    } else {
        for (sum, (left, right)) in sums.iter_mut().zip(left.iter().zip(right)) {
            *sum += left * right;
        }
    }
}
