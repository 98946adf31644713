//! The points of conjunctions, by enumeration.
//!
//! The ranges of the columns are narrowed by each row until nothing changes; then the first column with several values is
//! tried with each. This shares nothing with isl but the rows.

use std::cell::Cell;

use spyre_isl::{Basic, Relation, Shape};

/// Coordinates beyond this are not tried: addresses are below.
const FARTHEST: i64 = 1 << 32;

/// The ranges that one search narrows.
const STEPS: usize = 4_000;

/// A relation as rows.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    pub(crate) shape: Shape,
    basics: Vec<Basic>,
}

/// Points of a relation: parameters, inputs and outputs.
#[derive(Clone, Debug)]
pub(crate) struct Points {
    pub(crate) all: Vec<Vec<i64>>,
    /// Whether there are no others.
    pub(crate) is_complete: bool,
}

impl Rows {
    /// Returns the rows of a relation; `None` where isl does not export them.
    pub(crate) fn of(relation: &Relation) -> Option<Self> {
        Some(Self {
            shape: relation.shape(),
            basics: relation.basics().ok()?,
        })
    }

    /// Returns whether a point is in the relation.
    pub(crate) fn has(&self, point: &[i64]) -> bool {
        self.basics.iter().any(|basic| fulfils(basic, point))
    }

    /// Returns points of the relation: all, if there are at most `most` near the origin.
    pub(crate) fn points(&self, most: usize) -> Points {
        let mut points = Points {
            all: Vec::new(),
            is_complete: true,
        };
        for basic in &self.basics {
            let search = Search::new(basic);
            let ranges = vec![(-FARTHEST, FARTHEST); search.columns];
            let end = points.all.len() + most;
            search.visit(ranges, end, &mut points);
        }
        points.all.sort_unstable();
        points.all.dedup();
        points
    }
}

/// Returns whether a point fulfils a conjunction, whose existentials are quotients.
fn fulfils(basic: &Basic, point: &[i64]) -> bool {
    assert_eq!(basic.locals, 0, "isl exports quotients alone");
    let mut columns = vec![1];
    columns.extend(point);
    for div in &basic.divs {
        columns.push(dot(&div.numerator, &columns).div_euclid(div.denominator));
    }
    basic.equalities.iter().all(|row| dot(row, &columns) == 0)
        && basic.inequalities.iter().all(|row| dot(row, &columns) >= 0)
}

/// Returns the product of a row and the columns; columns that one of them lacks are zero.
fn dot(row: &[i64], columns: &[i64]) -> i64 {
    row.iter().zip(columns).map(|(a, b)| a * b).sum()
}

/// The search for the points of one conjunction.
struct Search<'b> {
    basic: &'b Basic,
    /// Rows that are at least zero, over the constant, the coordinates and the quotients.
    rows: Vec<Vec<i64>>,
    /// The coordinates and the quotients.
    columns: usize,
    steps: Cell<usize>,
}

impl<'b> Search<'b> {
    fn new(basic: &'b Basic) -> Self {
        let width = basic.columns();
        let negative = |row: &Vec<i64>| row.iter().map(|number| -number).collect::<Vec<i64>>();
        let mut rows = basic.inequalities.clone();
        for row in &basic.equalities {
            rows.extend([row.clone(), negative(row)]);
        }
        for (at, div) in basic.divs.iter().enumerate() {
            // 0 <= numerator - denominator * div <= denominator - 1.
            let mut lower = div.numerator.clone();
            lower.resize(width, 0);
            lower[1 + basic.shape.dims() + at] -= div.denominator;
            let mut upper = negative(&lower);
            upper[0] += div.denominator - 1;
            rows.extend([lower, upper]);
        }
        Self {
            basic,
            rows,
            columns: width - 1,
            steps: Cell::new(0),
        }
    }

