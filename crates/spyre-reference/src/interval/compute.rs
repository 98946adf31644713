//! Operations element by element on intervals.

use std::cmp::Ordering;

use spyre_mlir_rt::ir::{self, Op};

use super::{Precision, Range, combine};
use crate::TensorType;
use crate::elementwise::each;
use crate::read;
use crate::reduce;
use crate::rules::Rule;
use crate::tensor::{Data, Tensor};

/// The operand of `gelufwd` at the smallest value: the function falls below this operand, and rises above it.
const TURN_OF_GELU: f64 = -0.751_791_524_693_564_5;
/// The same operand of `silu`.
const TURN_OF_SILU: f64 = -1.278_464_542_761_073_6;
/// The same operand of `mish`.
const TURN_OF_MISH: f64 = -1.192_453_166_427_498;

/// The smallest number that an exponential in 16 bits makes (contract, K13).
const LEAST_EXPONENTIAL: f64 = 1.0 / 16_777_216.0;

/// Returns the result of an operation with a rule, some operand of which has intervals.
pub(crate) fn compute(
    op: Op<'_>,
    rule: Rule,
    operands: &[Tensor],
    ty: &TensorType,
) -> Result<Data, String> {
    let name = ir::name(op);
    let mnemonic = name.strip_prefix("spyre.").unwrap_or(name);
    match (rule, operands) {
        (Rule::Reduce(..) | Rule::OfMagnitude(..), [x]) => combine::reduction(op, mnemonic, x, ty),
        (Rule::Moments, [x]) => combine::moments(x, ty),
        (Rule::Product, [a, b]) => combine::product(a, b, ty),
        (Rule::Windows, [image, weight]) => combine::windows(op, image, weight, ty),
        (Rule::Pool(_, _, is_average), [image]) => combine::pool(op, is_average, image, ty),
        (Rule::Search { positions }, [x]) => combine::search(op, positions, x, ty),
        (Rule::Gather, [indices, table]) => combine::gather(op, indices, table, ty),
        (Rule::OfPair(..), [pair]) => {
            let eps = f64::from(read::number(op, "eps")?);
            let both = [reduce::of_pair(pair, 0)?, reduce::of_pair(pair, 1)?];
            elements(ty, &both, |at| scale_of_pair(at[0], at[1], eps))
        }
        (Rule::Five(_), [x, pair, scale, weight, bias]) => {
            let mean = reduce::of_pair(pair, 0)?;
            let [x, scale, weight, bias] = [x, scale, weight, bias].map(Clone::clone);
            elements(ty, &[x, mean, scale, weight, bias], |at| {
                let term = at[0].minus(at[1]).times(at[2]).times(at[3]);
                let slack = (term.magnitude() + at[4].magnitude()) * Precision::FP32.unit * 4.0;
                term.plus(at[4]).widened(slack)
            })
        }
        (Rule::Compare(holds), [_, _]) => {
            let truths = values(ty, operands, |at| truth(at[0], at[1], holds))?;
            Ok(Data::Ranges(truths))
        }
        (Rule::Select, [_, _, _]) => {
            // The result is one of the two operands, without rounding.
            let chosen = values(ty, operands, |at| match at[0].bounds() {
                [low, high] if low == high => at[if low == 0.0 { 2 } else { 1 }],
                _ => at[1].hull(at[2]),
            })?;
            Ok(Data::Ranges(chosen))
        }
        (Rule::Moved, [_]) => elements(ty, operands, |at| at[0]),
        (Rule::Binary(..), [_, _]) => {
            let function = binary(mnemonic).ok_or_else(|| unknown(mnemonic))?;
            elements(ty, operands, |at| function(at[0], at[1]))
        }
        (Rule::Parametric(..), [_]) => {
            let number = |name| read::number(op, name).map(f64::from);
            match mnemonic {
                "clip" => {
                    let (min, max) = (number("min")?, number("max")?);
                    elements(ty, operands, |at| at[0].rising(|x| x.max(min).min(max)))
                }
                "softplus" => {
                    let (beta, threshold) = (number("beta")?, number("threshold")?);
                    let function = |x: f64| match beta * x > threshold {
                        true => x,
                        false => (beta * x).exp().ln_1p() / beta,
                    };
                    // At the threshold both forms are possible, and they differ there.
                    let step = ((-threshold).exp().ln_1p() / beta).abs();
                    elements(ty, operands, |at| at[0].rising(function).widened(step))
                }
                _ => Err(unknown(mnemonic)),
            }
        }
        (Rule::Unary(_), [_]) => {
            let function = unary(mnemonic).ok_or_else(|| unknown(mnemonic))?;
            let is_short = ty.element != crate::DType::F32;
            let least = match mnemonic {
                "exp" | "fastexp" if is_short => LEAST_EXPONENTIAL,
                _ => 0.0,
            };
            elements(ty, operands, |at| function(at[0]).widened_up(least))
        }
        _ => Err(unknown(mnemonic)),
    }
}

