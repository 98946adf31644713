//! Bounds of a text, checked before it is parsed.
//!
//! A map takes time that is quadratic in its length, and other readers of MLIR recurse into brackets and signs. So a text with
//! longer maps or deeper nesting than a bundle can have is refused as a whole.

use crate::error::{Place, TextError};

/// The deepest nesting of brackets. Each loop of a bundle adds one level.
const MAX_DEPTH: usize = 256;
/// Largest number of bytes of a map.
const MAX_MAP: usize = 4096;
/// Largest number of signs in a row.
const MAX_SIGNS: usize = 64;

/// Checks that the text of `bundle.mlir` is nested no deeper than any reader survives.
///
/// # Errors
/// The first bracket, sign or map that is too much.
pub fn check_limits(text: &str) -> Result<(), TextError> {
    let error = |offset, message| Err(TextError::new(Place::from_offset(text, offset), message));
    let (mut depth, mut signs) = (0usize, 0usize);
    let mut previous = b' ';
    for (offset, byte) in text.bytes().enumerate() {
        match byte {
            // Most of a text are names, numbers and the spaces between them.
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'%' => signs = 0,
            byte if byte.is_ascii_whitespace() => {}
            b'-' => signs += 1,
            _ => {
                signs = 0;
                match byte {
                    b'{' | b'(' | b'[' | b'<' => depth += 1,
                    b'>' if previous == b'-' => {}
                    // The parser rejects an unmatched closing bracket.
                    b'}' | b')' | b']' | b'>' => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
        }
        previous = byte;
        if depth > MAX_DEPTH || signs > MAX_SIGNS {
            let message = format!(
                "brackets are nested deeper than {MAX_DEPTH}, or {MAX_SIGNS} signs in a row"
            );
            return error(offset, message);
        }
    }
    const WORD: &str = "affine_map<";
    for (start, word) in text.match_indices(WORD) {
        let body = &text.as_bytes()[start + word.len()..];
        let ends = body
            .windows(2)
            .take(MAX_MAP)
            .any(|pair| pair[1] == b'>' && pair[0] != b'-');
        if !ends && body.len() > MAX_MAP {
            return error(start, format!("a map has more than {MAX_MAP} bytes"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_has_a_limit() {
        assert!(check_limits(&"(".repeat(256)).is_ok());
        assert!(check_limits(&"(".repeat(257)).is_err());
        assert!(check_limits(&"- ".repeat(65)).is_err());
        let map = |terms| format!("affine_map<(d0) -> (d0{})>", " + d0".repeat(terms));
        assert!(check_limits(&map(10)).is_ok());
        assert!(check_limits(&map(1000)).is_err());
    }
}
