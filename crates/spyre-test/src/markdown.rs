//! Reads the commands, outputs and files that a markdown page shows.
//!
//! ````text
//! ```console
//! $ spyre-opt --coarse-tile examples/add_mul.mlir
//! the output, standard error included; a line `...` stands for any lines
//! $ a second command, \
//!     over two lines
//! ```
//!
//! ```console exit=1
//! $ commands that end with this status
//! ```
//!
//! ```mlir file=gate.mlir
//! a file that later commands find in their directory
//! ```
//! ````
//!
//! All other blocks are ignored.

use std::ops::Range;
use std::path::{Component, Path};

use thiserror::Error;

use crate::diff::ELLIPSIS;

/// A step of a page, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Save a file.
    File {
        /// The path below the directory of the commands.
        name: String,
        /// The contents.
        text: String,
    },
    /// Run a command.
    Command(Command),
}

/// A command with its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Line of the command in the page, counted from 1.
    pub line: usize,
    /// The command, as a shell takes it.
    pub text: String,
    /// The output: lines of the page, counted from 0.
    pub output: Range<usize>,
    /// The exit status it ends with.
    pub exit: i32,
}

/// The reason why a page cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {reason}")]
pub struct PageError {
    /// Line of the page, counted from 1.
    pub line: usize,
    /// The fault.
    pub reason: Reason,
}

/// The fault of a block.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Reason {
    /// A block that has no end.
    #[error("the block is not closed")]
    NotClosed,
    /// A console block or a file that is indented: its lines would not match the output.
    #[error("a console block or a file must not be indented")]
    Indented,
    /// An unknown word after the language.
    #[error("`{0}` is neither `exit=STATUS` on a console block nor `file=NAME` on another one")]
    UnknownWord(String),
    /// A file outside of the directory of the commands.
    #[error("`{0}` is not the path of a file below the directory of the commands")]
    FileName(String),
    /// A console block that starts with something else than a command.
    #[error("a console block starts with `$ ` and a command")]
    NoCommand,
    /// An output without checked lines.
    #[error("an output that is only `{ELLIPSIS}` checks nothing")]
    ChecksNothing,
}

/// Returns the lines of a page, without the newlines.
#[must_use]
pub fn lines(page: &str) -> Vec<&str> {
    page.lines().collect()
}

/// Reads the steps of a page.
///
/// # Errors
/// [`PageError`] at the first block that is not well formed.
pub fn steps(lines: &[&str]) -> Result<Vec<Step>, PageError> {
    let mut steps = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let Some((ticks, info)) = fence(line) else {
            at += 1;
            continue;
        };
        let error = |reason| PageError {
            line: at + 1,
            reason,
        };
        let first = at + 1;
        let length = lines[first..]
            .iter()
            .position(|line| fence(line).is_some_and(|(n, rest)| n >= ticks && rest.is_empty()))
            .ok_or_else(|| error(Reason::NotClosed))?;
        let body = first..first + length;
        let kind = BlockKind::read(info).map_err(error)?;
        if kind != BlockKind::Other && line.starts_with(char::is_whitespace) {
            return Err(error(Reason::Indented));
        }
        at = body.end + 1;
        match kind {
            BlockKind::Other => {}
            BlockKind::File(name) => {
                let text = lines[body].iter().flat_map(|line| [*line, "\n"]).collect();
                steps.push(Step::File { name, text });
            }
            BlockKind::Console { exit } => console(lines, body, exit, &mut steps)?,
        }
    }
    Ok(steps)
}

/// Returns the number of backticks of a fence and the words after them; `None` for a line that is no fence.
fn fence(line: &str) -> Option<(usize, &str)> {
    let line = line.trim();
    let rest = line.trim_start_matches('`');
    let ticks = line.len() - rest.len();
    (ticks >= 3 && !rest.contains('`')).then_some((ticks, rest))
}

#[derive(PartialEq, Eq)]
enum BlockKind {
    Other,
    File(String),
    Console { exit: i32 },
}

