//! Reductions, products of matrices, searches and choices by indices, on intervals.

use spyre_mlir_rt::ir::Op;

use super::{Precision, Range};
use crate::TensorType;
use crate::read;
use crate::reduce::{self, Contraction};
use crate::tensor::{Data, Tensor};
use crate::windows;

/// Most parts of a sum that a plan carries in 16 bits, each rounded.
const MOST_PARTS: f64 = 16.0;

/// A sum in any order and any parts: of the bounds, and of the magnitudes that round-off follows from.
#[derive(Clone, Copy)]
struct Sum {
    total: Range,
    magnitude: f64,
    count: f64,
}

impl Sum {
    const EMPTY: Self = Self {
        total: Range {
            low: 0.0,
            high: 0.0,
        },
        magnitude: 0.0,
        count: 0.0,
    };

    fn add(&mut self, term: Range) {
        self.total = self.total.plus(term);
        self.magnitude += term.magnitude();
        self.count += 1.0;
    }

    /// Returns the sum, widened by the rounding of parts. There are no bounds where a part may exceed the largest
    /// number.
    fn finished(self, precision: Precision) -> Range {
        if !self.total.is_bounded() || self.magnitude > precision.largest {
            return Range::ANY;
        }
        let parts = self.count.min(MOST_PARTS) * precision.unit;
        let terms = self.count * Precision::FP32.unit;
        self.total.widened(self.magnitude * (parts + terms))
    }
}

/// The combined value of the elements at positions.
type Combination<'a> = Box<dyn Fn(&[usize]) -> Range + 'a>;

/// Combines the elements along dimensions.
pub(super) fn reduction(
    op: Op<'_>,
    mnemonic: &str,
    x: &Tensor,
    ty: &TensorType,
) -> Result<Data, String> {
    let precision = Precision::for_element(ty.element);
    let from = x.ranges();
    let parts = reduce::parts(op, x)?;
    let number = |name| read::number(op, name).map(f64::from);
    let combine: Combination<'_> = match mnemonic {
        "sum" => Box::new(|at| total(at.iter().map(|at| from[*at]), precision)),
        "mean" => Box::new(|at| average(at.iter().map(|at| from[*at]), at.len(), precision)),
        "prod" => Box::new(|at| {
            let values = at.iter().map(|at| from[*at]);
            values.fold(Range::point(1.0), |all, value| {
                all.times(value).rounded(precision)
            })
        }),
        "max" => Box::new(|at| extreme(at.iter().map(|at| from[*at]), f64::max)),
        "min" => Box::new(|at| extreme(at.iter().map(|at| from[*at]), f64::min)),
        "absmax" => Box::new(|at| magnitude(at, &from)),
        "quantscalepertokenfp8" => {
            let (min, max, factor) = (number("min")?, number("max")?, number("factor")?);
            let from = &from;
            Box::new(move |at| {
                let clamped = magnitude(at, from).rising(|x| x.clamp(min, max));
                clamped.times(Range::point(factor))
            })
        }
        _ => return Err(format!("no rule computes the range of {mnemonic}")),
    };
    let mut result = Vec::new();
    parts.each(|positions| result.push(combine(positions).rounded(precision)));
    Ok(Data::Ranges(result))
}

/// Returns the largest absolute value.
fn magnitude(positions: &[usize], from: &[Range]) -> Range {
    let values = positions.iter().map(|at| from[*at]);
    extreme(values.map(Range::absolute), f64::max)
}

fn extreme(mut values: impl Iterator<Item = Range>, function: fn(f64, f64) -> f64) -> Range {
    let first = values.next().unwrap_or(Range::ANY);
    values.fold(first, |all, value| all.paired(value, function))
}

/// Computes the mean of each row of the last dimension, and after it the mean of squares.
pub(super) fn moments(x: &Tensor, ty: &TensorType) -> Result<Data, String> {
    let from = x.ranges();
    let columns = x.ty.shape.last().copied().filter(|columns| *columns > 0);
    let columns = columns.ok_or("a row without elements")?;
    let precision = Precision::for_element(ty.element);
    let mut result = Vec::new();
    for row in from.chunks(columns) {
        let mean = average(row.iter().copied(), columns, precision);
        let squares = average(row.iter().map(|x| x.square()), columns, precision);
        result.extend([mean, squares].map(|mean| mean.rounded(precision)));
    }
    Ok(Data::Ranges(result))
}

