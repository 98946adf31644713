//! `cargo xtask modules`: circles of modules.
//!
//! Data flows one way: in a crate no more than two modules use each other, directly or through others. A module is a
//! file, and it uses those that its paths of `crate::` and `super::` name, without its comments and its tests. The root of
//! a crate is left out, since it has the public names of all modules. A list has the circles that are left, and only
//! shrinks.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use crate::git::is_checkout;
use crate::sources::{Listing, TESTS, files, read, without_tests};
use spyre_checkout::error::Error;
use spyre_checkout::project::Project;

/// The list: a line `CRATE: MODULE, MODULE, ...` for each circle.
const LIST: &str = "tools/xtask/modules.txt";

/// The most modules of a circle: two that are halves of one matter.
const MOST: usize = 2;

/// The modules of a crate by path, without the root: `a/b` is that of `src/a/b.rs`.
type Sources = BTreeMap<String, String>;

/// For each module the modules that it uses, with the line of the first use.
type Uses = BTreeMap<String, BTreeMap<String, usize>>;

/// Compares the circles with the list, or with `write` writes the smaller ones to the list.
///
/// # Errors
/// More than [`MOST`] modules of a crate use each other and are no part of a circle in the list, or without `write` a
/// circle of the list is smaller; or a file cannot be read.
pub(crate) fn modules(project: &Project, write: bool) -> Result<(), Error> {
    if !is_checkout(&project.root)? {
        println!("modules: skipped, this is no checkout of git");
        return Ok(());
    }
    let root = &project.root;
    let mut crates: BTreeMap<String, Sources> = BTreeMap::new();
    for path in files(root, Listing::WithNew)? {
        let is_crate = path.starts_with("crates/") || path.starts_with("tools/");
        let Some((name, file)) = path.split_once("/src/").filter(|_| is_crate) else {
            continue; // It is no source of a crate.
        };
        if let Some(module) = file.strip_suffix(".rs") {
            let sources = crates.entry(name.to_owned()).or_default();
            sources.insert(module.to_owned(), read(root, &path)?);
        }
    }
    let listed = read(root, LIST)?;
    let allowed: Vec<(&str, BTreeSet<&str>)> = listed.lines().filter_map(entry).collect();
    let (mut count, mut lines, mut text) = (0, String::new(), String::new());
    for (name, sources) in &crates {
        count += sources.len();
        let uses = uses(sources);
        for circle in circles(&uses).iter().filter(|circle| circle.len() > MOST) {
            let modules: Vec<&str> = circle.iter().map(String::as_str).collect();
            let _ = writeln!(lines, "{name}: {}", modules.join(", "));
            let is_allowed = |(other, allowed): &(&str, BTreeSet<&str>)| {
                other == name && modules.iter().all(|module| allowed.contains(module))
            };
            if !allowed.iter().any(is_allowed) {
                describe(name, circle, &uses, &mut text);
            }
        }
    }
    if !text.is_empty() {
        let reason = format!("circles of more than {MOST} modules:\n{text}");
        return Err(Error::Verdict(reason));
    }
    if write {
        let list = root.join(LIST);
        fs::write(&list, &lines).map_err(Error::io(&list))?;
    } else if lines != listed {
        return Err(Error::Verdict(format!(
            "circles of modules are smaller than in {LIST}: run `cargo xtask modules --write`"
        )));
    }
    println!(
        "modules: {count}, {} circles of more than {MOST}",
        lines.lines().count()
    );
    Ok(())
}

/// Returns the crate and the modules of a line of the list.
fn entry(line: &str) -> Option<(&str, BTreeSet<&str>)> {
    let (name, modules) = line.split_once(": ")?;
    Some((name, modules.split(", ").collect()))
}

/// Writes the modules of a circle with a line for each use.
fn describe(name: &str, circle: &BTreeSet<String>, uses: &Uses, text: &mut String) {
    let modules: Vec<&str> = circle.iter().map(String::as_str).collect();
    let _ = writeln!(text, "  {name}: {}", modules.join(", "));
    for module in circle {
        for (used, line) in uses[module]
            .iter()
            .filter(|(used, _)| circle.contains(*used))
        {
            let _ = writeln!(text, "    {name}/src/{module}.rs:{line} uses {used}");
        }
    }
}

