//! Views: compositions of movements of a value, without moving it.
//!
//! A view maps each coordinate to an element of its root, by index expressions of the coordinates, and has the bounds
//! outside of which it reads 0: outside of padding, an expression has a bound that the ranges of the coordinates do not
//! prove. Movements compose by substitution, and a bound that the ranges prove is dropped.

use spyre_index_expr::ranges::{self, Range};
use spyre_index_expr::{Atom, Expr, Overflow, Var, simplify};
use spyre_uop::op::Op;

/// The range in which an expression has to be for an element to exist: at least `low`, and below `high`. A bound is
/// `None` if it always holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) expr: Expr,
    pub(crate) low: Option<i64>,
    pub(crate) high: Option<i64>,
}

impl Bound {
    /// Returns the same bound of an expression without a number added to it, which costs an operation less.
    pub(crate) fn of_terms(&self) -> Result<Self, Overflow> {
        let offset = self.expr.offset();
        let moved = |limit: Option<i64>| match limit {
            None => Ok(None),
            Some(limit) => limit.checked_sub(offset).map(Some).ok_or(Overflow),
        };
        let back = offset.checked_neg().ok_or(Overflow)?;
        Ok(Self {
            expr: self.expr.add(&Expr::constant(back))?,
            low: moved(self.low)?,
            high: moved(self.high)?,
        })
    }
}

/// Index expressions of the coordinates of a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct View {
    /// The extents of the coordinates, in elements.
    pub(crate) shape: Vec<i64>,
    /// The expressions: the coordinates in the root, or its value.
    pub(crate) at: Vec<Expr>,
    /// The bounds within which the tensor has an element. Elsewhere, the view is 0.
    pub(crate) valid: Vec<Bound>,
}

/// Returns the coordinate of a number.
pub(crate) fn coordinate(number: usize) -> Expr {
    let number = u32::try_from(number).expect("axes are few");
    Expr::var(Var::Loop(number))
}

/// Returns the ranges of coordinates of some extents.
pub(crate) fn ranges(shape: &[i64]) -> impl Fn(Var) -> Option<Range> + '_ {
    move |var| match var {
        Var::Loop(number) => Some((0, shape.get(number as usize)? - 1)),
        Var::Indirect(_) | Var::Symbol(_) => None,
    }
}

/// Returns an expression in its simplest form over coordinates of some extents.
pub(crate) fn simple(expr: &Expr, shape: &[i64]) -> Result<Expr, Overflow> {
    let mut expr = fixed(expr, shape)?;
    loop {
        let next = simplify(&reduced(&expr, shape)?, &ranges(shape))?;
        if next == expr {
            return Ok(expr);
        }
        expr = next;
    }
}

/// Returns an expression with 0 for the coordinates that have no other value.
fn fixed(expr: &Expr, shape: &[i64]) -> Result<Expr, Overflow> {
    expr.substitute(&|var| match var {
        Var::Loop(number) => (shape.get(number as usize) == Some(&1)).then(|| Expr::constant(0)),
        Var::Indirect(_) | Var::Symbol(_) => None,
    })
}

/// Returns an expression in which the factors in remainders are reduced modulo the divisor, where the remainder then
/// equals its dividend: `(8 * i + r) mod 7` is `i + r`, if that is below 7.
fn reduced(expr: &Expr, shape: &[i64]) -> Result<Expr, Overflow> {
    let mut sum = Expr::constant(expr.offset());
    for (atoms, factor) in expr.terms() {
        let mut term = Expr::constant(factor);
        for atom in atoms {
            let replacement = match remainder(atom) {
                Some((base, modulus)) => small(base, modulus, shape)?,
                None => None,
            };
            term = term.mul(&replacement.unwrap_or_else(|| Expr::atom(atom.clone())))?;
        }
        sum = sum.add(&term)?;
    }
    Ok(sum)
}

fn remainder(atom: &Atom) -> Option<(&Expr, i64)> {
    let Atom::Digit(operands) = atom else {
        return None;
    };
    let [base, by, modulus] = &**operands;
    (by.as_constant() == Some(1)).then_some((base, modulus.as_constant()?))
}

/// Returns the remainder of an expression, if it needs no division.
fn small(base: &Expr, modulus: i64, shape: &[i64]) -> Result<Option<Expr>, Overflow> {
    let mut rest = Expr::constant(base.offset().rem_euclid(modulus));
    for (atoms, factor) in base.terms() {
        let mut term = Expr::constant(factor.rem_euclid(modulus));
        for atom in atoms {
            term = term.mul(&Expr::atom(atom.clone()))?;
        }
        rest = rest.add(&term)?;
    }
    let range = ranges::range(&rest, &ranges(shape));
    let is_small = range.is_some_and(|(low, high)| low >= 0 && high < modulus);
    Ok(is_small.then_some(rest))
}

