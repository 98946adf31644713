//! Intervals of operations on bits. Integers are in two's complement without end, so the rules are the same for all widths.

use super::Interval;
use crate::dtype::DType;
use crate::element;
use crate::op::Elementwise as E;

/// Returns the interval of an operation on bits; none if it is unbounded.
pub(super) fn combined(op: E, dtype: DType, a: Interval, b: Interval) -> Option<Interval> {
    if let (Some(a), Some(b)) = (a.as_point(), b.as_point()) {
        let operands = [element::wrapped(dtype, a), element::wrapped(dtype, b)];
        let element = element::apply(op, dtype, &operands);
        return Some(Interval::point(element::integer(dtype, element)));
    }
    match op {
        E::And => Some(and(a, b)),
        E::Or => Some(not(and(not(a), not(b)))),
        E::Xor if b == Interval::point(-1) => Some(not(a)),
        E::Xor if a == Interval::point(-1) => Some(not(b)),
        E::Xor if a.low >= 0 && b.low >= 0 => Some(Interval::new(0, bound(a.high.max(b.high)) - 1)),
        E::Xor => {
            let most = [a.low, a.high, b.low, b.high].map(magnitude);
            let bound = bound(most.into_iter().max().expect("there are four"));
            Some(Interval::new(-bound, bound - 1))
        }
        E::Shl | E::Shr => shift(op, dtype, a, b),
        other => unreachable!("{} is no operation on bits", other.name()),
    }
}

/// Returns the complement: `-1 - x`.
fn not(a: Interval) -> Interval {
    Interval::new(-1 - a.high, -1 - a.low)
}

/// Returns the number, or its complement if it is negative.
fn magnitude(value: i128) -> i128 {
    value ^ (value >> 127)
}

/// Returns the smallest power of two above a number that is not negative.
fn bound(value: i128) -> i128 {
    1 << (128 - value.leading_zeros())
}

fn and(a: Interval, b: Interval) -> Interval {
    // Bits that are cleared make a number smaller, unless it becomes positive.
    let high = match (a.low >= 0, b.low >= 0) {
        (true, false) => a.high,
        (false, true) => b.high,
        (true, true) => a.high.min(b.high),
        _ if a.high < 0 && b.high < 0 => a.high.min(b.high),
        _ => a.high.max(b.high),
    };
    let low = if a.low >= 0 || b.low >= 0 {
        0
    } else {
        -bound(magnitude(a.low.min(b.low)))
    };
    Interval::new(low, high)
}

/// Returns the interval of a shift by numbers that are less than the width.
fn shift(op: E, dtype: DType, a: Interval, b: Interval) -> Option<Interval> {
    if b.low < 0 || b.high >= dtype.bits().into() {
        return None;
    }
    let shifted = |value: i128, by: i128| match op {
        // An integer of 64 bits by less than 64 has at most 127 bits.
        E::Shl => value.checked_mul(1 << by),
        _ => Some(value >> by),
    };
    let ends = [
        (a.low, b.low),
        (a.low, b.high),
        (a.high, b.low),
        (a.high, b.high),
    ];
    let mut ends = ends
        .into_iter()
        .map(|(a, b)| shifted(a, b).map(Interval::point));
    let first = ends.next().expect("there are four")?;
    ends.try_fold(first, |hull, term| Some(hull.hull(term?)))
}
