//! Where an access to a view is in the buffer that the view is of.
//!
//! Sizes are numbers here. A buffer's elements are at different places of its memory, one dimension inside of the other, so that a
//! place has the coordinates of one element.

use crate::expr::{Atom, Expr, Overflow, Var};

/// The extents, strides and offset of a buffer or of a view, in elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// The extent of each dimension.
    pub size: Vec<i64>,
    /// The stride of each dimension.
    pub stride: Vec<i64>,
    /// The place of the first element.
    pub offset: i64,
}

impl Memory {
    /// Returns where in memory the element at some coordinates is, in elements.
    ///
    /// # Errors
    /// A number is too large.
    pub fn place(&self, subscript: &[Expr]) -> Result<Expr, Overflow> {
        let mut place = Expr::constant(self.offset);
        for (at, stride) in subscript.iter().zip(&self.stride) {
            place = place.add(&at.scale(*stride)?)?;
        }
        Ok(place)
    }

    /// Returns whether the elements follow one another in memory as they do in a tensor, the last dimension the innermost.
    #[must_use]
    pub fn is_row_major(&self) -> bool {
        let mut dims = self.size.iter().zip(&self.stride).rev();
        let count = dims.try_fold(1_i64, |inner, (size, stride)| {
            let follows = *size == 1 || *stride == inner;
            inner.checked_mul(*size).filter(|_| follows)
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
        /// Its extents.
        size: Vec<i64>,
        /// Its strides.
        stride: Vec<i64>,
    },
    /// A number is too large.
    #[error(transparent)]
    Overflow(#[from] Overflow),
}

/// The least and the largest value of an expression.
pub type Range = (i64, i64);

/// Returns the range of an expression, if it is known. `ranges` has the ranges of variables.
#[must_use]
pub fn range(expr: &Expr, ranges: &impl Fn(Var) -> Option<Range>) -> Option<Range> {
    let (mut low, mut high) = (expr.offset(), expr.offset());
    for (atoms, factor) in expr.terms() {
        let mut term = (factor, factor);
        for atom in atoms {
            let (a, b) = atom_range(atom, ranges)?;
            let products = [
                term.0.checked_mul(a)?,
                term.0.checked_mul(b)?,
                term.1.checked_mul(a)?,
                term.1.checked_mul(b)?,
            ];
            term = (*products.iter().min()?, *products.iter().max()?);
        }
        low = low.checked_add(term.0)?;
        high = high.checked_add(term.1)?;
    }
    Some((low, high))
}

fn atom_range(atom: &Atom, ranges: &impl Fn(Var) -> Option<Range>) -> Option<Range> {
    match atom {
        Atom::Var(var) => ranges(*var),
        Atom::Quotient(operands) => {
            let [base, divisor] = &**operands;
            let divisor = divisor.as_constant().filter(|divisor| *divisor > 0)?;
            let (low, high) = range(base, ranges)?;
            Some((low.div_euclid(divisor), high.div_euclid(divisor)))
        }
        Atom::Digit(_) | Atom::Remainder(_) => {
            let modulus = atom.operands().last().expect("it has operands");
            let modulus = modulus.as_constant().filter(|modulus| *modulus > 0)?;
            Some((0, modulus - 1))
        }
        Atom::Max(operands) => {
            let largest = |a: Range, b: Range| (a.0.max(b.0), a.1.max(b.1));
            all_ranges(operands, ranges)?.reduce(largest)
        }
        Atom::Min(operands) => {
            let smallest = |a: Range, b: Range| (a.0.min(b.0), a.1.min(b.1));
            all_ranges(operands, ranges)?.reduce(smallest)
        }
        Atom::Abs(operand) => {
            let [operand] = &**operand;
            let (low, high) = range(operand, ranges)?;
            let (low, high) = (low.checked_neg()?, high);
            // The distance of the nearer end is 0 where 0 is between them.
            let nearest = (-low).max(-high).max(0);
            Some((nearest, low.max(high)))
        }
    }
}

fn all_ranges(
    operands: &[Expr],
    ranges: &impl Fn(Var) -> Option<Range>,
) -> Option<impl Iterator<Item = Range>> {
    let all: Option<Vec<Range>> = operands
        .iter()
        .map(|operand| range(operand, ranges))
        .collect();
    Some(all?.into_iter())
}

/// Returns `expr floordiv divisor`, without terms that are 0 by the ranges of its variables.
///
/// # Errors
/// A number is too large.
pub fn quotient(
    expr: &Expr,
    divisor: i64,
    ranges: &impl Fn(Var) -> Option<Range>,
) -> Result<Expr, Overflow> {
    let (whole, rest) = split(expr, divisor)?;
    if range(&rest, ranges).is_some_and(|(low, high)| 0 <= low && high < divisor) {
        return Ok(whole);
    }
    whole.add(&rest.quotient(Expr::constant(divisor)))
}

/// Returns `expr mod modulus`, without terms that are 0 by the ranges of its variables.
///
/// # Errors
/// A number is too large.
pub fn remainder(
    expr: &Expr,
    modulus: i64,
    ranges: &impl Fn(Var) -> Option<Range>,
) -> Result<Expr, Overflow> {
    let (_, rest) = split(expr, modulus)?;
    if range(&rest, ranges).is_some_and(|(low, high)| 0 <= low && high < modulus) {
        return Ok(rest);
    }
    Ok(rest.digit(Expr::constant(1), Expr::constant(modulus)))
}

/// Splits an expression into a multiple of a number, divided by it, and the rest.
fn split(expr: &Expr, divisor: i64) -> Result<(Expr, Expr), Overflow> {
    let mut whole = Expr::constant(expr.offset().div_euclid(divisor));
    let mut rest = Expr::constant(expr.offset().rem_euclid(divisor));
    for (atoms, factor) in expr.terms() {
        let mut term = Expr::constant(1);
        for atom in atoms {
            term = term.mul(&Expr::atom(atom.clone()))?;
        }
        if factor % divisor == 0 {
            whole = whole.add(&term.scale(factor / divisor)?)?;
        } else {
            rest = rest.add(&term.scale(factor)?)?;
        }
    }
    Ok((whole, rest))
}

/// Returns the coordinates in a buffer of an access to a view of its memory.
///
/// # Errors
/// The coordinates do not follow from the position in memory, or a number is too large.
pub fn coordinates(
    buffer: &Memory,
    view: &Memory,
    subscript: &[Expr],
    ranges: &impl Fn(Var) -> Option<Range>,
) -> Result<Vec<Expr>, AccessError> {
    if buffer == view {
        return Ok(subscript.to_vec());
    }
    let nested = nested(buffer)?;
    if let Some(coordinates) = same_strides(buffer, &nested, view, subscript)? {
        return Ok(coordinates);
    }
    let place = view.place(subscript)?;
    let place = place.add(&Expr::constant(-buffer.offset))?;
    let mut device = vec![Expr::constant(0); buffer.size.len()];
    let mut outer: Option<i64> = None;
    for dim in nested {
        let stride = buffer.stride[dim];
        let digit = quotient(&place, stride, ranges)?;
        device[dim] = match outer {
            None => digit,
            Some(outer) => remainder(&digit, outer / stride, ranges)?,
        };
        outer = Some(stride);
    }
    Ok(device)
}

/// Returns the dimensions of a buffer that have several elements, the outermost one in memory first.
fn nested(buffer: &Memory) -> Result<Vec<usize>, AccessError> {
    let mut dims: Vec<usize> = (0..buffer.size.len())
        .filter(|dim| buffer.size[*dim] != 1)
        .collect();
    dims.sort_by_key(|dim| std::cmp::Reverse(buffer.stride[*dim]));
    let is_inside = |pair: &[usize]| {
        let (outer, inner) = (buffer.stride[pair[0]], buffer.stride[pair[1]]);
        let span = inner.checked_mul(buffer.size[pair[1]]);
        inner > 0 && outer % inner == 0 && span.is_some_and(|span| span <= outer)
    };
    let is_positive = dims.last().is_none_or(|dim| buffer.stride[*dim] > 0);
    if is_positive && dims.windows(2).all(is_inside) {
        return Ok(dims);
    }
    Err(AccessError::Nested {
        size: buffer.size.clone(),
        stride: buffer.stride.clone(),
    })
}

/// Returns the coordinates of an access to a view with dimensions that are windows of the dimensions of the buffer;
/// `None` for another view. They hold outside of the view as well.
fn same_strides(
    buffer: &Memory,
    nested: &[usize],
    view: &Memory,
    subscript: &[Expr],
) -> Result<Option<Vec<Expr>>, Overflow> {
    let mut device = vec![Expr::constant(0); buffer.size.len()];
    let mut rest = view.offset - buffer.offset;
    let mut starts = vec![0; buffer.size.len()];
    for dim in nested {
        starts[*dim] = rest.div_euclid(buffer.stride[*dim]);
        rest = rest.rem_euclid(buffer.stride[*dim]);
        device[*dim] = Expr::constant(starts[*dim]);
    }
    if rest != 0 {
        return Ok(None);
    }
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
        if starts[matching] + view.size[dim] > buffer.size[matching] {
            return Ok(None);
        }
        used[matching] = true;
        device[matching] = device[matching].add(at)?;
    }
    let is_inside = |dim: usize| 0 <= starts[dim] && starts[dim] < buffer.size[dim].max(1);
    Ok((0..starts.len()).all(is_inside).then_some(device))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(size: &[i64], stride: &[i64], offset: i64) -> Memory {
        Memory {
            size: size.to_vec(),
            stride: stride.to_vec(),
            offset,
        }
    }

    fn var(number: u32) -> Expr {
        Expr::var(Var::Loop(number))
    }

    /// Checks the coordinates of a view at all of its elements against the memory.
    fn check(buffer: &Memory, view: &Memory) -> Vec<Expr> {
        let subscript: Vec<Expr> = (0..view.size.len())
            .map(|dim| var(u32::try_from(dim).expect("a small number")))
            .collect();
        let ranges = |var: Var| match var {
            Var::Loop(number) => Some((0, view.size[number as usize] - 1)),
            _ => None,
        };
        let subscripts = coordinates(buffer, view, &subscript, &ranges).expect("they are found");
        let count: i64 = view.size.iter().product();
        for number in 0..count {
            let mut rest = number;
            let mut at = vec![0; view.size.len()];
            for dim in (0..view.size.len()).rev() {
                at[dim] = rest % view.size[dim];
                rest /= view.size[dim];
            }
            let place = |memory: &Memory, at: &[i64]| {
                let steps = at.iter().zip(&memory.stride);
                memory.offset + steps.map(|(at, stride)| at * stride).sum::<i64>()
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
            for (at, size) in values.iter().zip(&buffer.size) {
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
        let result = coordinates(&buffer, &view, &[one(0, -1), one(1, -3)], &|_| None);
        assert_eq!(result, Ok(vec![one(0, -1), one(1, -1)]));
    }

    #[test]
    fn memory_that_overlaps_has_no_coordinates() {
        let buffer = memory(&[4, 4], &[2, 1], 0);
        let view = memory(&[10], &[1], 0);
        assert_eq!(
            coordinates(&buffer, &view, &[var(0)], &|_| None).map_err(|err| err.to_string()),
            Err("a buffer of extents [4, 4] and strides [2, 1] does not have one dimension inside of the other".to_owned())
        );
    }
}
