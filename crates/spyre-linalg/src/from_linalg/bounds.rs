//! Bounds of floats: an interval that holds all elements of a tensor, from the device operations that make it.
//!
//! A float of 32 bits becomes an integer on the device only where the integer has 32 bits. So this analysis derives
//! bounds: from a clamp, a `select` by a comparison with a bound, a function with a bounded image, and monotone
//! functions. NaN is in no interval: its integer is not defined. Bounds are computed in `f64` and rounded to `f32`, as
//! elements are; rounding keeps the order.

use melior::ir::TypeLike;
use spyre_construct::build::{element_of, splat};
use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::{arith, spyre, tensor};

use super::truth;

/// The most operations that one query visits, which bounds its time in a long program.
const MOST_OPERATIONS: usize = 256;

/// The most elements of a constant that are looked at.
const MOST_ELEMENTS: usize = 1 << 16;

/// The largest number of `f16`.
const LARGEST_F16: f64 = 65_504.0;

/// An interval of numbers, with its ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Interval {
    /// The least number.
    pub low: f64,
    /// The largest number.
    pub high: f64,
}

impl Interval {
    /// All numbers, and the infinities.
    const ALL: Self = Self {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
    };

    /// Returns the interval of numbers that elements are, in `f32` like them. Everything, where an end is no number.
    fn of(low: f64, high: f64) -> Self {
        if low.is_nan() || high.is_nan() || low > high {
            return Self::ALL;
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "elements are rounded as well"
        )]
        let [low, high] = [low, high].map(|end| f64::from(end as f32));
        Self { low, high }
    }

    fn join(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Returns the intersection. Disjoint intervals are of a `select` arm that is never taken.
    fn meet(self, other: Self) -> Self {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        if low <= high {
            Self { low, high }
        } else {
            self
        }
    }

    fn map(self, function: impl Fn(f64) -> f64) -> Self {
        Self::of(function(self.low), function(self.high))
    }

    /// Returns the image of two intervals under a function with its extremes at their ends.
    fn with(self, other: Self, function: impl Fn(f64, f64) -> f64) -> Self {
        let ends = [
            function(self.low, other.low),
            function(self.low, other.high),
            function(self.high, other.low),
            function(self.high, other.high),
        ];
        if ends.iter().any(|end| end.is_nan()) {
            return Self::ALL;
        }
        let low = ends.iter().copied().fold(f64::INFINITY, f64::min);
        Self::of(low, ends.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    }

    fn with_max(self, other: Self) -> Self {
        Self {
            low: self.low.max(other.low),
            high: self.high.max(other.high),
        }
    }

    fn with_min(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.min(other.high),
        }
    }

    /// Returns the interval extended by the rounding of its numbers to 16 bits: the narrowest format has a fraction of
    /// 7 bits.
    fn rounded(self) -> Self {
        let outward = |end: f64| end.abs() / 128.0;
        Self {
            low: self.low - outward(self.low),
            high: self.high + outward(self.high),
        }
    }

    /// Returns whether the integers of all of these numbers, cut off at the point, have 32 bits.
    pub(super) fn fits(self) -> bool {
        self.low >= f64::from(i32::MIN) && self.high < -f64::from(i32::MIN)
    }
}

/// Returns an interval that holds all elements of a tensor of floats.
pub(super) fn of(value: Val<'_>) -> Interval {
    Bounds {
        left: MOST_OPERATIONS,
    }
    .of(value)
}

struct Bounds {
    /// How many operations may still be looked at.
    left: usize,
}

impl Bounds {
    fn of(&mut self, value: Val<'_>) -> Interval {
        let Some(op) = ir::defining_op(value) else {
            return of_type(value);
        };
        let Some(left) = self.left.checked_sub(1) else {
            return of_type(value);
        };
        self.left = left;
        let interval = self.of_op(op);
        let interval = if is_narrow(value) {
            interval.rounded()
        } else {
            interval
        };
        interval.meet(of_type(value))
    }

