//! The smallest and the largest value of each node.
//!
//! An interval holds every value that a node has on any inputs, with integers that wrap as machine integers do: where a
//! sum may leave its type, the interval is the range of the type. The rules are tinyspec's without its three mistakes:
//! a conversion that wraps is not clamped, sums and products wrap, and padding adds 0. Floats have an interval where
//! they are converted from integers.

mod bits;
mod whole;

use crate::calls::{Calls, Returned};
use crate::dtype::DType;
use crate::element;
use crate::graph::{Graph, Node, Type};
use crate::ids::{IndexVec, NodeId};
use crate::op::{Combine, Elementwise as E, Op};
use crate::schema::{Datum, Slot};

/// All integers between two, both included. It is empty where the low one is above the high one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// The smallest value.
    pub low: i128,
    /// The largest value.
    pub high: i128,
}

impl Interval {
    /// Returns an interval.
    #[must_use]
    pub fn new(low: i128, high: i128) -> Self {
        Self { low, high }
    }

    /// Returns the interval of one value.
    #[must_use]
    pub fn point(value: i128) -> Self {
        Self::new(value, value)
    }

    /// Returns whether there is no value.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.low > self.high
    }

    /// Returns the only value.
    #[must_use]
    pub fn as_point(self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    /// Returns whether a value is in the interval.
    #[must_use]
    pub fn contains(self, value: i128) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Returns the smallest interval with the values of both.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => other,
            (_, true) => self,
            _ => Self::new(self.low.min(other.low), self.high.max(other.high)),
        }
    }

    /// Returns the interval of a truth value.
    fn truth(may_be_false: bool, may_be_true: bool) -> Self {
        Self::new(i128::from(!may_be_false), i128::from(may_be_true))
    }
}

/// Returns the interval of each tensor; none for unbounded floats, and for nodes that are no tensors.
#[must_use]
pub fn ranges(graph: &Graph) -> IndexVec<NodeId, Option<Interval>> {
    let mut ranges: Ranges = IndexVec::new();
    let mut calls = Calls::from_graph(graph);
    for (id, node) in graph.nodes().iter() {
        let range = match &node.ty {
            Type::Tensor(_) => tensor(graph, (&ranges, &[]), id, &mut calls),
            Type::Tuple(_) | Type::Void => None,
        };
        ranges.push(range);
    }
    ranges
}

type Ranges = IndexVec<NodeId, Option<Interval>>;

/// Returns the interval of a result of a call: its interval in the body, with the intervals of the arguments.
fn returned(
    graph: &Graph,
    ranges: &Ranges,
    (call, index): (&Node, usize),
    calls: &mut Calls,
) -> Option<Interval> {
    let Some(Returned { node, needed }) = calls.result(graph, call, index) else {
        // The interval of the body without its arguments holds for all arguments.
        let body = graph.node(call.sources[0]);
        return ranges[*body.sources.get(index)?];
    };
    let arguments: Vec<_> = call.sources[1..].iter().map(|id| ranges[*id]).collect();
    let mut intervals: Ranges = IndexVec::repeat(None, graph.nodes().len());
    for id in needed {
        if matches!(graph.node(id).ty, Type::Tensor(_)) {
            intervals[id] = tensor(graph, (&intervals, &arguments), id, calls);
        }
    }
    intervals[node]
}

/// Returns all values of an element type.
fn all(dtype: DType) -> Option<Interval> {
    let (low, high) = dtype.integer_range()?;
    Some(Interval::new(low, high))
}

/// Returns an interval if it is in a type, else all values of the type.
fn within(dtype: DType, interval: Option<Interval>) -> Option<Interval> {
    let all = all(dtype)?;
    let fits = interval.filter(|contained| all.low <= contained.low && contained.high <= all.high);
    Some(fits.unwrap_or(all))
}

