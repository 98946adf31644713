//! Finds the lists of hints in a text: `tile [0: "S" in 4, 1: "E" by 256]`.
//!
//! A list that is being typed does not parse, so MLIR does not have it. This reader takes any beginning of a list.

use std::ops::Range;

/// A list of hints in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HintList {
    /// The start of `tile`.
    pub(crate) start: usize,
    /// The range between the brackets; without a closing bracket, up to the first word that is not of a list.
    pub(crate) inner: Range<usize>,
    /// Whether there is a closing bracket.
    pub(crate) is_closed: bool,
    /// The words of the list.
    tokens: Vec<Token>,
}

/// A hint in a list, as far as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HintText {
    /// The range of the hint.
    pub(crate) range: Range<usize>,
    /// The scope.
    pub(crate) scope: Option<i64>,
    /// The name of the dimension.
    pub(crate) dim: Option<String>,
}

/// The next word of a list at a cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expected {
    /// A hint.
    Hint,
    /// The name of a dimension in quotes.
    Dim,
    /// The name of a dimension inside of the quotes, which are there. The range is that of the name.
    DimInQuotes(Range<usize>),
    /// `in` or `by`. The range is that of the letters that are there.
    Keyword(Range<usize>),
    /// The number of tiles of a dimension.
    Count(String),
    /// The extent of a tile of a dimension.
    Size(String),
    /// Nothing that can be proposed.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Number,
    /// A string; `true` if it is closed.
    String(bool),
    Punctuation(u8),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Token {
    kind: Kind,
    range: Range<usize>,
}

impl HintList {
    /// Returns the lists of a text, in order.
    pub(crate) fn all(text: &str) -> Vec<Self> {
        let tokens = tokens(text);
        let is_start = |pair: &[Token]| {
            pair[0].kind == Kind::Word
                && &text[pair[0].range.clone()] == "tile"
                && pair[1].kind == Kind::Punctuation(b'[')
        };
        let starts = tokens.windows(2).enumerate();
        let starts = starts.filter(|(_, pair)| is_start(pair));
        starts
            .map(|(at, _)| Self::at(text, &tokens[at..]))
            .collect()
    }

    /// Returns the list of a text around a cursor; `None` if there is none.
    pub(crate) fn around(text: &str, cursor: usize) -> Option<Self> {
        let mut lists = Self::all(text).into_iter();
        lists.find(|list| list.inner.start <= cursor && cursor <= list.inner.end)
    }

    /// Returns the list that begins with these tokens, `tile` and the bracket.
    fn at(text: &str, tokens: &[Token]) -> Self {
        let (start, open) = (tokens[0].range.start, tokens[1].range.end);
        let rest = &tokens[2..];
        let length = rest
            .iter()
            .take_while(|token| is_of_list(text, token))
            .count();
        let end = rest.get(length);
        let is_closed = end.is_some_and(|end| end.kind == Kind::Punctuation(b']'));
        Self {
            start,
            inner: open..end.map_or(text.len(), |end| end.range.start),
            is_closed,
            tokens: rest[..length].to_vec(),
        }
    }

    /// Returns the hints.
    pub(crate) fn hints(&self, text: &str) -> Vec<HintText> {
        let hints = self
            .tokens
            .split(|token| token.kind == Kind::Punctuation(b','));
        hints.filter_map(|tokens| hint(text, tokens)).collect()
    }

