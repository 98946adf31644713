//! The windows of insertions as boxes of elements.

use std::ops::Range;

use melior::ir::ValueLike;
use spyre_analysis::names::shape;
use spyre_mlir_rt::ir::{self, Offset, Op};

use super::draft::Draft;

/// Returns whether the insertions of a chain are known to fill the tensor: their windows are disjoint, and cover all of
/// its elements.
pub(super) fn fill<'p>(draft: &Draft<'p>, chain: &[Op<'p>]) -> bool {
    let elements =
        |dims: &[Range<i64>]| dims.iter().map(|dim| dim.end - dim.start).product::<i64>();
    let mut around: Option<Vec<Range<i64>>> = None;
    let mut filled = 0;
    for window in chain.iter().filter_map(|op| box_of(draft, *op)) {
        if around
            .as_ref()
            .is_none_or(|around| are_apart(&window, around))
        {
            filled += elements(&window);
        }
        around = Some(match around {
            Some(around) => both(around, window),
            None => window,
        });
    }
    let whole = chain.last().and_then(|last| ir::result(*last, 0));
    let whole = whole.and_then(|whole| shape(whole.r#type()));
    whole.is_some_and(|whole| u64::try_from(filled) == Ok(whole.iter().product()))
}

/// Returns whether two boxes have no element in common.
pub(super) fn are_apart(one: &[Range<i64>], other: &[Range<i64>]) -> bool {
    let mut dims = one.iter().zip(other);
    dims.any(|(one, other)| one.end <= other.start || other.end <= one.start)
}

/// Returns the smallest box around two.
pub(super) fn both(one: Vec<Range<i64>>, other: Vec<Range<i64>>) -> Vec<Range<i64>> {
    let dims = one.into_iter().zip(other);
    dims.map(|(a, b)| a.start.min(b.start)..a.end.max(b.end))
        .collect()
}

/// Returns the window of an insertion, from the first position to one past the last along each dimension; `None` if it
/// is not fixed.
pub(super) fn box_of<'p>(draft: &Draft<'p>, insert: Op<'p>) -> Option<Vec<Range<i64>>> {
    let window = draft.window(insert)?;
    let dims = window.offsets.iter().zip(&window.sizes);
    dims.map(|(offset, size)| match offset {
        Offset::Static(offset) => Some(*offset..offset + size),
        Offset::Value(_) => None,
    })
    .collect()
}
