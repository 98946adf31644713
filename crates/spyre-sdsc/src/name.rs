//! Short names that are copied like numbers.

use std::fmt;

/// A name of at most [`ShortName::MAX`] bytes, kept inline so that types which hold one can be [`Copy`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShortName {
    bytes: [u8; Self::MAX],
    length: u8,
}

impl ShortName {
    /// The longest name, in bytes.
    pub const MAX: usize = 23;

    /// The name, if it is short enough.
    pub fn new(name: &str) -> Option<Self> {
        let mut bytes = [0; Self::MAX];
        bytes
            .get_mut(..name.len())?
            .copy_from_slice(name.as_bytes());
        Some(Self {
            bytes,
            length: u8::try_from(name.len()).expect("the longest name has few bytes"),
        })
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        let bytes = &self.bytes[..usize::from(self.length)];
        std::str::from_utf8(bytes).expect("the bytes are those of a text")
    }
}

impl fmt::Debug for ShortName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for ShortName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_or_refused_whole() {
        for name in ["", "d0", "ä", "exactly_23_bytes_long__"] {
            assert_eq!(
                ShortName::new(name).as_ref().map(ShortName::as_str),
                Some(name)
            );
        }
        assert_eq!(ShortName::new("more_than_23_bytes_long_"), None);
        assert_ne!(ShortName::new("a"), ShortName::new("a\0"));
    }
}
