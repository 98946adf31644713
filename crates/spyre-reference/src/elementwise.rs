//! Operations element by element, with broadcasting.

use std::cmp::Ordering;

use spyre_mlir_rt::ir::Op;

use crate::TensorType;
use crate::interval::compute;
use crate::read;
use crate::reduce;
use crate::rules::{Rule, magnitude};
use crate::tensor::{Data, Tensor, is_float, rounded, strides, walk, wrapped};
use crate::windows;

/// Returns the result of an operation with a rule.
pub(crate) fn compute(
    op: Op<'_>,
    rule: Rule,
    operands: &[Tensor],
    ty: &TensorType,
) -> Result<Data, String> {
    let in_ranges = |tensor: &Tensor| matches!(*tensor.data, Data::Ranges(_));
    if operands.iter().any(in_ranges) {
        return compute::compute(op, rule, operands, ty);
    }
    match (rule, operands) {
        (Rule::Moved, [x]) => moved(x, ty),
        (Rule::Bits | Rule::FromInteger | Rule::ToInteger, [x]) => retyped(rule, x, ty),
        (Rule::Select, [condition, a, b]) => select(condition, a, b, ty),
        (Rule::Unary(function), [x]) => floats(ty, operands, |at| function(at[0]), x),
        (Rule::Parametric(function, [first, second]), [x]) => {
            let constants = [read::number(op, first)?, read::number(op, second)?];
            floats(ty, operands, |at| function(at[0], constants), x)
        }
        (Rule::Moments, [x]) => reduce::moments(x, ty),
        (Rule::OfPair(function, name), [pair]) => {
            let constant = read::number(op, name)?;
            let both = [reduce::of_pair(pair, 0)?, reduce::of_pair(pair, 1)?];
            floats(ty, &both, |at| function([at[0], at[1]], constant), pair)
        }
        (Rule::Five(function), [x, pair, scale, weight, bias]) => {
            let [scale, weight, bias] = [scale, weight, bias].map(Clone::clone);
            let operands = [x.clone(), reduce::of_pair(pair, 0)?, scale, weight, bias];
            floats(ty, &operands, function, x)
        }
        (Rule::Compare(holds), [a, b]) => compare(ty, a, b, holds),
        (Rule::Binary(function, _), [a, _]) if is_float(ty.element) => {
            floats(ty, operands, |at| function(at[0], at[1]), a)
        }
        (Rule::Binary(_, Some(function)), [a, b]) => integers(ty, a, b, function),
        (Rule::Binary(_, None), _) => Err(format!("not defined on {}", ty.element)),
        (Rule::Reduce(start, combine, is_average), [x]) => {
            #[expect(clippy::cast_precision_loss, reason = "exact below 2^24")]
            let finish = |total: f32, count: usize| match is_average {
                true => total / count as f32,
                false => total,
            };
            reduce::reduction(op, start, combine, finish, x, ty)
        }
        (Rule::OfMagnitude(function, [first, second, third]), [x]) => {
            let constant = |name| read::number(op, name);
            let constants = [constant(first)?, constant(second)?, constant(third)?];
            let finish = |largest: f32, _: usize| function(largest, constants);
            reduce::reduction(op, 0.0, magnitude, finish, x, ty)
        }
        (Rule::Product, [a, b]) => reduce::product(a, b, ty),
        (Rule::ProductOfIntegers, [a, b]) => reduce::product_of_integers(a, b, ty),
        (Rule::Windows, [image, weight]) => windows::convolution(op, image, weight, ty),
        (Rule::Pool(start, combine, is_average), [image]) => {
            windows::pool(op, start, combine, is_average, image, ty)
        }
        (Rule::Search { positions }, [x]) => reduce::search(op, positions, x, ty),
        (Rule::Gather, [indices, table]) => reduce::gather(op, indices, table, ty),
        _ => Err(format!(
            "{} operands are too many or too few",
            operands.len()
        )),
    }
}

/// Returns the strides of an operand, in elements, along the dimensions of a result that it broadcasts to. Shapes are aligned at
/// their last dimension. An operand repeats along a dimension that it lacks or where its extent is 1.
fn broadcast(shape: &[usize], result: &[usize]) -> Result<Vec<usize>, String> {
    let lead = result.len().checked_sub(shape.len());
    let lead = lead.ok_or_else(|| format!("{shape:?} does not broadcast to {result:?}"))?;
    let operand_strides = shape.iter().zip(strides(shape)).zip(&result[lead..]);
    let operand_strides = operand_strides.map(|((extent, stride), wanted)| match extent {
        1 => Ok(0),
        extent if extent == wanted => Ok(stride),
        _ => Err(format!("{shape:?} does not broadcast to {result:?}")),
    });
    let operand_strides = operand_strides.collect::<Result<Vec<usize>, String>>()?;
    Ok([vec![0; lead], operand_strides].concat())
}

/// Visits the elements of operands for each of the result.
pub(crate) fn each(
    ty: &TensorType,
    operands: &[&Tensor],
    visit: impl FnMut(&[usize]),
) -> Result<(), String> {
    let strides_of = operands
        .iter()
        .map(|tensor| broadcast(&tensor.ty.shape, &ty.shape));
    let strides_of = strides_of.collect::<Result<Vec<_>, _>>()?;
    let strides_of: Vec<&[usize]> = strides_of.iter().map(Vec::as_slice).collect();
    walk(&ty.shape, &strides_of, &vec![0; operands.len()], visit);
    Ok(())
}

