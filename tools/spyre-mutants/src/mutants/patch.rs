//! Patches with a head: the files in `test/mutants` and `test/patches`.

use std::fs;
use std::path::{Path, PathBuf};

use spyre_checkout::error::Error;

/// A patch, and the tests of its effect.
#[derive(Debug)]
pub(crate) struct Patch {
    /// The name of the file, without its extension.
    pub name: String,
    /// The file.
    pub file: PathBuf,
    /// The first line of the head: the class of a mistake, or the addition.
    pub about: String,
    /// The tests that the head names.
    pub tests: Vec<Tests>,
}

#[cfg(test)]
impl Patch {
    /// Checks that the patch applies to a tree, which stays as it is.
    ///
    /// # Errors
    /// It does not apply.
    pub(crate) fn check(&self, root: &Path) -> Result<(), Error> {
        let mut git = std::process::Command::new("git");
        git.current_dir(root)
            .args(["apply", "--check", "--unidiff-zero"])
            .arg(&self.file);
        spyre_checkout::process::output(&mut git).map(|_| ())
    }
}

/// Returns the root of the repository that a test is in.
#[cfg(test)]
pub(crate) fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    root.expect("the tool is two levels below the root")
        .to_owned()
}

/// Tests that are run by one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tests {
    /// `cargo test` with these arguments.
    Cargo(Vec<String>),
    /// The files under `test/` with this in their path.
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

/// The words that begin the lines of a head: that of the first field of [`Patch::about`], and that of each of
/// [`Patch::tests`].
pub(crate) type Words = [&'static str; 2];

/// The words of a mutant.
pub(crate) const MUTANT: Words = ["Class: ", "Fails: "];

/// The words in the head of a patch that shows how to add an operation, a pass or a front end.
pub(crate) const ADDITION: Words = ["Adds: ", "Passes: "];

/// Returns all patches of a directory by name, or the ones that `names` lists.
///
/// # Errors
/// A file cannot be read or has no proper head; or a name has no file.
pub(crate) fn read(directory: &Path, words: Words, names: &[String]) -> Result<Vec<Patch>, Error> {
    let entries = fs::read_dir(directory).map_err(Error::io(directory))?;
    let mut patches = Vec::new();
    for entry in entries {
        let path = entry.map_err(Error::io(directory))?.path();
        if path
            .extension()
            .is_none_or(|extension| extension != "patch")
        {
            continue;
        }
        let text = fs::read_to_string(&path).map_err(Error::io(&path))?;
        let patch = parse(&path, &text, words)
            .map_err(|reason| Error::Verdict(format!("{}: {reason}", path.display())))?;
        patches.push(patch);
    }
    patches.sort_by(|a, b| a.name.cmp(&b.name));
    for name in names {
        if !patches.iter().any(|patch| patch.name == *name) {
            let all: Vec<&str> = patches.iter().map(|patch| patch.name.as_str()).collect();
            let all = all.join(", ");
            return Err(Error::Usage(format!("no patch {name}; there are {all}")));
        }
    }
    patches.retain(|patch| names.is_empty() || names.contains(&patch.name));
    Ok(patches)
}

/// Reads the head: lines such as `Class: ...` and `Fails: ...` among others, up to the first `---`.
fn parse(path: &Path, text: &str, [about_word, tests_word]: Words) -> Result<Patch, String> {
    let head = text.lines().take_while(|line| !line.starts_with("--- "));
    let (mut about, mut tests) = (None, Vec::new());
    for line in head {
        if let Some(text) = line.strip_prefix(about_word) {
            about = Some(text.trim().to_owned());
        } else if let Some(text) = line.strip_prefix(tests_word) {
            let test_args = Tests::parse(text);
            tests.push(test_args.ok_or(format!("`{text}` is neither `test ARGS` nor `lit PATH`"))?);
        }
    }
    if tests.is_empty() {
        return Err(format!("no line `{tests_word}...` names tests"));
    }
    let name = path.file_stem().unwrap_or(path.as_os_str());
    Ok(Patch {
        name: name.to_string_lossy().into_owned(),
        file: path.to_owned(),
        about: about.ok_or_else(|| format!("no line `{about_word}...`"))?,
        tests,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_say_what_must_fail() {
        let text = "Class: a step of zero\nFor no reason.\nFails: test -p x --test y -- z\nFails: lit A/b\n\n--- a/f\nFails: no\n";
        let mutant = parse(Path::new("d/zero.patch"), text, MUTANT).unwrap();
        assert_eq!(
            (mutant.name.as_str(), mutant.about.as_str()),
            ("zero", "a step of zero")
        );
        let tests: Vec<String> = mutant.tests.iter().map(Tests::to_string).collect();
        assert_eq!(tests, ["test -p x --test y -- z", "lit A/b"]);
    }

    #[test]
    fn heads_that_say_nothing_are_refused() {
        for (text, reason) in [
            ("Fails: lit A\n", "no line `Class"),
            ("Class: c\n--- a/f\nFails: lit A\n", "no line `Fails"),
            ("Class: c\nFails: lit\n", "`lit` is neither"),
            ("Class: c\nFails: make\n", "`make` is neither"),
        ] {
            let error = parse(Path::new("m.patch"), text, MUTANT).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
