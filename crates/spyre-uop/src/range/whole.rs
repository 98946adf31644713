//! Intervals of sums, products, quotients and remainders, before they wrap.

use super::Interval;
use crate::op::Elementwise as E;

/// Returns the interval of an operation on integers; none where a bound does not fit into 128 bits.
pub(super) fn combined(op: E, a: Interval, b: Interval) -> Option<Interval> {
    match op {
        E::Add => Some(Interval::new(a.low + b.low, a.high + b.high)),
        E::Sub => Some(Interval::new(a.low - b.high, a.high - b.low)),
        E::Max => Some(Interval::new(a.low.max(b.low), a.high.max(b.high))),
        E::Mul => corners(a, b, i128::checked_mul),
        E::Idiv | E::CDiv => quotient(op, a, b),
        E::Mod | E::CMod => remainder(op, a, b),
        other => unreachable!("{} is no arithmetic of integers", other.name()),
    }
}

/// Returns the smallest interval with the results at the ends.
fn corners(
    a: Interval,
    b: Interval,
    function: impl Fn(i128, i128) -> Option<i128>,
) -> Option<Interval> {
    let ends = [
        (a.low, b.low),
        (a.low, b.high),
        (a.high, b.low),
        (a.high, b.high),
    ];
    let mut ends = ends
        .into_iter()
        .map(|(a, b)| function(a, b).map(Interval::point));
    let first = ends.next().expect("there are four")?;
    ends.try_fold(first, |hull, term| Some(hull.hull(term?)))
}

/// Splits an interval of divisors into its parts below and above 0.
fn signs(b: Interval) -> [Interval; 2] {
    [
        Interval::new(b.low, b.high.min(-1)),
        Interval::new(b.low.max(1), b.high),
    ]
}

fn floor(a: i128, b: i128) -> i128 {
    a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0)
}

fn quotient(op: E, a: Interval, b: Interval) -> Option<Interval> {
    let divide = |a: i128, b: i128| Some(if op == E::Idiv { floor(a, b) } else { a / b });
    // A quotient by 0 is 0. For divisors of one sign, the least and the largest quotient are at the ends of the two
    // intervals.
    let zero = b.contains(0).then(|| Interval::point(0));
    let parts = signs(b).into_iter().filter(|divisor| !divisor.is_empty());
    let mut parts = parts
        .map(|divisor| corners(a, divisor, divide))
        .chain(zero.map(Some));
    let first = parts.next().expect("a divisor is below, above, or 0")?;
    parts.try_fold(first, |hull, term| Some(hull.hull(term?)))
}

fn remainder(op: E, a: Interval, b: Interval) -> Option<Interval> {
    // A remainder by 0 is the dividend.
    let zero = b.contains(0).then_some(a);
    let parts = signs(b).into_iter().filter(|divisor| !divisor.is_empty());
    let of_sign = |divisor| {
        if op == E::Mod {
            floored(a, divisor)
        } else {
            truncated(a, divisor)
        }
    };
    let parts = parts.map(of_sign).chain(zero);
    parts.reduce(Interval::hull)
}

/// Returns the remainders that have the sign of the divisor.
fn floored(a: Interval, b: Interval) -> Interval {
    if let Some(divisor) = b.as_point() {
        let (low, high) = (floor(a.low, divisor), floor(a.high, divisor));
        if low == high {
            return Interval::new(a.low - divisor * low, a.high - divisor * high);
        }
    }
    let is_unchanged = match b.low > 0 {
        true => a.low >= 0 && a.high < b.low,
        false => a.high <= 0 && a.low > b.high,
    };
    if is_unchanged {
        return a;
    }
    match b.low > 0 {
        true if a.low >= 0 => Interval::new(0, a.high.min(b.high - 1)),
        true => Interval::new(0, b.high - 1),
        false if a.high <= 0 => Interval::new(a.low.max(b.low + 1), 0),
        false => Interval::new(b.low + 1, 0),
    }
}

/// Returns the remainders that have the sign of the dividend.
fn truncated(a: Interval, b: Interval) -> Interval {
    let same_sign = a.low >= 0 || a.high <= 0;
    if let Some(divisor) = b.as_point()
        && same_sign
        && a.low / divisor == a.high / divisor
    {
        return Interval::new(a.low % divisor, a.high % divisor);
    }
    let most = b.low.abs().max(b.high.abs()) - 1;
    let (fewest, least) = (b.low.abs().min(b.high.abs()), a.low.abs().max(a.high.abs()));
    if least < fewest {
        return a;
    }
    Interval::new(a.low.min(0).max(-most), a.high.max(0).min(most))
}