    /// Returns the word that is next at a cursor in the list.
    pub(crate) fn expected(&self, text: &str, cursor: usize) -> Expected {
        let is_open_string = |token: &&Token| match token.kind {
            Kind::String(true) => token.range.start < cursor && cursor < token.range.end,
            Kind::String(false) => token.range.start < cursor && cursor <= token.range.end,
            _ => false,
        };
        if let Some(name) = self.tokens.iter().find(is_open_string) {
            let start = name.range.start + 1;
            // A string with punctuation is one without an end, up to the next quote.
            let is_name = |name: &str| !name.contains([',', ':', ']']);
            let end = match name.kind {
                Kind::String(true) if is_name(&text[start..name.range.end - 1]) => {
                    name.range.end - 1
                }
                _ => cursor,
            };
            return Expected::DimInQuotes(start..end);
        }
        // Letters around the cursor are those of the next word.
        let is_typed = |token: &&Token| {
            token.kind == Kind::Word && token.range.start < cursor && cursor <= token.range.end
        };
        let typed = self.tokens.iter().find(is_typed);
        let typed = typed.map_or(cursor..cursor, |typed| typed.range.clone());
        let before = self.tokens.iter();
        let before = before.filter(|token| token.range.end <= typed.start);
        let before: Vec<&Token> = before.collect();
        let mut parts = before.rsplit(|token| token.kind == Kind::Punctuation(b','));
        let hint = parts.next().unwrap_or_default();
        let kinds: Vec<Kind> = hint.iter().map(|token| token.kind).collect();
        let word = |at: usize| &text[hint[at].range.clone()];
        match kinds.as_slice() {
            [] if typed.is_empty() => Expected::Hint,
            [Kind::Number, Kind::Punctuation(b':')] => Expected::Dim,
            [Kind::Number, Kind::Punctuation(b':'), Kind::String(true)] => Expected::Keyword(typed),
            [
                Kind::Number,
                Kind::Punctuation(b':'),
                Kind::String(true),
                Kind::Word,
            ] => {
                let dim = word(2).trim_matches('"').to_owned();
                match word(3) {
                    "by" => Expected::Size(dim),
                    _ => Expected::Count(dim),
                }
            }
            _ => Expected::Other,
        }
    }

    /// Returns texts without the list, of the same length, for a parser. Where the list has no end, there are several
    /// candidates for the end.
    pub(crate) fn without(&self, text: &str, cursor: usize) -> Vec<String> {
        let blank = |end: usize| {
            let mut blanked = text[..self.start].to_owned();
            blanked.extend(std::iter::repeat_n(' ', end - self.start));
            blanked.push_str(&text[end..]);
            blanked
        };
        if self.is_closed {
            return vec![blank(self.inner.end + 1)];
        }
        let line = text[cursor..].lines().next().unwrap_or_default();
        let bracket = line.find(']').map(|bracket| cursor + bracket + 1);
        std::iter::once(cursor).chain(bracket).map(blank).collect()
    }
}

fn hint(text: &str, tokens: &[Token]) -> Option<HintText> {
    let (first, last) = (tokens.first()?, tokens.last()?);
    let word = |token: &Token| &text[token.range.clone()];
    let dim = tokens
        .iter()
        .find(|token| matches!(token.kind, Kind::String(_)));
    let scope = (first.kind == Kind::Number)
        .then(|| word(first).parse().ok())
        .flatten();
    let dim = dim.map(|dim| word(dim).trim_matches('"').to_owned());
    // The colon before the type of an operation follows a list without an end, and is no hint.
    (scope.is_some() || dim.is_some()).then_some(HintText {
        range: first.range.start..last.range.end,
        scope,
        dim,
    })
}

/// Returns whether a token can be in a list of hints.
fn is_of_list(text: &str, token: &Token) -> bool {
    match token.kind {
        Kind::Number | Kind::String(_) | Kind::Punctuation(b':' | b',') => true,
        // The beginning of a keyword is a letter.
        Kind::Word => matches!(&text[token.range.clone()], "in" | "by" | "i" | "b"),
        Kind::Punctuation(_) => false,
    }
}

/// Returns the tokens of a text of MLIR, without comments. A string ends at the end of its line at the latest.
fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$');
    while let Some(byte) = bytes.get(at).copied() {
        let rest = &bytes[at..];
        let (kind, length) = match byte {
            b'/' if rest.starts_with(b"//") => {
                at += rest
                    .iter()
                    .position(|byte| *byte == b'\n')
                    .unwrap_or(rest.len());
                continue;
            }
            b'"' => {
                let (length, is_closed) = string(rest);
                (Kind::String(is_closed), length)
            }
            b'0'..=b'9' => (
                Kind::Number,
                rest.iter().take_while(|byte| is_word(**byte)).count(),
            ),
            _ if is_word(byte) => (
                Kind::Word,
                rest.iter().take_while(|byte| is_word(**byte)).count(),
            ),
            // Names of values, types and attributes are words that are no keywords.
            b'%' | b'#' | b'!' | b'@' | b'^' => (
                Kind::Word,
                1 + rest[1..].iter().take_while(|byte| is_word(**byte)).count(),
            ),
            _ if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            _ => (Kind::Punctuation(byte), 1),
        };
        tokens.push(Token {
            kind,
            range: at..at + length,
        });
        at += length;
    }
    tokens
}

