//! The places of all parts of a drawing on its page.

use std::ops::Range;

use super::super::picture::{Picture, Shown};
use super::super::subject::Subject;
use super::labels::{characters, holds, length, slice};

/// Distance between parts of the picture and from its edge, in pixels.
pub(crate) const GAP: u64 = 24;
/// Height of a line of text, and the least height of a box, in pixels.
pub(crate) const LINE: u64 = 18;
/// Extent of the dots for rows and columns that are left out, in pixels.
pub(crate) const DOTS: u64 = 22;
/// Distance between the sticks of two tiles, in pixels.
pub(crate) const TILE_GAP: u64 = 6;
/// Title of the host's side.
pub(crate) const HOST_TITLE: &str = "Host memory: rows and columns";
/// Title of the device's side.
pub(crate) const DEVICE_TITLE: &str =
    "Device memory: one stick in each row, in the order of addresses";
/// Extent of an element's cell along its stick, on the host and on the device, in pixels.
const CELL: u64 = 6;
/// Extent of a whole stick along a row, where elements are not shown one by one, in pixels.
const STICK: u64 = 96;
/// Extent of a whole stick down a column, where elements are not shown one by one, in pixels.
const STICK_DOWN: u64 = 48;
/// Least width of a box with a number in it, in pixels.
const MIN_BOX: u64 = 34;

/// A range of an axis, in pixels.
pub(crate) type Span = Range<u64>;

/// The columns of the page, in pixels from its left edge, and the matrices, from their corners.
#[derive(Debug)]
pub(crate) struct Page {
    /// Rows of blocks in a matrix.
    pub rows: Vec<Span>,
    /// Columns of blocks in a matrix.
    pub columns: Vec<Span>,
    /// The left edge of the matrices.
    pub host_x: u64,
    /// The left edge of the numbers of the sticks.
    pub number_x: u64,
    /// The left edge of the sticks.
    pub bar_x: u64,
    /// The width of a stick.
    pub bar_width: u64,
    /// The left edge of the labels with the elements of the sticks.
    pub label_x: u64,
    /// The left edge of the tiles.
    pub tile_x: u64,
    /// The width of the page.
    pub width: u64,
}

impl Page {
    /// Returns the page for a picture. Columns are as wide as the texts in them.
    pub(crate) fn new(subject: &Subject, picture: &Picture) -> Self {
        let sticks = || picture.sticks.iter().filter_map(Shown::item);
        let numbers = widest(sticks().map(|stick| format!("#{}", stick.number)));
        let rows = blocks(&picture.rows, picture.cells, STICK_DOWN, LINE, LINE);
        let column_labels = widest(picture.columns.iter().filter_map(Shown::item).map(slice));
        let least = MIN_BOX.max(numbers + 10);
        let least_single = least.max(column_labels + 8);
        let columns = blocks(&picture.columns, picture.cells, STICK, least, least_single);

        let row_labels = widest(picture.rows.iter().filter_map(Shown::item).map(slice));
        let host_x = GAP + row_labels + 8;
        let number_x = host_x + end(&columns).max(characters(HOST_TITLE)) + 2 * GAP;
        let addresses = characters(&subject.tensor.bytes().get()).max(characters("address"));
        let bar_x = number_x + numbers.max(characters("stick")) + GAP + addresses + 12;
        let per_stick = subject.tensor.format().elements_per_stick().get();
        let bar_width = if picture.cells {
            per_stick * CELL
        } else {
            2 * STICK
        };
        let label_x = bar_x + bar_width + 12;
        let tile_x = label_x + widest(sticks().map(holds)) + 16;
        let tiles = widest(sticks().map(|stick| format!("tile {}", stick.tile)));
        let device_end = (tile_x + 10 + tiles).max(number_x + characters(DEVICE_TITLE));
        Self {
            rows,
            columns,
            host_x,
            number_x,
            bar_x,
            bar_width,
            label_x,
            tile_x,
            width: device_end + GAP,
        }
    }
}

/// Returns the spans of the blocks along an axis. If there are no cells, a whole stick is `stick` pixels long. `least` is the
/// least extent of a block in pixels. Where no block has more than one position, each has the extent `single`.
fn blocks(
    ranges: &[Shown<Range<u64>>],
    cells: bool,
    stick: u64,
    least: u64,
    single: u64,
) -> Vec<Span> {
    let longest = ranges.iter().filter_map(Shown::item).map(length).max();
    let longest = longest.unwrap_or(1).max(1);
    spans(ranges, |range| match length(range) {
        _ if longest == 1 => single,
        positions if cells => least.max(positions * CELL),
        positions => least.max(positions * stick / longest),
    })
}

/// Returns the width of the longest of some labels, in pixels.
fn widest(labels: impl Iterator<Item = String>) -> u64 {
    labels.map(|label| characters(&label)).max().unwrap_or(0)
}

/// Returns the middle of a span, in pixels.
pub(crate) fn middle(span: &Span) -> u64 {
    span.start + length(span) / 2
}

/// Returns the end of the last span, in pixels; 0 if there is none.
pub(crate) fn end(spans: &[Span]) -> u64 {
    spans.last().map_or(0, |span| span.end)
}

/// Returns spans, one after the other.
fn spans(ranges: &[Shown<Range<u64>>], extent: impl Fn(&Range<u64>) -> u64) -> Vec<Span> {
    let mut at = 0;
    let mut spans = Vec::new();
    for range in ranges {
        let extent = range.item().map_or(DOTS, &extent);
        spans.push(at..at + extent);
        at += extent;
    }
    spans
}
