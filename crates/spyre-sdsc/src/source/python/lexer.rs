//! Python text to tokens.

use super::PythonError;
use crate::source::Position;

/// The kind of a token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    /// An identifier or a keyword.
    Name(String),
    /// An integer, a sign not included.
    Int(u64),
    /// A floating-point number.
    Float(f64),
    /// A text, without quotes and escapes.
    Str(String),
    /// A number or a string that no kernel has, for statements that are skipped.
    Unsupported(&'static str),
    /// Any other character.
    Mark(char),
    /// The end of a line outside brackets.
    Newline,
    /// The end of the file.
    End,
}

impl TokenKind {
    /// The token in words.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Name(name) => format!("`{name}`"),
            Self::Int(value) => format!("`{value}`"),
            Self::Float(value) => format!("`{value}`"),
            Self::Str(_) => "a string".to_owned(),
            Self::Unsupported(what) => (*what).to_owned(),
            Self::Mark(mark) => format!("`{mark}`"),
            Self::Newline => "the end of the line".to_owned(),
            Self::End => "the end of the file".to_owned(),
        }
    }
}

/// A token and where it starts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) position: Position,
}

struct Lexer<'t> {
    rest: std::iter::Peekable<std::str::Chars<'t>>,
    position: Position,
    /// Open brackets.
    depth: usize,
    tokens: Vec<Token>,
}

/// The tokens of a text; the last is [`TokenKind::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, PythonError> {
    let mut lexer = Lexer {
        rest: text.chars().peekable(),
        position: Position { line: 1, column: 1 },
        depth: 0,
        tokens: Vec::new(),
    };
    while let Some(next) = lexer.peek() {
        lexer.token(next)?;
    }
    lexer.push(TokenKind::Newline, lexer.position);
    lexer.push(TokenKind::End, lexer.position);
    Ok(lexer.tokens)
}