/// Computes a formula on floats, rounded to the type of the result.
fn floats(
    ty: &TensorType,
    operands: &[Tensor],
    function: impl Fn(&[f32]) -> f32,
    first: &Tensor,
) -> Result<Data, String> {
    if !is_float(ty.element) || !is_float(first.ty.element) {
        return Err(format!("not defined on {}", first.ty.element));
    }
    let data = operands
        .iter()
        .map(Tensor::floats)
        .collect::<Result<Vec<_>, _>>()?;
    let mut values = vec![0.0; operands.len()];
    let mut result = Vec::new();
    each(ty, &operands.iter().collect::<Vec<_>>(), |at| {
        for (value, (data, at)) in values.iter_mut().zip(data.iter().zip(at)) {
            *value = data[*at];
        }
        result.push(rounded(ty.element, function(&values)));
    })?;
    Ok(Data::Floats(result))
}

/// Computes a formula on integers, which wrap.
fn integers(
    ty: &TensorType,
    a: &Tensor,
    b: &Tensor,
    function: fn(i64, i64) -> i64,
) -> Result<Data, String> {
    let (left, right) = (a.integers()?, b.integers()?);
    let mut result = Vec::new();
    each(ty, &[a, b], |at| {
        result.push(wrapped(ty.element, function(left[at[0]], right[at[1]])));
    })?;
    Ok(Data::Integers(result))
}

fn compare(
    ty: &TensorType,
    a: &Tensor,
    b: &Tensor,
    holds: fn(Option<Ordering>) -> bool,
) -> Result<Data, String> {
    let mut result = Vec::new();
    match (&*a.data, &*b.data) {
        (Data::Floats(left), Data::Floats(right)) => each(ty, &[a, b], |at| {
            let order = left[at[0]].partial_cmp(&right[at[1]]);
            result.push(holds(order).into());
        })?,
        (Data::Integers(left), Data::Integers(right)) => each(ty, &[a, b], |at| {
            let order = left[at[0]].cmp(&right[at[1]]);
            result.push(holds(Some(order)).into());
        })?,
        _ => {
            return Err(format!(
                "{} is compared with {}",
                a.ty.element, b.ty.element
            ));
        }
    }
    Ok(Data::Integers(result))
}

fn select(condition: &Tensor, a: &Tensor, b: &Tensor, ty: &TensorType) -> Result<Data, String> {
    let conditions = condition.integers()?;
    Ok(match (&*a.data, &*b.data) {
        (Data::Floats(left), Data::Floats(right)) => {
            let mut result = Vec::new();
            each(ty, &[condition, a, b], |at| {
                result.push(if conditions[at[0]] == 0 {
                    right[at[2]]
                } else {
                    left[at[1]]
                });
            })?;
            Data::Floats(result)
        }
        (Data::Integers(left), Data::Integers(right)) => {
            let mut result = Vec::new();
            each(ty, &[condition, a, b], |at| {
                result.push(if conditions[at[0]] == 0 {
                    right[at[2]]
                } else {
                    left[at[1]]
                });
            })?;
            Data::Integers(result)
        }
        _ => return Err(format!("{} or {}", a.ty.element, b.ty.element)),
    })
}

/// Returns the elements of an operand, rounded to the type of the result where that is another float.
fn moved(x: &Tensor, ty: &TensorType) -> Result<Data, String> {
    match &*x.data {
        Data::Floats(_) => floats(ty, std::slice::from_ref(x), |at| at[0], x),
        Data::Integers(from) if x.ty.element == ty.element => {
            let mut result = Vec::new();
            each(ty, &[x], |at| result.push(from[at[0]]))?;
            Ok(Data::Integers(result))
        }
        _ => Err(format!("{} becomes {}", x.ty.element, ty.element)),
    }
}

/// Returns the elements of an operand as numbers of another type, of 32 bits in device memory.
fn retyped(rule: Rule, x: &Tensor, ty: &TensorType) -> Result<Data, String> {
    let is_bits = matches!(rule, Rule::Bits);
    Ok(match &*x.data {
        Data::Floats(from) => {
            let mut result = Vec::new();
            each(ty, &[x], |at| {
                let float = from[at[0]];
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "what does not fit has no result"
                )]
                let integer = if is_bits {
                    float.to_bits().cast_signed()
                } else {
                    float as i32
                };
                result.push(i64::from(integer));
            })?;
            Data::Integers(result)
        }
        Data::Integers(from) if !is_float(ty.element) => {
            let mut result = Vec::new();
            each(ty, &[x], |at| {
                #[expect(clippy::cast_possible_truncation, reason = "device memory has 32 bits")]
                let integer = from[at[0]] as i32;
                result.push(integer.into());
            })?;
            Data::Integers(result)
        }
        Data::Integers(from) => {
            let mut result = Vec::new();
            each(ty, &[x], |at| {
                #[expect(clippy::cast_possible_truncation, reason = "device memory has 32 bits")]
                let integer = from[at[0]] as i32;
                #[expect(clippy::cast_precision_loss, reason = "it is rounded")]
                let float = if is_bits {
                    f32::from_bits(integer.cast_unsigned())
                } else {
                    integer as f32
                };
                result.push(float);
            })?;
            Data::Floats(result)
        }
        Data::Ranges(_) => unreachable!("intervals have rules of their own"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_repeat() {
        assert_eq!(broadcast(&[3], &[2, 3]), Ok(vec![0, 1]));
        assert_eq!(broadcast(&[2, 1], &[2, 3]), Ok(vec![1, 0]));
        assert!(broadcast(&[2], &[3]).is_err() && broadcast(&[1, 3], &[3]).is_err());
    }
}
