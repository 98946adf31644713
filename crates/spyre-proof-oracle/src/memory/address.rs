//! Bytes of elements, and parts of cores.

use spyre_layout::{Coord, Elements, Layout};
use spyre_proof::expr::Var;
use spyre_proof::program::{Statement, ValueId};

use super::STICK;
use crate::machine::Execution;

/// Returns the digit of a core for each dimension of the space.
pub(super) fn digits(statement: &Statement, core: i64) -> Vec<i64> {
    let mut digits = vec![0; statement.space.len()];
    if let Some(split) = &statement.split {
        let mut rest = core;
        for dim in &statement.digits {
            digits[*dim] = rest % split[*dim];
            rest /= split[*dim];
        }
    }
    digits
}

/// Returns the first point of a core, and the extents of its part.
pub(super) fn part_of_core(execution: &Execution<'_>, core: i64) -> (Vec<i64>, Vec<i64>) {
    let statement = execution.statement();
    let mut size = execution.moment.shape(execution.program, &statement.space);
    let mut first = digits(statement, core);
    for (dim, (first, size)) in first.iter_mut().zip(&mut size).enumerate() {
        *size /= statement.split.as_ref().map_or(1, |split| split[dim]);
        *first *= *size;
    }
    (first, size)
}

/// Returns whether a core adds up the parts of its group: the last digit of every reduced dimension.
pub(super) fn is_last_of_group(statement: &Statement, core: i64) -> bool {
    let Some(split) = &statement.split else {
        return true;
    };
    let digits = digits(statement, core);
    (statement.kept()..split.len()).all(|dim| digits[dim] == split[dim] - 1)
}

/// Returns the first element that a core has of a tensor that a statement writes, and makes the shape that of the part.
pub(super) fn part_of_writer(
    writer: &Statement,
    buffer: ValueId,
    core: i64,
    shape: &mut [i64],
) -> Vec<i64> {
    let mut first = vec![0; shape.len()];
    let (Some(split), Some(access)) = (
        &writer.split,
        writer.results.iter().find(|access| access.value == buffer),
    ) else {
        return first;
    };
    let digits = digits(writer, core);
    for (dim, expr) in access.index.iter().enumerate() {
        if let Some(Var::Point(at)) = expr.as_var() {
            let at = at as usize;
            shape[dim] /= split[at];
            first[dim] = digits[at] * shape[dim];
        }
    }
    first
}

/// Returns the extents of the device coordinates.
pub(super) fn device_size(layout: &Layout, shape: &[i64], width: i64) -> Vec<i64> {
    let shape: Vec<_> = shape.iter().map(|at| at.unsigned_abs()).collect();
    let per_stick = Elements((STICK / width).unsigned_abs());
    let size = layout.device_size(&shape, per_stick);
    let size = size.expect("the generator chooses layouts that fit");
    size.into_iter().map(u64::cast_signed).collect()
}

/// Returns the byte of an element, from the start of its buffer.
pub(super) fn byte_of_element(layout: &Layout, shape: &[i64], element: &[i64], width: i64) -> i64 {
    let size = device_size(layout, shape, width);
    let mut stride = width;
    let mut byte = 0;
    for (coord, extent) in layout.coords().iter().zip(&size).rev() {
        byte += stride * coordinate(*coord, element);
        stride *= extent;
    }
    byte
}

pub(super) fn coordinate(coord: Coord, element: &[i64]) -> i64 {
    match coord {
        Coord::Zero => 0,
        Coord::Digit {
            dim,
            divisor,
            modulus,
        } => {
            let quotient = element[dim] / divisor.cast_signed();
            modulus.map_or(quotient, |modulus| quotient % modulus.cast_signed())
        }
    }
}
