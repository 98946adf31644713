//! Messages that are too long to be read.

use std::borrow::Cow;

/// Largest number of bytes of a message: some 20 lines. The rest of a longer message repeats an expression or a list of the
/// input.
const MAX_BYTES: usize = 2000;

/// Bytes that are kept of the end of a longer message. The end often has a suggestion.
const END_BYTES: usize = 400;

/// Returns whether a message is longer than what [`shortened`] shows of it.
pub(crate) fn is_long_message(message: &[u8]) -> bool {
    message.len() > MAX_BYTES
}

/// Returns a message, without its middle if it is too long to be read.
#[must_use]
pub fn shortened(message: &str) -> Cow<'_, str> {
    if !is_long_message(message.as_bytes()) {
        return Cow::Borrowed(message);
    }
    let start = message.floor_char_boundary(MAX_BYTES - END_BYTES);
    let end = message.ceil_char_boundary(message.len() - END_BYTES);
    let (head, rest) = message.split_at(start);
    let (middle, tail) = rest.split_at(end - start);
    Cow::Owned(format!("{head} ... ({} bytes) ... {tail}", middle.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_a_long_message_goes() {
        let short = "x".repeat(MAX_BYTES);
        assert_eq!(shortened(&short), short);
        // Two bytes each, so that neither cut may be in the middle of one.
        let long = format!("start {} end", "\u{e9}".repeat(400_000));
        let text = shortened(&long);
        assert!(text.starts_with("start \u{e9}"), "{text}");
        assert!(text.ends_with("\u{e9} end"), "{text}");
        assert!(text.contains(" bytes) ... "), "{text}");
        assert!(text.len() < MAX_BYTES + 50, "{}", text.len());
    }
}