    /// Returns the interval of an operation's result.
    fn of_op(&mut self, op: Op<'_>) -> Interval {
        let mut at = |number: usize| match ir::operand(op, number) {
            Some(operand) => self.of(operand),
            None => Interval::ALL,
        };
        let unit = Interval {
            low: -1.0,
            high: 1.0,
        };
        match ir::name(op) {
            spyre::FILL | arith::CONSTANT => constant(op).unwrap_or(Interval::ALL),
            spyre::MAXIMUM => at(0).with_max(at(1)),
            spyre::MINIMUM => at(0).with_min(at(1)),
            spyre::ADD | spyre::BIASADD => at(0).with(at(1), |a, b| a + b),
            spyre::SUB => at(0).with(at(1), |a, b| a - b),
            spyre::REVSUB => at(1).with(at(0), |b, a| b - a),
            spyre::MUL => at(0).with(at(1), product),
            spyre::REALDIV => {
                let (a, b) = (at(0), at(1));
                // A divisor may be next to 0 on either side of it.
                if b.low > 0.0 || b.high < 0.0 {
                    a.with(b, |a, b| a / b)
                } else {
                    Interval::ALL
                }
            }
            spyre::NEG => {
                let Interval { low, high } = at(0);
                Interval::of(-high, -low)
            }
            spyre::ABS | spyre::ABSMAX => {
                let Interval { low, high } = at(0);
                Interval::of(low.max(-high).max(0.0), high.max(-low))
            }
            spyre::RELUFWD => at(0).map(|x| x.max(0.0)),
            spyre::RELU6FWD => at(0).map(|x| x.clamp(0.0, 6.0)),
            spyre::FLOOR => at(0).map(f64::floor),
            spyre::CEIL => at(0).map(f64::ceil),
            spyre::TRUNC => at(0).map(f64::trunc),
            spyre::ROUND => at(0).map(f64::round_ties_even),
            spyre::ROUNDAWAY => at(0).map(f64::round),
            spyre::SIN | spyre::COS | spyre::TANH | spyre::ERF => unit,
            spyre::SIGMOID | spyre::FASTSIGMOID => Interval::of(0.0, 1.0),
            spyre::WHERE3 => self.choice(op),
            spyre::DL16TOFP32
            | spyre::FP32TODL16
            | spyre::COPY
            | spyre::PERMUTE
            | spyre::MAX
            | spyre::MAXPOOLFWD
            | spyre::MIN
            | tensor::EXPAND_SHAPE
            | tensor::COLLAPSE_SHAPE
            | tensor::EXTRACT_SLICE => at(0),
            spyre::GATHER => at(1),
            _ => Interval::ALL,
        }
    }

    /// Returns the interval of a `select`. Each arm counts only where the condition can select it.
    fn choice(&mut self, op: Op<'_>) -> Interval {
        let [Some(condition), Some(on_true), Some(on_false)] =
            [0, 1, 2].map(|number| ir::operand(op, number))
        else {
            unreachable!("the verifier has counted the operands of spyre.where3");
        };
        let [mut of_true, mut of_false] = [on_true, on_false].map(|side| self.of(side));
        if let Some(compared) = ir::defining_op(condition)
            && let Some(order) = Order::of(compared)
            && let [Some(a), Some(b)] = [0, 1].map(|number| ir::operand(compared, number))
        {
            let (of_a, of_b) = (self.of(a), self.of(b));
            for (side, of_side, order) in [
                (on_true, &mut of_true, order),
                (on_false, &mut of_false, order.opposite()),
            ] {
                if side == a {
                    *of_side = of_side.meet(order.bounded_by(of_b));
                } else if side == b {
                    *of_side = of_side.meet(order.turned().bounded_by(of_a));
                }
            }
        }
        of_true.join(of_false)
    }
}

