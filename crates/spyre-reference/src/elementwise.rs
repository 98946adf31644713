//! Operations element by element, with broadcasting.

use std::cmp::Ordering;

use spyre_mlir_rt::ir::Op;

use crate::TensorType;
use crate::read;
use crate::tensor::{Data, Tensor, is_float, rounded, strides, walk, wrapped};

/// Returns the result of an operation element by element; `None` for any other operation.
pub fn compute(
    op: Op<'_>,
    name: &str,
    operands: &[Tensor],
    ty: &TensorType,
) -> Option<Result<Data, String>> {
    Some(match (name, operands) {
        ("copy" | "restickify" | "dl16tofp32" | "fp32todl16", [x]) => moved(x, ty),
        ("where3", [condition, a, b]) => select(condition, a, b, ty),
        (_, [x]) if let Some(of) = unary(name) => floats(ty, operands, |at| of(at[0]), x),
        ("clip", [x]) => read::number(op, "min").and_then(|min| {
            let max = read::number(op, "max")?;
            floats(ty, operands, |at| smaller(larger(at[0], min), max), x)
        }),
        ("softplus", [x]) => read::number(op, "beta").and_then(|beta| {
            let threshold = read::number(op, "threshold")?;
            floats(ty, operands, |at| softplus(at[0], beta, threshold), x)
        }),
        ("layernormnorm", [x, _, _, _, _]) => floats(
            ty,
            operands,
            |at| (at[0] - at[1]) * at[2] * at[3] + at[4],
            x,
        ),
        (_, [a, b]) if let Some(holds) = comparison(name) => compare(ty, a, b, holds),
        (_, [a, b]) if let Some(of) = binary(name) => {
            if is_float(ty.element) {
                floats(ty, operands, |at| (of.floats)(at[0], at[1]), a)
            } else if let Some(of) = of.integers {
                integers(ty, a, b, of)
            } else {
                Err(format!("not defined on {}", ty.element))
            }
        }
        _ => return None,
    })
}

/// Returns the formula of an operation with one operand; `None` for other operations.
fn unary(name: &str) -> Option<fn(f32) -> f32> {
    Some(match name {
        "abs" => f32::abs,
        "exp" => f32::exp,
        "floor" => f32::floor,
        "gelufwd" => |x| x * (0.5 * (1.0 + libm::erff(x * std::f32::consts::FRAC_1_SQRT_2))),
        "log" => f32::ln,
        "neg" => |x| -x,
        "reciprocal" => |x| 1.0 / x,
        "relufwd" => |x| larger(x, 0.0),
        "rsqrt" => |x| 1.0 / x.sqrt(),
        "sigmoid" => |x| 1.0 / (1.0 + (-x).exp()),
        "silu" => |x| x / (1.0 + (-x).exp()),
        "sqrt" => f32::sqrt,
        "tanh" => f32::tanh,
        _ => return None,
    })
}

/// A formula on floats, and on integers if it has one.
struct Binary {
    floats: fn(f32, f32) -> f32,
    integers: Option<fn(i64, i64) -> i64>,
}

fn both(floats: fn(f32, f32) -> f32, integers: fn(i64, i64) -> i64) -> Binary {
    Binary {
        floats,
        integers: Some(integers),
    }
}

fn binary(name: &str) -> Option<Binary> {
    Some(match name {
        "add" => both(|a, b| a + b, i64::wrapping_add),
        "sub" => both(|a, b| a - b, i64::wrapping_sub),
        "mul" => both(|a, b| a * b, i64::wrapping_mul),
        "maximum" => both(larger, Ord::max),
        "minimum" => both(smaller, Ord::min),
        "realdiv" => Binary {
            floats: |a, b| a / b,
            integers: None,
        },
        _ => return None,
    })
}

/// Returns whether a comparison holds for elements in an order, as a function of the order. NaN is in no order. `None` for other
/// operations.
fn comparison(name: &str) -> Option<fn(Option<Ordering>) -> bool> {
    Some(match name {
        "equal" => |order| order == Some(Ordering::Equal),
        "notequal" => |order| order != Some(Ordering::Equal),
        "greaterthan" => |order| order == Some(Ordering::Greater),
        "greaterequal" => |order| matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        "lesserthan" => |order| order == Some(Ordering::Less),
        "lesserequal" => |order| matches!(order, Some(Ordering::Less | Ordering::Equal)),
        _ => return None,
    })
}