/// Returns the length of the string that a text begins with, in bytes, and whether it is closed.
fn string(text: &[u8]) -> (usize, bool) {
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return (at + 1, true),
            b'\n' => return (at, false),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    (text.len(), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the expected word at `|` of a text.
    fn expected(marked: &str) -> Option<Expected> {
        let cursor = marked.find('|').expect("the text has a cursor");
        let text = marked.replace('|', "");
        Some(HintList::around(&text, cursor)?.expected(&text, cursor))
    }

    #[test]
    fn the_next_word_follows_from_the_words_before() {
        assert_eq!(expected("%y = spyre.exp %x tile [|"), Some(Expected::Hint));
        assert_eq!(
            expected("tile [0: \"S\" in 4, |] : !t"),
            Some(Expected::Hint)
        );
        assert_eq!(expected("tile [0: |] : !t"), Some(Expected::Dim));
        assert_eq!(
            expected("tile [0: \"|\"]"),
            Some(Expected::DimInQuotes(10..10))
        );
        assert_eq!(
            expected("tile [0: \"S|\n"),
            Some(Expected::DimInQuotes(10..11))
        );
        assert_eq!(
            expected("tile [0: \"|, 1: \"E\" in 2]"),
            Some(Expected::DimInQuotes(10..10))
        );
        assert_eq!(
            expected("tile [0: \"S\" |]"),
            Some(Expected::Keyword(13..13))
        );
        assert_eq!(
            expected("tile [0: \"S\" i|]"),
            Some(Expected::Keyword(13..14))
        );
        assert_eq!(
            expected("tile [0: \"S\" i|n 4]"),
            Some(Expected::Keyword(13..15))
        );
        assert_eq!(
            expected("tile [0: \"S\" in |]"),
            Some(Expected::Count("S".to_owned()))
        );
        assert_eq!(
            expected("tile [0: \"S\" by |]"),
            Some(Expected::Size("S".to_owned()))
        );
        assert_eq!(expected("tile [0: \"S\" in 4|]"), Some(Expected::Other));
        assert_eq!(expected("tile| [0: \"S\" in 4]"), None);
        assert_eq!(expected("tile [0: \"S\" in 4] : |!t"), None);
        assert_eq!(expected("\u{e9} tile [|]"), Some(Expected::Hint));
        assert_eq!(expected("// tile [|]"), None);
        assert_eq!(expected("\"tile [|]\""), None);
    }

    #[test]
    fn hints_are_read_as_far_as_they_are_written() {
        let text = "tile [0: \"S\" in 4, 1: \"E\"] : !t";
        let lists = HintList::all(text);
        let hints = lists[0].hints(text);
        let names: Vec<_> = hints.iter().map(|hint| hint.dim.as_deref()).collect();
        assert_eq!(names, [Some("S"), Some("E")]);
        assert_eq!(hints[1].scope, Some(1));
        assert_eq!(&text[hints[0].range.clone()], "0: \"S\" in 4");
        assert!(lists[0].is_closed);
    }

    #[test]
    fn a_list_is_blanked_with_the_positions_kept() {
        let text = "%y = spyre.exp %x tile [0: \"] : !t";
        let cursor = text.find("\"").expect("a quote") + 1;
        let list = HintList::around(text, cursor).expect("a list");
        assert!(!list.is_closed);
        let candidates = list.without(text, cursor);
        assert_eq!(
            candidates[1].trim_end(),
            format!("%y = spyre.exp %x {} : !t", " ".repeat(11))
        );
        assert!(
            candidates
                .iter()
                .all(|candidate| candidate.len() == text.len())
        );
    }
}
