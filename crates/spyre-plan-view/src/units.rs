//! Numbers, memories and operations, as a page writes them.

use crate::facts::{Operation, Space};

/// Returns an operation with its place.
pub(crate) fn described(operation: &Operation) -> String {
    format!("{} at {}", operation.name, operation.location)
}

/// Returns the name of a memory.
pub(crate) const fn space(space: Space) -> &'static str {
    match space {
        Space::Lx => "LX",
        Space::Pool => "pool",
        Space::Argument => "argument",
    }
}

/// Returns how many times as much one number is as another.
#[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
pub(crate) fn times(part: u128, whole: u128) -> String {
    match whole {
        0 => "no".to_owned(),
        whole => format!("{:.2} times", part as f64 / whole as f64),
    }
}

/// Returns a number of bytes with a unit.
#[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
pub(crate) fn bytes(count: u128) -> String {
    match count {
        0..1024 => format!("{count} B"),
        1024..1_048_576 => format!("{:.2} KiB", count as f64 / 1024.0),
        _ => format!("{:.2} MiB", count as f64 / 1_048_576.0),
    }
}

/// Returns a time in microseconds.
#[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
pub(crate) fn time(picoseconds: u64) -> String {
    format!("{:.2} us", picoseconds as f64 / 1e6)
}