fn unknown(mnemonic: &str) -> String {
    format!("no rule computes the range of {mnemonic}")
}

/// Computes a formula on intervals, rounded as the card stores elements of the type.
fn elements(
    ty: &TensorType,
    operands: &[Tensor],
    function: impl Fn(&[Range]) -> Range,
) -> Result<Data, String> {
    let precision = Precision::for_element(ty.element);
    let rounded = values(ty, operands, |at| function(at).rounded(precision))?;
    Ok(Data::Ranges(rounded))
}

/// Computes a formula on intervals.
fn values(
    ty: &TensorType,
    operands: &[Tensor],
    function: impl Fn(&[Range]) -> Range,
) -> Result<Vec<Range>, String> {
    let data: Vec<Vec<Range>> = operands.iter().map(Tensor::ranges).collect();
    let mut at = vec![Range::ANY; operands.len()];
    let mut result = Vec::new();
    each(ty, &operands.iter().collect::<Vec<_>>(), |positions| {
        for (value, (data, position)) in at.iter_mut().zip(data.iter().zip(positions)) {
            *value = data[*position];
        }
        result.push(function(&at));
    })?;
    Ok(result)
}

/// Returns whether a comparison holds: 0 or 1, or both.
fn truth(a: Range, b: Range, holds: fn(Option<Ordering>) -> bool) -> Range {
    let ([a_low, a_high], [b_low, b_high]) = (a.bounds(), b.bounds());
    let orders = [
        (a_low < b_high, Some(Ordering::Less)),
        (a_high > b_low, Some(Ordering::Greater)),
        (a_low <= b_high && b_low <= a_high, Some(Ordering::Equal)),
        (!a.is_bounded() || !b.is_bounded(), None),
    ];
    let may_be = |wanted: bool| {
        let mut possible = orders.iter().filter(|(may_be, _)| *may_be);
        possible.any(|(_, order)| holds(*order) == wanted)
    };
    let bound =
        |is_low: bool| f64::from(u8::from(if is_low { !may_be(false) } else { may_be(true) }));
    Range::between(bound(true), bound(false))
}

/// Returns `1 / sqrt(squares - mean * mean + eps)`.
fn scale_of_pair(mean: Range, squares: Range, eps: f64) -> Range {
    let square = mean.square();
    let slack = (square.magnitude() + squares.magnitude()) * Precision::FP32.unit;
    let variance = squares.minus(square).plus(Range::point(eps)).widened(slack);
    variance.inverse_root()
}

type Unary = fn(Range) -> Range;
type Binary = fn(Range, Range) -> Range;

fn unary(mnemonic: &str) -> Option<Unary> {
    Some(match mnemonic {
        "abs" => Range::absolute,
        "neg" => |x| x.falling(|x| -x),
        "exp" | "fastexp" => |x| x.rising(f64::exp),
        "sigmoid" | "fastsigmoid" => |x| x.rising(|x| 1.0 / (1.0 + (-x).exp())),
        "tanh" => |x| x.rising(f64::tanh),
        "floor" => |x| x.rising(f64::floor),
        "relufwd" => |x| x.rising(|x| x.max(0.0)),
        "relu6fwd" => |x| x.rising(|x| x.clamp(0.0, 6.0)),
        // Both are NaN for a negative operand, and the logarithm is infinite for zero.
        "log" => |x| x.rising(f64::ln),
        "sqrt" => |x| x.rising(f64::sqrt),
        "rsqrt" => Range::inverse_root,
        "reciprocal" => Range::inverse,
        "gelufwd" => |x| {
            // Far below zero, `1 + erf` is a difference of two numbers that are almost equal.
            let slack = x.magnitude() * Precision::FP32.unit;
            let function = |x: f64| 0.5 * x * (1.0 + libm::erf(x / 2f64.sqrt()));
            x.turning(TURN_OF_GELU, function).widened(slack)
        },
        "silu" => |x| x.turning(TURN_OF_SILU, |x| x / (1.0 + (-x).exp())),
        "mish" => |x| x.turning(TURN_OF_MISH, |x| x * x.exp().ln_1p().tanh()),
        _ => return None,
    })
}

fn binary(mnemonic: &str) -> Option<Binary> {
    Some(match mnemonic {
        "add" | "biasadd" => Range::plus,
        "sub" => Range::minus,
        "revsub" => |a, b| b.minus(a),
        "mul" => Range::times,
        "realdiv" => |a, b| a.times(b.inverse()),
        "maximum" => |a, b| a.paired(b, f64::max),
        "minimum" => |a, b| a.paired(b, f64::min),
        _ => return None,
    })
}

impl Range {
    /// Returns the values of a monotonically increasing function. Where it is NaN or infinite at a
    /// bound, there are no bounds.
    pub(super) fn rising(self, function: impl Fn(f64) -> f64) -> Self {
        match self.is_bounded() {
            true => Self::between(function(self.low), function(self.high)),
            false => Self::ANY,
        }
    }

