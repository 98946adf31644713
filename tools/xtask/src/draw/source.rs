//! Comments and diagnostics in the text of a Rust or C++ file.
//!
//! A file is split into comments, string literals and the code between them, which is enough for both: a comment is a
//! run of lines, and a diagnostic is a statement that calls a function of diagnostics with a literal.

use super::Passage;
use crate::sources::without_tests;

/// Functions, variants and attributes whose string literals are diagnostics, in Rust and in C++.
const CALLEES: [&str; 14] = [
    "Err",
    "Usage",
    "Verdict",
    "emitError",
    "emitOpError",
    "emitRemark",
    "emitWarning",
    "emit_error",
    "error",
    "fail",
    "note",
    "refuse",
    "refused",
    "unsupported",
];

/// The fewest lines with text of a comment that is drawn.
const FEWEST_LINES: usize = 2;

/// The fewest words in the literals of a diagnostic: a literal of one word is a name.
const FEWEST_WORDS: usize = 2;

/// A part of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece<'t> {
    /// A comment up to the end of its line, with its slashes.
    Comment(&'t str),
    /// A string literal, without its quotes.
    Literal(&'t str),
    /// The text up to the next comment or literal.
    Code(&'t str),
}

/// Returns the comments of at least two lines. Neighbouring lines are one comment if they begin with the same signs,
/// `///`, `//!` or `//`; lines such as `//===---===//` separate comments. The comment with the licence is left out.
pub(super) fn comments(text: &str) -> Vec<Passage> {
    let text = without_tests(text);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let starts = comment_lines(text);
    let mut comments = Vec::new();
    let mut first = 0;
    while first < lines.len() {
        let marker = match starts[first] {
            true => marker(lines[first]),
            false => None,
        };
        let Some(sign) = marker else {
            first += 1;
            continue;
        };
        let is_next = |line: &usize| starts[*line] && self::marker(lines[*line]) == Some(sign);
        let end = (first..lines.len())
            .find(|line| !is_next(line))
            .unwrap_or(lines.len());
        let block = &lines[first..end];
        let with_text = block.iter().filter(|line| line.len() > sign.len());
        let is_licence = block.iter().any(|line| line.contains("SPDX-License"));
        if with_text.count() >= FEWEST_LINES && !is_licence {
            comments.push(Passage {
                line: first + 1,
                text: block.join("\n"),
                code: code_after(&lines[end..]).to_owned(),
            });
        }
        first = end;
    }
    comments
}

/// Returns the signs at the beginning of a line of a comment; none for a line that separates comments.
fn marker(line: &str) -> Option<&'static str> {
    if line.starts_with("//===") {
        return None;
    }
    ["///", "//!", "//"]
        .into_iter()
        .find(|sign| line.starts_with(sign))
}

/// Returns the first line that is code: no comment, no attribute, and not empty.
fn code_after<'t>(lines: &[&'t str]) -> &'t str {
    let mut lines = lines.iter();
    let code =
        lines.find(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with("#["));
    code.copied().unwrap_or_default()
}

/// Returns for each line whether it is a comment from its first sign. A line in a string literal is not.
fn comment_lines(text: &str) -> Vec<bool> {
    let mut is_comment = vec![false; text.lines().count()];
    let (mut line, mut is_blank) = (0, true);
    for piece in pieces(text) {
        let (Piece::Comment(part) | Piece::Literal(part) | Piece::Code(part)) = piece;
        if let Piece::Comment(_) = piece {
            is_comment[line] = is_blank;
        }
        line += part.matches('\n').count();
        let last = part.rsplit_once('\n').map_or(part, |(_, last)| last);
        let continues = is_blank || part.contains('\n');
        is_blank = continues && matches!(piece, Piece::Code(_)) && last.trim().is_empty();
    }
    is_comment
}

/// Returns the diagnostics: statements with string literals of several words after a name of [`CALLEES`] and `(`.
pub(super) fn diagnostics(text: &str) -> Vec<Passage> {
    let text = without_tests(text);
    let mut diagnostics = Vec::new();
    let mut statement = Statement::default();
    let mut line = 1;
    for piece in pieces(text) {
        match piece {
            Piece::Comment(_) => {}
            Piece::Literal(literal) => {
                statement.add_literal(literal);
                line += literal.matches('\n').count();
            }
            Piece::Code(code) => {
                for part in split_keeping(code) {
                    if is_boundary(part) {
                        diagnostics.extend(std::mem::take(&mut statement).diagnostic());
                    } else {
                        statement.add_code(part, line);
                    }
                    line += part.matches('\n').count();
                }
            }
        }
    }
    diagnostics.extend(statement.diagnostic());
    diagnostics
}

