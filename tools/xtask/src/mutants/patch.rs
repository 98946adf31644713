//! The files in `test/mutants`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// A mistake to put in, and the tests that find it.
#[derive(Debug)]
pub(crate) struct Mutant {
    /// The name of the file, without its extension.
    pub name: String,
    /// The file.
    pub patch: PathBuf,
    /// The class of mistakes that it is of.
    pub class: String,
    /// The tests that must fail.
    pub tests: Vec<Tests>,
}

/// Tests that are run by one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tests {
    /// `cargo test` with these arguments.
    Cargo(Vec<String>),
    /// The files under `test/` whose path contains this.
    Lit(String),
}

impl std::fmt::Display for Tests {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Cargo(words) => write!(f, "test {}", words.join(" ")),
            Self::Lit(path) => write!(f, "lit {path}"),
        }
    }
}

impl Tests {
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace().map(str::to_owned);
        let kind = words.next()?;
        let words: Vec<String> = words.collect();
        match (kind.as_str(), words.as_slice()) {
            ("test", [_, ..]) => Some(Self::Cargo(words)),
            ("lit", [path]) => Some(Self::Lit(path.clone())),
            _ => None,
        }
    }
}

/// Returns all mutants of a directory by name, or those that `names` lists.
///
/// # Errors
/// A file cannot be read or has no proper head; there is none of a name.
pub(crate) fn read(directory: &Path, names: &[String]) -> Result<Vec<Mutant>, Error> {
    let entries = fs::read_dir(directory).map_err(Error::io(directory))?;
    let mut mutants = Vec::new();
    for entry in entries {
        let path = entry.map_err(Error::io(directory))?.path();
        if path
            .extension()
            .is_none_or(|extension| extension != "patch")
        {
            continue;
        }
        let text = fs::read_to_string(&path).map_err(Error::io(&path))?;
        let mutant = parse(&path, &text)
            .map_err(|why| Error::Verdict(format!("{}: {why}", path.display())))?;
        mutants.push(mutant);
    }
    mutants.sort_by(|a, b| a.name.cmp(&b.name));
    for name in names {
        if !mutants.iter().any(|mutant| mutant.name == *name) {
            let all: Vec<&str> = mutants.iter().map(|mutant| mutant.name.as_str()).collect();
            let all = all.join(", ");
            return Err(Error::Usage(format!("no mutant {name}; there are {all}")));
        }
    }
    mutants.retain(|mutant| names.is_empty() || names.contains(&mutant.name));
    Ok(mutants)
}

/// Reads the head: lines `Class: ...` and `Fails: ...` among others, up to the first `---`.
fn parse(path: &Path, text: &str) -> Result<Mutant, String> {
    let head = text.lines().take_while(|line| !line.starts_with("--- "));
    let (mut class, mut tests) = (None, Vec::new());
    for line in head {
        if let Some(text) = line.strip_prefix("Class: ") {
            class = Some(text.trim().to_owned());
        } else if let Some(text) = line.strip_prefix("Fails: ") {
            let found = Tests::parse(text);
            tests.push(found.ok_or(format!("`{text}` is neither `test ARGS` nor `lit PATH`"))?);
        }
    }
    if tests.is_empty() {
        return Err("no line `Fails: ...` says which tests must fail".into());
    }
    let name = path.file_stem().unwrap_or(path.as_os_str());
    Ok(Mutant {
        name: name.to_string_lossy().into_owned(),
        patch: path.to_owned(),
        class: class.ok_or("no line `Class: ...`")?,
        tests,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_say_what_must_fail() {
        let text = "Class: a step of zero\nFor no reason.\nFails: test -p x --test y -- z\nFails: lit A/b\n\n--- a/f\nFails: no\n";
        let mutant = parse(Path::new("d/zero.patch"), text).unwrap();
        assert_eq!(
            (mutant.name.as_str(), mutant.class.as_str()),
            ("zero", "a step of zero")
        );
        let tests: Vec<String> = mutant.tests.iter().map(Tests::to_string).collect();
        assert_eq!(tests, ["test -p x --test y -- z", "lit A/b"]);
    }

    #[test]
    fn heads_that_say_nothing_are_refused() {
        for (text, why) in [
            ("Fails: lit A\n", "no line `Class"),
            ("Class: c\n--- a/f\nFails: lit A\n", "no line `Fails"),
            ("Class: c\nFails: lit\n", "`lit` is neither"),
            ("Class: c\nFails: make\n", "`make` is neither"),
        ] {
            let error = parse(Path::new("m.patch"), text).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