/// Returns the larger of two numbers, NaN if either is; a positive zero is larger than a negative one.
pub fn larger(a: f32, b: f32) -> f32 {
    if a.is_nan() || b.is_nan() {
        f32::NAN
    } else if a == b {
        if a.is_sign_negative() { b } else { a }
    } else if a > b {
        a
    } else {
        b
    }
}

/// Returns the smaller of two numbers, NaN if either is; a negative zero is smaller than a positive one.
pub fn smaller(a: f32, b: f32) -> f32 {
    -larger(-a, -b)
}

fn softplus(x: f32, beta: f32, threshold: f32) -> f32 {
    let scaled = beta * x;
    if scaled > threshold {
        x
    } else {
        scaled.exp().ln_1p() / beta
    }
}

/// Returns the strides of an operand, in elements, along the dimensions of a result that it broadcasts to. Shapes are aligned at
/// their last dimension. An operand repeats along a dimension that it lacks or where its extent is 1.
fn broadcast(shape: &[usize], result: &[usize]) -> Result<Vec<usize>, String> {
    let lead = result.len().checked_sub(shape.len());
    let lead = lead.ok_or_else(|| format!("{shape:?} does not broadcast to {result:?}"))?;
    let own = shape.iter().zip(strides(shape)).zip(&result[lead..]);
    let own = own.map(|((extent, stride), wanted)| match extent {
        1 => Ok(0),
        extent if extent == wanted => Ok(stride),
        _ => Err(format!("{shape:?} does not broadcast to {result:?}")),
    });
    let own = own.collect::<Result<Vec<usize>, String>>()?;
    Ok([vec![0; lead], own].concat())
}

/// Visits the elements of operands for each of the result.
fn each(ty: &TensorType, operands: &[&Tensor], visit: impl FnMut(&[usize])) -> Result<(), String> {
    let own = operands
        .iter()
        .map(|tensor| broadcast(&tensor.ty.shape, &ty.shape));
    let own = own.collect::<Result<Vec<_>, _>>()?;
    let own: Vec<&[usize]> = own.iter().map(Vec::as_slice).collect();
    walk(&ty.shape, &own, &vec![0; operands.len()], visit);
    Ok(())
}

/// Computes a formula on floats, rounded to the type of the result.
fn floats(
    ty: &TensorType,
    operands: &[Tensor],
    of: impl Fn(&[f32]) -> f32,
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
        result.push(rounded(ty.element, of(&values)));
    })?;
    Ok(Data::Floats(result))
}

/// Computes a formula on integers, which wrap.
fn integers(
    ty: &TensorType,
    a: &Tensor,
    b: &Tensor,
    of: fn(i64, i64) -> i64,
) -> Result<Data, String> {
    let (left, right) = (a.integers()?, b.integers()?);
    let mut result = Vec::new();
    each(ty, &[a, b], |at| {
        result.push(wrapped(ty.element, of(left[at[0]], right[at[1]])));
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
        Data::Integers(_) => Err(format!("{} becomes {}", x.ty.element, ty.element)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_and_what_is_not_a_number() {
        assert!(larger(-0.0, 0.0).is_sign_positive() && larger(0.0, -0.0).is_sign_positive());
        assert!(smaller(0.0, -0.0).is_sign_negative() && smaller(-0.0, 0.0).is_sign_negative());
        assert!(larger(f32::NAN, 1.0).is_nan() && smaller(1.0, f32::NAN).is_nan());
        assert_eq!((larger(2.0, 3.0), smaller(2.0, 3.0)), (3.0, 2.0));
    }

    #[test]
    fn operands_repeat() {
        assert_eq!(broadcast(&[3], &[2, 3]), Ok(vec![0, 1]));
        assert_eq!(broadcast(&[2, 1], &[2, 3]), Ok(vec![1, 0]));
        assert!(broadcast(&[2], &[3]).is_err() && broadcast(&[1, 3], &[3]).is_err());
    }
}
