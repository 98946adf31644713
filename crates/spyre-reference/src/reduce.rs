//! Reductions, products of matrices, searches and choices by indices.

use std::cmp::Ordering;

use spyre_mlir_rt::ir::Op;

use crate::TensorType;
use crate::read;
use crate::tensor::{Data, Tensor, is_float, rounded, strides, walk, wrapped};

/// The elements that a reduction combines, for each element of its result.
pub(crate) struct Parts {
    kept: Vec<usize>,
    kept_steps: Vec<usize>,
    reduced: Vec<usize>,
    reduced_steps: Vec<usize>,
}

/// Returns the elements that a reduction combines.
pub(crate) fn parts(op: Op<'_>, x: &Tensor) -> Result<Parts, String> {
    let dims = read::dims(op, "dims")?;
    let (shape, steps) = (&x.ty.shape, strides(&x.ty.shape));
    let part = |wanted: bool| {
        let chosen = (0..shape.len()).filter(|dim| dims.contains(dim) == wanted);
        chosen
            .map(|dim| (shape[dim], steps[dim]))
            .unzip::<usize, usize, Vec<_>, Vec<_>>()
    };
    let ((kept, kept_steps), (reduced, reduced_steps)) = (part(false), part(true));
    Ok(Parts {
        kept,
        kept_steps,
        reduced,
        reduced_steps,
    })
}

impl Parts {
    /// Returns the number of elements that are combined to one.
    pub(crate) fn count(&self) -> usize {
        self.reduced.iter().product()
    }

    /// Visits the positions that are combined, in ascending order, for each element of the result in row-major order.
    pub(crate) fn each(&self, mut visit: impl FnMut(&[usize])) {
        let mut positions = Vec::new();
        walk(&self.kept, &[&self.kept_steps], &[0], |first| {
            positions.clear();
            walk(&self.reduced, &[&self.reduced_steps], first, |at| {
                positions.push(at[0]);
            });
            visit(&positions);
        });
    }
}

/// Combines the elements along dimensions in ascending order, in `f32`, and computes the result from the combined value
/// and the number of elements.
pub(crate) fn reduction(
    op: Op<'_>,
    start: f32,
    combine: fn(f32, f32) -> f32,
    finish: impl Fn(f32, usize) -> f32,
    x: &Tensor,
    ty: &TensorType,
) -> Result<Data, String> {
    let from = x.floats()?;
    let parts = parts(op, x)?;
    let count = parts.count();
    let mut result = Vec::new();
    parts.each(|positions| {
        let total = positions
            .iter()
            .fold(start, |total, at| combine(total, from[*at]));
        result.push(rounded(ty.element, finish(total, count)));
    });
    counted(ty, Data::Floats(result))
}

/// Computes the mean of each row of the last dimension, and after it the mean of squares.
pub(crate) fn moments(x: &Tensor, ty: &TensorType) -> Result<Data, String> {
    let from = x.floats()?;
    let columns = x.ty.shape.last().copied().filter(|columns| *columns > 0);
    let columns = columns.ok_or("a row without elements")?;
    #[expect(clippy::cast_precision_loss, reason = "exact below 2^24")]
    let divisor = columns as f32;
    let mut result = Vec::new();
    for row in from.chunks(columns) {
        let sum = row.iter().fold(0.0, |sum, x| sum + x);
        let squares = row.iter().fold(0.0, |sum, x| sum + x * x);
        result.extend([sum, squares].map(|total| rounded(ty.element, total / divisor)));
    }
    counted(ty, Data::Floats(result))
}

/// Returns one element of each pair, with an extent of one in the last dimension.
pub(crate) fn of_pair(pair: &Tensor, element: usize) -> Result<Tensor, String> {
    let mut ty = pair.ty.clone();
    let last = ty.shape.last_mut().filter(|extent| **extent == 2);
    *last.ok_or("a pair has two elements in its last dimension")? = 1;
    let extents = ty.shape.clone();
    Ok(pair.gathered(ty, element, &extents, &strides(&pair.ty.shape)))
}

/// Sums of products of elements of two operands: where the first product of each element of the result is, and the steps from one
/// product to the next.
pub(crate) struct Contraction {
    /// The steps from the first product of one element of the result to that of the next, along its dimensions.
    pub firsts: [Vec<usize>; 2],
    /// The extents of the dimensions that are summed over.
    pub summed: Vec<usize>,
    /// The steps from one product to the next, along these dimensions.
    pub along: [Vec<usize>; 2],
}

