//! `cargo xtask new`: a crate outside of the repository, with a program, a test and the configuration of its build.
//!
//! The files are in `tools/xtask/new`, for a crate of the name `new-crate` and for LLVM in the place of Debian's packages.

use std::fs;
use std::path::{Path, PathBuf};

use spyre_checkout::error::Error;
use spyre_checkout::project::{LlvmVersion, Project, default_prefix};

/// The name of the crate in the files.
const NAME: &str = "new-crate";

/// The version of LLVM in the files.
const LLVM: LlvmVersion = LlvmVersion {
    major: 22,
    minor: 1,
};

/// Keywords of edition 2024, of which `gen` is the newest. A crate cannot have one as its name.
const KEYWORDS: [&str; 52] = [
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue",
    "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if",
    "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub",
    "ref", "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// The crates of Rust, and the directories of cargo that no binary can be named like.
const RESERVED: [&str; 9] = [
    "alloc",
    "build",
    "core",
    "deps",
    "examples",
    "incremental",
    "proc_macro",
    "std",
    "test",
];

/// The crates of others that the new crate uses.
const OTHERS: [&str; 1] = ["melior"];

/// The crates of the repository that the new crate uses.
const CRATES: [&str; 3] = ["spyre-exec", "spyre-graph", "spyre-mlir-rt"];

/// The program of the new crate.
const PROGRAM: &str = include_str!("../new/src/lib.rs");

/// The files, but for `Cargo.toml` and `Cargo.lock`.
const FILES: [(&str, &str); 6] = [
    ("src/lib.rs", PROGRAM),
    ("src/main.rs", include_str!("../new/src/main.rs")),
    ("tests/program.rs", include_str!("../new/tests/program.rs")),
    (".cargo/config.toml", include_str!("../new/config.toml")),
    ("README.md", include_str!("../new/README.md")),
    (".gitignore", "/target\n"),
];

/// The options of the command.
pub(crate) struct Options {
    /// The name of the crate; by default the last part of the directory.
    pub name: Option<String>,
    /// The address of a repository with the crates; by default they are in this checkout, by path.
    pub git: Option<String>,
    /// The commit of that repository.
    pub rev: Option<String>,
}

/// Writes a crate into a directory.
///
/// # Errors
/// The directory has files, its name or the given one is no name of a crate, or a file cannot be written.
pub(crate) fn new(project: &Project, directory: &Path, options: &Options) -> Result<(), Error> {
    let name = crate_name(directory, options.name.as_deref())?;
    if options.rev.is_some() && options.git.is_none() {
        let reason = "--rev is a commit of the repository of --git".to_owned();
        return Err(Error::Usage(reason));
    }
    check_empty(directory)?;
    let manifest = project.root.join("Cargo.toml");
    let manifest = fs::read_to_string(&manifest).map_err(Error::io(&manifest))?;
    let lock = project.root.join("Cargo.lock");
    let lock = fs::read_to_string(&lock).map_err(Error::io(&lock))?;
    let source = |krate: &str| match &options.git {
        None => format!("path = {:?}", project.root.join("crates").join(krate)),
        Some(git) => {
            let rev = options.rev.iter().map(|rev| format!(", rev = {rev:?}"));
            format!("git = {git:?}{}", rev.collect::<String>())
        }
    };
    write(
        directory,
        "Cargo.toml",
        &cargo_toml(&name, &manifest, source)?,
    )?;
    // It pins the crates of others to the versions that the repository is tested with; cargo removes what is unused.
    write(directory, "Cargo.lock", &lock)?;
    for (path, text) in FILES {
        write(directory, path, &text_for(text, &name, project))?;
    }
    println!(
        "new: the crate {name} is in {}; `cargo run` there prints its program in tiles",
        directory.display()
    );
    Ok(())
}

/// Returns the name of the crate.
///
/// # Errors
/// The name is none that cargo and Rust take, or that of a crate which the new one uses.
fn crate_name(directory: &Path, name: Option<&str>) -> Result<String, Error> {
    let last = directory.file_name().and_then(|name| name.to_str());
    let name = name.or(last).unwrap_or_default();
    let is_letter = |letter: char| letter.is_ascii_alphabetic();
    let is_part = |part: char| part.is_ascii_alphanumeric() || part == '-' || part == '_';
    let reason = if !name.starts_with(is_letter) || !name.chars().all(is_part) {
        "is no name of a crate, which has letters, digits, `-` and `_`, a letter first"
    } else if KEYWORDS.contains(&name) {
        "is a keyword of Rust, and no name of a crate"
    } else if RESERVED.iter().any(|other| is_same_crate(name, other)) {
        "is the name of a crate of Rust or of a directory of cargo"
    } else if CRATES
        .iter()
        .chain(&OTHERS)
        .any(|other| is_same_crate(name, other))
    {
        "is the name of a crate that the new one uses"
    } else {
        return Ok(name.to_owned());
    };
    Err(Error::Usage(format!(
        "{name:?} {reason}; --name gives another one"
    )))
}

/// Returns whether programs refer to two crates by one name, in which `-` is `_`.
fn is_same_crate(name: &str, other: &str) -> bool {
    name.replace('-', "_") == other.replace('-', "_")
}

/// Checks that a directory does not exist, or has no files.
fn check_empty(directory: &Path) -> Result<(), Error> {
    if !directory.try_exists().map_err(Error::io(directory))? {
        return Ok(());
    }
    let mut entries = fs::read_dir(directory).map_err(Error::io(directory))?;
    match entries.next() {
        None => Ok(()),
        Some(_) => Err(Error::Verdict(format!(
            "{} is not empty; a new crate needs a directory that is empty or does not exist",
            directory.display()
        ))),
    }
}

/// Returns the manifest of the crate. The edition and versions are as in the manifest of the repository; `source`
/// is the place of a crate of it.
fn cargo_toml(
    name: &str,
    manifest: &str,
    source: impl Fn(&str) -> String,
) -> Result<String, Error> {
    let edition = entry(manifest, "edition")?;
    let rust = entry(manifest, "rust-version")?;
    let melior = entry(manifest, "melior")?;
    let crates = CRATES.map(|krate| format!("{krate} = {{ {} }}\n", source(krate)));
    Ok(format!(
        "\
[package]
name = \"{name}\"
version = \"0.1.0\"
edition = {edition}
rust-version = {rust}

# A separate workspace, also below the directory of another one.
[workspace]

[dependencies]
melior = {melior} # types of another version are other types
{}",
        crates.concat()
    ))
}

/// Returns the value of an entry of a manifest, with its quotes.
fn entry<'t>(manifest: &'t str, key: &str) -> Result<&'t str, Error> {
    let value = manifest.lines().find_map(|line| {
        let value = line.strip_prefix(key)?.strip_prefix(" = ")?;
        let end = value.get(1..)?.find('"')?;
        value.starts_with('"').then(|| &value[..end + 2])
    });
    value.ok_or_else(|| Error::Verdict(format!("Cargo.toml has no entry {key}")))
}