/// Returns the distances between neighbours along each axis, in elements.
pub(crate) fn strides(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis].max(1);
    }
    strides
}

/// Returns the position of coordinates, row by row.
pub(crate) fn flat(at: &[Expr], shape: &[i64]) -> Result<Expr, Overflow> {
    let mut sum = Expr::constant(0);
    for (expr, stride) in at.iter().zip(strides(shape)) {
        sum = sum.add(&expr.scale(stride)?)?;
    }
    Ok(sum)
}

impl View {
    /// Returns the view of a whole tensor.
    pub(crate) fn whole(shape: &[i64]) -> Self {
        Self {
            shape: shape.to_vec(),
            at: (0..shape.len()).map(coordinate).collect(),
            valid: Vec::new(),
        }
    }

    /// Returns the view of a number, or of one expression.
    pub(crate) fn of(shape: &[i64], at: Vec<Expr>) -> Self {
        Self {
            shape: shape.to_vec(),
            at,
            valid: Vec::new(),
        }
    }

    /// Returns the view at other coordinates: `coordinates` has the coordinates of this view as expressions of the new ones.
    pub(crate) fn read(&self, shape: &[i64], coordinates: &[Expr]) -> Result<Self, Overflow> {
        let with = |expr: &Expr| {
            let expr = expr.substitute(&|var| match var {
                Var::Loop(number) => coordinates.get(number as usize).cloned(),
                Var::Indirect(_) | Var::Symbol(_) => None,
            })?;
            simple(&expr, shape)
        };
        let at = self.at.iter().map(with).collect::<Result<_, _>>()?;
        let mut view = Self {
            shape: shape.to_vec(),
            at,
            valid: Vec::new(),
        };
        for bound in &self.valid {
            view.require(with(&bound.expr)?, bound.low, bound.high);
        }
        Ok(view)
    }

    /// Adds a bound, unless the ranges of the variables prove it.
    pub(crate) fn require(&mut self, expr: Expr, low: Option<i64>, high: Option<i64>) {
        let range = ranges::range(&expr, &ranges(&self.shape));
        let low = low.filter(|low| range.is_none_or(|range| range.0 < *low));
        let high = high.filter(|high| range.is_none_or(|range| range.1 >= *high));
        if low.is_none() && high.is_none() {
            return;
        }
        if let Some(bound) = self.valid.iter_mut().find(|bound| bound.expr == expr) {
            bound.low = bound.low.max(low);
            bound.high = match (bound.high, high) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            return;
        }
        self.valid.push(Bound { expr, low, high });
    }

    /// Returns the view after a movement.
    ///
    /// # Panics
    /// The operation is no movement of one tensor.
    pub(crate) fn moved(&self, op: &Op) -> Result<Self, Overflow> {
        let extents = |shape: &[u64]| -> Vec<i64> {
            shape.iter().map(|extent| extent.cast_signed()).collect()
        };
        match op {
            Op::Permute(perm) => self.permute(perm),
            Op::Flip(flags) => self.flip(flags),
            Op::Reshape(shape) => self.reshape(&extents(shape)),
            Op::Expand(shape) => self.expand(&extents(shape)),
            Op::Pad { offset, shape } => self.pad(&extents(offset), &extents(shape)),
            Op::Shrink { offset, shape } => self.shrink(&extents(offset), &extents(shape)),
            other => panic!("{} is no movement of one tensor", other.name()),
        }
    }

    fn permute(&self, perm: &[usize]) -> Result<Self, Overflow> {
        let shape: Vec<i64> = perm.iter().map(|axis| self.shape[*axis]).collect();
        let mut coordinates = vec![Expr::constant(0); perm.len()];
        for (number, axis) in perm.iter().enumerate() {
            coordinates[*axis] = coordinate(number);
        }
        self.read(&shape, &coordinates)
    }

    fn flip(&self, flags: &[bool]) -> Result<Self, Overflow> {
        let axes = flags.iter().enumerate();
        let coordinates: Vec<Expr> = axes
            .map(|(axis, flag)| match flag {
                false => Ok(coordinate(axis)),
                true => coordinate(axis)
                    .scale(-1)?
                    .add(&Expr::constant(self.shape[axis] - 1)),
            })
            .collect::<Result<_, _>>()?;
        self.read(&self.shape, &coordinates)
    }

    fn reshape(&self, shape: &[i64]) -> Result<Self, Overflow> {
        let coordinates: Vec<Expr> = (0..shape.len()).map(coordinate).collect();
        let position = flat(&coordinates, shape)?;
        let old_coordinates: Vec<Expr> = strides(&self.shape)
            .into_iter()
            .zip(&self.shape)
            .enumerate()
            .map(|(axis, (stride, extent))| {
                let position = position.clone();
                let stride = Expr::constant(stride);
                // The first axis has no larger one.
                if axis == 0 {
                    position.quotient(stride)
                } else {
                    position.digit(stride, Expr::constant((*extent).max(1)))
                }
            })
            .collect();
        self.read(shape, &old_coordinates)
    }

