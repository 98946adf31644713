//! The names of the values of a function, in one text: a function has a hundred values per operation.

use std::fmt::{self, Display, Formatter, Write};
use std::ops::Range;

/// Names by number.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Names {
    text: String,
    /// The end of each name in `text`. A name starts at the end of the one before.
    ends: Vec<usize>,
}

impl Names {
    /// The number of names.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the name with a number.
    pub(super) fn get(&self, number: usize) -> &str {
        &self.text[self.range(number)]
    }

    /// Appends a name: that of `stem`, if any, followed by `rest`.
    pub(super) fn push(&mut self, stem: Option<usize>, rest: impl Display) {
        if let Some(stem) = stem {
            self.text.extend_from_within(self.range(stem));
        }
        write!(self.text, "{rest}").expect("a String takes any text");
        self.ends.push(self.text.len());
    }

    fn range(&self, number: usize) -> Range<usize> {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[number]
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
        names.push(None, "arg_0");
        names.push(None, "");
        names.push(Some(0), format_args!("_core_{}", 128));
        let all: Vec<&str> = (0..names.len()).map(|number| names.get(number)).collect();
        assert_eq!(all, ["arg_0", "", "arg_0_core_128"]);
        assert_eq!(format!("{names:?}"), r#"["arg_0", "", "arg_0_core_128"]"#);
    }

    #[test]
    #[should_panic(expected = "out of bounds")]
    fn a_value_of_another_function_has_no_name() {
        Names::default().get(0);
    }
}
