//! Converts an access to a view to an access to the viewed buffer.
//!
//! The dimensions of a buffer are nested and its elements do not overlap, so an offset in memory determines the
//! coordinates of at most one element. Extents, strides and offsets are numbers or expressions of sizes. Each stride is
//! a multiple of the strides of the inner dimensions.

use crate::expr::{Expr, Overflow};
use crate::ranges::Ranges;
use crate::sizes::{divided, split};

/// The extents, strides and offset of a buffer or of a view, in elements: expressions of sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// The extent of each dimension.
    pub size: Vec<Expr>,
    /// The stride of each dimension.
    pub stride: Vec<Expr>,
    /// The place of the first element.
    pub offset: Expr,
}

impl Memory {
    /// Returns where in memory the element at some coordinates is, in elements.
    ///
    /// # Errors
    /// A number is too large.
    pub fn place(&self, subscript: &[Expr]) -> Result<Expr, Overflow> {
        let mut place = self.offset.clone();
        for (at, stride) in subscript.iter().zip(&self.stride) {
            place = place.add(&at.mul(stride)?)?;
        }
        Ok(place)
    }

    /// Returns whether the elements follow one another in memory as they do in a tensor, the last dimension the innermost.
    #[must_use]
    pub fn is_row_major(&self) -> bool {
        let mut dims = self.size.iter().zip(&self.stride).rev();
        let count = dims.try_fold(Expr::constant(1), |inner, (size, stride)| {
            let follows = *size == 1 || *stride == inner;
            inner.mul(size).ok().filter(|_| follows)
        });
        count.is_some()
    }
}

/// The coordinates of a view in its buffer cannot be computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccessError {
    /// The elements of the buffer are not one dimension inside of the other.
    #[error(
        "a buffer of extents {size:?} and strides {stride:?} does not have one dimension inside of the other"
    )]
    Nested {
        /// The extents.
        size: Vec<Expr>,
        /// The strides.
        stride: Vec<Expr>,
    },
    /// A number is too large.
    #[error(transparent)]
    Overflow(#[from] Overflow),
}

/// Returns `expr floordiv divisor`, without terms that are 0 by the ranges of its variables.
///
/// # Errors
/// A number is too large.
fn quotient(expr: &Expr, divisor: &Expr, ranges: &impl Ranges) -> Result<Expr, Overflow> {
    let (whole, rest) = split(expr, divisor)?;
    if ranges.is_below(&rest, divisor) {
        return Ok(whole);
    }
    whole.add(&rest.quotient(divisor.clone()))
}

/// Returns `expr mod modulus`, without terms that are 0 by the ranges of its variables.
///
/// # Errors
/// A number is too large.
fn remainder(expr: &Expr, modulus: &Expr, ranges: &impl Ranges) -> Result<Expr, Overflow> {
    let (_, rest) = split(expr, modulus)?;
    if ranges.is_below(&rest, modulus) {
        return Ok(rest);
    }
    Ok(rest.digit(Expr::constant(1), modulus.clone()))
}

/// Returns the coordinates in a buffer of an access to a view of its memory.
///
/// # Errors
/// The coordinates do not follow from the position in memory, or a number is too large.
pub fn coordinates(
    buffer: &Memory,
    view: &Memory,
    subscript: &[Expr],
    ranges: &impl Ranges,
) -> Result<Vec<Expr>, AccessError> {
    if buffer == view {
        return Ok(subscript.to_vec());
    }
    let nested = nested(buffer, ranges).ok_or_else(|| AccessError::Nested {
        size: buffer.size.clone(),
        stride: buffer.stride.clone(),
    })?;
    if let Some(coordinates) = same_strides(buffer, &nested, (view, subscript), ranges)? {
        return Ok(coordinates);
    }
    let place = view.place(subscript)?.sub(&buffer.offset)?;
    let mut device = vec![Expr::constant(0); buffer.size.len()];
    let mut outer: Option<&Expr> = None;
    for dim in nested {
        let stride = &buffer.stride[dim];
        let digit = quotient(&place, stride, ranges)?;
        device[dim] = match outer {
            None => digit,
            Some(outer) => {
                let modulus = divided(outer, stride).expect("strides are multiples of inner ones");
                remainder(&digit, &modulus, ranges)?
            }
        };
        outer = Some(stride);
    }
    Ok(device)
}

