//! The tests that lists of features and of mistakes name exist.
//!
//! An entry of such a list begins with `* **`, and ends with `Tests:` and names.
//!
//! A name is a path from the root of the repository in backticks, `test/a/{b,c}.mlir` for several. `test/a/b.mlir@f` has to have a
//! function `@f`, `crates/a/tests/b.rs::f` a function `f`.

#![forbid(unsafe_code)]

use std::fs;
use std::path::Path;

/// Pages with lists that name the tests of each entry.
const PAGES: [&str; 2] = [FEATURES, MISTAKES];
const FEATURES: &str = "docs/CoarseTiling.md";
const MISTAKES: &str = "docs/Testing.md";

/// The folders of the named files.
const ROOTS: [&str; 5] = ["test/", "crates/", "tools/", "examples/", "docs/"];

#[test]
fn every_test_that_is_named_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut missing = Vec::new();
    for page in PAGES {
        let text = fs::read_to_string(root.join(page)).expect("a page");
        let names: Vec<String> = names(&text).collect();
        assert!(names.len() > 20, "{page}: {} names", names.len());
        missing.extend(
            names
                .iter()
                .filter_map(|name| Some(format!("{page}: {name}: {}", problem(&root, name)?))),
        );
        let entries = entries(&text);
        assert!(entries.len() > 20, "{page}: {} entries", entries.len());
        for entry in entries {
            let tests = entry.split_once("Tests:").map_or("", |(_, tests)| tests);
            if names_in(tests).is_empty() {
                missing.push(format!("{page}: no test for: {entry}"));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn every_mistake_is_in_the_list() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join(MISTAKES)).expect("a page");
    let named: Vec<String> = names(&text).collect();
    for entry in fs::read_dir(root.join("test/mutants")).expect("patches") {
        let name = entry.expect("an entry").file_name();
        let path = format!("test/mutants/{}", name.to_string_lossy());
        assert!(named.contains(&path), "{MISTAKES} does not name {path}");
    }
}

#[test]
fn a_name_that_does_not_exist_is_found() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    assert_eq!(problem(&root, "crates/spyre-test/tests/features.rs"), None);
    assert_eq!(
        problem(&root, "crates/spyre-test/tests/features.rs::problem"),
        None
    );
    assert!(problem(&root, "crates/spyre-test/tests/features.rs::problems").is_some());
    assert!(problem(&root, "test/Integration/add_mul.mlir@f").is_none());
    assert!(problem(&root, "test/Integration/add_mul.mlir@f_re").is_some());
    assert!(problem(&root, "test/Integration/add_mulmul.mlir").is_some());
    let text = "`test/a/{b,c}.mlir`, `tile` and\n`docs/d.md`";
    let actual: Vec<_> = names(text).collect();
    assert_eq!(actual, ["test/a/b.mlir", "test/a/c.mlir", "docs/d.md"]);
    let list = "* a\n  b\n\n* **c.** d\n  e\n  f\n* **g.**\nh\n  i\n";
    assert_eq!(entries(list), ["* **c.** d e f", "* **g.**"]);
}

/// Returns the names in a text.
fn names(text: &str) -> impl Iterator<Item = String> {
    text.lines().flat_map(names_in)
}

fn names_in(line: &str) -> Vec<String> {
    // Every second part is between backticks.
    let spans = line.split('`').skip(1).step_by(2);
    spans
        .filter(|span| ROOTS.iter().any(|root| span.starts_with(root)))
        .flat_map(alternatives)
        .collect()
}

/// `a{b,c}d` as `abd` and `acd`.
fn alternatives(name: &str) -> Vec<String> {
    let Some((head, (inner, tail))) = name
        .split_once('{')
        .and_then(|(head, rest)| Some((head, rest.split_once('}')?)))
    else {
        return vec![name.to_owned()];
    };
    inner
        .split(',')
        .map(|choice| format!("{head}{choice}{tail}"))
        .collect()
}

/// Returns the entries of lists that begin with a name in bold letters, each in one line.
fn entries(text: &str) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        if line.starts_with("* **") {
            entries.push(line.to_owned());
            is_open = true;
            continue;
        }
        let rest = line.strip_prefix("  ").filter(|_| is_open);
        is_open = rest.is_some();
        if let (Some(rest), Some(entry)) = (rest, entries.last_mut()) {
            entry.push(' ');
            entry.push_str(rest);
        }
    }
    entries
}

/// Returns the problem with a name; `None` if there is none.
fn problem(root: &Path, name: &str) -> Option<String> {
    let (path, function) = match (name.split_once('@'), name.split_once("::")) {
        (Some((path, function)), _) => (path, Some(format!("func.func @{function}("))),
        (None, Some((path, function))) => (path, Some(format!("fn {function}("))),
        (None, None) => (name, None),
    };
    let path = root.join(path);
    let Some(function) = function else {
        return (!path.exists()).then(|| "does not exist".to_owned());
    };
    match fs::read_to_string(path) {
        Ok(text) if text.contains(&function) => None,
        Ok(_) => Some(format!("has no `{function}`")),
        Err(err) => Some(err.to_string()),
    }
}
