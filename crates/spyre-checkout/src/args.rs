//! The few command line forms that xtask needs: `--name`, `--name VALUE`, `--name=VALUE`.

use std::ffi::OsString;
use std::str::FromStr;

use crate::error::Error;

/// The words after the subcommand that have not been read yet.
#[derive(Debug)]
pub struct Args {
    words: Vec<String>,
}

impl Args {
    /// Takes the words after the subcommand.
    ///
    /// # Errors
    /// When a word is not UTF-8.
    pub fn new(words: impl Iterator<Item = OsString>) -> Result<Self, Error> {
        let words = words
            .map(|w| {
                w.into_string()
                    .map_err(|w| Error::Usage(format!("{} is not UTF-8", w.display())))
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { words })
    }

    /// Takes the switch `name`, and returns whether it was given.
    pub fn switch(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|w| w != name);
        self.words.len() != before
    }

    /// Takes the value given for `name`; the last one if there are several, `None` if there is none.
    ///
    /// # Errors
    /// When `name` stands without a value or the value does not parse.
    pub fn value<T: FromStr>(&mut self, name: &str) -> Result<Option<T>, Error> {
        let mut option_value = None;
        let mut kept = Vec::new();
        let mut words = std::mem::take(&mut self.words).into_iter();
        while let Some(word) = words.next() {
            let text = if word == name {
                words
                    .next()
                    .ok_or_else(|| Error::Usage(format!("{name} needs a value")))?
            } else if let Some(text) = word.strip_prefix(name).and_then(|w| w.strip_prefix('=')) {
                text.to_owned()
            } else {
                kept.push(word);
                continue;
            };
            option_value = Some(
                text.parse()
                    .map_err(|_| Error::Usage(format!("{name}: cannot read {text:?}")))?,
            );
        }
        self.words = kept;
        Ok(option_value)
    }

    /// Returns all words that are left.
    pub fn rest(self) -> Vec<String> {
        self.words
    }

    /// Checks that no word is left.
    ///
    /// # Errors
    /// When a word is left.
    pub fn finish(self) -> Result<(), Error> {
        match self.words.first() {
            None => Ok(()),
            Some(word) => Err(Error::Usage(format!(
                "unexpected argument {word:?}; see `cargo xtask help`"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(words: &[&str]) -> Args {
        Args::new(words.iter().map(OsString::from)).unwrap()
    }

    #[test]
    fn values_and_switches() {
        let mut args = args(&["--seed", "7", "--check", "--seconds=30"]);
        assert_eq!(args.value::<u64>("--seconds").unwrap(), Some(30));
        assert_eq!(args.value::<u64>("--seed").unwrap(), Some(7));
        assert_eq!(args.value::<u64>("--cases").unwrap(), None);
        assert!(args.switch("--check"));
        assert!(!args.switch("--check"));
        args.finish().unwrap();
    }

    #[test]
    fn mistakes_are_refused() {
        assert!(args(&["--seed"]).value::<u64>("--seed").is_err());
        assert!(args(&["--seed", "x"]).value::<u64>("--seed").is_err());
        assert!(args(&["--sed=1"]).finish().is_err());
    }
}
