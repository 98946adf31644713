//! `cargo xtask words`: how often comments and pages have words that are hard to follow.
//!
//! The words and their limits are the table of CONTRIBUTING.md. Counted are comments in Rust, C++, Python and `.td`
//! files, descriptions in `.td` files, and pages without their code. The specifications are the words of others, and
//! are left out.

use std::path::{Path, PathBuf};

use crate::git::is_checkout;
use crate::sources::{Listing, files, read};
use spyre_checkout::error::Error;
use spyre_checkout::project::Project;

/// The page with the table.
const PAGE: &str = "CONTRIBUTING.md";

/// Folders that are not counted: tests and findings, whose texts tools print, and the words of others.
const LEFT_OUT: [&str; 3] = ["test/", "findings/", "docs/Specification/"];

/// The most files that are listed for a word.
const MOST_FILES: usize = 5;

/// A word, or several, and how many of them 1,000 words may have.
#[derive(Debug, PartialEq)]
struct Limit {
    word: String,
    per_thousand: f64,
}

/// Prints the table of words: how many of 1,000 words they are, the limits, and for those above it the files with most
/// of them.
///
/// # Errors
/// A word is above its limit, the table cannot be read, or git fails.
pub(crate) fn words(project: &Project) -> Result<(), Error> {
    if !is_checkout(&project.root)? {
        println!("words: skipped, this is no checkout of git");
        return Ok(());
    }
    let limits = limits(&read(&project.root, PAGE)?);
    if limits.is_empty() {
        let reason = format!("{PAGE} has no table of words with limits");
        return Err(Error::Verdict(reason));
    }
    let texts = texts(project)?;
    let all: usize = texts.iter().map(|(_, text)| text.len()).sum();
    println!("words: {all} in comments and pages");
    let mut above = Vec::new();
    for limit in &limits {
        let word: Vec<&str> = limit.word.split(' ').collect();
        let mut files: Vec<(usize, &Path)> = texts
            .iter()
            .map(|(path, text)| (count(text, &word), path.as_path()))
            .collect();
        let count: usize = files.iter().map(|(count, _)| count).sum();
        let rate = per_thousand(count, all);
        println!(
            "  {:<18} {rate:>5.2} of 1,000, at most {}",
            limit.word, limit.per_thousand
        );
        if rate <= limit.per_thousand {
            continue;
        }
        files.sort_unstable_by(|a, b| b.cmp(a));
        let files = files.iter().take(MOST_FILES);
        let files: Vec<String> = files
            .map(|(count, path)| format!("{} ({count})", path.display()))
            .collect();
        above.push(format!("'{}': {}", limit.word, files.join(", ")));
    }
    match above.is_empty() {
        true => Ok(()),
        false => Err(Error::Verdict(format!(
            "words above the limits of {PAGE}, and the files with most of them:\n{}",
            above.join("\n")
        ))),
    }
}

/// Returns the rows of the table of words: a word between backquotes, and its limit.
fn limits(page: &str) -> Vec<Limit> {
    let row = |line: &str| {
        let mut cells = line.strip_prefix("| `")?.split(" | ");
        let word = cells.next()?.strip_suffix('`')?.to_owned();
        let per_thousand = cells.next()?.parse().ok()?;
        Some(Limit { word, per_thousand })
    };
    page.lines().filter_map(row).collect()
}

/// Returns the words of the comments and pages in the tree, by file.
fn texts(project: &Project) -> Result<Vec<(PathBuf, Vec<String>)>, Error> {
    let mut texts = Vec::new();
    for name in files(&project.root, Listing::Tracked)? {
        if LEFT_OUT.iter().any(|folder| name.starts_with(folder)) {
            continue;
        }
        let path = Path::new(&name);
        let extension = path.extension().and_then(|it| it.to_str());
        let words_of: fn(&str) -> String = match extension {
            Some("rs" | "cpp" | "h") => comments_of_code,
            Some("td") => descriptions,
            Some("md") => page_text,
            Some("py") => comments_of_python,
            _ => continue,
        };
        let text = words_of(&read(&project.root, &name)?);
        texts.push((path.to_owned(), split(&text)));
    }
    Ok(texts)
}

/// Returns the words of a text, in lower case and without signs around them.
fn split(text: &str) -> Vec<String> {
    let words = text.split_whitespace();
    words
        .map(|word| {
            let word = word.trim_matches(|sign: char| !sign.is_alphanumeric());
            word.to_lowercase()
        })
        .collect()
}

/// Returns how often some words follow each other in a text.
fn count(text: &[String], words: &[&str]) -> usize {
    let windows = text.windows(words.len());
    windows
        .filter(|window| window.iter().zip(words).all(|(a, b)| a == b))
        .count()
}

#[expect(clippy::cast_precision_loss, reason = "words are fewer than 2^53")]
fn per_thousand(count: usize, all: usize) -> f64 {
    1000.0 * count as f64 / all.max(1) as f64
}

/// Returns the comments of Rust or C++: lines that begin with `//`, and ends of lines behind ` // `.
fn comments_of_code(text: &str) -> String {
    let mut comments = String::new();
    for line in text.lines() {
        let line = line.trim_start();
        let comment = match line.strip_prefix("//") {
            Some(comment) => Some(comment.trim_start_matches(['/', '!'])),
            None => line.split_once(" // ").map(|(_, comment)| comment),
        };
        if let Some(comment) = comment {
            comments.push_str(comment);
            comments.push('\n');
        }
    }
    comments
}

/// Returns the comments of a `.td` file, and its texts between `[{` and `}]`.
fn descriptions(text: &str) -> String {
    let mut all = comments_of_code(text);
    for part in text.split("[{").skip(1) {
        all.push_str(part.split("}]").next().unwrap_or_default());
    }
    all
}

/// Returns the text of a page without its blocks of code.
fn page_text(text: &str) -> String {
    let parts = text.split("```").step_by(2);
    parts.collect::<Vec<_>>().join("\n")
}

/// Returns the comments and the texts between three quotes of Python.
fn comments_of_python(text: &str) -> String {
    let mut all: String = text.split("\"\"\"").skip(1).step_by(2).collect();
    for line in text.lines() {
        if let Some(comment) = line.trim_start().strip_prefix('#') {
            all.push('\n');
            all.push_str(comment);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_counted_and_code_is_not() {
        let rust = "//! What `what` is.\nlet what = 1; // what it is\nlet url = \"//what\";\n";
        assert_eq!(count(&split(&comments_of_code(rust)), &["what"]), 3);
        let td = "// what\nlet description = [{\n  In front of what.\n}];\nlet what = 1;";
        let words = split(&descriptions(td));
        assert_eq!(count(&words, &["what"]), 2);
        assert_eq!(count(&words, &["in", "front", "of"]), 1);
        let page = "What\n```sh\nwhat\n```\nwhat\n";
        assert_eq!(count(&split(&page_text(page)), &["what"]), 2);
        let python = "def f():\n    \"\"\"Return what.\"\"\"\n    # what\n    what = 1\n";
        assert_eq!(count(&split(&comments_of_python(python)), &["what"]), 2);
    }

    #[test]
    fn a_row_has_a_word_and_its_limit() {
        let page = "| word | of 1,000 | instead |\n|---|---|---|\n| `in front of` | 0.04 | before |\n| `x` | many | |\n";
        let limit = Limit {
            word: "in front of".to_owned(),
            per_thousand: 0.04,
        };
        assert_eq!(limits(page), [limit]);
        let guide = include_str!("../../../CONTRIBUTING.md");
        assert!(limits(guide).len() > 5);
    }
}
