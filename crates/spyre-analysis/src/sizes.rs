//! The extents that a user gives dynamic dimensions.

use std::collections::BTreeMap;

/// An extent in elements for each name.
pub type Sizes = BTreeMap<String, u64>;

/// The reason why a text gives no dimension an extent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected the extent of a dimension, NAME=EXTENT, but got '{text}'")]
pub struct SizeError {
    text: String,
}

/// Reads `NAME=EXTENT`, with the extent in elements.
///
/// # Errors
/// The text has another form.
pub fn parse_size(text: &str) -> Result<(String, u64), SizeError> {
    let parts = text.rsplit_once('=');
    let parsed = parts.and_then(|(name, extent)| Some((name, extent.trim().parse().ok()?)));
    match parsed {
        Some((name, extent)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), extent)),
        _ => Err(SizeError {
            text: text.to_owned(),
        }),
    }
}