/// A statement, an arm of a match or an attribute, up to the piece that was read last.
#[derive(Default)]
struct Statement {
    text: String,
    /// The line of the name of [`CALLEES`].
    line: Option<usize>,
    /// The number of words in its literals after that name.
    words: usize,
}

impl Statement {
    fn add_code(&mut self, code: &str, line: usize) {
        if self.line.is_none() {
            let callee = callee(code);
            let lines_before = |at: usize| code[..at].matches('\n').count();
            self.line = callee.map(|at| line + lines_before(at));
        }
        self.text.push_str(code);
    }

    fn add_literal(&mut self, literal: &str) {
        if self.line.is_some() {
            self.words += words(literal);
        }
        self.text.push('"');
        self.text.push_str(literal);
        self.text.push('"');
    }

    fn diagnostic(self) -> Option<Passage> {
        let line = self.line.filter(|_| self.words >= FEWEST_WORDS)?;
        let lines = self.text.trim().lines().map(str::trim);
        Some(Passage {
            line,
            text: lines.collect::<Vec<_>>().join("\n"),
            code: String::new(),
        })
    }
}

/// Returns the number of words with a letter outside of the placeholders `{...}` of a literal.
fn words(literal: &str) -> usize {
    let parts = literal.split('{').enumerate();
    let fixed = parts.map(|(number, part)| match number {
        0 => part,
        _ => part.split_once('}').map_or("", |(_, text)| text),
    });
    let text = fixed.collect::<Vec<_>>().join("_");
    let words = text.split_whitespace();
    words
        .filter(|word| word.contains(char::is_alphabetic))
        .count()
}

/// Returns the offset of the first name of [`CALLEES`] that `(` follows.
fn callee(code: &str) -> Option<usize> {
    let is_name = |sign: char| sign.is_alphanumeric() || sign == '_';
    let calls = code.match_indices('(').filter_map(|(end, _)| {
        let name = code[..end].trim_end_matches('!');
        let start = name.rfind(|sign| !is_name(sign)).map_or(0, |at| at + 1);
        CALLEES.contains(&&name[start..]).then_some(start)
    });
    calls.min()
}

fn is_boundary(part: &str) -> bool {
    matches!(part, ";" | "{" | "}" | "=>" | "#[")
}

/// Splits code at the boundaries of statements, and returns the boundaries as parts.
fn split_keeping(code: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < code.len() {
        let boundary = ["=>", "#[", ";", "{", "}"]
            .into_iter()
            .find(|sign| code[at..].starts_with(sign));
        match boundary {
            Some(sign) => {
                parts.push(&code[start..at]);
                parts.push(&code[at..at + sign.len()]);
                at += sign.len();
                start = at;
            }
            None => at += code[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    parts.push(&code[start..]);
    parts
}

/// Returns the pieces of a file, in order. Block comments are code: this tree writes comments with `//`.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let code = code_length(rest);
        if code != 0 {
            pieces.push(Piece::Code(&rest[..code]));
            rest = &rest[code..];
        }
        if rest.starts_with("//") {
            let end = rest.find('\n').unwrap_or(rest.len());
            pieces.push(Piece::Comment(&rest[..end]));
            rest = &rest[end..];
        } else if let Some((open, close)) = quotes(rest) {
            let body = &rest[open..];
            let end = literal_length(body, &close);
            pieces.push(Piece::Literal(&body[..end]));
            rest = body.get(end + close.len()..).unwrap_or_default();
        }
    }
    pieces
}

/// Returns the length of the code before the first comment or literal.
fn code_length(text: &str) -> usize {
    let mut at = 0;
    let mut is_in_name = false;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("//")
            || ((!is_in_name || rest.starts_with('"')) && quotes(rest).is_some())
        {
            return at;
        }
        let sign = rest.chars().next().expect("the rest is not empty");
        is_in_name = sign.is_alphanumeric() || sign == '_';
        at += match sign {
            '\'' => character_length(rest),
            _ => sign.len_utf8(),
        };
    }
    at
}

/// Returns the length of a literal of a character such as `'"'`; 1 for the quote of a lifetime.
fn character_length(text: &str) -> usize {
    let mut signs = text.char_indices().skip(1);
    match signs.next() {
        // The escaped sign may be a quote.
        Some((_, '\\')) => text[3..].find('\'').map_or(1, |end| end + 4),
        Some(_) => match signs.next() {
            Some((end, '\'')) => end + 1,
            _ => 1,
        },
        None => 1,
    }
}

