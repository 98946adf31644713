//! Sums of products of two inputs over the dimensions that the output lacks.
//!
//! A row of the right input, along the stick of the output, is read once for all rows of the output that it adds to: those
//! that differ in dimensions which the right input lacks. Of the left input, the elements along its own stick are read at
//! once where that is the dimension that runs fastest among those that are added up. Each element of the output still
//! adds up its products one after the other, in ascending order.

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
    /// Whether the left input is read anew for each product: it has elements for each of those of the right one, or its stick
    /// is no dimension that is added up last.
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

impl Runner<'_> {
    /// The sums of products of two inputs over the dimensions that the output lacks. The hardware masks what lies
    /// behind the end of those in the left operand (middle-end specification, section 2.5).
    pub(super) fn contract(&mut self, group: &[&Seat<'_>]) {
        let op = self.op;
        let (left, right, first) = (&op.inputs[0], &op.inputs[1], group[0]);
        let plan = self.plan();
        let parts = self.space.parts.clone();
        let shared = |dim: usize| op.output.has(dim) && right.has(dim);
        let own = |dim: usize| op.output.has(dim) && !right.has(dim);
        let reduced = |dim: usize| !op.output.has(dim) && (left.has(dim) || right.has(dim));

        let mut rows: Vec<Rows> = Vec::new();
        rows.resize_with(group.len(), Rows::default);
        let mut numbers = Vec::new();
        let (mut sums, mut undefined): (Vec<Vec<f32>>, Vec<bool>) = (Vec::new(), Vec::new());
        let mut outer = vec![0; parts.len()];
        loop {
            let points = points(&outer, &parts, plan.inner, own);
            sums.resize(points.len(), Vec::new());
            for sum in &mut sums {
                sum.clear();
                sum.resize(plan.lanes, 0.0);
            }
            undefined.clear();
            self.pending.is_scattered = false;
            for (seat, of) in group.iter().zip(&mut rows) {
                of.numbers.resize(points.len(), Vec::new());
                let mut at = outer.clone();
                loop {
                    self.gather(seat, 1, &at, plan.inner, plan.lanes, &mut of.right);
                    of.right.add_undefined(&mut undefined);
                    self.pending.is_scattered |= of.right.is_scattered;
                    self.prepared.numbers(1, &of.right.codes, &mut numbers);
                    let lane = self.lane(&plan, &at);
                    for ((point, sums), left) in points.iter().zip(&mut sums).zip(&mut of.numbers) {
                        if plan.each || lane == 0 {
                            let point = with(point, &at, reduced);
                            self.left(seat, &plan, &point, &mut of.left, left);
                        }
                        let chosen = if plan.each {
                            &left[..]
                        } else {
                            &left[lane..=lane]
                        };
                        add(sums, chosen, &numbers);
                    }
                    if !next(&mut at, &parts, plan.inner, reduced) {
                        break;
                    }
                }
            }
            for (point, sums) in points.iter().zip(&sums) {
                self.scatter_numbers(first, point, plan.inner, sums, &undefined);
            }
            if !next(&mut outer, &parts, plan.inner, shared) {
                break;
            }
        }
        for (seat, of) in group.iter().zip(rows) {
            self.check_seen(seat, 0, of.left.seen);
            self.check_seen(seat, 1, of.right.seen);
        }
    }

    fn plan(&self) -> Plan {
        let op = self.op;
        let inner = op.output.stick;
        let lanes = self.lanes(inner, op.output.has(inner));
        let left = &op.inputs[0];
        let moves = left.has(inner);
        let reduced = |dim: &usize| {
            !op.output.has(*dim) && *dim != inner && op.inputs.iter().any(|own| own.has(*dim))
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

    /// Returns which of the elements of the left input that were read at once is the one of a point.
    fn lane(&self, plan: &Plan, at: &[u64]) -> usize {
        if plan.each {
            return 0;
        }
        usize::try_from(at[plan.along]).expect("a part of a core is counted in memory")
    }

    /// Reads the numbers of the left input at a point. What nobody has defined is masked.
    fn left(
        &mut self,
        seat: &Seat<'_>,
        plan: &Plan,
        point: &[u64],
        row: &mut Row,
        numbers: &mut Vec<f32>,
    ) {
        self.gather(seat, 0, point, plan.along, plan.ahead, row);
        if row.fault.is_none()
            && let Some(lane) = row.undefined.iter().position(|mark| *mark)
        {
            // Those behind the first one are as far from the end, or nearer.
            let mut point = point.to_vec();
            if !plan.each {
                point[plan.along] = lane as u64;
            }
            self.padding_in_product(seat, &point);
        }
        self.prepared.numbers(0, &row.codes, numbers);
        for (number, mark) in numbers.iter_mut().zip(&row.undefined) {
            if *mark {
                *number = 0.0;
            }
        }
    }
}

/// Returns the points that differ from one in the dimensions of the output that the right input lacks.
fn points(
    outer: &[u64],
    parts: &[u64],
    inner: usize,
    own: impl Fn(usize) -> bool,
) -> Vec<Vec<u64>> {
    let mut points = Vec::new();
    let mut point = outer.to_vec();
    loop {
        points.push(point.clone());
        if !next(&mut point, parts, inner, &own) {
            return points;
        }
    }
}

/// Returns a point with some coordinates of another one.
fn with(point: &[u64], other: &[u64], taken: impl Fn(usize) -> bool) -> Vec<u64> {
    let pairs = point.iter().zip(other).enumerate();
    pairs
        .map(|(dim, (own, other))| if taken(dim) { *other } else { *own })
        .collect()
}

/// Adds products to sums: of one number with each of the right, or of as many.
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
