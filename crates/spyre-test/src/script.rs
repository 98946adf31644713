//! Reads the `RUN:` lines of a test file.

use thiserror::Error;

/// One command of a test: a `RUN:` line with its continuation lines joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunLine {
    /// Line in the file, counted from 1, on which the command starts.
    pub line: usize,
    /// The command for the shell, before substitution.
    pub command: String,
}

/// The reason why a file is not a test that can be run.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ScriptError {
    /// The file has no command, so it could never fail.
    #[error("no RUN: line (a file that other tests read belongs into a directory named Inputs)")]
    NoRunLine,
    /// A directive of `lit` that would make results differ from machine to machine, or that is not implemented.
    #[error("line {line}: `{keyword}` is not supported by this test suite")]
    Unsupported {
        /// Line of the directive, counted from 1.
        line: usize,
        /// The directive as written.
        keyword: &'static str,
    },
    /// The last `RUN:` line ends in `\`.
    #[error("line {line}: the RUN: line ends in `\\` but no RUN: line follows")]
    Unterminated {
        /// Line on which the unfinished command starts, counted from 1.
        line: usize,
    },
    /// A `RUN:` line without a command.
    #[error("line {line}: empty RUN: line")]
    Empty {
        /// Line of the directive, counted from 1.
        line: usize,
    },
}

const RUN: &str = "RUN:";

/// `lit`'s other directives. Longer names first where one ends in another.
const UNSUPPORTED: [&str; 7] = [
    "ALLOW_RETRIES:",
    "REDEFINE:",
    "DEFINE:",
    "REQUIRES:",
    "UNSUPPORTED:",
    "XFAIL:",
    "END.",
];

/// Returns the commands in `text`, in order.
///
/// As in `lit`, a directive may be anywhere in a line, the first one of a line is used, and a command that ends in `\`
/// continues in the next `RUN:` line.
///
/// # Errors
/// [`ScriptError`], at the first line that is wrong.
pub fn parse(text: &str) -> Result<Vec<RunLine>, ScriptError> {
    let mut commands = Vec::new();
    let mut open: Option<RunLine> = None;
    for (line, content) in (1..).zip(text.lines()) {
        let Some((keyword, rest)) = directive(content) else {
            continue;
        };
        if keyword != RUN {
            return Err(ScriptError::Unsupported { line, keyword });
        }
        let mut command = match open.take() {
            Some(mut begun) => {
                begun.command.push_str(rest.trim());
                begun
            }
            None => RunLine {
                line,
                command: rest.trim().to_owned(),
            },
        };
        if command.command.ends_with('\\') {
            command.command.pop();
            open = Some(command);
        } else if command.command.is_empty() {
            return Err(ScriptError::Empty { line });
        } else {
            commands.push(command);
        }
    }
    match open {
        Some(begun) => Err(ScriptError::Unterminated { line: begun.line }),
        None if commands.is_empty() => Err(ScriptError::NoRunLine),
        None => Ok(commands),
    }
}

/// Returns the first directive of a line, and the text that follows it; `None` if there is none.
fn directive(line: &str) -> Option<(&'static str, &str)> {
    let (start, keyword) = UNSUPPORTED
        .into_iter()
        .chain([RUN])
        .filter_map(|keyword| line.find(keyword).map(|start| (start, keyword)))
        .min_by_key(|(start, _)| *start)?;
    Some((keyword, line.get(start + keyword.len()..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(text: &str) -> Vec<(usize, String)> {
        parse(text)
            .unwrap()
            .into_iter()
            .map(|r| (r.line, r.command))
            .collect()
    }

    #[test]
    fn lines_are_numbered_and_trimmed() {
        let text = "// RUN: one %s | two\nmodule {}\n//RUN:three  \r\n";
        assert_eq!(
            commands(text),
            [(1, "one %s | two".into()), (3, "three".into())]
        );
    }

    #[test]
    fn continuations_are_joined() {
        let text = "// RUN: a \\\n// RUN:   | b \\\n// CHECK: x\n// RUN: | c\n// RUN: d\n";
        assert_eq!(commands(text), [(1, "a | b | c".into()), (5, "d".into())]);
    }

    #[test]
    fn what_cannot_run_is_refused() {
        assert_eq!(
            parse("module {}\n// CHECK: module\n"),
            Err(ScriptError::NoRunLine)
        );
        assert_eq!(parse(""), Err(ScriptError::NoRunLine));
        assert_eq!(
            parse("// RUN: a \\\nmodule {}\n"),
            Err(ScriptError::Unterminated { line: 1 })
        );
        assert_eq!(parse("\n// RUN:   \n"), Err(ScriptError::Empty { line: 2 }));
    }

    #[test]
    fn directives_that_skip_tests_are_refused() {
        for keyword in UNSUPPORTED {
            let text = format!("// RUN: true\n// {keyword} somewhere\n");
            assert_eq!(
                parse(&text),
                Err(ScriptError::Unsupported { line: 2, keyword })
            );
        }
    }

    #[test]
    fn the_first_directive_of_a_line_wins() {
        assert_eq!(
            commands("// RUN: grep REQUIRES: %s\n"),
            [(1, "grep REQUIRES: %s".into())]
        );
    }
}
