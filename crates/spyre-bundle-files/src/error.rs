//! Errors with a place in a text.

use std::fmt;

/// A place in a text. Both numbers count from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The byte in the line.
    pub column: usize,
}

impl Place {
    /// Returns the place of an offset in a text, in bytes. An offset after the text is its end.
    #[must_use]
    pub fn from_offset(text: &str, offset: usize) -> Self {
        let before = &text.as_bytes()[..offset.min(text.len())];
        let start = before.iter().rposition(|byte| *byte == b'\n');
        Self {
            line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
            column: before.len() - start.map_or(0, |start| start + 1) + 1,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// An error at a place of a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct TextError {
    /// The place.
    pub place: Place,
    /// The error.
    pub message: String,
}

impl TextError {
    /// Makes an error.
    pub fn new(place: Place, message: impl Into<String>) -> Self {
        Self {
            place,
            message: message.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one() {
        let places = [0, 1, 2, 3, 9].map(|offset| Place::from_offset("a\né", offset).to_string());
        assert_eq!(places, ["1:1", "1:2", "2:1", "2:2", "2:3"]);
    }
}
