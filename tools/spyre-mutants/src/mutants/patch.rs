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
    /// The fault of a mistake; `None` for an addition.
    pub fault: Option<Fault>,
}

/// What a mistake changes in the programs of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The bytes or elements that an operation reads or writes.
    Addresses,
    /// The parts of the cores.
    Slices,
    /// The order of reads and writes.
    Order,
    /// How long a value keeps its place.
    Lifetimes,
    /// Nothing that a claim of the proofs is about. The head has the reason.
    Other,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Addresses => "addresses",
            Self::Slices => "slices",
            Self::Order => "order",
            Self::Lifetimes => "lifetimes",
            Self::Other => "no claim",
        })
    }
}

impl Fault {
    /// Reads `addresses`, or `none: REASON`.
    fn parse(text: &str) -> Option<Self> {
        match text.trim() {
            "addresses" => Some(Self::Addresses),
            "slices" => Some(Self::Slices),
            "order" => Some(Self::Order),
            "lifetimes" => Some(Self::Lifetimes),
            other => {
                let reason = other.strip_prefix("none: ")?;
                (!reason.trim().is_empty()).then_some(Self::Other)
            }
        }
    }
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
    /// Tests in which a claim must be refuted.
    Proof {
        /// The number of the claim: `P3`.
        claim: String,
        /// The tests.
        tests: Box<Tests>,
    },
}

impl std::fmt::Display for Tests {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Cargo(words) => write!(f, "test {}", words.join(" ")),
            Self::Lit(path) => write!(f, "lit {path}"),
            Self::Proof { claim, tests } => write!(f, "{claim} {tests}"),
        }
    }
}

impl Tests {
    /// Returns the tests to run: those of a proof, or these.
    pub(crate) fn commands(&self) -> &Self {
        match self {
            Self::Proof { tests, .. } => tests,
            Self::Cargo(_) | Self::Lit(_) => self,
        }
    }

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

    /// Reads a claim and the tests that it is refuted in: `P3 lit Integration/Proofs/lifetimes.mlir`.
    fn parse_proof(text: &str) -> Option<Self> {
        let (claim, tests) = text.trim().split_once(' ')?;
        let tests = Box::new(Self::parse(tests)?);
        CLAIMS.contains(&claim).then(|| Self::Proof {
            claim: claim.to_owned(),
            tests,
        })
    }
}

/// The claims of docs/Proofs.md.
const CLAIMS: [&str; 5] = ["P1", "P2", "P3", "P4", "P5"];

/// The words of the lines about proofs, in the head of a mutant.
const FAULT: &str = "Fault: ";
const REFUTED: &str = "Refuted: ";

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
fn parse(path: &Path, text: &str, words: Words) -> Result<Patch, String> {
    let [about_word, tests_word] = words;
    let head = || text.lines().take_while(|line| !line.starts_with("--- "));
    let (mut about, mut tests) = (None, Vec::new());
    for line in head() {
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
    let about = about.ok_or_else(|| format!("no line `{about_word}...`"))?;
    let fault = match words == MUTANT {
        true => Some(fault(head(), &mut tests)?),
        false => None,
    };
    let name = path.file_stem().unwrap_or(path.as_os_str());
    Ok(Patch {
        name: name.to_string_lossy().into_owned(),
        file: path.to_owned(),
        about,
        tests,
        fault,
    })
}

/// Reads the fault of a mistake, and adds the proofs that refute it to its tests. A fault that claims are about has one
/// at least.
fn fault<'t>(head: impl Iterator<Item = &'t str>, tests: &mut Vec<Tests>) -> Result<Fault, String> {
    let (mut fault, before) = (None, tests.len());
    for line in head {
        if let Some(text) = line.strip_prefix(FAULT) {
            let of_line = Fault::parse(text).ok_or(format!(
                "`{text}` is none of addresses, slices, order, lifetimes and `none: REASON`"
            ))?;
            fault = Some(of_line);
        } else if let Some(text) = line.strip_prefix(REFUTED) {
            let proof = Tests::parse_proof(text);
            tests.push(proof.ok_or(format!("`{text}` is not `P1 lit PATH`, nor of P2 to P5"))?);
        }
    }
    let fault = fault.ok_or_else(|| format!("no line `{FAULT}...`"))?;
    match (fault, tests.len() == before) {
        (Fault::Other, false) => Err(format!("a line `{REFUTED}...`, and no fault of a claim")),
        (Fault::Other, true) | (_, false) => Ok(fault),
        (_, true) => Err(format!("no line `{REFUTED}...` names a claim and tests")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_say_what_must_fail() {
        let text = "Class: a step of zero\nFor no reason.\nFault: addresses\nFails: test -p x --test y -- z\n\
                    Fails: lit A/b\nRefuted: P5 lit A/b.mlir\n\n--- a/f\nFails: no\n";
        let mutant = parse(Path::new("d/zero.patch"), text, MUTANT).unwrap();
        assert_eq!(
            (mutant.name.as_str(), mutant.about.as_str()),
            ("zero", "a step of zero")
        );
        let tests: Vec<String> = mutant.tests.iter().map(Tests::to_string).collect();
        assert_eq!(
            tests,
            ["test -p x --test y -- z", "lit A/b", "P5 lit A/b.mlir"]
        );
        assert_eq!(mutant.fault, Some(Fault::Addresses));
        let text = "Class: c\nFault: none: a message has another text\nFails: lit A\n";
        let mutant = parse(Path::new("m.patch"), text, MUTANT).unwrap();
        assert_eq!(mutant.fault, Some(Fault::Other));
        let addition = parse(Path::new("a.patch"), "Adds: a\nPasses: lit A\n", ADDITION).unwrap();
        assert_eq!(addition.fault, None);
    }

    #[test]
    fn heads_that_say_nothing_are_refused() {
        for (text, reason) in [
            ("Fails: lit A\n", "no line `Class"),
            ("Class: c\n--- a/f\nFails: lit A\n", "no line `Fails"),
            ("Class: c\nFails: lit\n", "`lit` is neither"),
            ("Class: c\nFails: make\n", "`make` is neither"),
            ("Class: c\nFails: lit A\n", "no line `Fault"),
            ("Class: c\nFails: lit A\nFault: none\n", "`none` is none of"),
            ("Class: c\nFails: lit A\nFault: order\n", "no line `Refuted"),
            (
                "Class: c\nFails: lit A\nFault: order\nRefuted: P6 lit A\n",
                "`P6 lit A` is not",
            ),
            (
                "Class: c\nFails: lit A\nFault: none: r\nRefuted: P3 lit A\n",
                "and no fault",
            ),
        ] {
            let error = parse(Path::new("m.patch"), text, MUTANT).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
