//! The texts of a drawing, and their widths.

use std::fmt::Display;
use std::ops::Range;

use super::super::picture::Stick;

/// Width of a character; the font has about 0.6 of its size of 11 pixels.
const CHARACTER: u64 = 7;

/// Returns the width of a label, in pixels.
pub(crate) fn characters(text: &(impl Display + ?Sized)) -> u64 {
    u64::try_from(text.to_string().chars().count())
        .unwrap_or(u64::MAX / 1024)
        .saturating_mul(CHARACTER)
}

/// Returns a range of positions in Python's notation; one position is a plain number.
pub(crate) fn slice(range: &Range<u64>) -> String {
    if length(range) == 1 {
        range.start.to_string()
    } else {
        format!("{}:{}", range.start, range.end)
    }
}

/// Returns the elements that a stick holds, in Python's notation, and how many of its elements are padding.
pub(crate) fn holds(stick: &Stick) -> String {
    let Some(ranges) = &stick.holds else {
        return "padding".to_owned();
    };
    let mut text = "x".to_owned();
    if !ranges.is_empty() {
        let indices: Vec<String> = ranges.iter().map(slice).collect();
        text.push_str(&format!("[{}]", indices.join(", ")));
    }
    let padding: u64 = stick
        .pieces
        .iter()
        .filter(|piece| !piece.data)
        .map(|piece| piece.elements)
        .sum();
    if padding > 0 {
        text.push_str(&format!(" + {padding} padding"));
    }
    if stick.repeats {
        text.push_str(" again");
    }
    text
}

/// Returns the text that takes the place of sticks that are left out.
pub(crate) fn gap_text(count: u64, padding: Option<u64>) -> String {
    match padding {
        Some(0) | None => format!("... {count} more"),
        Some(padding) if padding == count => format!("... {count} more, all padding"),
        Some(padding) => format!("... {count} more, {padding} of them padding"),
    }
}

/// Returns the length of a range.
pub(crate) fn length(range: &Range<u64>) -> u64 {
    range.end.saturating_sub(range.start)
}