    /// Returns the values of a function that does not rise.
    fn falling(self, function: impl Fn(f64) -> f64) -> Self {
        match self.is_bounded() {
            true => Self::between(function(self.high), function(self.low)),
            false => Self::ANY,
        }
    }

    /// Returns the values of a function that falls up to an operand, and rises from there.
    fn turning(self, turn: f64, function: impl Fn(f64) -> f64) -> Self {
        if !self.is_bounded() {
            return Self::ANY;
        }
        let (first, last) = (function(self.low), function(self.high));
        let least = match self.low <= turn && turn <= self.high {
            true => function(turn),
            false => first.min(last),
        };
        Self::between(least, first.max(last))
    }

    /// Returns the values of a function of two operands that falls in neither.
    pub(super) fn paired(self, other: Self, function: fn(f64, f64) -> f64) -> Self {
        match self.is_bounded() && other.is_bounded() {
            true => Self::between(
                function(self.low, other.low),
                function(self.high, other.high),
            ),
            false => Self::ANY,
        }
    }

    pub(super) fn absolute(self) -> Self {
        match self.bounds() {
            [low, high] if !low.is_finite() || !high.is_finite() => Self::ANY,
            [low, _] if low >= 0.0 => self,
            [low, high] if high <= 0.0 => Self::between(-high, -low),
            _ => Self::between(0.0, self.magnitude()),
        }
    }

    pub(super) fn square(self) -> Self {
        self.absolute().rising(|x| x * x)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self::between(self.low + other.low, self.high + other.high)
    }

    fn minus(self, other: Self) -> Self {
        Self::between(self.low - other.high, self.high - other.low)
    }

    pub(super) fn times(self, other: Self) -> Self {
        if !self.is_bounded() || !other.is_bounded() {
            return Self::ANY;
        }
        let products = [
            self.low * other.low,
            self.low * other.high,
            self.high * other.low,
            self.high * other.high,
        ];
        let least = products.into_iter().fold(f64::INFINITY, f64::min);
        let most = products.into_iter().fold(f64::NEG_INFINITY, f64::max);
        Self::between(least, most)
    }

    fn inverse(self) -> Self {
        match self.low > 0.0 || self.high < 0.0 {
            true => self.falling(|x| 1.0 / x),
            false => Self::ANY,
        }
    }

    fn inverse_root(self) -> Self {
        match self.low > 0.0 {
            true => self.falling(|x| 1.0 / x.sqrt()),
            false => Self::ANY,
        }
    }

    /// Returns the interval with an upper bound of at least this number.
    fn widened_up(self, least: f64) -> Self {
        Self::between(self.low, self.high.max(least))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(range: Range) -> [f64; 2] {
        range.bounds()
    }

    #[test]
    fn products_and_quotients() {
        let x = Range::between(-2.0, 3.0);
        assert_eq!(bounds(x.times(x)), [-6.0, 9.0]);
        assert_eq!(bounds(x.square()), [0.0, 9.0]);
        assert!(!x.inverse().is_bounded());
        assert_eq!(bounds(Range::between(2.0, 4.0).inverse()), [0.25, 0.5]);
    }

    #[test]
    fn logarithms_and_roots_have_a_domain() {
        let log = unary("log").unwrap();
        assert!(!log(Range::between(0.0, 1.0)).is_bounded());
        assert!(!log(Range::between(-1.0, 1.0)).is_bounded());
        assert_eq!(bounds(log(Range::point(1.0))), [0.0, 0.0]);
        assert!(!unary("sqrt").unwrap()(Range::between(-0.5, 1.0)).is_bounded());
    }

    #[test]
    fn functions_that_turn() {
        let silu = unary("silu").unwrap();
        let [low, high] = bounds(silu(Range::between(-3.0, 1.0)));
        assert!((low + 0.278_464_5).abs() < 1e-6 && (high - 0.731_058_6).abs() < 1e-6);
        for (name, turn) in [
            ("gelufwd", TURN_OF_GELU),
            ("silu", TURN_OF_SILU),
            ("mish", TURN_OF_MISH),
        ] {
            let function = |x: f64| bounds(unary(name).unwrap()(Range::point(x)))[0];
            assert!(
                function(turn) < function(turn - 1e-3) && function(turn) < function(turn + 1e-3),
                "{name}"
            );
        }
    }

    #[test]
    fn comparisons_that_are_open() {
        let less = |order| order == Some(Ordering::Less);
        let bounds_of = |a, b| bounds(truth(a, b, less));
        assert_eq!(bounds_of(Range::point(1.0), Range::point(2.0)), [1.0, 1.0]);
        assert_eq!(bounds_of(Range::point(2.0), Range::point(2.0)), [0.0, 0.0]);
        assert_eq!(
            bounds_of(Range::between(0.0, 3.0), Range::point(2.0)),
            [0.0, 1.0]
        );
        assert_eq!(bounds_of(Range::ANY, Range::point(2.0)), [0.0, 1.0]);
    }
}