/// Returns the uses between the modules of a crate.
fn uses(sources: &Sources) -> Uses {
    let tests = tests(sources);
    let is_used = |module: &str| {
        let is_test = tests.iter().any(|test| {
            let rest = module.strip_prefix(test.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        !is_test && !matches!(module, "lib" | "main")
    };
    let modules = sources.iter().filter(|(module, _)| is_used(module));
    modules
        .map(|(module, text)| {
            let mut used = BTreeMap::new();
            for (path, line) in paths(module, text) {
                let longest = (1..=path.len()).rev().map(|count| path[..count].join("/"));
                let mut named = longest.filter(|other| sources.contains_key(other));
                if let Some(other) = named
                    .next()
                    .filter(|other| other != module && is_used(other))
                {
                    used.entry(other).or_insert(line);
                }
            }
            (module.clone(), used)
        })
        .collect()
}

/// Returns the modules that are declared as those of tests.
fn tests(sources: &Sources) -> BTreeSet<String> {
    let declared = sources.iter().flat_map(|(module, text)| {
        let names = text.split(TESTS).skip(1).filter_map(|rest| {
            let (name, _) = rest.split_once(';')?;
            let is_name = name
                .chars()
                .all(|letter| letter.is_alphanumeric() || letter == '_');
            is_name.then_some(name)
        });
        names.map(move |name| match module.as_str() {
            "lib" | "main" => name.to_owned(),
            _ => format!("{module}/{name}"),
        })
    });
    declared.collect()
}

/// Returns the paths of `crate::` and `super::` in the text of a module, from the root of the crate, with their lines.
fn paths(module: &str, text: &str) -> Vec<(Vec<String>, usize)> {
    let mut all = Vec::new();
    let mut line = 1;
    let mut code = Code {
        // A comment is an empty line, so that lines keep their numbers.
        text: without_tests(text)
            .lines()
            .map(|line| match line.trim_start().starts_with("//") {
                true => "\n".to_owned(),
                false => format!("{line}\n"),
            })
            .collect(),
        at: 0,
    };
    let parents: Vec<String> = module.split('/').map(str::to_owned).collect();
    while let Some(letter) = code.next() {
        if letter == '\n' {
            line += 1;
        }
        if !(letter.is_alphabetic() || letter == '_') {
            continue;
        }
        let word = code.word(letter);
        let mut prefix = match word.as_str() {
            "crate" => Vec::new(),
            "super" => parents[..parents.len() - 1].to_vec(),
            _ => continue,
        };
        while code.skip("::super") {
            prefix.pop();
        }
        let start = line;
        let end = code.at;
        let mut named = Vec::new();
        code.tree(&prefix, &mut named);
        line += code.text[end..code.at].matches('\n').count();
        all.extend(named.into_iter().map(|path| (path, start)));
    }
    all
}

/// Code that is read from left to right.
struct Code {
    text: String,
    /// The byte that is read next.
    at: usize,
}

impl Code {
    fn next(&mut self) -> Option<char> {
        let letter = self.text[self.at..].chars().next()?;
        self.at += letter.len_utf8();
        Some(letter)
    }

    fn skip(&mut self, text: &str) -> bool {
        let is_next = self.text[self.at..].starts_with(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    fn skip_spaces(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Reads the rest of a word of which the first letter has been read.
    fn word(&mut self, first: char) -> String {
        let rest = &self.text[self.at..];
        let end = rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        let word = format!("{first}{}", &rest[..end.unwrap_or(rest.len())]);
        self.at += word.len() - first.len_utf8();
        word
    }

    /// Reads the rest of a path, or of a tree of paths in braces, and adds them.
    fn tree(&mut self, prefix: &[String], all: &mut Vec<Vec<String>>) {
        if !self.skip("::") {
            all.push(prefix.to_vec());
            return;
        }
        self.names(prefix, all);
    }

    /// Reads a name with the rest of its path, or names in braces.
    fn names(&mut self, prefix: &[String], all: &mut Vec<Vec<String>>) {
        if self.skip("{") {
            loop {
                self.skip_spaces();
                if self.skip("}") || self.at == self.text.len() {
                    return;
                }
                if !self.skip(",") {
                    self.names(prefix, all);
                    self.skip_spaces();
                    if self.skip("as ") {
                        self.names(&[], &mut Vec::new());
                    }
                }
            }
        }
        let before = self.at;
        match self.next() {
            Some(letter) if letter.is_alphabetic() || letter == '_' => {
                let mut path = prefix.to_vec();
                path.push(self.word(letter));
                self.tree(&path, all);
            }
            // A glob, or the end of a path such as `Vec::<`.
            Some('*') => all.push(prefix.to_vec()),
            Some(_) => {
                self.at = before;
                all.push(prefix.to_vec());
                if prefix.is_empty() {
                    self.next();
                }
            }
            None => {}
        }
    }
}

/// Returns the strongly connected components of the graph of uses: those of modules that use each other.
fn circles(uses: &Uses) -> Vec<BTreeSet<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> = uses
        .keys()
        .map(|module| (module, reached(uses, module)))
        .collect();
    let mut circles: Vec<BTreeSet<String>> = Vec::new();
    for module in uses.keys() {
        if circles.iter().any(|circle| circle.contains(module)) {
            continue; // It is in the circle of an earlier one.
        }
        let others = reached[module]
            .iter()
            .filter(|other| reached[**other].contains(module));
        let mut circle: BTreeSet<String> = others.map(|other| (*other).clone()).collect();
        circle.insert(module.clone());
        circles.push(circle);
    }
    circles
}

/// Returns the modules that a module uses, directly or through others.
fn reached<'u>(uses: &'u Uses, module: &'u String) -> BTreeSet<&'u String> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&String> = vec![module];
    while let Some(module) = next.pop() {
        for used in uses[module].keys() {
            if reached.insert(used) {
                next.push(used);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(texts: &[(&str, &str)]) -> Sources {
        let texts = texts.iter();
        texts
            .map(|(module, text)| ((*module).to_owned(), (*text).to_owned()))
            .collect()
    }

    fn largest(texts: &[(&str, &str)]) -> usize {
        let all = circles(&uses(&sources(texts)));
        all.iter().map(BTreeSet::len).max().unwrap_or_default()
    }

    #[test]
    fn paths_have_all_names_of_a_tree() {
        let text = "use crate::{a::B, c::{self, D as E}, f};\nfn g() { super::h::i::<u8>(); } // crate::no\n";
        let all = paths("x/y", text);
        let all: Vec<(String, usize)> = all
            .into_iter()
            .map(|(it, line)| (it.join("::"), line))
            .collect();
        let expected = [
            ("a::B", 1),
            ("c::self", 1),
            ("c::D", 1),
            ("f", 1),
            ("x::h::i", 2),
        ];
        for (path, line) in expected {
            assert!(all.contains(&(path.to_owned(), line)), "{path} in {all:?}");
        }
    }

    #[test]
    fn three_modules_in_a_circle_are_reported_with_their_lines() {
        let texts = [
            ("a", "\nuse crate::b::B;"),
            ("b", "use crate::c::{C, D};"),
            ("c", "fn f() { crate::a::g() }"),
        ];
        assert_eq!(largest(&texts), 3);
        let uses = uses(&sources(&texts));
        let mut text = String::new();
        describe("crates/x", &circles(&uses)[0], &uses, &mut text);
        assert!(text.contains("crates/x: a, b, c\n"), "{text}");
        assert!(text.contains("crates/x/src/a.rs:2 uses b\n"), "{text}");
    }

    #[test]
    fn two_modules_and_tests_are_no_circle() {
        let two = [("a", "use crate::b::B;"), ("b", "use crate::a::A;")];
        assert_eq!(largest(&two), 2);
        let tests = [
            (
                "a",
                "use crate::b::B;\n#[cfg(test)]\nmod tests {\n use crate::c::C; }",
            ),
            ("b", "use crate::c::C;\n#[cfg(test)]\nmod checks;"),
            ("b/checks", "use crate::a::A;"),
            ("c", "// use crate::a::A;"),
        ];
        assert_eq!(largest(&tests), 1);
    }

    #[test]
    fn a_child_uses_its_parent_by_super() {
        let texts = [
            ("a", "use crate::b::B;"),
            ("a/child", "use super::A;"),
            ("b", "use crate::a::child::C;"),
        ];
        assert_eq!(largest(&texts), 3);
    }
}