/// Computes a product of matrices.
pub(super) fn product(a: &Tensor, b: &Tensor, ty: &TensorType) -> Result<Data, String> {
    contracted(&Contraction::of_product(a, b, ty)?, (a, b), ty)
}

/// Computes the sums of products of an image's windows with weights.
pub(super) fn windows(
    op: Op<'_>,
    image: &Tensor,
    weight: &Tensor,
    ty: &TensorType,
) -> Result<Data, String> {
    contracted(&windows::products(op, image, weight)?, (image, weight), ty)
}

/// Combines the elements of each window of a channel.
pub(super) fn pool(
    op: Op<'_>,
    is_average: bool,
    image: &Tensor,
    ty: &TensorType,
) -> Result<Data, String> {
    let precision = Precision::for_element(ty.element);
    let from = image.ranges();
    let mut result = Vec::new();
    windows::each_window(op, image, ty, |positions| {
        let values = positions.iter().map(|at| from[*at]);
        let combined = match is_average {
            true => average(values, positions.len(), precision),
            false => extreme(values, f64::max),
        };
        result.push(combined.rounded(precision));
    })?;
    Ok(Data::Ranges(result))
}

/// Returns the sum of values.
fn total(values: impl Iterator<Item = Range>, precision: Precision) -> Range {
    let mut sum = Sum::EMPTY;
    values.for_each(|value| sum.add(value));
    sum.finished(precision)
}

/// Returns the sum of values times `1 / count`, a constant that the card rounds as well.
fn average(values: impl Iterator<Item = Range>, count: usize, precision: Precision) -> Range {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let share = Range::point(1.0 / count as f64).rounded(precision);
    total(values, precision).times(share)
}

fn contracted(
    sums: &Contraction,
    (a, b): (&Tensor, &Tensor),
    ty: &TensorType,
) -> Result<Data, String> {
    let (left, right) = (a.ranges(), b.ranges());
    let precision = Precision::for_element(ty.element);
    let mut result = Vec::new();
    sums.each(&ty.shape, |terms| {
        let mut sum = Sum::EMPTY;
        terms(&mut |[at, with]| sum.add(left[at].times(right[with])));
        result.push(sum.finished(precision).rounded(precision));
    });
    Ok(Data::Ranges(result))
}

/// Returns the bounds of the first `k` elements along a dimension in descending order, or of their positions: of all
/// elements that may be at this place.
pub(super) fn search(
    op: Op<'_>,
    positions: bool,
    x: &Tensor,
    ty: &TensorType,
) -> Result<Data, String> {
    let from = x.ranges();
    let count = ty.element_count().ok_or("it does not fit into memory")?;
    let mut result = vec![Range::ANY; count];
    reduce::visit_searches(op, x, ty, |along, places_of_result| {
        let all: Vec<Range> = along.iter().map(|at| from[*at]).collect();
        if !all.iter().all(|range| range.is_bounded()) {
            return;
        }
        let descending = |bound: usize| {
            let mut bounds: Vec<f64> = all.iter().map(|range| range.bounds()[bound]).collect();
            bounds.sort_by(|a, b| b.total_cmp(a));
            bounds
        };
        let pairs = descending(0).into_iter().zip(descending(1));
        for (into, (low, high)) in places_of_result.zip(pairs) {
            let value = Range::between(low, high);
            result[into] = match positions {
                false => value,
                true => places(&all, value),
            };
        }
    })?;
    Ok(Data::Ranges(result))
}

/// Returns the first and the last position of an element that may have a value.
fn places(all: &[Range], value: Range) -> Range {
    let [low, high] = value.bounds();
    let may_be = |range: &Range| range.bounds()[0] <= high && low <= range.bounds()[1];
    let first = all.iter().position(may_be);
    let last = all.iter().rposition(may_be);
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let place = |at: Option<usize>| at.map_or(f64::NAN, |at| at as f64);
    Range::between(place(first), place(last))
}

/// Computes `result[..., i..., ...] = table[..., indices[i...], ...]`; any value where the table has no such element.
pub(super) fn gather(
    op: Op<'_>,
    indices: &Tensor,
    table: &Tensor,
    ty: &TensorType,
) -> Result<Data, String> {
    let from = table.ranges();
    let mut result = Vec::new();
    reduce::chosen(op, indices, table, ty, |position| {
        result.push(position.map_or(Range::ANY, |at| from[at]));
    })?;
    Ok(Data::Ranges(result))
}
