//! Offsets of windows as affine functions of the iteration.
//!
//! Front ends clamp an offset to its tensor, and let a negative one count from the end: comparisons, choices, maxima.
//! In a loop of constant bounds these need no pattern matching. The offset is computed at every iteration, in the
//! widths of the program; if the numbers follow a linear function, it is replaced by that function.

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{AffineExpr, AffineMap, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_mlir_rt::affine::{self, LinearForm};
use spyre_mlir_rt::ir::{self, At, Offset, Op, Val};
use spyre_ods::arith;

use super::Counted;

/// The most iterations, of all loops around a window together, at which an offset is computed.
const MOST_POINTS: i64 = 1 << 14;
/// The most operations by which an offset is computed: front ends print fewer than 16.
const MOST_OPERATIONS: usize = 64;

/// Writes the offsets of a window that are linear in the loops around it as such, and returns how many there are.
pub(super) fn write<'p>(context: &'p Context, op: Op<'p>, around: &[Counted<'p>]) -> usize {
    let window = ir::window(op).expect("only windows are collected");
    let mut values: Vec<Val<'p>> = Vec::new();
    for offset in window.offsets {
        if let Offset::Value(value) = offset
            && !is_plain(value)
            && !values.contains(&value)
        {
            values.push(value);
        }
    }
    let mut count = 0;
    for value in values {
        let Some(linear) = Linear::of(value, around) else {
            continue;
        };
        let offset = linear.build(context, op, around);
        for (number, operand) in op.operands().enumerate() {
            if operand == value {
                ir::set_operand(op, number, offset);
                count += 1;
            }
        }
    }
    count
}

/// Returns whether an offset is an argument of a block or an affine function already.
fn is_plain(value: Val<'_>) -> bool {
    ir::defining_op(value).is_none_or(|op| ir::affine_map(op).is_some())
}

/// A linear function of the numbers of iterations.
struct Linear {
    /// The value at the first iteration of all loops.
    start: i64,
    /// The number that an iteration of each loop adds.
    steps: Vec<i64>,
}

impl Linear {
    /// Returns a value as a linear function of the loops around it; `None` if it is not linear, or cannot be computed.
    fn of<'p>(value: Val<'p>, around: &[Counted<'p>]) -> Option<Self> {
        let points = around
            .iter()
            .try_fold(1_i64, |points, counted| points.checked_mul(counted.trips))?;
        if !(1..=MOST_POINTS).contains(&points) {
            return None;
        }
        let at = |numbers: &[i64]| Iteration::of(around, numbers).value(value);
        let first = vec![0; around.len()];
        let start = at(&first)?;
        let mut steps = Vec::new();
        for (number, counted) in around.iter().enumerate() {
            let mut second = first.clone();
            second[number] = 1;
            steps.push(match counted.trips {
                1 => 0,
                _ => at(&second)?.checked_sub(start)?,
            });
        }
        let linear = Self { start, steps };
        let mut numbers = first;
        for _ in 0..points {
            if at(&numbers)? != linear.at(&numbers)? {
                return None;
            }
            next(&mut numbers, around);
        }
        Some(linear)
    }

    fn at(&self, numbers: &[i64]) -> Option<i64> {
        let mut terms = self.steps.iter().zip(numbers);
        terms.try_fold(self.start, |sum, (step, number)| {
            sum.checked_add(step.checked_mul(*number)?)
        })
    }

    /// Builds the value before an operation.
    fn build<'p>(&self, context: &'p Context, op: Op<'p>, around: &[Counted<'p>]) -> Val<'p> {
        let mut operands = Vec::new();
        let mut sum = AffineExpr::constant(context, self.start);
        for (counted, step) in around.iter().zip(&self.steps) {
            if *step != 0 {
                let dim = AffineExpr::dim(context, operands.len());
                sum = sum + dim * AffineExpr::constant(context, *step);
                operands.push(counted.variable);
            }
        }
        let map = AffineMap::new(context, operands.len(), 0, &[sum]);
        ir::build_affine_apply(At::Before(op), op.location(), map, &operands)
    }
}