/// Returns the interval of a tensor from the intervals of earlier nodes; in the body of a call with the intervals of
/// its arguments.
fn tensor(
    graph: &Graph,
    (ranges, arguments): (&Ranges, &[Option<Interval>]),
    id: NodeId,
    calls: &mut Calls,
) -> Option<Interval> {
    let node = graph.node(id);
    let dtype = node.tensor().dtype;
    let source = |at: usize| ranges[node.sources[at]];
    match &node.op {
        Op::Buffer { .. } | Op::Bitcast(_) => all(dtype),
        Op::Binary(data) => {
            let (low, high) = (data.iter().min(), data.iter().max());
            let bounds = low
                .zip(high)
                .map(|(low, high)| Interval::new((*low).into(), (*high).into()));
            bounds.or_else(|| all(dtype))
        }
        Op::Param { bounds, slot, .. } => match (bounds, slot) {
            (Some([low, high]), _) => Some(Interval::new((*low).into(), (*high).into())),
            (None, Slot::Number(slot)) if (*slot as usize) < arguments.len() => {
                arguments[*slot as usize]
            }
            (None, _) => all(dtype),
        },
        Op::Range { bound, .. } => Some(Interval::new(0, i128::from(*bound) - 1)),
        Op::Const { value, .. } => constant(dtype, *value),
        Op::Pad { shape, .. } => {
            let grows = *shape != graph.tensor(node.sources[0]).shape;
            let operand = source(0)?;
            Some(if grows {
                operand.hull(Interval::point(0))
            } else {
                operand
            })
        }
        Op::Stack | Op::Load { .. } => {
            // The gate of a load is not among its values.
            let values = if node.op == Op::Stack {
                node.sources.len()
            } else {
                node.sources.len().min(2)
            };
            let mut values = node.sources[..values].iter().map(|source| ranges[*source]);
            let first = values.next().expect("there is a source")?;
            values.try_fold(first, |hull, term| Some(hull.hull(term?)))
        }
        Op::GetTuple(index) => {
            let tuple = graph.node(node.sources[0]);
            match tuple.op {
                Op::Tuple => ranges[tuple.sources[*index]],
                _ => returned(graph, ranges, (tuple, *index), calls),
            }
        }
        // Stores may write any value.
        Op::After => all(dtype),
        Op::Reduce { combine, axes } => {
            let shape = &graph.tensor(node.sources[0]).shape;
            let extents = axes.iter().map(|axis| u128::from(shape[*axis]));
            let bounds = node.sources[1..]
                .iter()
                .map(|range| match graph.node(*range).op {
                    Op::Range { bound, .. } => u128::from(bound),
                    _ => unreachable!("a reduction closes ranges: U22"),
                });
            let count = extents.chain(bounds).try_fold(1_u128, u128::checked_mul);
            reduce(*combine, dtype, count, source(0))
        }
        Op::Cast(_) => cast(graph.tensor(node.sources[0]).dtype, dtype, source(0)),
        Op::Elementwise(op) => {
            let operands: Vec<_> = (0..node.sources.len()).map(source).collect();
            elementwise(*op, dtype, &operands)
        }
        Op::Permute(_)
        | Op::Flip(_)
        | Op::Reshape(_)
        | Op::Expand(_)
        | Op::Shrink { .. }
        | Op::Index
        | Op::Marker(_)
        | Op::Copy(_)
        | Op::Replicated(_) => source(0),
        Op::Tuple | Op::Call(_) | Op::Store | Op::End | Op::Collect(_) => {
            unreachable!("{} is no tensor", node.op.name())
        }
    }
}

fn constant(dtype: DType, value: Datum) -> Option<Interval> {
    let element = element::constant(dtype, value);
    if !dtype.is_float() {
        return Some(Interval::point(element::integer(dtype, element)));
    }
    around(element::float(dtype, element))
}

/// Returns the smallest interval of integers that contains a float; `None` for large floats.
fn around(value: f64) -> Option<Interval> {
    // Larger floats are integers, but need no interval.
    let is_moderate = value.abs() <= 2_f64.powi(100);
    is_moderate.then(|| Interval::new(value.floor() as i128, value.ceil() as i128))
}

/// Returns the interval of a conversion of an element with interval `interval`.
#[must_use]
pub fn cast(from: DType, to: DType, interval: Option<Interval>) -> Option<Interval> {
    let Some(interval) = interval.filter(|interval| !interval.is_empty()) else {
        return all(to);
    };
    if to.is_float() {
        // Rounding is monotonic.
        let round = |value: i128| {
            let element = element::cast(DType::F64, to, (value as f64).to_bits());
            element::float(to, element)
        };
        // Values of 64 bits are rounded twice here, so the ends are moved outward by the largest error.
        let is_exact = interval.low.abs().max(interval.high.abs()) < 1 << 53;
        let slack = if is_exact { 0 } else { 1 << 12 };
        let (low, high) = (
            around(round(interval.low - slack))?,
            around(round(interval.high + slack))?,
        );
        return Some(low.hull(high));
    }
    if to == DType::Bool {
        // A float between two integers may be 0 where its interval has 0.
        let others = interval != Interval::point(0);
        return Some(Interval::truth(interval.contains(0), others));
    }
    if from.is_float() {
        // Conversions of floats stay within the type.
        let all = all(to)?;
        return Some(Interval::new(
            interval.low.clamp(all.low, all.high),
            interval.high.clamp(all.low, all.high),
        ));
    }
    within(to, Some(interval))
}

