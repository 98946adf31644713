//! Reductions, products of matrices, searches and choices by indices, on intervals.

use spyre_mlir_rt::ir::Op;

use super::{Precision, Range};
use crate::TensorType;
use crate::read;
use crate::reduce::{self, Contraction};
use crate::tensor::{Data, Tensor, strides, walk};
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

    /// Returns the sum, with what rounding of parts may change. There are no bounds where a part may be beyond the largest number.
    fn finished(self, precision: Precision) -> Range {
        if !self.total.is_bounded() || self.magnitude > precision.largest {
            return Range::ANY;
        }
        let parts = self.count.min(MOST_PARTS) * precision.unit;
        let terms = self.count * Precision::FP32.unit;
        self.total.widened(self.magnitude * (parts + terms))
    }
}

/// Combines the elements along dimensions.
pub(super) fn reduction(
    op: Op<'_>,
    mnemonic: &str,
    x: &Tensor,
    ty: &TensorType,
) -> Result<Data, String> {
    let precision = Precision::of(ty.element);
    let from = x.ranges();
    let parts = reduce::parts(op, x)?;
    let constants = match mnemonic {
        "quantscalepertokenfp8" => {
            let constant = |name| read::number(op, name).map(f64::from);
            [constant("min")?, constant("max")?, constant("factor")?]
        }
        _ => [0.0; 3],
    };
    let mut result = Vec::new();
    parts.each(|positions| {
        let values = positions.iter().map(|at| from[*at]);
        let combined = match mnemonic {
            "sum" => {
                let mut sum = Sum::EMPTY;
                values.for_each(|value| sum.add(value));
                sum.finished(precision)
            }
            "mean" => average(values, positions.len(), precision),
            "prod" => values.fold(Range::point(1.0), |all, value| {
                all.times(value).rounded(precision)
            }),
            "max" => extreme(values, f64::max),
            "min" => extreme(values, f64::min),
            "absmax" => extreme(values.map(Range::absolute), f64::max),
            "quantscalepertokenfp8" => {
                let [min, max, factor] = constants;
                let largest = extreme(values.map(Range::absolute), f64::max);
                largest
                    .paired(largest, |x, _| x)
                    .clamped(min, max)
                    .times(Range::point(factor))
            }
            _ => Range::ANY,
        };
        result.push(combined.rounded(precision));
    });
    match mnemonic {
        "sum" | "mean" | "prod" | "max" | "min" | "absmax" | "quantscalepertokenfp8" => {
            Ok(Data::Ranges(result))
        }
        _ => Err(format!("{mnemonic} has no bounds here")),
    }
}

fn extreme(mut values: impl Iterator<Item = Range>, of: fn(f64, f64) -> f64) -> Range {
    let first = values.next().unwrap_or(Range::ANY);
    values.fold(first, |all, value| all.paired(value, of))
}

impl Range {
    fn clamped(self, min: f64, max: f64) -> Self {
        let [low, high] = self.bounds();
        match self.is_bounded() {
            true => Self::between(low.clamp(min, max), high.clamp(min, max)),
            false => Self::ANY,
        }
    }
}

/// Computes the mean of each row of the last dimension, and after it the mean of squares.
pub(super) fn moments(x: &Tensor, ty: &TensorType) -> Result<Data, String> {
    let from = x.ranges();
    let columns = x.ty.shape.last().copied().filter(|columns| *columns > 0);
    let columns = columns.ok_or("a row without elements")?;
    let precision = Precision::of(ty.element);
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let share = Range::point(1.0 / columns as f64).rounded(precision);
    let mut result = Vec::new();
    for row in from.chunks(columns) {
        let (mut sum, mut squares) = (Sum::EMPTY, Sum::EMPTY);
        for x in row {
            sum.add(*x);
            squares.add(x.square());
        }
        let means = [sum, squares].map(|sum| sum.finished(precision).times(share));
        result.extend(means.map(|mean| mean.rounded(precision)));
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
    let precision = Precision::of(ty.element);
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

/// Returns the sum of values times the part of one in so many, a constant that is rounded as well.
fn average(values: impl Iterator<Item = Range>, count: usize, precision: Precision) -> Range {
    let mut sum = Sum::EMPTY;
    values.for_each(|value| sum.add(value));
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let share = Range::point(1.0 / count as f64).rounded(precision);
    sum.finished(precision).times(share)
}

fn contracted(
    sums: &Contraction,
    (a, b): (&Tensor, &Tensor),
    ty: &TensorType,
) -> Result<Data, String> {
    let (left, right) = (a.ranges(), b.ranges());
    let precision = Precision::of(ty.element);
    let mut result = Vec::new();
    sums.each(&ty.shape, |terms| {
        let mut sum = Sum::EMPTY;
        terms(&mut |[at, with]| sum.add(left[at].times(right[with])));
        result.push(sum.finished(precision).rounded(precision));
    });
    Ok(Data::Ranges(result))
}

/// Returns the first `k` elements along a dimension in descending order, or their positions: those of all elements that may be
/// there.
pub(super) fn search(
    op: Op<'_>,
    positions: bool,
    x: &Tensor,
    ty: &TensorType,
) -> Result<Data, String> {
    let (dim, k) = (read::integer(op, "dim")?, read::integer(op, "k")?);
    let from = x.ranges();
    let shape = &x.ty.shape;
    let extent = *shape
        .get(dim)
        .ok_or_else(|| format!("no dimension {dim}"))?;
    let (step, result_step) = (strides(shape)[dim], strides(&ty.shape)[dim]);
    let mut others = shape.clone();
    others[dim] = 1;
    let count = ty.element_count().ok_or("it does not fit into memory")?;
    let mut result = vec![Range::ANY; count];
    walk(
        &others,
        &[&strides(shape), &strides(&ty.shape)],
        &[0, 0],
        |at| {
            let all: Vec<Range> = (0..extent)
                .map(|place| from[at[0] + place * step])
                .collect();
            if !all.iter().all(|range| range.is_bounded()) {
                return;
            }
            let descending = |bound: usize| {
                let mut bounds: Vec<f64> = all.iter().map(|range| range.bounds()[bound]).collect();
                bounds.sort_by(|a, b| b.total_cmp(a));
                bounds
            };
            let (lows, highs) = (descending(0), descending(1));
            for place in 0..k.min(extent) {
                let value = Range::between(lows[place], highs[place]);
                result[at[1] + place * result_step] = match positions {
                    false => value,
                    true => places(&all, value),
                };
            }
        },
    );
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