impl Contraction {
    /// Returns the sums of a product of matrices. `b` may have more rows, to the end of a stick, which are not read.
    pub(crate) fn of_product(a: &Tensor, b: &Tensor, ty: &TensorType) -> Result<Self, String> {
        let rank = ty.shape.len();
        if rank < 2 {
            return Err("a product of less than two dimensions".to_owned());
        }
        let last = |tensor: &Tensor, side: &str| {
            let last = tensor.ty.shape.last().copied();
            last.ok_or_else(|| format!("a {side} operand without dimensions"))
        };
        let (k, width) = (last(a, "left")?, last(b, "right")?);
        let batch = |tensor: &Tensor| {
            let (shape, steps) = (&tensor.ty.shape, strides(&tensor.ty.shape));
            let lead = rank - shape.len();
            let lead_steps =
                (0..shape.len() - 2).map(|dim| if shape[dim] == 1 { 0 } else { steps[dim] });
            [vec![0; lead], lead_steps.collect()].concat()
        };
        Ok(Self {
            firsts: [
                [batch(a), vec![k, 0]].concat(),
                [batch(b), vec![0, 1]].concat(),
            ],
            summed: vec![k],
            along: [vec![1], vec![width]],
        })
    }

    /// Visits the elements of a result of this shape in row-major order, each with a walk over the positions of its products.
    pub(crate) fn each(
        &self,
        shape: &[usize],
        mut visit: impl FnMut(&dyn Fn(&mut dyn FnMut([usize; 2]))),
    ) {
        let [left, right] = &self.firsts;
        walk(shape, &[left, right], &[0, 0], |first| {
            let [left, right] = &self.along;
            visit(&|visit: &mut dyn FnMut([usize; 2])| {
                walk(&self.summed, &[left, right], first, |at| {
                    visit([at[0], at[1]])
                });
            });
        });
    }

    /// Computes the sums of floats.
    pub(crate) fn floats(
        &self,
        (a, b): (&Tensor, &Tensor),
        ty: &TensorType,
    ) -> Result<Data, String> {
        let (left, right) = (a.floats()?, b.floats()?);
        let mut result = Vec::new();
        self.each(&ty.shape, |terms| {
            let mut total = 0.0;
            terms(&mut |[at, with]| total += left[at] * right[with]);
            result.push(rounded(ty.element, total));
        });
        counted(ty, Data::Floats(result))
    }
}

/// Computes `result[..., m, n] = sum over k of a[..., m, k] * b[..., k, n]`; leading dimensions broadcast. `b` may have more
/// rows, to the end of a stick, which are not read.
pub(crate) fn product(a: &Tensor, b: &Tensor, ty: &TensorType) -> Result<Data, String> {
    Contraction::of_product(a, b, ty)?.floats((a, b), ty)
}

/// Computes the same of integers: exact sums, which are rounded to `f32` and to the type of the result.
pub(crate) fn product_of_integers(a: &Tensor, b: &Tensor, ty: &TensorType) -> Result<Data, String> {
    let (left, right) = (a.integers()?, b.integers()?);
    let mut result = Vec::new();
    Contraction::of_product(a, b, ty)?.each(&ty.shape, |terms| {
        let mut total = 0_i64;
        terms(&mut |[at, with]| total += left[at] * right[with]);
        #[expect(clippy::cast_precision_loss, reason = "the rule rounds here")]
        let sum = total as f32;
        result.push(rounded(ty.element, sum));
    });
    counted(ty, Data::Floats(result))
}

/// Compares two elements for a descending order: the larger one comes first, and NaN counts as larger than every
/// number. Equal ones keep the order of their positions.
fn descending(a: f32, b: f32) -> Ordering {
    let order = b.is_nan().cmp(&a.is_nan());
    order.then(b.partial_cmp(&a).unwrap_or(Ordering::Equal))
}

/// Returns the first `k` elements along a dimension in descending order, or their positions.
pub(crate) fn search(
    op: Op<'_>,
    positions: bool,
    x: &Tensor,
    ty: &TensorType,
) -> Result<Data, String> {
    let from = x.floats()?;
    let count = ty.element_count().ok_or("it does not fit into memory")?;
    let mut ranked = vec![(0.0, 0); count];
    visit_searches(op, x, ty, |positions, places| {
        let values = positions.iter().map(|at| from[*at]);
        let mut all: Vec<(f32, usize)> = values.zip(0..).collect();
        all.sort_by(|(a, _), (b, _)| descending(*a, *b));
        for (into, element) in places.zip(all) {
            ranked[into] = element;
        }
    })?;
    match (positions, is_float(ty.element)) {
        (false, true) => Ok(Data::Floats(
            ranked
                .into_iter()
                .map(|(value, _)| rounded(ty.element, value))
                .collect(),
        )),
        (true, false) => {
            // A position is below an extent, which is far below 2^63.
            let positions = ranked
                .into_iter()
                .map(|(_, at)| wrapped(ty.element, at as i64));
            Ok(Data::Integers(positions.collect()))
        }
        (true, true) => {
            // Positions that the element type does not hold exactly are refused (S33).
            let positions = ranked.into_iter();
            let positions = positions.map(|(_, at)| rounded(ty.element, at as f32));
            Ok(Data::Floats(positions.collect()))
        }
        _ => Err(format!("not defined with a result of {}", ty.element)),
    }
}

