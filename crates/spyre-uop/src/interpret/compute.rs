//! Computes elements.

use super::Reason;
use crate::dtype::DType;
use crate::element;
use crate::op::{Axes, Combine, Elementwise};
use crate::tensor::Tensor;

/// Converts each element.
pub(super) fn cast(source: &Tensor, to: DType) -> Vec<u64> {
    let from = source.ty.dtype;
    let elements = source.elements.iter();
    elements
        .map(|element| element::cast(from, to, *element))
        .collect()
}

/// Computes each element.
pub(super) fn elementwise(op: Elementwise, operands: &[&Tensor]) -> Vec<u64> {
    let last = operands[operands.len() - 1];
    let dtype = last.ty.dtype;
    let count = last.elements.len();
    match operands {
        [a] => (0..count)
            .map(|at| element::apply(op, dtype, &[a.elements[at]]))
            .collect(),
        [a, b] => (0..count)
            .map(|at| element::apply(op, dtype, &[a.elements[at], b.elements[at]]))
            .collect(),
        [a, b, c] => (0..count)
            .map(|at| element::apply(op, dtype, &[a.elements[at], b.elements[at], c.elements[at]]))
            .collect(),
        _ => unreachable!("{} has one to three operands", op.name()),
    }
}

/// Combines the elements of a tensor along axes into totals, in the order in which they are in memory.
pub(super) fn reduce(combine: Combine, axes: &Axes, source: &Tensor, totals: &mut [u64]) {
    if source.elements.is_empty() {
        return; // No elements are combined; the totals are the identity.
    }
    let shape = &source.ty.shape;
    let (op, dtype) = (combine.elementwise(), source.ty.dtype);
    // The strides of the totals: 0 along reduced axes.
    let mut strides = vec![0; shape.len()];
    let mut next = 1;
    for axis in (0..shape.len()).rev() {
        if !axes.contains(&axis) {
            strides[axis] = next;
            next *= shape[axis] as usize;
        }
    }
    let mut at = vec![0_u64; shape.len()];
    let mut total = 0;
    for element in source.elements.iter() {
        totals[total] = element::apply(op, dtype, &[totals[total], *element]);
        for axis in (0..shape.len()).rev() {
            at[axis] += 1;
            total += strides[axis];
            if at[axis] < shape[axis] {
                break;
            }
            total -= strides[axis] * at[axis] as usize;
            at[axis] = 0;
        }
    }
}

/// Checks that all slices along an axis are equal.
pub(super) fn equal_slices(source: &Tensor, axis: usize) -> Result<(), Reason> {
    let shape = &source.ty.shape;
    let inner = shape[axis + 1..].iter().product::<u64>() as usize;
    let block = inner * shape[axis] as usize;
    let is_equal = |block: &[u64]| block.chunks(inner).all(|slice| *slice == block[..inner]);
    // An empty tensor has no elements that could differ.
    if block == 0 || source.elements.chunks(block).all(is_equal) {
        Ok(())
    } else {
        Err(Reason::Slices(axis))
    }
}