impl Lexer<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest.peek().copied()
    }

    fn bump(&mut self) -> Option<char> {
        let next = self.rest.next()?;
        if next == '\n' {
            self.position.line += 1;
            self.position.column = 1;
        } else {
            self.position.column += 1;
        }
        Some(next)
    }

    fn push(&mut self, kind: TokenKind, position: Position) {
        self.tokens.push(Token { kind, position });
    }

    fn token(&mut self, next: char) -> Result<(), PythonError> {
        let start = self.position;
        match next {
            '\n' => {
                self.bump();
                if self.depth == 0 {
                    self.push(TokenKind::Newline, start);
                }
            }
            '#' => {
                while self.peek().is_some_and(|c| c != '\n') {
                    self.bump();
                }
            }
            '\\' => {
                self.bump();
                // A line with a continuation.
                if self.peek() == Some('\r') {
                    self.bump();
                }
                if self.peek() == Some('\n') {
                    self.bump();
                } else {
                    self.push(TokenKind::Mark('\\'), start);
                }
            }
            c if c.is_whitespace() => {
                self.bump();
            }
            '\'' | '"' => {
                let text = self.string(false)?;
                self.push(TokenKind::Str(text), start);
            }
            c if c.is_ascii_digit() => self.number()?,
            c if c.is_alphabetic() || c == '_' => self.name()?,
            mark => {
                self.bump();
                match mark {
                    '(' | '[' | '{' => self.depth += 1,
                    // Statements that are skipped may close more than they open.
                    ')' | ']' | '}' => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
                self.push(TokenKind::Mark(mark), start);
            }
        }
        Ok(())
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some(next) = self.peek().filter(|c| keep(*c)) {
            taken.push(next);
            self.bump();
        }
        taken
    }

    fn name(&mut self) -> Result<(), PythonError> {
        let start = self.position;
        let name = self.take_while(|c| c.is_alphanumeric() || c == '_');
        let quoted = matches!(self.peek(), Some('\'' | '"'));
        let prefix = name.to_ascii_lowercase();
        let is_prefix = matches!(
            prefix.as_str(),
            "r" | "u" | "b" | "f" | "br" | "rb" | "fr" | "rf" | "t" | "rt" | "tr"
        );
        if !(quoted && is_prefix) {
            self.push(TokenKind::Name(name), start);
            return Ok(());
        }
        let text = self.string(prefix.contains('r'))?;
        self.push(
            if prefix.contains(['b', 'f', 't']) {
                TokenKind::Unsupported("a string of bytes or with replacement fields")
            } else {
                TokenKind::Str(text)
            },
            start,
        );
        Ok(())
    }

    fn number(&mut self) -> Result<(), PythonError> {
        let start = self.position;
        let mut text = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
        let is_radix = text.starts_with('0')
            && matches!(
                text.as_bytes().get(1),
                Some(b'x' | b'X' | b'o' | b'O' | b'b' | b'B')
            );
        if !is_radix {
            if self.peek() == Some('.') {
                text.push('.');
                self.bump();
                text.push_str(&self.take_while(|c| c.is_ascii_alphanumeric() || c == '_'));
            }
            if text.ends_with(['e', 'E'])
                && let Some(sign @ ('+' | '-')) = self.peek()
            {
                text.push(sign);
                self.bump();
                text.push_str(&self.take_while(|c| c.is_ascii_digit() || c == '_'));
            }
        }
        let digits = text.replace('_', "");
        let radix = |radix| u64::from_str_radix(&digits[2..], radix).ok();
        let integer = match digits.get(..2) {
            Some("0x" | "0X") => radix(16),
            Some("0o" | "0O") => radix(8),
            Some("0b" | "0B") => radix(2),
            _ => digits.parse().ok(),
        };
        let is_integer = digits.bytes().all(|b| b.is_ascii_digit());
        let kind = match integer {
            Some(value) => TokenKind::Int(value),
            None if is_radix || is_integer => TokenKind::Unsupported("an integer beyond 64 bits"),
            None => match digits.parse::<f64>() {
                Ok(value) => TokenKind::Float(value),
                Err(_) => TokenKind::Unsupported("a number that is none"),
            },
        };
        self.push(kind, start);
        Ok(())
    }

    /// A string from its first quote.
    fn string(&mut self, raw: bool) -> Result<String, PythonError> {
        let start = self.position;
        let open = |problem: &str| PythonError::new(start, problem);
        let quote = self.bump().ok_or_else(|| open("expected a string"))?;
        let mut triple = false;
        if self.peek() == Some(quote) {
            self.bump();
            if self.peek() != Some(quote) {
                return Ok(String::new());
            }
            self.bump();
            triple = true;
        }
        let mut text = String::new();
        loop {
            let here = self.position;
            match self.bump() {
                None => return Err(open("the string has no end")),
                Some('\n') if !triple => return Err(open("the string does not end on its line")),
                Some('\\') if raw => {
                    text.push('\\');
                    text.extend(self.bump());
                }
                Some('\\') => self.escape(here, &mut text)?,
                Some(c) if c == quote => {
                    if !triple {
                        return Ok(text);
                    }
                    let mut quotes = 1;
                    while quotes < 3 && self.peek() == Some(quote) {
                        self.bump();
                        quotes += 1;
                    }
                    if quotes == 3 {
                        return Ok(text);
                    }
                    text.extend(std::iter::repeat_n(quote, quotes));
                }
                Some(c) => text.push(c),
            }
        }
    }

    /// Reads an escape after its backslash at `start`.
    fn escape(&mut self, start: Position, text: &mut String) -> Result<(), PythonError> {
        let Some(next) = self.bump() else {
            return Ok(());
        };
        let plain = match next {
            '\n' => return Ok(()),
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '\\' | '\'' | '"' => next,
            'x' => self.code(start, 2)?,
            'u' => self.code(start, 4)?,
            'U' => self.code(start, 8)?,
            '0'..='7' => {
                let mut code = next.to_digit(8).expect("the digit is octal");
                for _ in 0..2 {
                    if let Some(digit) = self.peek().and_then(|c| c.to_digit(8)) {
                        code = code * 8 + digit;
                        self.bump();
                    }
                }
                char::from_u32(code).expect("three octal digits are a character")
            }
            // Python keeps the backslash of an unknown escape.
            other => {
                text.push('\\');
                other
            }
        };
        text.push(plain);
        Ok(())
    }

    fn code(&mut self, start: Position, digits: usize) -> Result<char, PythonError> {
        let mut code = 0u32;
        for _ in 0..digits {
            let digit = self.peek().and_then(|c| c.to_digit(16));
            let Some(digit) = digit else {
                let problem = format!("the escape needs {digits} hexadecimal digits");
                return Err(PythonError::new(start, problem));
            };
            // At most eight digits.
            code = (code << 4) | digit;
            self.bump();
        }
        char::from_u32(code).ok_or_else(|| PythonError::new(start, "the escape is not a character"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        let tokens = tokens(text).expect("tokens");
        tokens.into_iter().map(|token| token.kind).collect()
    }

    fn strings(text: &str) -> Vec<String> {
        let strings = kinds(text).into_iter().filter_map(|kind| match kind {
            TokenKind::Str(text) => Some(text),
            _ => None,
        });
        strings.collect()
    }

    #[test]
    fn strings_of_all_sorts() {
        assert_eq!(
            strings(r#"'a' "b'c" '' '\'\\\n\x41\u00e9\101\q' r'\n\'' u"d""#),
            ["a", "b'c", "", "'\\\nA\u{e9}A\\q", "\\n\\'", "d"]
        );
        assert_eq!(strings("'''a\n''b''' \"\"\"\"c\"\"\""), ["a\n''b", "\"c"]);
        assert_eq!(strings("'a\\\nb'"), ["ab"]);
        assert!(strings("b'x' f'{y}'").is_empty());
    }

    #[test]
    fn numbers() {
        let name = |text: &str| TokenKind::Name(text.to_owned());
        assert_eq!(
            kinds("1_000 0x1F 1e-05 1.5 2. 18446744073709551615 3j a1"),
            [
                TokenKind::Int(1000),
                TokenKind::Int(31),
                TokenKind::Float(1e-5),
                TokenKind::Float(1.5),
                TokenKind::Float(2.0),
                TokenKind::Int(u64::MAX),
                TokenKind::Unsupported("a number that is none"),
                name("a1"),
                TokenKind::Newline,
                TokenKind::End
            ]
        );
        assert_eq!(
            kinds("18446744073709551616")[0],
            TokenKind::Unsupported("an integer beyond 64 bits")
        );
    }

    #[test]
    fn lines_end_outside_brackets_and_comments_do_not_count() {
        assert_eq!(
            kinds("(a, # one )\n b)\nc \\\n d"),
            [
                TokenKind::Mark('('),
                TokenKind::Name("a".into()),
                TokenKind::Mark(','),
                TokenKind::Name("b".into()),
                TokenKind::Mark(')'),
                TokenKind::Newline,
                TokenKind::Name("c".into()),
                TokenKind::Name("d".into()),
                TokenKind::Newline,
                TokenKind::End
            ]
        );
    }

    #[test]
    fn positions_count_lines_and_characters() {
        let tokens = tokens("é = 'x'\n  y").expect("tokens");
        let places: Vec<(usize, usize)> = tokens
            .iter()
            .map(|t| (t.position.line, t.position.column))
            .collect();
        assert_eq!(
            places,
            [(1, 1), (1, 3), (1, 5), (1, 8), (2, 3), (2, 4), (2, 4)]
        );
    }

    #[test]
    fn broken_strings_are_located() {
        for (text, column, part) in [
            ("a = 'x\ny'", 5, "does not end on its line"),
            ("a = '''x", 5, "has no end"),
            ("a = '\\x4'", 6, "needs 2 hexadecimal digits"),
            ("a = '\\ud800'", 6, "not a character"),
        ] {
            let error = tokens(text).expect_err(text);
            assert_eq!(error.position, Position { line: 1, column }, "{text}");
            assert!(error.problem.contains(part), "{text}: {error}");
        }
    }
}