    fn visit(&self, mut ranges: Vec<(i64, i64)>, end: usize, points: &mut Points) {
        self.steps.set(self.steps.get() + 1);
        if points.all.len() >= end || self.steps.get() > STEPS {
            points.is_complete = false;
            return;
        }
        if !self.narrow(&mut ranges) {
            return;
        }
        let dims = self.basic.shape.dims();
        let open = ranges[..dims]
            .iter()
            .position(|(least, greatest)| least < greatest);
        let Some(open) = open else {
            let point: Vec<i64> = ranges[..dims].iter().map(|(value, _)| *value).collect();
            if fulfils(self.basic, &point) {
                points.all.push(point);
            }
            return;
        };
        let (least, greatest) = ranges[open];
        // An end of the search is no end of the relation.
        points.is_complete &= least > -FARTHEST && greatest < FARTHEST;
        for value in least..=greatest {
            let mut fixed = ranges.clone();
            fixed[open] = (value, value);
            self.visit(fixed, end, points);
            if points.all.len() >= end || self.steps.get() > STEPS {
                points.is_complete &= value == greatest && self.steps.get() <= STEPS;
                return;
            }
        }
    }

    /// Narrows ranges; returns false where a row holds for none of their values.
    fn narrow(&self, ranges: &mut [(i64, i64)]) -> bool {
        // Each round narrows a range, and slow rows are left to the search.
        for _ in 0..16 {
            let mut has_changed = false;
            for row in &self.rows {
                let ends = row[1..].iter().zip(ranges.iter());
                let total = ends.map(|(factor, range)| greatest(*factor, *range));
                let total = i128::from(row[0]) + total.sum::<i128>();
                if total < 0 {
                    return false;
                }
                for (factor, range) in row[1..].iter().zip(ranges.iter_mut()) {
                    // The others are at most `rest`, so `factor * value >= -rest`.
                    let rest = total - greatest(*factor, *range);
                    let bound = |by: i64| {
                        let bound = rest.div_euclid(i128::from(by));
                        i64::try_from(bound.min(i128::from(FARTHEST))).unwrap_or(-FARTHEST)
                    };
                    let (least, most) = match factor.signum() {
                        1 => (-bound(*factor), range.1),
                        -1 => (range.0, bound(-*factor)),
                        _ => continue,
                    };
                    has_changed |= least > range.0 || most < range.1;
                    *range = (range.0.max(least), range.1.min(most));
                    if range.0 > range.1 {
                        return false;
                    }
                }
            }
            if !has_changed {
                break;
            }
        }
        true
    }
}

/// Returns the greatest multiple of a number in a range.
fn greatest(factor: i64, (low, high): (i64, i64)) -> i128 {
    let times = |value: i64| i128::from(factor) * i128::from(value);
    times(low).max(times(high))
}

mod tests {
    use spyre_isl::{Context, Div};

    use super::*;

    #[test]
    fn points_are_those_of_the_rows() {
        let shape = Shape {
            params: 0,
            ins: 1,
            outs: 2,
        };
        // Stick and element of a position below 10, in sticks of 4.
        let basic = Basic {
            divs: vec![Div {
                numerator: vec![0, 1, 0, 0],
                denominator: 4,
            }],
            equalities: vec![vec![0, 0, 1, 0, -1], vec![0, -1, 0, 1, 4]],
            inequalities: vec![vec![0, 1, 0, 0, 0], vec![9, -1, 0, 0, 0]],
            ..Basic::universe(shape)
        };
        let relation = Relation::from_basic(&Context::new(0), &basic).expect("rows of its shape");
        let rows = Rows::of(&relation).expect("it has rows");
        let points = rows.points(100);
        assert!(points.is_complete);
        let expected: Vec<Vec<i64>> = (0..10).map(|at| vec![at, at / 4, at % 4]).collect();
        assert_eq!(points.all, expected);
        assert!(!rows.points(5).is_complete);
        assert!(rows.has(&[7, 1, 3]) && !rows.has(&[7, 1, 2]));
    }
}
