//! The list of the statements, `test/slips/sites.txt`, and its places in the sources.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::scan::{self, Form};
use spyre_checkout::error::Error;

/// The list, from the root of the repository.
pub(super) const LIST: &str = "test/slips/sites.txt";

/// The text before a statement in the copy, and the text after it. Neither has a line break, so that the lines of the
/// copy have the numbers of the original.
const GUARD: [&str; 2] = ["if ::spyre_slips::keeps() { ", " }"];

/// The beginnings of notes.
const NOTES: [&str; 2] = ["unreached: ", "equivalent: "];

/// A statement of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Site {
    /// The path of its file from the root of the repository: `crates/CRATE/src/...`.
    pub file: String,
    /// The first line of the statement, without indentation.
    pub text: String,
    /// The number of the statement among the lines of its file with this text, from 1.
    number: usize,
    /// The number of lines of its file with this text.
    count: usize,
    /// The reason why no program reaches it or is changed by its loss, after one of [`NOTES`].
    pub note: Option<String>,
}

impl Site {
    /// Reads `FILE: TEXT` or `FILE (NUMBER of COUNT): TEXT`.
    fn parse(line: &str) -> Option<Self> {
        let (head, text) = line.split_once(": ")?;
        let (file, number, count) = match head.split_once(" (") {
            Some((file, of)) => {
                let (number, count) = of.strip_suffix(')')?.split_once(" of ")?;
                (file, number.parse().ok()?, count.parse().ok()?)
            }
            None => (head, 1, 1),
        };
        let is_range = number >= 1 && number <= count;
        // Dropping a binding is an error of the compiler, not of the program.
        let is_binding = text.starts_with("let ");
        (is_range && !is_binding && file.starts_with("crates/")).then(|| Self {
            file: file.to_owned(),
            text: text.to_owned(),
            number,
            count,
            note: None,
        })
    }

    /// Returns the name of the directory of its crate.
    pub(super) fn package(&self) -> &str {
        let name = self.file.split('/').nth(1);
        name.expect("the path of a site begins with crates/")
    }
}

/// Reads the list.
///
/// # Errors
/// The file cannot be read, a line has no proper form, or the lines are not sorted.
pub(super) fn read(root: &Path) -> Result<Vec<Site>, Error> {
    let path = root.join(LIST);
    let text = fs::read_to_string(&path).map_err(Error::io(&path))?;
    parse(&text)
}

fn parse(text: &str) -> Result<Vec<Site>, Error> {
    let fail = |number: usize, reason: &str| {
        let place = number + 1;
        Err(Error::Verdict(format!("{LIST}:{place}: {reason}")))
    };
    let mut sites: Vec<Site> = Vec::new();
    let mut previous = "";
    for (number, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(note) = line.strip_prefix("  ") {
            match sites.last_mut() {
                Some(site) if site.note.is_none() && NOTES.iter().any(|n| note.starts_with(n)) => {
                    site.note = Some(note.to_owned());
                }
                _ => return fail(number, "expected `  unreached: REASON` after a statement"),
            }
            continue;
        }
        let Some(site) = Site::parse(line) else {
            return fail(
                number,
                "expected `crates/FILE: TEXT` or `crates/FILE (NUMBER of COUNT): TEXT`, without `let`",
            );
        };
        if line <= previous {
            return fail(number, "the lines are not sorted, or one is there twice");
        }
        previous = line;
        sites.push(site);
    }
    Ok(sites)
}

/// Returns the sites by file.
pub(super) fn by_file(sites: &[Site]) -> BTreeMap<&str, Vec<&Site>> {
    let mut files: BTreeMap<&str, Vec<&Site>> = BTreeMap::new();
    for site in sites {
        files.entry(&site.file).or_default().push(site);
    }
    files
}

/// A source with guarded statements.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Guarded {
    /// The text, with a guard around each statement.
    pub source: String,
    /// The number of the line of each site, from 1, in the order of the sites.
    pub lines: Vec<usize>,
}

/// Guards the statements of a file.
///
/// # Errors
/// One message for each site that the source does not have as the list has it.
pub(super) fn guard(source: &str, sites: &[&Site]) -> Result<Guarded, Vec<String>> {
    let mut edits: Vec<(usize, &str)> = Vec::new();
    let (mut lines, mut errors) = (Vec::new(), Vec::new());
    for site in sites {
        match find(source, site) {
            Ok((line, start, end)) => {
                lines.push(line);
                edits.extend([(start, GUARD[0]), (end, GUARD[1])]);
            }
            Err(reason) => errors.push(reason),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    edits.sort_unstable();
    let mut guarded = String::new();
    let mut from = 0;
    for (at, text) in edits {
        guarded.push_str(&source[from..at]);
        guarded.push_str(text);
        from = at;
    }
    guarded.push_str(&source[from..]);
    Ok(Guarded {
        source: guarded,
        lines,
    })
}

/// Returns the line of a site, from 1, and the offsets of the beginning and the end of its statement.
fn find(source: &str, site: &Site) -> Result<(usize, usize, usize), String> {
    let (file, text) = (&site.file, &site.text);
    let mut places = Vec::new();
    let mut offset = 0;
    for (number, line) in (1..).zip(source.split_inclusive('\n')) {
        if let Some((at, form)) = beginning(line, text) {
            places.push((number, offset + at, form));
        }
        offset += line.len();
    }
    if places.len() != site.count {
        let (found, listed) = (places.len(), site.count);
        return Err(format!(
            "{file} has {found} lines `{text}`, and {LIST} has {listed}: change its line there to the first line of \
             the statement as it is now (`{file} (NUMBER of COUNT): TEXT` where there are several), keep the lines \
             sorted, and run `cargo xtask slips`; remove the line if the statement is gone"
        ));
    }
    let (line, start, form) = places[site.number - 1];
    let end = scan::end(source, start, form);
    let end = end.ok_or_else(|| format!("{file}:{line}: the statement `{text}` has no end"))?;
    Ok((line, start, end))
}

/// Returns the offset of a statement in a line that has its text from there on.
fn beginning(line: &str, text: &str) -> Option<(usize, Form)> {
    let before = line.trim_end().strip_suffix(text)?;
    let mark = before.trim();
    if mark.is_empty() {
        return Some((before.len(), Form::Statement));
    }
    let is_expression = ["=> ", "| "].iter().any(|mark| before.ends_with(mark));
    let is_comment = mark.starts_with("//");
    (is_expression && !is_comment).then_some((before.len(), Form::Expression))
}

#[cfg(test)]
mod tests;
