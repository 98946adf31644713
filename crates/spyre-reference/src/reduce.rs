//! Reductions, products of matrices, searches and choices by indices.

use std::cmp::Ordering;

use spyre_mlir_rt::ir::Op;

use crate::TensorType;
use crate::read;
use crate::tensor::{Data, Tensor, is_float, rounded, strides, walk, wrapped};

/// Combines the elements along dimensions in ascending order, in `f32`, and makes a result of them and of their number.
pub(crate) fn reduction(
    op: Op<'_>,
    start: f32,
    combine: fn(f32, f32) -> f32,
    finish: impl Fn(f32, usize) -> f32,
    x: &Tensor,
    ty: &TensorType,
) -> Result<Data, String> {
    let dims = read::dims(op, "dims")?;
    let from = x.floats()?;
    let (shape, steps) = (&x.ty.shape, strides(&x.ty.shape));
    let part = |wanted: bool| {
        let found = (0..shape.len()).filter(|dim| dims.contains(dim) == wanted);
        found
            .map(|dim| (shape[dim], steps[dim]))
            .unzip::<usize, usize, Vec<_>, Vec<_>>()
    };
    let ((kept, kept_steps), (reduced, reduced_steps)) = (part(false), part(true));
    let count: usize = reduced.iter().product();
    let mut result = Vec::new();
    walk(&kept, &[&kept_steps], &[0], |first| {
        let mut total = start;
        walk(&reduced, &[&reduced_steps], first, |at| {
            total = combine(total, from[at[0]])
        });
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

/// Computes `result[..., m, n] = sum over k of a[..., m, k] * b[..., k, n]`; leading dimensions broadcast. `b` may have more
/// rows, to the end of a stick, which are not read.
pub(crate) fn product(a: &Tensor, b: &Tensor, ty: &TensorType) -> Result<Data, String> {
    let (left, right) = (a.floats()?, b.floats()?);
    sums_of_products(a, b, ty, |pairs| {
        pairs.fold(0.0, |total, (l, r)| total + left[l] * right[r])
    })
}

/// Computes the same of integers: exact sums, which are rounded to `f32` and to the type of the result.
pub(crate) fn product_of_integers(a: &Tensor, b: &Tensor, ty: &TensorType) -> Result<Data, String> {
    let (left, right) = (a.integers()?, b.integers()?);
    sums_of_products(a, b, ty, |pairs| {
        let total = pairs.fold(0_i64, |total, (l, r)| total + left[l] * right[r]);
        #[expect(clippy::cast_precision_loss, reason = "the rule rounds here")]
        let rounded = total as f32;
        rounded
    })
}

/// Computes each element of a product of matrices from the places of the elements that it multiplies, in ascending order of k.
fn sums_of_products(
    a: &Tensor,
    b: &Tensor,
    ty: &TensorType,
    sum: impl Fn(&mut dyn Iterator<Item = (usize, usize)>) -> f32,
) -> Result<Data, String> {
    let rank = ty.shape.len();
    let [.., rows, columns] = ty.shape.as_slice() else {
        return Err("a product of less than two dimensions".to_owned());
    };
    let k =
        a.ty.shape
            .last()
            .copied()
            .ok_or("a left operand without dimensions")?;
    let batch = &ty.shape[..rank - 2];
    let batch_strides = |tensor: &Tensor| {
        let (shape, steps) = (&tensor.ty.shape, strides(&tensor.ty.shape));
        let lead = rank - shape.len();
        let own = (0..shape.len() - 2).map(|dim| if shape[dim] == 1 { 0 } else { steps[dim] });
        [vec![0; lead], own.collect()].concat()
    };
    let (left_steps, right_steps) = (batch_strides(a), batch_strides(b));
    let width =
        b.ty.shape
            .last()
            .copied()
            .ok_or("a right operand without dimensions")?;
    let mut result = Vec::new();
    walk(batch, &[&left_steps, &right_steps], &[0, 0], |at| {
        for m in 0..*rows {
            for n in 0..*columns {
                let mut pairs = (0..k).map(|k_at| (at[0] + m * k + k_at, at[1] + k_at * width + n));
                result.push(rounded(ty.element, sum(&mut pairs)));
            }
        }
    });
    counted(ty, Data::Floats(result))
}

/// Compares two elements for a descending order: the larger one comes first, and NaN counts as larger than every number. Equal
/// ones stay in the order of their positions.
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
    let (dim, k) = (read::integer(op, "dim")?, read::integer(op, "k")?);
    let from = x.floats()?;
    let shape = &x.ty.shape;
    let extent = *shape
        .get(dim)
        .ok_or_else(|| format!("no dimension {dim}"))?;
    let (step, result_step) = (strides(shape)[dim], strides(&ty.shape)[dim]);
    let mut others = shape.clone();
    others[dim] = 1;
    let count = ty.element_count().ok_or("it does not fit into memory")?;
    let mut ranked = vec![(0.0, 0); count];
    walk(
        &others,
        &[&strides(shape), &strides(&ty.shape)],
        &[0, 0],
        |at| {
            let mut all: Vec<(f32, usize)> = (0..extent)
                .map(|place| (from[at[0] + place * step], place))
                .collect();
            all.sort_by(|(a, _), (b, _)| descending(*a, *b));
            for (place, found) in all.into_iter().take(k).enumerate() {
                ranked[at[1] + place * result_step] = found;
            }
        },
    );
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

/// Computes `result[..., i..., ...] = table[..., indices[i...], ...]`; NaN where the table has no such element.
pub(crate) fn gather(
    op: Op<'_>,
    indices: &Tensor,
    table: &Tensor,
    ty: &TensorType,
) -> Result<Data, String> {
    let dim = read::integer(op, "dim")?;
    let chosen = indices.integers()?;
    let from = table.floats()?;
    let shape = &table.ty.shape;
    let extent = *shape
        .get(dim)
        .ok_or_else(|| format!("the table has no dimension {dim}"))?;
    let step = strides(shape)[dim];
    let own = indices.ty.shape.len();
    let zeros = |count: usize| vec![0; count];
    let table_steps = strides(shape);
    let table_steps = [&table_steps[..dim], &zeros(own), &table_steps[dim + 1..]].concat();
    let index_steps = [
        zeros(dim),
        strides(&indices.ty.shape),
        zeros(shape.len() - dim - 1),
    ]
    .concat();
    let mut result = Vec::new();
    walk(&ty.shape, &[&table_steps, &index_steps], &[0, 0], |at| {
        let index = usize::try_from(chosen[at[1]])
            .ok()
            .filter(|index| *index < extent);
        result.push(index.map_or(f32::NAN, |index| from[at[0] + index * step]));
    });
    counted(ty, Data::Floats(result))
}

/// Checks that there are as many elements as the result has.
pub(crate) fn counted(ty: &TensorType, data: Data) -> Result<Data, String> {
    let found = match &data {
        Data::Floats(floats) => floats.len(),
        Data::Integers(integers) => integers.len(),
    };
    if !is_float(ty.element) {
        return Err(format!("not defined with a result of {}", ty.element));
    }
    match ty.element_count() == Some(found) {
        true => Ok(data),
        false => Err(format!("{found} elements for {ty}")),
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
