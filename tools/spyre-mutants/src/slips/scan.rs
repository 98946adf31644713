//! Finds the end of a Rust statement.
//!
//! The scan knows the tokens that may contain brackets and semicolons without being any: text, characters and comments.
//! All else is brackets, the marks that end a statement, and one rule of the grammar: a statement that begins with a
//! block, such as `if` and `match`, ends with its last brace. That is all that whole statements need: no parser is
//! compiled for this one list.

/// The words that begin a statement which ends with a brace.
const BLOCKS: [&str; 7] = ["if", "match", "for", "while", "loop", "unsafe", "{"];

/// The beginnings of tokens after a brace that continue a statement: its alternative, a call on its value, and the rest
/// of the pattern of an `if let` or a `for`.
const CONTINUED: [&str; 6] = ["else", ".", "?", "=", "|", "in "];

/// The place of a statement in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A statement that begins its line and ends with a semicolon.
    Statement,
    /// The expression of an arm or of a closure begins after a mark, and ends before a comma or a semicolon.
    Expression,
}

/// Returns the offset after a statement that begins at `start`. `None` if the text ends before the statement.
pub(super) fn end(source: &str, start: usize, form: Form) -> Option<usize> {
    let is_block = BLOCKS
        .iter()
        .any(|word| begins_with(&source[start..], word));
    // The end of the last token of the statement. A comment after it is no part of it.
    let (mut at, mut last, mut depth) = (start, start, 0_usize);
    while let Some(first) = source[at..].chars().next() {
        let length = token_length(source, at);
        let token = &source[at..at + length];
        at += length;
        match first {
            _ if first.is_whitespace() || token.starts_with("//") || token.starts_with("/*") => {
                continue;
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return Some(last),
            ')' | ']' | '}' => depth -= 1,
            ';' if depth == 0 && form == Form::Statement => return Some(at),
            ';' | ',' if depth == 0 && form == Form::Expression => return Some(last),
            _ => {}
        }
        last = at;
        if is_block && first == '}' && depth == 0 && !is_continued(source, at) {
            return Some(at);
        }
    }
    None
}

/// Returns whether the statement goes on after a brace.
fn is_continued(source: &str, mut at: usize) -> bool {
    while source[at..].starts_with(char::is_whitespace)
        || source[at..].starts_with("//")
        || source[at..].starts_with("/*")
    {
        at += token_length(source, at);
    }
    let rest = &source[at..];
    CONTINUED.iter().any(|mark| rest.starts_with(mark))
}

/// Returns whether a text begins with a word, or with a mark such as `{`.
fn begins_with(text: &str, word: &str) -> bool {
    let rest = text.strip_prefix(word);
    rest.is_some_and(|rest| word == "{" || !rest.starts_with(is_of_word))
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Returns the length in bytes of the token at an offset, or of the character there where it is no longer token.
fn token_length(source: &str, at: usize) -> usize {
    let rest = &source[at..];
    let first = rest.chars().next().map_or(0, char::len_utf8);
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return comment_length(rest);
    }
    if rest.starts_with('"') {
        return text_length(rest);
    }
    if rest.starts_with('\'') {
        return character_length(rest);
    }
    if rest.starts_with(is_of_word) {
        // The prefix of a string literal, such as `r` and `br`, is scanned with the literal. Other words are one token.
        let word = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
        if let Some(raw) = matches!(&rest[..word], "r" | "br" | "cr")
            .then(|| raw_length(&rest[word..]))
            .flatten()
        {
            return word + raw;
        }
        return word;
    }
    first
}

/// Returns the length of a block comment, which may contain others.
fn comment_length(rest: &str) -> usize {
    let (mut at, mut depth) = (0, 0_usize);
    while at < rest.len() {
        let (length, change) = match &rest[at..] {
            rest if rest.starts_with("/*") => (2, depth + 1),
            rest if rest.starts_with("*/") => (2, depth - 1),
            rest => (rest.chars().next().map_or(1, char::len_utf8), depth),
        };
        (at, depth) = (at + length, change);
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// Returns the length of a text in quotes.
fn text_length(rest: &str) -> usize {
    let mut characters = rest.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return at + 1,
            '\\' => drop(characters.next()),
            _ => {}
        }
    }
    rest.len()
}

/// Returns the length of a raw text without its prefix: `#"..."#`. `None` if it is a raw name, such as `r#match`.
fn raw_length(rest: &str) -> Option<usize> {
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    let body = rest[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let length = body.find(&close).map_or(body.len(), |at| at + close.len());
    Some(hashes + 1 + length)
}

/// Returns the length of a character in quotes; 1 for the mark of a lifetime.
fn character_length(rest: &str) -> usize {
    let mut characters = rest.char_indices().skip(1);
    match (characters.next(), characters.next()) {
        // The character after the backslash may be a quote.
        (Some((_, '\\')), Some((at, escaped))) => {
            let at = at + escaped.len_utf8();
            rest[at..]
                .find('\'')
                .map_or(rest.len(), |close| at + close + 1)
        }
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the statement at the beginning of a text.
    fn first(source: &str, form: Form) -> &str {
        &source[..end(source, 0, form).unwrap()]
    }

    #[test]
    fn a_statement_ends_with_its_semicolon() {
        for statement in [
            "list.push(x);",
            "list.push(Item {\n    a: [1; 2],\n    b: f(|x| { g(x); x }),\n});",
            "write!(f, \"); }} {{ \\\" ;\", ';', '}', '\\'', '\\u{7d}')?;",
            "f(r\"\\\", r#\"\"); \"#, br##\"\"#;\"##, r#match);",
            "f::<'a>(&'static x, 'é');",
            "f(/* ) ; /* } */ ; */ x);",
            "f(x) // ;\n    .g();",
        ] {
            let source = format!("{statement} // ;\n    other();\n}}");
            assert_eq!(first(&source, Form::Statement), statement);
        }
    }

    #[test]
    fn a_block_ends_with_its_last_brace() {
        for statement in [
            "if a {\n    b();\n} else if c {\n    d();\n}\n// The rest.\nelse { e(); }",
            "if let S { x } = y {\n    b(x);\n}",
            "for S { x } in y {\n    b(x);\n}",
            "match x\n    .expect(\"a } brace\")\n{\n    S { x } => y,\n    _ => {}\n}",
            "match x { _ => y }.call();",
            "loop { break; }",
        ] {
            let source = format!("{statement}\n    other();\n}}");
            assert_eq!(first(&source, Form::Statement), statement);
        }
        assert_eq!(first("iffy(x); y();", Form::Statement), "iffy(x);");
    }

    #[test]
    fn the_last_statement_of_a_block_ends_before_its_brace() {
        let source = "self.add(x) // without a semicolon; }\n    }\n}";
        assert_eq!(first(source, Form::Statement), "self.add(x)");
        let source = "match x {\n    _ => y,\n}\n}";
        assert_eq!(first(source, Form::Statement), "match x {\n    _ => y,\n}");
    }

    #[test]
    fn an_expression_ends_before_its_mark() {
        let source = "list.push((\n    a,\n    b,\n)),\n_ => {}";
        assert_eq!(
            first(source, Form::Expression),
            "list.push((\n    a,\n    b,\n))"
        );
        assert_eq!(first("add(x);", Form::Expression), "add(x)");
        assert_eq!(first("add(x) }", Form::Expression), "add(x)");
        assert_eq!(first("{ a, b }\nc", Form::Expression), "{ a, b }");
    }

    #[test]
    fn a_statement_without_an_end_is_none() {
        for source in ["f(", "f(\";", "if a {", "f('", "/* ;", "r#\"\" ;"] {
            assert_eq!(end(source, 0, Form::Statement), None, "{source}");
        }
    }
}