/// Returns the dimensions of a buffer that have several elements, the outermost one in memory first; `None` if they are not one inside
/// of the other.
fn nested(buffer: &Memory, ranges: &impl Ranges) -> Option<Vec<usize>> {
    let dims = 0..buffer.size.len();
    let mut left: Vec<usize> = dims.filter(|dim| buffer.size[*dim] != 1).collect();
    let mut dims: Vec<usize> = Vec::new();
    // The innermost stride divides the others. Of equal ones, it is that of the last dimension, which has no elements then.
    while !left.is_empty() {
        let stride = |dim: usize| &buffer.stride[dim];
        let divides = |inner: usize, outer: usize| {
            ranges.is_divisor(stride(inner)) && divided(stride(outer), stride(inner)).is_some()
        };
        let place = left.iter().rposition(|inner| {
            let mut others = left.iter().filter(|other| *other != inner);
            others.all(|outer| divides(*inner, *outer))
        })?;
        let dim = left.remove(place);
        if !ranges.is_divisor(stride(dim)) {
            return None;
        }
        if let Some(inner) = dims.last() {
            let span = stride(*inner).mul(&buffer.size[*inner]).ok()?;
            if !ranges.is_at_most(&span, stride(dim)) {
                return None;
            }
        }
        dims.push(dim);
    }
    dims.reverse();
    Some(dims)
}

