//! The tests that pages of features name exist.
//!
//! A name is a path from the root of the repository in backticks, `test/a/{b,c}.mlir` for several. `test/a/b.mlir@f` has to have a
//! function `@f`, `crates/a/tests/b.rs::f` a function `f`.

#![forbid(unsafe_code)]

use std::fs;
use std::path::Path;

/// Pages with tables that name the tests of each row in the last column, `tests`.
const PAGES: [&str; 2] = [FEATURES, MISTAKES];
const FEATURES: &str = "docs/Features.md";
const MISTAKES: &str = "docs/Fuzzing.md";

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
        for row in rows(&text) {
            let last = row.last().copied().unwrap_or_default();
            if names_in(last).is_empty() {
                missing.push(format!("{page}: no test for: {}", row.join(" | ")));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn every_mistake_is_in_the_table() {
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
    let found: Vec<_> = names(text).collect();
    assert_eq!(found, ["test/a/b.mlir", "test/a/c.mlir", "docs/d.md"]);
    let table =
        "| a | tests |\n|---|---|\n| 1 | 2 |\n\n| c |\n|---|\n| 3 |\n\n| tests |\n|---|\n| 4 |\n";
    let found: Vec<_> = rows(table).collect();
    assert_eq!(found, [vec!["1", "2"], vec!["4"]]);
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

/// The cells of the rows of the tables with `tests` as the last column, without their heads.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let mut is_wanted = false;
    let mut head = None;
    let mut rows = Vec::new();
    for line in text.lines() {
        let row = line.strip_prefix('|');
        let row = row.and_then(|row| row.strip_suffix('|'));
        let Some(row) = row else {
            (is_wanted, head) = (false, None);
            continue;
        };
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        if row.starts_with("---") {
            is_wanted = head == Some("tests");
        } else if is_wanted {
            rows.push(cells);
        } else {
            head = cells.last().copied();
        }
    }
    rows.into_iter()
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
        Err(why) => Some(why.to_string()),
    }
}
