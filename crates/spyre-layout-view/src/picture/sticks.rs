//! The sticks that are shown, in the order of their addresses.

use std::ops::Range;

use spyre_layout::DeviceTensor;

use super::super::inverse::element_at;
use super::{Piece, Shown, Stick};

/// Largest number of sticks of a gap that are visited to count the padding sticks.
const MAX_COUNTED: u64 = 1 << 16;

/// Returns the sticks of the given numbers, which ascend, and the gaps between them.
pub(crate) fn with_gaps(tensor: &DeviceTensor, numbers: &[u64]) -> Vec<Shown<Stick>> {
    let mut shown = Vec::new();
    let mut next = 0;
    for &number in numbers {
        match number.saturating_sub(next) {
            0 => {}
            // A line for the gap would be as tall as the one stick in it.
            1 => shown.push(Shown::Item(stick(tensor, next))),
            _ => shown.push(gap(tensor, next..number)),
        }
        shown.push(Shown::Item(stick(tensor, number)));
        next = number.saturating_add(1);
    }
    shown
}

/// Returns the gap in the place of these sticks.
fn gap(tensor: &DeviceTensor, sticks: Range<u64>) -> Shown<Stick> {
    let per_stick = tensor.format().elements_per_stick().get();
    let count = sticks.end - sticks.start;
    // The digits inside the stick are low ones, so the first element is there if any is.
    let is_padding = |stick: &u64| element_at(tensor, stick * per_stick).is_none();
    let padding = (count <= MAX_COUNTED).then(|| sticks.filter(is_padding).map(|_| 1).sum());
    Shown::Gap { count, padding }
}

/// Returns a stick, with the elements that it holds.
fn stick(tensor: &DeviceTensor, number: u64) -> Stick {
    let per_stick = tensor.format().elements_per_stick().get();
    let first = number * per_stick;
    let mut pieces: Vec<Piece> = Vec::new();
    let mut holds: Option<Vec<Range<u64>>> = None;
    for offset in first..first + per_stick {
        let point = element_at(tensor, offset);
        let data = point.is_some();
        match pieces.last_mut() {
            Some(piece) if piece.data == data => piece.elements += 1,
            _ => pieces.push(Piece { elements: 1, data }),
        }
        let Some(point) = point else { continue };
        let ranges = holds.get_or_insert_with(|| point.iter().map(|&at| at..at).collect());
        for (range, at) in ranges.iter_mut().zip(point) {
            *range = range.start.min(at)..range.end.max(at + 1);
        }
    }
    let repeats = element_at(tensor, first)
        .and_then(|point| tensor.device_offset(&point).ok())
        .is_some_and(|offset| offset.get() < first);
    Stick {
        number,
        tile: tile(tensor, number),
        pieces,
        holds,
        repeats,
    }
}

/// Returns the tile of a stick. A tile is the sticks that differ only in the device coordinate right before the stick;
/// they are contiguous.
pub(crate) fn tile(tensor: &DeviceTensor, stick: u64) -> u64 {
    let sizes = tensor.device_size().iter().rev();
    let before: u64 = sizes
        .skip(tensor.layout().arrangement().stick_coords())
        .take(1)
        .product();
    stick.checked_div(before).unwrap_or(0)
}