/// Returns a file for a crate of a name, and for the LLVM of the project.
fn text_for(text: &str, name: &str, project: &Project) -> String {
    let prefix = default_prefix(LLVM).display().to_string();
    let numbered = |version: LlvmVersion| format!("_{}0_", version.major);
    text.replace(NAME, name)
        .replace(&NAME.replace('-', "_"), &name.replace('-', "_"))
        .replace(&prefix, &project.prefix.display().to_string())
        .replace(&numbered(LLVM), &numbered(project.version))
}

/// Writes a file below a directory.
fn write(directory: &Path, path: &str, text: &str) -> Result<(), Error> {
    let file: PathBuf = directory.join(path);
    let folder = file.parent().unwrap_or(directory);
    fs::create_dir_all(folder).map_err(Error::io(folder))?;
    fs::write(&file, text).map_err(Error::io(&file))
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::process;

    use super::*;

    /// A directory that ends with the test.
    struct Temporary(PathBuf);

    impl Temporary {
        fn new(name: &str) -> Self {
            let directory = format!("xtask-new-{}-{name}", process::id());
            let directory = env::temp_dir().join(directory);
            fs::create_dir_all(&directory).unwrap();
            Self(directory)
        }
    }

    impl Drop for Temporary {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const NONE: Options = Options {
        name: None,
        git: None,
        rev: None,
    };

    #[test]
    fn a_crate_has_the_name_of_its_directory() {
        let project = Project::find().unwrap();
        let temporary = Temporary::new("named");
        let directory = temporary.0.join("two-words");
        new(&project, &directory, &NONE).unwrap();
        let read = |path: &str| fs::read_to_string(directory.join(path)).unwrap();
        let manifest = read("Cargo.toml");
        assert!(manifest.contains("name = \"two-words\"\n"), "{manifest}");
        let graph = project.root.join("crates/spyre-graph");
        assert!(
            manifest.contains(&format!("spyre-graph = {{ path = {graph:?} }}\n")),
            "{manifest}"
        );
        assert!(manifest.contains("melior = \"="), "{manifest}");
        assert!(read("src/main.rs").contains("use two_words::program;"));
        assert!(read("README.md").starts_with("# two-words\n"));
        let config = read(".cargo/config.toml");
        let prefix = project.prefix.display();
        assert!(
            config.contains(&format!("_PREFIX = \"{prefix}\"\n")),
            "{config}"
        );
        assert_eq!(
            read("Cargo.lock"),
            fs::read_to_string(project.root.join("Cargo.lock")).unwrap()
        );
    }

    #[test]
    fn dependencies_may_be_of_git() {
        let project = Project::find().unwrap();
        let temporary = Temporary::new("git");
        let options = Options {
            name: Some("other".to_owned()),
            git: Some("https://example.com/a.git".to_owned()),
            rev: Some("abc".to_owned()),
        };
        new(&project, &temporary.0, &options).unwrap();
        let manifest = fs::read_to_string(temporary.0.join("Cargo.toml")).unwrap();
        let line = "spyre-exec = { git = \"https://example.com/a.git\", rev = \"abc\" }\n";
        assert!(manifest.contains(line), "{manifest}");
        let options = Options {
            git: None,
            ..options
        };
        let error = new(&project, &temporary.0.join("b"), &options);
        assert!(matches!(error, Err(Error::Usage(_))));
    }

    #[test]
    fn a_directory_with_files_is_refused() {
        let project = Project::find().unwrap();
        let temporary = Temporary::new("full");
        fs::write(temporary.0.join("file"), "kept").unwrap();
        let options = Options {
            name: Some("a".to_owned()),
            ..NONE
        };
        let error = new(&project, &temporary.0, &options).unwrap_err();
        assert!(error.to_string().contains("is not empty"), "{error}");
        let left = fs::read_dir(&temporary.0).unwrap().count();
        assert_eq!(left, 1);
    }

    #[test]
    fn names_are_those_of_crates() {
        for name in ["a", "a-b_2"] {
            assert_eq!(crate_name(Path::new(name), None).unwrap(), name);
        }
        assert_eq!(crate_name(Path::new("2"), Some("two")).unwrap(), "two");
        for name in ["", "2a", "a b", "-a", "..", "a/.."] {
            assert!(crate_name(Path::new(name), None).is_err(), "{name}");
        }
    }

    #[test]
    fn names_of_other_things_are_refused() {
        for (name, reason) in [
            ("match", "keyword"),
            ("async", "keyword"),
            ("self", "keyword"),
            ("Self", "keyword"),
            ("gen", "keyword"),
            ("std", "crate of Rust"),
            ("proc-macro", "crate of Rust"),
            ("deps", "directory of cargo"),
            ("melior", "crate that the new one uses"),
            ("spyre-graph", "crate that the new one uses"),
            ("spyre_exec", "crate that the new one uses"),
        ] {
            let error = crate_name(Path::new(name), None).unwrap_err();
            assert!(error.to_string().contains(reason), "{error}");
        }
        // A part of a name may be a keyword.
        assert_eq!(
            crate_name(Path::new("match-all"), None).unwrap(),
            "match-all"
        );
    }

    #[test]
    fn the_manifest_has_the_crates_that_names_are_compared_with() {
        let manifest = "edition = \"1\"\nrust-version = \"2\"\nmelior = \"3\"\n";
        let text = cargo_toml("a", manifest, |_| "path = \"\"".to_owned()).unwrap();
        let (_, dependencies) = text.split_once("[dependencies]\n").unwrap();
        let names = dependencies
            .lines()
            .filter_map(|line| line.split_once(" = "));
        let mut names: Vec<&str> = names.map(|(name, _)| name).collect();
        names.sort_unstable();
        let mut expected = [CRATES.as_slice(), OTHERS.as_slice()].concat();
        expected.sort_unstable();
        assert_eq!(names, expected);
    }

    #[test]
    fn the_page_has_the_program() {
        let project = Project::find().unwrap();
        let page = fs::read_to_string(project.root.join("docs/FrontEnds.md")).unwrap();
        assert!(
            page.contains(&format!("```rust\n{PROGRAM}```\n")),
            "docs/FrontEnds.md should have the program of tools/xtask/new/src/lib.rs"
        );
    }
}