/// Returns the length of the quotes that open a literal at the beginning of a text, and the quotes that close it:
/// `"`, or `r#"` and `"#` with any number of signs.
fn quotes(text: &str) -> Option<(usize, String)> {
    if text.starts_with('"') {
        return Some((1, "\"".to_owned()));
    }
    let raw = text.strip_prefix('r')?;
    let signs = raw.len() - raw.trim_start_matches('#').len();
    let is_literal = raw[signs..].starts_with('"');
    is_literal.then(|| (signs + 2, format!("\"{}", "#".repeat(signs))))
}

/// Returns the length of a literal up to the quotes that close it.
fn literal_length(body: &str, close: &str) -> usize {
    let mut at = 0;
    while at < body.len() {
        let rest = &body[at..];
        if rest.starts_with(close) {
            return at;
        }
        // In a raw literal with signs a backslash escapes nothing. One without signs is read as any other literal.
        let mut signs = rest.chars();
        let sign = signs.next().expect("the rest is not empty");
        at += sign.len_utf8();
        if sign == '\\' && close.len() == 1 {
            at += signs.next().map_or(0, char::len_utf8);
        }
    }
    body.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(passages: &[Passage]) -> Vec<(usize, &str)> {
        let texts = passages.iter().map(|it| (it.line, it.text.as_str()));
        texts.collect()
    }

    #[test]
    fn a_comment_is_a_block_of_two_lines_or_more() {
        let text = "\
//! Module, first line.
//! Second line.

/// One line.
fn f() {
    // Why this,
    // and not that.
    let x = 1; // after code
    // alone
}
/// Doc.
///
#[inline]
fn g() {}
/// Doc of two
/// lines.
#[inline]
fn h() {}
#[cfg(test)]
mod tests {
    // In a test,
    // and not drawn.
}
";
        let comments = comments(text);
        let expected = [
            (1, "//! Module, first line.\n//! Second line."),
            (6, "// Why this,\n// and not that."),
            (15, "/// Doc of two\n/// lines."),
        ];
        assert_eq!(texts(&comments), expected);
        let code: Vec<&str> = comments.iter().map(|it| it.code.as_str()).collect();
        assert_eq!(code, ["fn f() {", "let x = 1; // after code", "fn h() {}"]);
    }

    #[test]
    fn comments_of_cpp_are_without_licence_and_lines_in_strings_are_none() {
        let text = "\
//===- A.cpp - The file ---===//
//
// SPDX-License-Identifier: Apache-2.0
// The licence.
//===---===//
//
// The theory of the file,
// in two lines.
//
//===---===//
#include \"a.h\"
const char *text = \"
// a line
// and another
\";
";
        let comments = comments(text);
        let expected = [(6, "//\n// The theory of the file,\n// in two lines.\n//")];
        assert_eq!(texts(&comments), expected);
    }

    #[test]
    fn a_diagnostic_is_a_statement_with_a_message() {
        let text = r##"
fn f(op: Op) -> Result<(), Diagnostic> {
    let name = "no diagnostic at all";
    match op.kind() {
        1 => Err(error(op, format!("has {n} of {m}"))),
        2 => Err(
            error(op, "two words"),
        ),
        3 => error("word"),
        _ => error(op, format!("{NAME}: {message}")),
    }
}
#[derive(Debug)]
enum Error {
    #[error("{0} has no name")]
    A(u8),
    #[error(transparent)]
    B(Other),
    #[error(r#"{0} is "quoted""#)]
    C('"'),
}
// error("in a comment")
fn terror() { terror("no name of the table") }
"##;
        let expected = [
            (5, "Err(error(op, format!(\"has {n} of {m}\"))),\n2"),
            (6, "Err(\nerror(op, \"two words\"),\n),\n3"),
            (15, "error(\"{0} has no name\")]\nA(u8),"),
            (19, "error(\"{0} is \"quoted\"\")]\nC('\"'),"),
        ];
        assert_eq!(texts(&diagnostics(text)), expected);
        let cpp = "\
LogicalResult f() {
  if (a)
    return emitOpError(\"has \") << n
           << \" of \" << m;
  return emitError() << \"a layout\";
}
";
        let expected = [
            (
                3,
                "if (a)\nreturn emitOpError(\"has \") << n\n<< \" of \" << m",
            ),
            (5, "return emitError() << \"a layout\""),
        ];
        assert_eq!(texts(&diagnostics(cpp)), expected);
    }
}