/// Visits each search: its positions in the operand, ascending, with its positions in the result, in descending order
/// of the elements.
pub(crate) fn visit_searches(
    op: Op<'_>,
    x: &Tensor,
    ty: &TensorType,
    mut visit: impl FnMut(&[usize], std::iter::StepBy<std::ops::Range<usize>>),
) -> Result<(), String> {
    let (dim, k) = (read::integer(op, "dim")?, read::integer(op, "k")?);
    let shape = &x.ty.shape;
    let extent = *shape
        .get(dim)
        .ok_or_else(|| format!("no dimension {dim}"))?;
    let (steps, result_steps) = (strides(shape), strides(&ty.shape));
    let mut others = shape.clone();
    others[dim] = 1;
    let mut positions = Vec::with_capacity(extent);
    walk(&others, &[&steps, &result_steps], &[0, 0], |at| {
        positions.clear();
        positions.extend((0..extent).map(|place| at[0] + place * steps[dim]));
        let into = at[1]..at[1] + k * result_steps[dim];
        visit(&positions, into.step_by(result_steps[dim]));
    });
    Ok(())
}

/// Computes `result[..., i..., ...] = table[..., indices[i...], ...]`; NaN where the table has no such element.
pub(crate) fn gather(
    op: Op<'_>,
    indices: &Tensor,
    table: &Tensor,
    ty: &TensorType,
) -> Result<Data, String> {
    let from = table.floats()?;
    let mut result = Vec::new();
    chosen(op, indices, table, ty, |position| {
        result.push(position.map_or(f32::NAN, |at| from[at]));
    })?;
    counted(ty, Data::Floats(result))
}

/// Visits the position in a table of each gathered element, in row-major order of the result; `None` where the table
/// has no such element.
pub(crate) fn chosen(
    op: Op<'_>,
    indices: &Tensor,
    table: &Tensor,
    ty: &TensorType,
    mut visit: impl FnMut(Option<usize>),
) -> Result<(), String> {
    let dim = read::integer(op, "dim")?;
    let chosen = indices.integers()?;
    let shape = &table.ty.shape;
    let extent = *shape
        .get(dim)
        .ok_or_else(|| format!("the table has no dimension {dim}"))?;
    let step = strides(shape)[dim];
    let rank = indices.ty.shape.len();
    let zeros = |count: usize| vec![0; count];
    let table_steps = strides(shape);
    let table_steps = [&table_steps[..dim], &zeros(rank), &table_steps[dim + 1..]].concat();
    let index_steps = [
        zeros(dim),
        strides(&indices.ty.shape),
        zeros(shape.len() - dim - 1),
    ]
    .concat();
    walk(&ty.shape, &[&table_steps, &index_steps], &[0, 0], |at| {
        let index = usize::try_from(chosen[at[1]]).ok();
        let index = index.filter(|index| *index < extent);
        visit(index.map(|index| at[0] + index * step));
    });
    Ok(())
}

/// Checks that there are as many elements as the result has.
pub(crate) fn counted(ty: &TensorType, data: Data) -> Result<Data, String> {
    let count = match &data {
        Data::Floats(floats) => floats.len(),
        Data::Integers(integers) => integers.len(),
        Data::Ranges(ranges) => ranges.len(),
    };
    if !is_float(ty.element) {
        return Err(format!("not defined with a result of {}", ty.element));
    }
    match ty.element_count() == Some(count) {
        true => Ok(data),
        false => Err(format!("{count} elements for {ty}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_come_first() {
        let mut all = [1.0, f32::NAN, -0.0, 7.0, 0.0, f32::INFINITY, -2.0];
        all.sort_by(|a, b| descending(*a, *b));
        assert!(all[0].is_nan());
        assert_eq!(all[1..], [f32::INFINITY, 7.0, 1.0, -0.0, 0.0, -2.0]);
        assert!(all[4].is_sign_negative() && all[5].is_sign_positive());
    }
}
