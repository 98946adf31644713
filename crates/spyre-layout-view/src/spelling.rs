//! Shapes and lists of numbers as users spell them.
//!
//! A shape is `1024x4096` or `[1024, 4096]`, and a list of numbers `0,2,1` or `[0, 2, 1]`.

use std::str::FromStr;

use thiserror::Error;

/// Extents of the dimensions of a host tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape(pub Vec<u64>);

/// A shape that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ShapeError {
    /// Only one of the two brackets.
    #[error("the list has only one of its two brackets; write both or none")]
    Bracket,
    /// An extent that is only known when the program runs.
    #[error(
        "extent {at} is dynamic; a tensor has a size in device memory only when all extents are known"
    )]
    Dynamic {
        /// Position of the extent.
        at: usize,
    },
    /// Something that is no number.
    #[error(
        "extent {at} is '{text}', which is not a whole number below 2^64; write 1024x4096 or [1024, 4096]"
    )]
    Extent {
        /// Position of the extent.
        at: usize,
        /// The text in its place.
        text: String,
    },
}

impl FromStr for Shape {
    type Err = ShapeError;

    /// Reads `1024x4096`, `[1024, 4096]` or `1024,4096`; an empty text or `[]` is a scalar.
    fn from_str(text: &str) -> Result<Self, ShapeError> {
        let inner = unbracketed(text).ok_or(ShapeError::Bracket)?;
        let separator = if inner.contains(',') { ',' } else { 'x' };
        let extent = |(at, text): (usize, &str)| match text.trim() {
            "?" => Err(ShapeError::Dynamic { at }),
            text => number(text).ok_or_else(|| ShapeError::Extent {
                at,
                text: text.to_owned(),
            }),
        };
        if inner.is_empty() {
            return Ok(Self(Vec::new()));
        }
        inner
            .split(separator)
            .enumerate()
            .map(extent)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

/// A list of numbers, such as strides; which are meaningful depends on the option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbers(pub Vec<i64>);

/// A list of numbers that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NumbersError {
    /// Only one of the two brackets.
    #[error("the list has only one of its two brackets; write both or none")]
    Bracket,
    /// Something that is no number.
    #[error(
        "entry {at} is '{text}', which is not a whole number of 64 bits; write 4,1000,64 or [4, 1000, 64]"
    )]
    Entry {
        /// Position of the entry.
        at: usize,
        /// The text in its place.
        text: String,
    },
}

impl FromStr for Numbers {
    type Err = NumbersError;

    /// Reads `0,2,1` or `[0, 2, 1]`; an empty text or `[]` is the empty list.
    fn from_str(text: &str) -> Result<Self, NumbersError> {
        let inner = unbracketed(text).ok_or(NumbersError::Bracket)?;
        let entry = |(at, text): (usize, &str)| {
            let text = text.trim();
            number(text).ok_or_else(|| NumbersError::Entry {
                at,
                text: text.to_owned(),
            })
        };
        if inner.is_empty() {
            return Ok(Self(Vec::new()));
        }
        inner
            .split(',')
            .enumerate()
            .map(entry)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

/// Returns the text inside `[...]`, or all of it if it has no brackets; `None` if it has only one of them.
fn unbracketed(text: &str) -> Option<&str> {
    let text = text.trim();
    let inner = match (text.strip_prefix('['), text.strip_suffix(']')) {
        (None, None) => text,
        (Some(rest), Some(_)) => rest.strip_suffix(']')?,
        _ => return None,
    };
    Some(inner.trim())
}

/// Reads a number in plain digits; `from_str` alone would take `+1` as well.
fn number<T: FromStr>(text: &str) -> Option<T> {
    if text.starts_with('+') {
        None
    } else {
        text.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> Result<Vec<u64>, ShapeError> {
        text.parse().map(|Shape(extents)| extents)
    }

    #[test]
    fn shapes_in_every_spelling() {
        for text in [
            "1024x4096",
            "[1024, 4096]",
            "[1024,4096]",
            " 1024 x 4096 ",
            "1024,4096",
            "[1024x4096]",
        ] {
            assert_eq!(shape(text), Ok(vec![1024, 4096]), "{text}");
        }
        for text in ["", "[]", " [ ] "] {
            assert_eq!(shape(text), Ok(vec![]), "{text}");
        }
        assert_eq!(shape("128"), Ok(vec![128]));
        assert_eq!(shape("18446744073709551615"), Ok(vec![u64::MAX]));
    }

    #[test]
    fn shapes_that_are_none() {
        let extent = |at, text: &str| {
            Err(ShapeError::Extent {
                at,
                text: text.to_owned(),
            })
        };
        assert_eq!(shape("12y"), extent(0, "12y"));
        assert_eq!(shape("4xx5"), extent(1, ""));
        assert_eq!(shape("[4, -5]"), extent(1, "-5"));
        assert_eq!(shape("4x+5"), extent(1, "+5"));
        assert_eq!(shape("[4,]"), extent(1, ""));
        assert_eq!(
            shape("18446744073709551616"),
            extent(0, "18446744073709551616")
        );
        assert_eq!(shape("4x?"), Err(ShapeError::Dynamic { at: 1 }));
        for text in ["[4", "4]", "[", "]"] {
            assert_eq!(shape(text), Err(ShapeError::Bracket), "{text}");
        }
    }

    #[test]
    fn lists_of_numbers() {
        let numbers = |text: &str| text.parse().map(|Numbers(list)| list);
        assert_eq!(numbers("0,1,-1"), Ok(vec![0, 1, -1]));
        assert_eq!(numbers("[0, 1, -1]"), Ok(vec![0, 1, -1]));
        assert_eq!(numbers(""), Ok(vec![]));
        assert_eq!(
            numbers("0,x"),
            Err(NumbersError::Entry {
                at: 1,
                text: "x".into()
            })
        );
        assert_eq!(numbers("[0"), Err(NumbersError::Bracket));
    }
}