    fn expand(&self, shape: &[i64]) -> Result<Self, Overflow> {
        let coordinates: Vec<Expr> = (0..shape.len())
            .map(|axis| match self.shape[axis] == shape[axis] {
                true => coordinate(axis),
                false => Expr::constant(0),
            })
            .collect();
        self.read(shape, &coordinates)
    }

    fn pad(&self, offset: &[i64], shape: &[i64]) -> Result<Self, Overflow> {
        let coordinates =
            (0..shape.len()).map(|axis| coordinate(axis).add(&Expr::constant(-offset[axis])));
        let coordinates: Vec<Expr> = coordinates.collect::<Result<_, _>>()?;
        let mut padded = self.read(shape, &coordinates)?;
        for (axis, expr) in coordinates.iter().enumerate() {
            let expr = simple(expr, shape)?;
            padded.require(expr, Some(0), Some(self.shape[axis]));
        }
        Ok(padded)
    }

    fn shrink(&self, offset: &[i64], shape: &[i64]) -> Result<Self, Overflow> {
        let coordinates =
            (0..shape.len()).map(|axis| coordinate(axis).add(&Expr::constant(offset[axis])));
        let coordinates: Vec<Expr> = coordinates.collect::<Result<_, _>>()?;
        self.read(shape, &coordinates)
    }

    /// Returns the view without an axis, at its first slice.
    pub(crate) fn first(&self, axis: usize) -> Result<Self, Overflow> {
        let mut shape = self.shape.clone();
        shape.remove(axis);
        let coordinates: Vec<Expr> = (0..self.shape.len())
            .map(|dim| match dim.cmp(&axis) {
                std::cmp::Ordering::Less => coordinate(dim),
                std::cmp::Ordering::Equal => Expr::constant(0),
                std::cmp::Ordering::Greater => coordinate(dim - 1),
            })
            .collect();
        self.read(&shape, &coordinates)
    }

    /// Returns whether the view has each element of a tensor of some extents, row by row.
    pub(crate) fn is_reshape(&self, of: &[i64]) -> Result<bool, Overflow> {
        if !self.valid.is_empty()
            || self.shape.iter().product::<i64>() != of.iter().product::<i64>()
        {
            return Ok(false);
        }
        let coordinates: Vec<Expr> = (0..self.shape.len()).map(coordinate).collect();
        let (from, to) = (flat(&self.at, of)?, flat(&coordinates, &self.shape)?);
        Ok(simple(&from, &self.shape)? == simple(&to, &self.shape)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn c(number: usize) -> Expr {
        coordinate(number)
    }

    #[test]
    fn axes_of_one_element_are_not_divided() {
        let view = View::whole(&[4, 3])
            .reshape(&[4, 3, 1])
            .expect("small numbers");
        let view = view.expand(&[4, 3, 2]).expect("small numbers");
        assert_eq!(view.at, [c(0), c(1)]);
    }

    #[test]
    fn windows_of_a_padded_tensor_have_one_bound() {
        // The prefix sum of the specification.
        let n = 6;
        let small = "small numbers";
        let view = View::whole(&[n]).pad(&[n - 1], &[2 * n - 1]).expect(small);
        let view = view.reshape(&[1, 2 * n - 1]).expect(small);
        let view = view.expand(&[n + 1, 2 * n - 1]).expect(small);
        let view = view.reshape(&[(n + 1) * (2 * n - 1)]).expect(small);
        let view = view.shrink(&[0], &[2 * n * n]).expect(small);
        let view = view.reshape(&[n, 2 * n]).expect(small);
        let view = view.shrink(&[0, 0], &[n, n]).expect(small);
        let at = c(0)
            .add(&c(1))
            .expect(small)
            .add(&Expr::constant(1 - n))
            .expect(small);
        assert_eq!(view.at, std::slice::from_ref(&at));
        let bound = Bound {
            expr: at,
            low: Some(0),
            high: None,
        };
        assert_eq!(view.valid, [bound]);
    }

    #[test]
    fn a_part_inside_of_padding_has_no_bound() {
        let view = View::whole(&[4]).pad(&[2], &[8]).expect("small numbers");
        assert_eq!(view.valid.len(), 1);
        let view = view.shrink(&[3], &[2]).expect("small numbers");
        assert!(view.valid.is_empty());
        assert_eq!(
            view.at,
            [c(0).add(&Expr::constant(1)).expect("small numbers")]
        );
    }

    #[test]
    fn reversed_twice_is_the_same() {
        let view = View::whole(&[4, 3])
            .flip(&[true, false])
            .expect("small numbers");
        assert!(!view.is_reshape(&[4, 3]).expect("small numbers"));
        let view = view.flip(&[true, false]).expect("small numbers");
        assert!(view.is_reshape(&[4, 3]).expect("small numbers"));
    }
}
