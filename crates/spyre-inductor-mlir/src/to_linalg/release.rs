//! The releases of PyTorch, which differ in the results of some functions.

/// A release of PyTorch, without the number of its corrections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Release {
    major: u32,
    minor: u32,
}

impl Release {
    /// Reads a release, such as `2.15` or `2.15.0+cu132`; `None` if the text is no release.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let major = parts.next()?.parse().ok()?;
        let minor = parts.next()?;
        let end = minor.find(|c: char| !c.is_ascii_digit());
        let minor = minor[..end.unwrap_or(minor.len())].parse().ok()?;
        Some(Self { major, minor })
    }

    /// Returns whether numbers that `float8_e4m3fn` does not have are its largest one, not NaN.
    pub(super) fn saturates(self) -> bool {
        self >= Self {
            major: 2,
            minor: 13,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_read_up_to_their_minor_number() {
        let read = |text| Release::read(text).map(|release| (release.major, release.minor));
        assert_eq!(read("2.15.0+cu132"), Some((2, 15)));
        assert_eq!(read("2.12"), Some((2, 12)));
        assert_eq!(read("2.13a0+git1234567"), Some((2, 13)));
        for text in ["", "2", "2.", "new", "v2.15"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_saturate_from_a_release_on() {
        let saturates = |text| Release::read(text).map(Release::saturates);
        assert_eq!(saturates("2.12.1"), Some(false));
        assert_eq!(saturates("2.13.0"), Some(true));
        assert_eq!(saturates("3.0.0"), Some(true));
        assert_eq!(saturates("1.99"), Some(false));
    }
}
