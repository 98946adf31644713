//! The source positions of the elements of a movement.
//!
//! For every movement, the position in the source is a sum of one number for each axis of the result, so each axis has
//! a table. Padding has no position.

use super::Reason;
use crate::dtype::DType;
use crate::element;
use crate::op::Op;
use crate::shape::Shape;
use crate::tensor::Tensor;

/// The position of an element that is padding, or is not read.
pub(super) const NOWHERE: u64 = u64::MAX;

/// Returns the position in the source of each element of the result, in elements. `indices` are the operands of
/// [`Op::Index`].
pub(super) fn positions(
    op: &Op,
    from: &Shape,
    to: &Shape,
    indices: &[Tensor],
    gate: Option<&Tensor>,
) -> Result<Vec<u64>, Reason> {
    if to.contains(&0) {
        return Ok(Vec::new()); // There are no elements, and other extents may be of any size.
    }
    let strides = from.strides();
    let line = |axis: usize, extent: u64| {
        (0..extent)
            .map(|at| at * strides[axis])
            .collect::<Vec<u64>>()
    };
    let axes = 0..to.len();
    let tables: Vec<Vec<u64>> = match op {
        Op::Reshape(_) => return Ok((0..to.elements()).collect()),
        Op::Permute(perm) => axes.map(|axis| line(perm[axis], to[axis])).collect(),
        Op::Flip(flags) => axes
            .map(|axis| {
                let mut line = line(axis, to[axis]);
                if flags[axis] {
                    line.reverse();
                }
                line
            })
            .collect(),
        Op::Expand(_) => axes
            .map(|axis| {
                if from[axis] == to[axis] {
                    line(axis, to[axis])
                } else {
                    vec![0; to[axis] as usize]
                }
            })
            .collect(),
        Op::Shrink { offset, .. } => axes
            .map(|axis| {
                (0..to[axis])
                    .map(|at| (at + offset[axis]) * strides[axis])
                    .collect()
            })
            .collect(),
        Op::Pad { offset, .. } => axes
            .map(|axis| {
                let inside = |at: u64| at.checked_sub(offset[axis]).filter(|at| *at < from[axis]);
                let position = |at| inside(at).map_or(NOWHERE, |at| at * strides[axis]);
                (0..to[axis]).map(position).collect()
            })
            .collect(),
        Op::Replicated(dropped) => {
            let kept = (0..from.len()).filter(|axis| axis != dropped);
            kept.map(|axis| line(axis, from[axis])).collect()
        }
        Op::Index => {
            let mut tables = Vec::new();
            for (axis, index) in indices.iter().enumerate() {
                tables.push(index_table(
                    index,
                    axis,
                    from[axis],
                    strides[axis],
                    gate.is_some(),
                )?);
            }
            tables.extend((indices.len()..from.len()).map(|axis| line(axis, from[axis])));
            tables
        }
        other => unreachable!("{} moves no elements", other.name()),
    };
    let mut positions = sums(&tables);
    if let Some(gate) = gate {
        for (at, position) in positions.iter_mut().enumerate() {
            if gate.elements[at] == 0 {
                *position = NOWHERE;
            } else if *position == NOWHERE {
                // The position is outside of the tensor, and is read.
                return Err(outside(indices, from));
            }
        }
    }
    Ok(positions)
}

/// Returns all sums of one number from each table, with the number of the last table changing fastest. A sum with
/// `NOWHERE` is `NOWHERE`.
fn sums(tables: &[Vec<u64>]) -> Vec<u64> {
    let mut sums = vec![0];
    for table in tables {
        let add = |sum: u64, step: u64| {
            if sum == NOWHERE || step == NOWHERE {
                NOWHERE
            } else {
                sum + step
            }
        };
        sums = sums
            .iter()
            .flat_map(|sum| table.iter().map(move |step| add(*sum, *step)))
            .collect();
    }
    sums
}

/// Returns the offsets of indices along an axis. With a gate, indices out of bounds have no position.
fn index_table(
    index: &Tensor,
    axis: usize,
    extent: u64,
    stride: u64,
    has_gate: bool,
) -> Result<Vec<u64>, Reason> {
    let mut table = Vec::with_capacity(index.elements.len());
    for element in index.elements.iter() {
        let value = element::integer(index.ty.dtype, *element);
        match u64::try_from(value).ok().filter(|value| *value < extent) {
            Some(value) => table.push(value * stride),
            None if has_gate => table.push(NOWHERE),
            None => {
                return Err(Reason::Outside {
                    value,
                    axis,
                    extent,
                });
            }
        }
    }
    Ok(table)
}

/// Returns the first position that is outside of its axis.
fn outside(indices: &[Tensor], from: &Shape) -> Reason {
    let tables = indices.iter().enumerate();
    let mut errors =
        tables.filter_map(|(axis, index)| index_table(index, axis, from[axis], 1, false).err());
    errors
        .next()
        .expect("a position is nowhere, so it is outside of an axis")
}

/// Reads the bytes of elements as another type.
pub(super) fn bitcast(source: &Tensor, to: DType) -> Vec<u64> {
    let (from_bits, to_bits) = (source.ty.dtype.bits(), to.bits());
    let convert = |bits: u64| {
        if to.is_float() {
            bits
        } else {
            element::wrapped(to, bits.into())
        }
    };
    let raw = |element: &u64| element & (u64::MAX >> (64 - from_bits));
    let elements = source.elements.iter();
    if from_bits == to_bits {
        return elements.map(|element| convert(raw(element))).collect();
    }
    // The lowest bits are the first in memory. Rows are whole elements of both types.
    let byte = |element: u64| (0..from_bits / 8).map(move |byte| (element >> (8 * byte)) & 0xFF);
    let bytes: Vec<u64> = elements.flat_map(|element| byte(raw(element))).collect();
    let whole = |bytes: &[u64]| {
        bytes
            .iter()
            .rev()
            .fold(0, |whole, byte| (whole << 8) | byte)
    };
    bytes
        .chunks(to_bits as usize / 8)
        .map(|bytes| convert(whole(bytes)))
        .collect()
}
