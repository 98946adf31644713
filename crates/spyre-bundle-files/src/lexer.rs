//! Words of the text form of `bundle.mlir`.

use crate::error::{Place, TextError};

/// A word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// `%name`, without the sign.
    Value(&'t str),
    /// `#name`, without the sign.
    Alias(&'t str),
    /// `@name`, without the sign.
    Symbol(&'t str),
    /// A keyword or the name of an operation, dots included.
    Word(&'t str),
    /// A whole number, without a sign.
    Integer(i64),
    /// The characters between quotes. Escapes are not used in bundles and not resolved.
    Text(&'t str),
    /// `->`.
    Arrow,
    /// Any other character.
    Sign(char),
    /// After the last word.
    End,
}

impl std::fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Value(name) => write!(f, "'%{name}'"),
            Self::Alias(name) => write!(f, "'#{name}'"),
            Self::Symbol(name) => write!(f, "'@{name}'"),
            Self::Word(name) => write!(f, "'{name}'"),
            Self::Integer(value) => write!(f, "'{value}'"),
            Self::Text(text) => write!(f, "\"{text}\""),
            Self::Arrow => f.write_str("'->'"),
            Self::Sign(sign) => write!(f, "'{sign}'"),
            Self::End => f.write_str("the end of the file"),
        }
    }
}

/// Splits the text into words with their places. The last word is [`Token::End`].
///
/// # Errors
/// A string that does not end, or a number beyond 63 bits.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token<'_>, Place)>, TextError> {
    let mut lexer = Lexer {
        text,
        at: 0,
        line: 1,
        line_start: 0,
    };
    let mut tokens = Vec::new();
    loop {
        let (token, place) = lexer.next()?;
        tokens.push((token, place));
        if token == Token::End {
            return Ok(tokens);
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    /// The next character, in bytes from the beginning.
    at: usize,
    /// The line that it is in, which is counted where white space is skipped: no word has two lines.
    line: usize,
    /// The first character of that line.
    line_start: usize,
}

impl<'t> Lexer<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn place(&self) -> Place {
        Place {
            line: self.line,
            column: 1 + self.at - self.line_start,
        }
    }

    /// Takes the bytes that `keep` accepts, which are whole characters.
    fn take(&mut self, keep: impl Fn(u8) -> bool) -> &'t str {
        let start = self.at;
        while self.peek().is_some_and(&keep) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    /// Skips white space and comments.
    fn space(&mut self) {
        loop {
            match self.peek() {
                Some(b'\n') => {
                    self.at += 1;
                    self.line += 1;
                    self.line_start = self.at;
                }
                Some(b'/') if self.text[self.at..].starts_with("//") => {
                    self.take(|byte| byte != b'\n');
                }
                Some(byte) if byte.is_ascii() && !char::from(byte).is_whitespace() => return,
                _ => match self.text[self.at..].chars().next() {
                    Some(sign) if sign.is_whitespace() => self.at += sign.len_utf8(),
                    _ => return,
                },
            }
        }
    }

    fn next(&mut self) -> Result<(Token<'t>, Place), TextError> {
        self.space();
        let place = self.place();
        let Some(first) = self.peek() else {
            return Ok((Token::End, place));
        };
        let token = match first {
            b'%' | b'#' | b'@' => {
                self.at += 1;
                let name = self.take(in_name);
                match first {
                    b'%' => Token::Value(name),
                    b'#' => Token::Alias(name),
                    _ => Token::Symbol(name),
                }
            }
            b'"' => {
                self.at += 1;
                let text = self.take(|byte| byte != b'"' && byte != b'\n');
                if self.peek() != Some(b'"') {
                    return Err(TextError::new(place, "this string does not end"));
                }
                self.at += 1;
                Token::Text(text)
            }
            b'0'..=b'9' => {
                let digits = self.take(|byte| byte.is_ascii_alphanumeric());
                let value = match digits.strip_prefix("0x") {
                    Some(hex) => i64::from_str_radix(hex, 16),
                    None => digits.parse(),
                };
                Token::Integer(value.map_err(|err| {
                    TextError::new(place, format!("'{digits}' is not a number: {err}"))
                })?)
            }
            b'-' if self.text[self.at..].starts_with("->") => {
                self.at += 2;
                Token::Arrow
            }
            _ if in_name(first) => Token::Word(self.take(in_name)),
            _ => {
                let sign = self.text[self.at..].chars().next();
                let sign = sign.expect("words end where characters do");
                self.at += sign.len_utf8();
                Token::Sign(sign)
            }
        };
        Ok((token, place))
    }
}

fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_places() {
        let text = "%a = affine.apply #map(%i)[%b] // note\n  {x=\"s\", -0x10} ->";
        let tokens = tokens(text).unwrap();
        let words: Vec<String> = tokens.iter().map(|(token, _)| token.to_string()).collect();
        let expected = [
            "'%a'",
            "'='",
            "'affine.apply'",
            "'#map'",
            "'('",
            "'%i'",
            "')'",
            "'['",
            "'%b'",
            "']'",
            "'{'",
            "'x'",
            "'='",
            "\"s\"",
            "','",
            "'-'",
            "'16'",
            "'}'",
            "'->'",
            "the end of the file",
        ];
        assert_eq!(words, expected);
        assert_eq!(tokens[10].1, Place { line: 2, column: 3 });
        let tokens = super::tokens("\u{a0}a\u{2028}\n\té/b").unwrap();
        let places: Vec<String> = tokens
            .iter()
            .map(|(token, place)| format!("{token} {place}"))
            .collect();
        let expected = [
            "'a' 1:3",
            "'é' 2:2",
            "'/' 2:4",
            "'b' 2:5",
            "the end of the file 2:6",
        ];
        assert_eq!(places, expected);
    }

    #[test]
    fn what_is_no_word() {
        let error = tokens("a\n \"open").unwrap_err();
        assert_eq!(error.to_string(), "2:2: this string does not end");
        assert!(tokens("99999999999999999999").is_err());
    }
}
