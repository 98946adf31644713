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
        rest: text,
        place: Place { line: 1, column: 1 },
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
    rest: &'t str,
    place: Place,
}

impl<'t> Lexer<'t> {
    /// Takes the characters that `keep` accepts.
    fn take(&mut self, keep: impl Fn(char) -> bool) -> &'t str {
        let end = self
            .rest
            .find(|sign: char| !keep(sign))
            .unwrap_or(self.rest.len());
        self.skip(end)
    }

    /// Takes `bytes` bytes, which end at a character boundary, or fewer at the end of the text.
    fn skip(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        match taken.rsplit_once('\n') {
            Some((before, last)) => {
                self.place.line += 1 + before.matches('\n').count();
                self.place.column = 1 + last.len();
            }
            None => self.place.column += taken.len(),
        }
        taken
    }

    fn next(&mut self) -> Result<(Token<'t>, Place), TextError> {
        loop {
            self.take(char::is_whitespace);
            if !self.rest.starts_with("//") {
                break;
            }
            self.take(|sign| sign != '\n');
        }
        let place = self.place;
        let Some(first) = self.rest.chars().next() else {
            return Ok((Token::End, place));
        };
        let token = match first {
            '%' | '#' | '@' => {
                self.skip(1);
                let name = self.take(in_name);
                match first {
                    '%' => Token::Value(name),
                    '#' => Token::Alias(name),
                    _ => Token::Symbol(name),
                }
            }
            '"' => {
                self.skip(1);
                let text = self.take(|sign| sign != '"' && sign != '\n');
                if self.skip(1) != "\"" {
                    return Err(TextError::new(place, "this string does not end"));
                }
                Token::Text(text)
            }
            '0'..='9' => {
                let digits = self.take(|sign| sign.is_ascii_alphanumeric());
                let value = match digits.strip_prefix("0x") {
                    Some(hex) => i64::from_str_radix(hex, 16),
                    None => digits.parse(),
                };
                Token::Integer(value.map_err(|why| {
                    TextError::new(place, format!("'{digits}' is not a number: {why}"))
                })?)
            }
            '-' if self.rest.starts_with("->") => {
                self.skip(2);
                Token::Arrow
            }
            _ if in_name(first) => Token::Word(self.take(in_name)),
            _ => {
                self.skip(first.len_utf8());
                Token::Sign(first)
            }
        };
        Ok((token, place))
    }
}

fn in_name(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || matches!(sign, '_' | '.' | '$')
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
    }

    #[test]
    fn what_is_no_word() {
        let error = tokens("a\n \"open").unwrap_err();
        assert_eq!(error.to_string(), "2:2: this string does not end");
        assert!(tokens("99999999999999999999").is_err());
    }
}
