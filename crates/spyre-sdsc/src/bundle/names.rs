//! The names of the values of a function, in one text: a function has a hundred values per operation.

use std::fmt::{self, Display, Formatter, Write};
use std::ops::Range;

/// Names by number.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Names {
    text: String,
    /// Where each name ends in `text`; it starts where the one before ends.
    ends: Vec<usize>,
}

impl Names {
    /// The number of names.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// A name; empty for a number without one.
    pub(super) fn get(&self, number: usize) -> &str {
        self.range(number)
            .and_then(|range| self.text.get(range))
            .unwrap_or_default()
    }

    /// Appends a name: that of `stem`, if any, followed by `rest`.
    pub(super) fn push(&mut self, stem: Option<usize>, rest: impl Display) {
        if let Some(range) = stem.and_then(|stem| self.range(stem)) {
            self.text.extend_from_within(range);
        }
        // Writing to a `String` cannot fail.
        let _ = write!(self.text, "{rest}");
        self.ends.push(self.text.len());
    }

    fn range(&self, number: usize) -> Option<Range<usize>> {
        let end = *self.ends.get(number)?;
        let before = number.checked_sub(1).and_then(|n| self.ends.get(n));
        Some(before.copied().unwrap_or_default()..end)
    }
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries((0..self.len()).map(|number| self.get(number)))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_number() {
        let mut names = Names::default();
        assert_eq!(names.get(0), "");
        names.push(None, "arg_0");
        names.push(None, "");
        names.push(Some(0), format_args!("_core_{}", 128));
        names.push(Some(7), "x");
        let all: Vec<&str> = (0..names.len()).map(|number| names.get(number)).collect();
        assert_eq!(all, ["arg_0", "", "arg_0_core_128", "x"]);
        assert_eq!(names.get(4), "");
        assert_eq!(
            format!("{names:?}"),
            r#"["arg_0", "", "arg_0_core_128", "x"]"#
        );
    }
}
