//! `cargo xtask op-names`: names of operations in strings, where the compiler does not check them.
//!
//! `crates/spyre-ods` has a constant, a constructor and a view for each operation. A list has the files that still have
//! strings, with their number, and only shrinks.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::git::is_checkout;
use crate::sources::{Listing, files, read, without_tests};
use spyre_checkout::error::Error;
use spyre_checkout::project::Project;

/// The list: a line with the count and the path for each file.
const LIST: &str = "tools/xtask/op-names.txt";

/// The crate with the tables, which spells each name once.
const TABLES: &str = "crates/spyre-ods/";

/// Compares the strings in the sources with the list, or with `write` writes the smaller counts to the list.
///
/// # Errors
/// A file has more strings than the list allows, or without `write` fewer; or a file cannot be read.
pub(crate) fn op_names(project: &Project, write: bool) -> Result<(), Error> {
    if !is_checkout(&project.root)? {
        println!("op-names: skipped, this is no checkout of git");
        return Ok(());
    }
    let root = &project.root;
    let mut files = files(root, Listing::WithNew)?;
    files.retain(|path| is_code(path));
    let tables = files.iter().filter(|path| path.starts_with(TABLES));
    let mut names = BTreeSet::new();
    for path in tables {
        names.extend(table_names(&read(root, path)?));
    }
    let mut counts = BTreeMap::new();
    for path in files.iter().filter(|path| !path.starts_with(TABLES)) {
        let count = count(&read(root, path)?, &names);
        if count != 0 {
            counts.insert(path.clone(), count);
        }
    }
    let allowed = allowed(&read(root, LIST)?);
    let (more, fewer) = differences(&counts, &allowed);
    if !more.is_empty() {
        return Err(Error::Verdict(format!(
            "names of operations in strings, where spyre_ods has constants, constructors and views:\n  {}",
            more.join("\n  ")
        )));
    }
    if write {
        let lines = counts
            .iter()
            .map(|(path, count)| format!("{count} {path}\n"));
        let list = root.join(LIST);
        fs::write(&list, lines.collect::<String>()).map_err(Error::io(&list))?;
    } else if !fewer.is_empty() {
        return Err(Error::Verdict(format!(
            "fewer names of operations in strings than {LIST} allows:\n  {}\nRun `cargo xtask op-names --write`.",
            fewer.join("\n  ")
        )));
    }
    let sum: usize = counts.values().sum();
    println!("op-names: {sum} in strings, in {} files", counts.len());
    Ok(())
}

/// Returns whether a file has code of a crate or a tool, and not of a test.
fn is_code(path: &str) -> bool {
    let is_rust = Path::new(path).extension().is_some_and(|it| it == "rs");
    let is_source = path.starts_with("crates/") || path.starts_with("tools/");
    is_rust && is_source && path.contains("/src/") && !path.contains("/tests")
}

/// Returns the names that begin the entries of a table.
fn table_names(table: &str) -> impl Iterator<Item = String> {
    table.lines().filter_map(|line| {
        let (name, _) = line.strip_prefix("    \"")?.split_once('"')?;
        Some(name.to_owned())
    })
}

/// Returns how many strings of a file are names of operations, without comments and the module of tests at its end.
fn count(text: &str, names: &BTreeSet<String>) -> usize {
    let lines = without_tests(text)
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let strings = lines.flat_map(|line| line.split('"'));
    strings.filter(|text| names.contains(*text)).count()
}

/// Returns the counts of the list.
fn allowed(list: &str) -> BTreeMap<String, usize> {
    let entry = |line: &str| {
        let (count, path) = line.split_once(' ')?;
        Some((path.to_owned(), count.parse().ok()?))
    };
    list.lines().filter_map(entry).collect()
}

/// Returns the files with more strings than allowed, and the files with fewer.
fn differences(
    counts: &BTreeMap<String, usize>,
    allowed: &BTreeMap<String, usize>,
) -> (Vec<String>, Vec<String>) {
    let (mut more, mut fewer) = (Vec::new(), Vec::new());
    let paths: BTreeSet<_> = counts.keys().chain(allowed.keys()).collect();
    for path in paths {
        let number = |of: &BTreeMap<String, usize>| of.get(path).copied().unwrap_or(0);
        let (count, most) = (number(counts), number(allowed));
        let line = format!("{path}: {count} instead of {most}");
        match count.cmp(&most) {
            std::cmp::Ordering::Greater => more.push(line),
            std::cmp::Ordering::Less => fewer.push(line),
            std::cmp::Ordering::Equal => {}
        }
    }
    (more, fewer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_in_code_are_counted() {
        let table = "//! \"a.a\"\n\nops! {\n    \"toy.add\" ADD add Add (a) -> (b);\n    \"toy.in\" IN in_ In ();\n}\n";
        let names: BTreeSet<String> = table_names(table).collect();
        assert_eq!(names.len(), 2);
        let code = "// \"toy.add\"\nmatch name { \"toy.add\" | \"toy.in\" => \"toy.adds\", _ => \"a toy.add\" }\n";
        let test = "#[cfg(test)]\nmod tests {\n  const A: &str = \"toy.add\";\n}\n";
        assert_eq!(count(&format!("{code}{test}"), &names), 2);
    }

    #[test]
    fn tests_are_no_code() {
        assert!(is_code("crates/spyre-linalg/src/signs.rs"));
        assert!(!is_code("crates/spyre-exec/tests/semantics.rs"));
        assert!(!is_code("crates/spyre-linalg/src/spans/tests.rs"));
        assert!(!is_code("docs/FrontEnds.md"));
    }

    #[test]
    fn counts_are_compared_by_file() {
        let counts = allowed("2 a.rs\n1 b.rs\n");
        let (more, fewer) = differences(&counts, &allowed("1 a.rs\n3 c.rs\n1 b.rs\n"));
        assert_eq!(more, ["a.rs: 2 instead of 1"]);
        assert_eq!(fewer, ["c.rs: 0 instead of 3"]);
    }
}
