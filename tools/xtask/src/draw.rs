//! `cargo xtask draw`: comments, diagnostics and pages at random, to be read by somebody who has not written them.
//!
//! A number of comments in Rust and C++ of two lines or more, of texts of diagnostics, and of pages by hand is drawn
//! without replacement. A seed gives the same texts for the same tree.

use std::fs;

use crate::git::{git, is_checkout};
use spyre_checkout::error::Error;
use spyre_checkout::project::Project;

/// What is drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    /// The seed of the random numbers.
    pub(crate) seed: u64,
    /// The number of comments.
    pub(crate) comments: usize,
    /// The number of texts of diagnostics.
    pub(crate) diagnostics: usize,
    /// The number of pages.
    pub(crate) pages: usize,
}

/// The beginnings of texts of diagnostics in Rust and C++.
const DIAGNOSTICS: [&str; 9] = [
    "#[error(",
    "error(",
    "warning(",
    "emit_error(",
    "emitError(",
    "emitOpError(",
    "emitWarning(",
    "because(",
    "Err(format!(",
];

/// A text with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Drawn {
    path: String,
    line: usize,
    text: String,
}

/// Prints the texts that are drawn, with their places.
///
/// # Errors
/// A file cannot be read, or git fails.
pub(crate) fn draw(project: &Project, options: Options) -> Result<(), Error> {
    if !is_checkout(&project.root)? {
        println!("draw: skipped, this is no checkout of git");
        return Ok(());
    }
    let files = git(&project.root, &["ls-files"])?;
    let (mut comments, mut diagnostics, mut pages) = (Vec::new(), Vec::new(), Vec::new());
    for path in files.lines() {
        if is_page(path) {
            pages.push(path);
        }
        if !is_code(path) {
            continue; // It is neither.
        }
        let file = project.root.join(path);
        let text = fs::read_to_string(&file).map_err(Error::io(&file))?;
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        let place = |(line, text): (usize, String)| Drawn {
            path: path.to_owned(),
            line,
            text,
        };
        comments.extend(comments_of(code).into_iter().map(place));
        diagnostics.extend(diagnostics_of(code).into_iter().map(place));
    }
    let mut numbers = SplitMix64(options.seed);
    for drawn in numbers.draw(comments, options.comments) {
        println!("{}:{}\n{}\n", drawn.path, drawn.line, drawn.text);
    }
    for drawn in numbers.draw(diagnostics, options.diagnostics) {
        println!("{}:{}\n{}\n", drawn.path, drawn.line, drawn.text);
    }
    for path in numbers.draw(pages, options.pages) {
        println!("{path}");
    }
    Ok(())
}

/// Returns whether a file is a page that is written by hand. The generated pages of dialects have the names of these.
fn is_page(path: &str) -> bool {
    let is_dialect = path
        .strip_prefix("docs/Dialects/")
        .is_some_and(|name| name.starts_with(char::is_lowercase));
    let is_generated =
        is_dialect || path.starts_with("docs/Specification/") || path.starts_with("docs/Passes");
    path.starts_with("docs/") && path.ends_with(".md") && !is_generated
}

/// Returns whether a file has code of the project, and not of a test.
fn is_code(path: &str) -> bool {
    let is_source = path.ends_with(".rs") || path.ends_with(".cpp");
    let is_project = ["crates/", "tools/", "dialects/"]
        .iter()
        .any(|folder| path.starts_with(folder));
    is_source && is_project && !path.contains("/tests")
}

/// Returns the comments of two lines or more with the line of code after them, and the numbers of their lines.
fn comments_of(code: &str) -> Vec<(usize, String)> {
    let lines: Vec<&str> = code.lines().collect();
    let is_comment = |line: &&str| line.trim_start().starts_with("//");
    let mut comments = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let count = lines[at..]
            .iter()
            .take_while(|line| is_comment(line))
            .count();
        // The head of a C++ file names the licence.
        let is_licence = lines[at].starts_with("//===");
        if count >= 2 && !is_licence {
            let end = (at + count + 1).min(lines.len());
            comments.push((at + 1, lines[at..end].join("\n")));
        }
        at += count.max(1);
    }
    comments
}

/// Returns the calls that have texts of diagnostics, up to the end of the text, with the numbers of their lines.
fn diagnostics_of(code: &str) -> Vec<(usize, String)> {
    /// The most lines of a call.
    const MOST: usize = 8;
    let lines: Vec<&str> = code.lines().collect();
    let mut diagnostics = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let is_comment = line.trim_start().starts_with("//");
        let is_call = DIAGNOSTICS.iter().any(|call| line.contains(call));
        if is_comment || !is_call || line.contains("fn ") {
            continue; // It reports nothing.
        }
        let rest = &lines[at..lines.len().min(at + MOST)];
        let end = rest
            .iter()
            .position(|line| line.ends_with(';') || line.ends_with(")]") || line.ends_with("),"));
        let text = rest[..=end.unwrap_or(rest.len() - 1)].join("\n");
        // Without a word between quotes the text is elsewhere.
        if text
            .split('"')
            .nth(1)
            .is_some_and(|text| text.contains(' '))
        {
            diagnostics.push((at + 1, text));
        }
    }
    diagnostics
}

/// Random numbers: SplitMix64, as Steele, Lea and Flood define it.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        number ^ (number >> 31)
    }

    /// Returns some items in a random order, each once.
    fn draw<T>(&mut self, mut items: Vec<T>, count: usize) -> Vec<T> {
        let mut drawn = Vec::new();
        while drawn.len() < count && !items.is_empty() {
            let bound = u64::try_from(items.len()).expect("a length has at most 64 bits");
            let at = usize::try_from(self.next() % bound).expect("it is below a length");
            drawn.push(items.swap_remove(at));
        }
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_have_two_lines_and_the_code_after_them() {
        let code = "// one\nfn a() {}\n/// Two\n/// lines.\nfn b() {}\n";
        let expected = vec![(3, "/// Two\n/// lines.\nfn b() {}".to_owned())];
        assert_eq!(comments_of(code), expected);
    }

    #[test]
    fn diagnostics_end_with_their_calls() {
        let code =
            "let x = error(\n    \"two words\",\n);\nreturn Err(other);\n// error(\"no such\")\n";
        let texts: Vec<usize> = diagnostics_of(code)
            .into_iter()
            .map(|(line, _)| line)
            .collect();
        assert_eq!(texts, [1]);
    }

    #[test]
    fn a_seed_draws_the_same_items_once() {
        let draw = |seed| SplitMix64(seed).draw((0..100).collect(), 30);
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        let mut items: Vec<i32> = draw(1);
        items.sort_unstable();
        items.dedup();
        assert_eq!(items.len(), 30);
    }
}
