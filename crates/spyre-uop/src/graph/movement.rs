//! Types of operations that move elements.

use super::{Broken, check};
use crate::dtype::DType;
use crate::op::{Op, TensorType};
use crate::shape::Shape;

/// Returns the type of a movement of one tensor.
pub(super) fn infer(op: &Op, source: &TensorType) -> Result<TensorType, Broken> {
    let source_shape = &source.shape;
    let rank = source_shape.len();
    let with = |shape: Shape| {
        Ok(TensorType {
            dtype: source.dtype,
            shape,
        })
    };
    match op {
        Op::Permute(perm) => {
            let mut seen = vec![false; rank];
            let fresh = |axis: &usize| {
                seen.get_mut(*axis)
                    .is_some_and(|seen| !std::mem::replace(seen, true))
            };
            let is_permutation = perm.len() == rank && perm.iter().all(fresh);
            check(8, is_permutation, || {
                format!("{perm:?} is no order of the axes of {source_shape}")
            })?;
            with(perm.iter().map(|axis| source_shape[*axis]).collect())
        }
        Op::Flip(flags) => {
            check(9, flags.len() == rank, || {
                format!(
                    "there are {} flags, but {source_shape} has {rank} axes",
                    flags.len()
                )
            })?;
            with(source_shape.clone())
        }
        Op::Reshape(shape) => {
            let count = shape.checked_elements();
            check(10, count == source_shape.checked_elements(), || {
                format!("{source_shape} and {shape} have different numbers of elements")
            })?;
            with(shape.clone())
        }
        Op::Expand(shape) => {
            let mut axes = source_shape.iter().zip(shape.iter());
            check(11, shape.len() == rank, || {
                format!("{source_shape} and {shape} have different numbers of axes")
            })?;
            let fits = axes.all(|(from, to)| from == to || *from == 1);
            check(11, fits, || {
                format!("{source_shape} differs from {shape} in more than axes with one element")
            })?;
            with(shape.clone())
        }
        Op::Pad { offset, shape } => {
            check(12, is_within(offset, source_shape, shape), || {
                format!("{source_shape} at {offset} is not inside of {shape}")
            })?;
            with(shape.clone())
        }
        Op::Shrink { offset, shape } => {
            check(13, is_within(offset, shape, source_shape), || {
                format!("{shape} at {offset} is not inside of {source_shape}")
            })?;
            with(shape.clone())
        }
        Op::Bitcast(dtype) => bitcast(source, *dtype),
        Op::Replicated(axis) => {
            check(28, *axis < rank, || {
                format!("there is no axis {axis} in {source_shape}")
            })?;
            check(28, source_shape[*axis] > 0, || {
                format!("axis {axis} of {source_shape} has no slice to keep")
            })?;
            let axes = (0..rank).filter(|other| other != axis);
            with(axes.map(|axis| source_shape[axis]).collect())
        }
        other => unreachable!("{} is no movement of one tensor", other.name()),
    }
}

/// Returns whether a box at an offset is inside of another.
fn is_within(offset: &Shape, inner: &Shape, outer: &Shape) -> bool {
    let mut axes = offset.iter().zip(inner.iter()).zip(outer.iter());
    offset.len() == outer.len()
        && inner.len() == outer.len()
        && axes.all(|((offset, inner), outer)| {
            offset.checked_add(*inner).is_some_and(|end| end <= *outer)
        })
}

/// Returns the type of the same bytes as another element type.
fn bitcast(source: &TensorType, dtype: DType) -> Result<TensorType, Broken> {
    for side in [source.dtype, dtype] {
        check(16, !matches!(side, DType::Bool | DType::Index), || {
            format!("the bytes of {side} are not fixed")
        })?;
    }
    let (from, to) = (source.dtype.bits(), dtype.bits());
    let shape = match source.shape.last() {
        None => {
            check(16, from == to, || {
                format!("a scalar of {from} bits is none of {to} bits")
            })?;
            source.shape.clone()
        }
        Some(extent) => {
            let bits = u128::from(*extent) * u128::from(from);
            check(16, bits.is_multiple_of(to.into()), || {
                format!("{extent} elements of {from} bits are no whole elements of {to} bits")
            })?;
            let last_extent = u64::try_from(bits / u128::from(to));
            let last_extent = last_extent.map_err(|_| {
                let reason =
                    format!("{extent} elements of {from} bits are 2^63 of {to} bits or more");
                Broken::new(1, reason)
            })?;
            source.shape.with(source.shape.len() - 1, last_extent)
        }
    };
    Ok(TensorType { dtype, shape })
}

/// Returns the type of elements at positions.
pub(super) fn index(types: &[&TensorType]) -> Result<TensorType, Broken> {
    let (source, indices) = (types[0], &types[1..]);
    let source_shape = &source.shape;
    check(14, indices.len() <= source_shape.len(), || {
        format!(
            "{} positions for the {} axes of {source_shape}",
            indices.len(),
            source_shape.len()
        )
    })?;
    for ty in indices {
        check(14, ty.dtype.is_integer() && ty.shape.len() <= 1, || {
            format!("a position is an integer or a vector of integers, and not {ty}")
        })?;
    }
    let indexed = indices.iter().flat_map(|ty| ty.shape.iter());
    let shape = indexed
        .chain(&source_shape[indices.len()..])
        .copied()
        .collect();
    Ok(TensorType {
        dtype: source.dtype,
        shape,
    })
}

/// Returns the type of tensors along a new first axis.
pub(super) fn stack(types: &[&TensorType]) -> Result<TensorType, Broken> {
    let first = types[0];
    for ty in types {
        check(15, *ty == first, || {
            format!("{first} and {ty} are not stacked")
        })?;
    }
    let shape = [types.len() as u64]
        .into_iter()
        .chain(first.shape.iter().copied())
        .collect();
    Ok(TensorType {
        dtype: first.dtype,
        shape,
    })
}