/// Moves on to the next iteration, the innermost loop first.
fn next(numbers: &mut [i64], around: &[Counted<'_>]) {
    for (number, counted) in numbers.iter_mut().zip(around).rev() {
        *number += 1;
        if *number < counted.trips {
            return;
        }
        *number = 0;
    }
}

/// The integers of one iteration.
struct Iteration {
    /// By the key of the value.
    values: FxHashMap<ir::ValueKey, Option<i64>>,
    /// How many operations may still be computed.
    left: usize,
}

impl Iteration {
    fn of(around: &[Counted<'_>], numbers: &[i64]) -> Self {
        let variables = around.iter().zip(numbers);
        let values =
            variables.map(|(counted, number)| (ir::value_key(counted.variable), Some(*number)));
        Self {
            values: values.collect(),
            left: MOST_OPERATIONS,
        }
    }

    /// Returns an integer, in two's complement; `None` if it is not computed by integer arithmetic, or by too many
    /// operations.
    fn value(&mut self, value: Val<'_>) -> Option<i64> {
        let key = ir::value_key(value);
        if let Some(entry) = self.values.get(&key) {
            return *entry;
        }
        let computed = self.compute(value);
        self.values.insert(key, computed);
        computed
    }

    fn compute(&mut self, value: Val<'_>) -> Option<i64> {
        let op = ir::defining_op(value)?;
        self.left = self.left.checked_sub(1)?;
        if let Some(map) = ir::affine_map(op) {
            let operands: Option<Vec<Whole>> = op
                .operands()
                .map(|operand| self.value(operand).map(Whole))
                .collect();
            let value = affine::evaluate(map.result(0).ok()?, &operands?, map.dim_count(), &Whole);
            return value.map(|Whole(value)| value);
        }
        let name = ir::name(op);
        if name == arith::CONSTANT {
            return attr::integer(ir::attribute(op, "value")?);
        }
        let mut operand = |number| self.value(ir::operand(op, number)?);
        let exact = match name {
            arith::INDEX_CAST | arith::EXTSI | arith::TRUNCI => operand(0)?,
            arith::ADDI => operand(0)?.wrapping_add(operand(1)?),
            arith::SUBI => operand(0)?.wrapping_sub(operand(1)?),
            arith::MULI => operand(0)?.wrapping_mul(operand(1)?),
            arith::MAXSI => operand(0)?.max(operand(1)?),
            arith::MINSI => operand(0)?.min(operand(1)?),
            arith::SELECT => {
                let chosen = if operand(0)? == 0 { 2 } else { 1 };
                operand(chosen)?
            }
            arith::CMPI => {
                let predicate = attr::integer(ir::attribute(op, "predicate")?)?;
                i64::from(compare(predicate, operand(0)?, operand(1)?)?)
            }
            _ => return None,
        };
        Some(wrapped(exact, value.r#type()))
    }
}

/// An integer as the value of an affine expression.
#[derive(Debug, Clone, Copy)]
struct Whole(i64);

impl LinearForm for Whole {
    fn add(&self, other: &Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    fn scale(&self, factor: i64) -> Option<Self> {
        self.0.checked_mul(factor).map(Self)
    }

    fn as_constant(&self) -> Option<i64> {
        Some(self.0)
    }
}

/// Returns whether a comparison of signed integers holds, by the number of the predicate (`arith.cmpi`); `None` for unsigned ones.
fn compare(predicate: i64, a: i64, b: i64) -> Option<bool> {
    Some(match predicate {
        0 => a == b,
        1 => a != b,
        2 => a < b,
        3 => a <= b,
        4 => a > b,
        5 => a >= b,
        _ => return None,
    })
}

/// Returns the number that is left of an integer in the width of a type.
fn wrapped(exact: i64, ty: Type<'_>) -> i64 {
    let width = IntegerType::try_from(ty).map_or(64, |integer| integer.width());
    match width {
        1 => exact & 1,
        2..=63 => (exact << (64 - width)) >> (64 - width),
        _ => exact,
    }
}
