//! Windows in a flat tensor: one coordinate as several, one for each axis that the window moves along.
//!
//! A buffer of tinygrad has one axis. A window of a matrix with rows of 8 elements is read at `8*i + 8*k + j + l`: its
//! axes have the coordinates `i + k` and `j + l`, which are sums of loops, not loops. With these axes the tensor is the
//! operand of a convolution, and the bounds of its padding are bounds of its coordinates.

use spyre_index_expr::{Expr, Overflow, ranges};

use super::view::{View, ranges as ranges_of};

/// An axis of a tensor that has been one axis with others, and the coordinate along it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Axis {
    /// The number of positions.
    pub(super) extent: i64,
    /// The coordinate.
    pub(super) at: Expr,
}

/// Terms of a coordinate with a common stride.
struct Level {
    /// The distance between neighbours, in positions of the flat axis.
    stride: i64,
    /// The sum of the terms in steps of `stride`, without an offset.
    sum: Expr,
    /// The number of terms.
    terms: usize,
    /// Whether each term moves by one step.
    is_dense: bool,
}

impl Level {
    fn new(stride: i64) -> Self {
        Self {
            stride,
            sum: Expr::constant(0),
            terms: 0,
            is_dense: true,
        }
    }

    fn add(&mut self, term: &Expr, factor: i64) -> Result<(), Overflow> {
        let steps = factor / self.stride;
        self.sum = self.sum.add(&term.scale(steps)?)?;
        self.terms += 1;
        self.is_dense &= steps == 1;
        Ok(())
    }

    /// Returns the least and the largest value of the sum where the view has elements.
    fn range(&self, view: &View) -> Option<(i64, i64)> {
        let (mut low, mut high) = ranges::range(&self.sum, &ranges_of(&view.shape))?;
        for bound in &view.valid {
            let Some(offset) = difference(&bound.expr, &self.sum) else {
                continue; // It is a bound of another sum.
            };
            if let Some(least) = bound.low {
                low = low.max(least.checked_sub(offset)?);
            }
            if let Some(end) = bound.high {
                high = high.min(end.checked_sub(offset)?.checked_sub(1)?);
            }
        }
        Some((low, high))
    }

    /// Returns whether all values of the sum are within `extent` positions in a row.
    fn is_within(&self, view: &View, extent: i64) -> bool {
        let range = self.range(view);
        range.is_some_and(|(low, high)| high.checked_sub(low).is_some_and(|last| last < extent))
    }
}

/// Returns the constant `a - b`; `None` if it depends on coordinates.
fn difference(a: &Expr, b: &Expr) -> Option<i64> {
    a.sub(b).ok()?.as_constant()
}

/// Returns the axes of an axis with `extent` positions that a view reads windows of, outermost first: the product of
/// their extents is `extent`. `at` is the coordinate along the axis. `None` if the terms of `at` are digits of different
/// weights already, or sums of terms are carried from one axis into the next.
pub(super) fn axes(view: &View, at: &Expr, extent: i64) -> Option<Vec<Axis>> {
    let levels = levels(view, at)?;
    let is_window = |level: &Level| level.terms > 1 || !level.is_dense;
    if levels.len() < 2 || !levels.iter().any(is_window) {
        return None;
    }
    let mut axes = Vec::new();
    let mut offset = at.offset();
    for (number, level) in levels.iter().enumerate() {
        let end = levels.get(number + 1).map_or(extent, |next| next.stride);
        if end % level.stride != 0 {
            return None;
        }
        let positions = end / level.stride;
        let (low, high) = level.range(view)?;
        // The offset of the axis is the one with which all coordinates are positions: at most one is.
        let least = offset.checked_rem_euclid(positions)?;
        let shift = [least, least - positions]
            .into_iter()
            .find(|shift| low + shift >= 0 && high + shift < positions)?;
        // The rest is an offset along the axes around it.
        offset = (offset - shift) / positions;
        axes.push(Axis {
            extent: positions,
            at: level.sum.add(&Expr::constant(shift)).ok()?,
        });
    }
    if offset != 0 {
        return None; // Outside of the tensor.
    }
    axes.reverse();
    Some(axes)
}

/// Returns the levels of a coordinate, innermost first. A stride that is a multiple of the one before begins a level where
/// the sum of the terms before it is never as large.
fn levels(view: &View, at: &Expr) -> Option<Vec<Level>> {
    let mut terms = Vec::new();
    for (atoms, factor) in at.terms() {
        let mut term = Expr::constant(1);
        for atom in atoms {
            term = term.mul(&Expr::atom(atom.clone())).ok()?;
        }
        if factor <= 0 {
            return None;
        }
        terms.push((factor, term));
    }
    terms.sort_by_key(|(factor, _)| *factor);
    let mut levels = vec![Level::new(1)];
    for (factor, term) in terms {
        let level = levels.last().expect("there is an innermost level");
        let is_multiple = factor > level.stride && factor % level.stride == 0;
        if is_multiple && level.is_within(view, factor / level.stride) {
            levels.push(Level::new(factor));
        }
        let level = levels.last_mut().expect("there is an innermost level");
        if factor % level.stride != 0 {
            return None;
        }
        level.add(&term, factor).ok()?;
    }
    Some(levels)
}