/// Returns the product of two ends of intervals; 0 times an infinite end is 0.
fn product(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

/// The order of two numbers, neither of which is NaN.
#[derive(Debug, Clone, Copy)]
enum Order {
    AtMost,
    AtLeast,
    Equal,
    /// An order that bounds neither number.
    Any,
}

impl Order {
    /// Returns the order of the operands where a comparison holds.
    fn of(op: Op<'_>) -> Option<Self> {
        Some(match ir::name(op) {
            spyre::LESSERTHAN | spyre::LESSEREQUAL => Self::AtMost,
            spyre::GREATERTHAN | spyre::GREATEREQUAL => Self::AtLeast,
            spyre::EQUAL => Self::Equal,
            spyre::NOTEQUAL => Self::Any,
            _ => return None,
        })
    }

    /// Returns the order where the comparison does not hold.
    fn opposite(self) -> Self {
        match self {
            Self::AtMost => Self::AtLeast,
            Self::AtLeast => Self::AtMost,
            Self::Equal => Self::Any,
            Self::Any => Self::Equal,
        }
    }

    /// Returns the order of the operands the other way round.
    fn turned(self) -> Self {
        match self {
            Self::AtMost => Self::AtLeast,
            Self::AtLeast => Self::AtMost,
            same => same,
        }
    }

    /// Returns the interval of a number that compares in this order to a number of `other`.
    fn bounded_by(self, other: Interval) -> Interval {
        match self {
            Self::AtMost => Interval {
                high: other.high,
                ..Interval::ALL
            },
            Self::AtLeast => Interval {
                low: other.low,
                ..Interval::ALL
            },
            Self::Equal => other,
            Self::Any => Interval::ALL,
        }
    }
}

/// Returns whether the elements of a tensor have 16 bits.
fn is_narrow(value: Val<'_>) -> bool {
    truth::width(element_of(value)) == Some(16)
}

/// Returns the range of the elements of a type. An infinity has no integer.
fn of_type(value: Val<'_>) -> Interval {
    if element_of(value).is_f16() {
        Interval {
            low: -LARGEST_F16,
            high: LARGEST_F16,
        }
    } else {
        Interval::ALL
    }
}

/// Returns the interval of the elements of a constant; `None` if it has more than are looked at, or others than floats.
fn constant(op: Op<'_>) -> Option<Interval> {
    if let Some(value) = splat(op) {
        let number = attr::number(value)?;
        return Some(Interval::of(number, number));
    }
    let value = ir::attribute(op, "value")?;
    let result = ir::result(op, 0)?;
    let bytes = attr::dense_bytes(value).filter(|bytes| bytes.len() <= 4 * MOST_ELEMENTS)?;
    if !element_of(result).is_f32() {
        return None;
    }
    let (numbers, _) = bytes.as_chunks::<4>();
    let numbers = numbers
        .iter()
        .map(|number| f64::from(f32::from_ne_bytes(*number)));
    let ends = numbers.map(|number| Interval::of(number, number));
    ends.reduce(Interval::join)
}

#[cfg(test)]
mod tests {
    use super::{Interval, Order, product};

    const SMALL: Interval = Interval {
        low: -2.0,
        high: 3.0,
    };

    #[test]
    fn products_and_sums_have_their_extremes_at_the_ends() {
        assert_eq!(SMALL.with(SMALL, product), Interval::of(-6.0, 9.0));
        assert_eq!(SMALL.with(SMALL, |a, b| a - b), Interval::of(-5.0, 5.0));
        let zero = Interval::of(0.0, 0.0);
        assert_eq!(zero.with(Interval::ALL, product), zero);
        assert_eq!(
            Interval::ALL.with(Interval::ALL, |a, b| a - b),
            Interval::ALL
        );
    }

    #[test]
    fn a_choice_bounds_the_side_that_is_compared() {
        assert_eq!(
            Interval::ALL.meet(Order::AtMost.bounded_by(SMALL)).high,
            3.0
        );
        assert_eq!(
            Interval::ALL
                .meet(Order::AtMost.opposite().bounded_by(SMALL))
                .low,
            -2.0
        );
        assert_eq!(Order::Any.opposite().bounded_by(SMALL), SMALL);
        // An arm that is never taken adds no bound.
        assert_eq!(SMALL.meet(Interval::of(5.0, 6.0)), SMALL);
    }

    #[test]
    fn the_largest_float_below_two_to_the_31_fits() {
        assert!(Interval::of(-2_147_483_648.0, 2_147_483_520.0).fits());
        assert!(!Interval::of(0.0, 2_147_483_648.0).fits());
        assert!(!Interval::of(-2_147_483_904.0, 0.0).fits());
        // Rounded to f32 as an element is.
        assert!(!Interval::of(0.0, 2_147_483_647.0).fits());
        assert!(!Interval::ALL.fits());
    }
}