impl BlockKind {
    fn read(info: &str) -> Result<Self, Reason> {
        let mut words = info.split_whitespace();
        let is_console = words.next() == Some("console");
        let mut kind = if is_console {
            Self::Console { exit: 0 }
        } else {
            Self::Other
        };
        for word in words {
            let unknown = || Reason::UnknownWord(word.to_owned());
            kind = match word.split_once('=') {
                Some(("exit", status)) if is_console => Self::Console {
                    exit: status.parse().map_err(|_| unknown())?,
                },
                Some(("file", name)) if !is_console => {
                    let is_below = |part| matches!(part, Component::Normal(_));
                    if name.is_empty() || !Path::new(name).components().all(is_below) {
                        return Err(Reason::FileName(name.to_owned()));
                    }
                    Self::File(name.to_owned())
                }
                _ => return Err(unknown()),
            };
        }
        Ok(kind)
    }
}

fn console(
    lines: &[&str],
    body: Range<usize>,
    exit: i32,
    steps: &mut Vec<Step>,
) -> Result<(), PageError> {
    let mut at = body.start;
    while at < body.end {
        let error = |reason| PageError {
            line: at + 1,
            reason,
        };
        let line = at + 1;
        let mut text = lines[at]
            .strip_prefix("$ ")
            .ok_or_else(|| error(Reason::NoCommand))?
            .to_owned();
        at += 1;
        while text.ends_with('\\') && at < body.end {
            text.push('\n');
            text.push_str(lines[at]);
            at += 1;
        }
        let start = at;
        while at < body.end && !lines[at].starts_with("$ ") {
            at += 1;
        }
        let output = start..at;
        if !output.is_empty() && lines[output.clone()].iter().all(|line| *line == ELLIPSIS) {
            return Err(PageError {
                line: start + 1,
                reason: Reason::ChecksNothing,
            });
        }
        steps.push(Step::Command(Command {
            line,
            text,
            output,
            exit,
        }));
    }
    if body.is_empty() {
        return Err(PageError {
            line: body.start,
            reason: Reason::NoCommand,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(page: &str) -> Result<Vec<Step>, PageError> {
        steps(&lines(page))
    }

    fn reason(page: &str) -> (usize, Reason) {
        let error = read(page).unwrap_err();
        (error.line, error.reason)
    }

    #[test]
    fn commands_with_their_outputs() {
        let page =
            "# T\n```console\n$ a\nx\n...\n$ b \\\n  c\n```\ntext\n```console exit=1\n$ d\n```\n";
        let command = |line, text: &str, output, exit| {
            Step::Command(Command {
                line,
                text: text.into(),
                output,
                exit,
            })
        };
        assert_eq!(
            read(page).unwrap(),
            [
                command(3, "a", 3..5, 0),
                command(6, "b \\\n  c", 7..7, 0),
                command(11, "d", 11..11, 1)
            ]
        );
    }

    #[test]
    fn files_and_other_blocks() {
        let page = "```mlir file=a.mlir\nx\n\ny\n```\n  ```sh\n  cargo test\n  ```\n````text\n```console\n````\n`inline`\n";
        assert_eq!(
            read(page).unwrap(),
            [Step::File {
                name: "a.mlir".into(),
                text: "x\n\ny\n".into()
            }]
        );
    }

    #[test]
    fn malformed_blocks_are_refused() {
        assert_eq!(reason("x\n```console\n$ a\n"), (2, Reason::NotClosed));
        assert_eq!(reason("```console\n```\n"), (1, Reason::NoCommand));
        assert_eq!(reason("```console\na\n```\n"), (2, Reason::NoCommand));
        assert_eq!(
            reason("  ```console\n  $ a\n  ```\n"),
            (1, Reason::Indented)
        );
        assert_eq!(
            reason("```console\n$ a\n...\n```\n"),
            (3, Reason::ChecksNothing)
        );
        for word in ["exit=x", "fail", "file=a"] {
            let page = format!("```console {word}\n$ a\n```\n");
            assert_eq!(reason(&page), (1, Reason::UnknownWord(word.into())));
        }
        for name in ["../a", "/a", "", "./a", "a/../b", ".."] {
            let page = format!("```mlir file={name}\n```\n");
            assert_eq!(reason(&page), (1, Reason::FileName(name.into())));
        }
    }
}