/// Returns the coordinates of an access to a view with dimensions that are windows of the dimensions of the buffer;
/// `None` for another view. They hold outside of the view as well.
fn same_strides(
    buffer: &Memory,
    nested: &[usize],
    (view, subscript): (&Memory, &[Expr]),
    ranges: &impl Ranges,
) -> Result<Option<Vec<Expr>>, Overflow> {
    let mut rest = view.offset.sub(&buffer.offset)?;
    let mut starts = vec![Expr::constant(0); buffer.size.len()];
    for dim in nested {
        let Some((start, left)) = ranges.division(&rest, &buffer.stride[*dim]) else {
            return Ok(None);
        };
        (starts[*dim], rest) = (start, left);
    }
    if rest != 0 {
        return Ok(None);
    }
    let mut device = starts.clone();
    let mut used = vec![false; buffer.size.len()];
    for (dim, at) in subscript.iter().enumerate() {
        if view.size[dim] == 1 || view.stride[dim] == 0 {
            continue;
        }
        let matching = nested
            .iter()
            .find(|matching| !used[**matching] && buffer.stride[**matching] == view.stride[dim]);
        let Some(matching) = matching.copied() else {
            return Ok(None);
        };
        let end = starts[matching].add(&view.size[dim])?;
        if !ranges.is_at_most(&end, &buffer.size[matching]) {
            return Ok(None);
        }
        used[matching] = true;
        device[matching] = device[matching].add(at)?;
    }
    let is_inside = |dim: usize| {
        let next = starts[dim].add(&Expr::constant(1));
        let is_first = starts[dim] == 0;
        ranges.is_nonnegative(&starts[dim])
            && (is_first || next.is_ok_and(|next| ranges.is_at_most(&next, &buffer.size[dim])))
    };
    Ok((0..starts.len()).all(is_inside).then_some(device))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Var;
    use crate::ranges::Bounds;
    use crate::sizes::Sizes;

    fn memory(size: &[i64], stride: &[i64], offset: i64) -> Memory {
        let exprs = |numbers: &[i64]| numbers.iter().copied().map(Expr::from).collect();
        Memory {
            size: exprs(size),
            stride: exprs(stride),
            offset: offset.into(),
        }
    }

    fn var(number: u32) -> Expr {
        Expr::var(Var::Loop(number))
    }

    /// Checks the coordinates of a view at all of its elements against the memory.
    fn check(buffer: &Memory, view: &Memory) -> Vec<Expr> {
        let numbers = |exprs: &[Expr]| -> Vec<i64> {
            let numbers = exprs.iter().map(Expr::as_constant);
            numbers.map(|number| number.expect("it is one")).collect()
        };
        let [view_size, buffer_size] = [view, buffer].map(|memory| numbers(&memory.size));
        let subscript: Vec<Expr> = (0..view.size.len())
            .map(|dim| var(u32::try_from(dim).expect("a small number")))
            .collect();
        let ranges = |var: Var| match var {
            Var::Loop(number) => Some((0, view_size[number as usize] - 1)),
            _ => None,
        };
        let subscripts = coordinates(buffer, view, &subscript, &ranges).expect("they are found");
        let count: i64 = view_size.iter().product();
        for number in 0..count {
            let mut rest = number;
            let mut at = vec![0; view.size.len()];
            for dim in (0..view.size.len()).rev() {
                at[dim] = rest % view_size[dim];
                rest /= view_size[dim];
            }
            let place = |memory: &Memory, at: &[i64]| {
                let at: Vec<Expr> = at.iter().copied().map(Expr::from).collect();
                memory.place(&at).expect("small numbers").as_constant()
            };
            let values: Vec<i64> = subscripts
                .iter()
                .map(|expr| {
                    let with = |var| match var {
                        Var::Loop(number) => Some(Expr::constant(at[number as usize])),
                        _ => None,
                    };
                    let value = expr.substitute(&with).expect("small numbers");
                    value.as_constant().expect("all variables have values")
                })
                .collect();
            assert_eq!(
                place(buffer, &values),
                place(view, &at),
                "{at:?} is {values:?}"
            );
            for (at, size) in values.iter().zip(&buffer_size) {
                assert!(
                    (0..*size).contains(at),
                    "{values:?} is outside of {buffer:?}"
                );
            }
        }
        subscripts
    }

    #[test]
    fn views_are_found_in_their_buffers() {
        let rows = memory(&[8, 16, 16], &[256, 16, 1], 0);
        // Heads out of the batch, and into it again.
        let split = check(&rows, &memory(&[2, 4, 16, 16], &[1024, 256, 16, 1], 0));
        let expected = var(0).scale(4).and_then(|it| it.add(&var(1)));
        assert_eq!(split[0], expected.expect("small numbers"));
        check(
            &memory(&[2, 4, 16, 16], &[1024, 256, 16, 1], 0),
            &memory(&[8, 16, 16], &[256, 16, 1], 0),
        );
        // A window, transposed, of a buffer with room between its rows.
        let padded = memory(&[7, 9], &[12, 1], 2);
        check(&padded, &memory(&[3, 5], &[1, 12], 2 + 12 + 4));
        // A view that repeats elements.
        check(
            &memory(&[10, 1], &[1, 10], 0),
            &memory(&[10, 40], &[1, 0], 0),
        );
        // A line.
        check(&memory(&[6, 4], &[4, 1], 0), &memory(&[24], &[1], 0));
        // Channels last.
        check(
            &memory(&[2, 6, 5, 7], &[210, 1, 42, 6], 0),
            &memory(&[2, 35, 6], &[210, 6, 1], 0),
        );
        // Windows of an image.
        check(
            &memory(&[2, 8, 12, 10], &[960, 120, 10, 1], 0),
            &memory(&[2, 2, 3, 4, 4, 10], &[960, 480, 40, 120, 10, 1], 0),
        );
    }

    #[test]
    fn a_window_is_known_outside_of_it() {
        let buffer = memory(&[7, 12], &[12, 1], 0);
        let view = memory(&[7, 9], &[12, 1], 2);
        let one = |number, offset| var(number).add(&Expr::constant(offset)).expect("small");
        let result = coordinates(&buffer, &view, &[one(0, -1), one(1, -3)], &|_: Var| None);
        assert_eq!(result, Ok(vec![one(0, -1), one(1, -1)]));
    }

    #[test]
    fn coordinates_of_sizes_are_proved() {
        // `s0` and `s1` are multiples of 16 up to 48.
        let sizes = Sizes {
            ranges: vec![Some((16, 48)); 2],
        };
        let [s0, s1] = [0, 1].map(|number| Expr::var(Var::Symbol(number)));
        let times = |a: &Expr, b: &Expr| a.mul(b).expect("small numbers");
        let last = |extent: &Expr| extent.add(&Expr::constant(-1)).expect("small numbers");
        let line = Memory {
            size: vec![times(&s0, &s1)],
            stride: vec![1.into()],
            offset: 0.into(),
        };
        let rows = Memory {
            size: vec![s0.clone(), s1.clone()],
            stride: vec![s1.clone(), 1.into()],
            offset: 0.into(),
        };
        assert!(rows.is_row_major());
        let extents = [s0.clone(), s1.clone()];
        let bounds = Bounds {
            sizes: &sizes,
            of: |var| match var {
                Var::Loop(number) => Some((0.into(), last(&extents[number as usize]))),
                _ => None,
            },
        };
        let place = rows.place(&[var(0), var(1)]).expect("small numbers");
        let found = coordinates(&rows, &line, std::slice::from_ref(&place), &bounds);
        assert_eq!(found, Ok(vec![var(0), var(1)]));
        // In the memory of a tensor of the other order they are quotient and remainder.
        let columns = Memory {
            size: vec![s1, s0.clone()],
            stride: vec![s0.clone(), 1.into()],
            offset: 0.into(),
        };
        let found = coordinates(&columns, &line, std::slice::from_ref(&place), &bounds);
        let quotient = place.clone().quotient(s0.clone());
        assert_eq!(found, Ok(vec![quotient, place.digit(1.into(), s0)]));
    }

    #[test]
    fn memory_that_overlaps_has_no_coordinates() {
        let buffer = memory(&[4, 4], &[2, 1], 0);
        let view = memory(&[10], &[1], 0);
        assert_eq!(
            coordinates(&buffer, &view, &[var(0)], &|_: Var| None).map_err(|err| err.to_string()),
            Err("a buffer of extents [4, 4] and strides [2, 1] does not have one dimension inside of the other".to_owned())
        );
    }
}