/// Returns the interval of a reduction of `count` elements, or of any number of them without a count.
#[must_use]
pub fn reduce(
    combine: Combine,
    dtype: DType,
    count: Option<u128>,
    interval: Option<Interval>,
) -> Option<Interval> {
    let identity = element::integer_identity(combine, dtype)?;
    let (Some(interval), Some(count)) = (interval.filter(|interval| !interval.is_empty()), count)
    else {
        return all(dtype);
    };
    if count == 0 {
        return Some(Interval::point(identity));
    }
    match combine {
        _ if count == 1 => Some(interval),
        Combine::Max => Some(interval),
        // Sums of truth values are `or`, and products `and`: both stay within.
        Combine::Add | Combine::Mul if dtype == DType::Bool => Some(interval),
        Combine::Add => {
            let times = |value: i128| i128::try_from(count).ok()?.checked_mul(value);
            let sum = times(interval.low).zip(times(interval.high));
            within(dtype, sum.map(|(low, high)| Interval::new(low, high)))
        }
        Combine::Mul if interval.low >= 0 && interval.high <= 1 => Some(interval),
        Combine::Mul if interval.low >= -1 && interval.high <= 1 => Some(Interval::new(-1, 1)),
        Combine::Mul => all(dtype),
    }
}

/// Returns the interval of an elementwise operation with a result of type `dtype`.
///
/// # Panics
/// There are not as many operands as the operation has.
#[must_use]
pub fn elementwise(op: E, dtype: DType, operands: &[Option<Interval>]) -> Option<Interval> {
    if op == E::Where {
        let [predicate, then, other] = operands else {
            unreachable!("Where has three operands: U2");
        };
        return match predicate.and_then(Interval::as_point) {
            Some(0) => *other,
            Some(_) => *then,
            None => Some((*then)?.hull((*other)?)),
        };
    }
    // A result without a value is unbounded.
    let intervals: Option<Vec<Interval>> = operands.iter().copied().collect();
    let intervals =
        intervals.filter(|intervals| intervals.iter().all(|interval| !interval.is_empty()));
    let Some(intervals) = intervals else {
        return all(dtype);
    };
    match (op, &intervals[..]) {
        _ if dtype.is_float() => None,
        (E::Neg, [a]) => within(dtype, Some(Interval::new(-a.high, -a.low))),
        (E::Not, [a]) => Some(Interval::new(1 - a.high, 1 - a.low)),
        (E::Mulacc, [a, b, c]) => {
            let product = elementwise(E::Mul, dtype, &[Some(*a), Some(*b)]);
            elementwise(E::Add, dtype, &[product, Some(*c)])
        }
        (E::Threefry, _) => all(dtype),
        (_, [a, b]) if op.is_comparison() => compare(op, *a, *b),
        (E::Xor | E::Or | E::And | E::Shl | E::Shr, [a, b]) => {
            within(dtype, bits::combined(op, dtype, *a, *b))
        }
        (E::Add | E::Mul, [a, b]) if dtype == DType::Bool => {
            let op = if op == E::Add { E::Or } else { E::And };
            bits::combined(op, dtype, *a, *b)
        }
        (_, [a, b]) => within(dtype, whole::combined(op, *a, *b)),
        _ => all(dtype),
    }
}

fn compare(op: E, a: Interval, b: Interval) -> Option<Interval> {
    let (can_be_less, can_be_not_less) = (a.low < b.high, a.high >= b.low);
    let (can_be_greater, can_be_not_greater) = (a.high > b.low, a.low <= b.high);
    let can_be_equal = a.low <= b.high && b.low <= a.high;
    let can_differ = a.as_point().is_none() || a != b;
    Some(match op {
        E::CmpLt => Interval::truth(can_be_not_less, can_be_less),
        E::CmpGe => Interval::truth(can_be_less, can_be_not_less),
        E::CmpGt => Interval::truth(can_be_not_greater, can_be_greater),
        E::CmpLe => Interval::truth(can_be_greater, can_be_not_greater),
        E::CmpEq => Interval::truth(can_differ, can_be_equal),
        E::CmpNe => Interval::truth(can_be_equal, can_differ),
        other => unreachable!("{} is no comparison", other.name()),
    })
}
