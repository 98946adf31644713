//! JSON in which every value has its place in the text.
//!
//! `serde_json` reports where a text is malformed, but not the place of a well-formed value. This module accepts the
//! same texts as `serde_json` (RFC 8259), up to a depth; a test compares the two. [`parse`] returns a tree, and
//! [`from_str`] a type that serde can build from one.

mod decode;

use rustc_hash::{FxBuildHasher, FxHashSet};
use std::borrow::Cow;

use crate::error::{Place, TextError};

pub use decode::from_str;

/// Deepest nesting of arrays and objects. A file of a bundle has 15 levels.
pub const MAX_DEPTH: usize = 64;

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Json<'t> {
    /// Bytes from the beginning of the text to the first character of the value.
    pub offset: usize,
    /// The value.
    pub value: Value<'t>,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'t> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as it is written.
    Number(&'t str),
    /// A string, escapes resolved.
    String(Cow<'t, str>),
    /// An array.
    Array(Vec<Json<'t>>),
    /// An object in the order of the text. Keys may occur twice; see [`Member::is_again`].
    Object(Vec<Member<'t>>),
}

/// A key of an object with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Member<'t> {
    /// The key, escapes resolved.
    pub key: Cow<'t, str>,
    /// The place of the key, in bytes from the beginning of the text.
    pub offset: usize,
    /// The value.
    pub value: Json<'t>,
    /// Whether the object has the key before.
    pub is_again: bool,
}

/// A fault at an offset, in bytes.
struct Malformed {
    offset: usize,
    what: &'static str,
}

impl Value<'_> {
    /// Returns the kind of the value, for messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

/// Parses one value with only white space around it. Time and memory are linear in the text.
///
/// # Errors
/// The first place that is not JSON, or is nested deeper than [`MAX_DEPTH`].
pub fn parse(text: &str) -> Result<Json<'_>, TextError> {
    let mut parser = Parser { text, at: 0 };
    let value = parser.root();
    value.map_err(|err| TextError::new(Place::from_offset(text, err.offset), err.what))
}

/// Returns the JSON pointer (RFC 6901) of the value or key that begins at an offset in bytes. A key has the pointer of
/// its value.
#[must_use]
pub fn pointer(root: &Json<'_>, offset: usize) -> String {
    let mut path = String::new();
    let mut at = root;
    loop {
        let next = match &at.value {
            Value::Array(items) => {
                let index = items.partition_point(|item| item.offset <= offset);
                index
                    .checked_sub(1)
                    .and_then(|index| Some((index.to_string(), items.get(index)?, false)))
            }
            Value::Object(members) => {
                let index = members.partition_point(|member| member.offset <= offset);
                index
                    .checked_sub(1)
                    .and_then(|index| members.get(index))
                    .map(|member| {
                        let key = member.key.replace('~', "~0").replace('/', "~1");
                        (key, &member.value, member.offset == offset)
                    })
            }
            _ => None,
        };
        // A container begins before its first entry.
        let Some((step, value, is_key)) = next.filter(|_| at.offset != offset) else {
            return path;
        };
        path.push('/');
        path.push_str(&step);
        if is_key {
            return path;
        }
        at = value;
    }
}

/// The most members that are compared pairwise by key: a table of so few is slower.
const FEW: usize = 16;

/// Marks the members with a key that an earlier one has.
fn mark(members: &mut [Member<'_>]) {
    if members.len() <= FEW {
        for position in 1..members.len() {
            let (before, rest) = members.split_at_mut(position);
            rest[0].is_again = before.iter().any(|member| member.key == rest[0].key);
        }
        return;
    }
    let mut seen = FxHashSet::with_capacity_and_hasher(members.len(), FxBuildHasher);
    let again: Vec<bool> = members
        .iter()
        .map(|next| !seen.insert(&*next.key))
        .collect();
    for (member, again) in members.iter_mut().zip(again) {
        member.is_again = again;
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Parser<'t> {
    fn malformed(&self, what: &'static str) -> Malformed {
        Malformed {
            offset: self.at,
            what,
        }
    }

    fn root(&mut self) -> Result<Json<'t>, Malformed> {
        let value = self.value(0)?;
        self.space();
        match self.peek() {
            None => Ok(value),
            Some(_) => Err(self.malformed("text after the end of the value")),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Takes `byte` if it is next.
    fn take(&mut self, byte: u8) -> bool {
        let next = self.peek() == Some(byte);
        self.at += usize::from(next);
        next
    }

    fn value(&mut self, depth: usize) -> Result<Json<'t>, Malformed> {
        self.space();
        let offset = self.at;
        let value = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Value::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => Value::Number(self.number()?),
            Some(b't') => self.word("true", Value::Bool(true))?,
            Some(b'f') => self.word("false", Value::Bool(false))?,
            Some(b'n') => self.word("null", Value::Null)?,
            Some(_) => return Err(self.malformed("expected a value")),
            None => return Err(self.malformed("the text ends where a value is expected")),
        };
        Ok(Json { offset, value })
    }

    fn word(&mut self, word: &str, value: Value<'t>) -> Result<Value<'t>, Malformed> {
        if self
            .text
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(word))
        {
            self.at += word.len();
            Ok(value)
        } else {
            Err(self.malformed("expected a value"))
        }
    }

    /// Skips the bracket that opens an array or object inside `depth` others.
    fn open(&mut self, depth: usize) -> Result<(), Malformed> {
        if depth >= MAX_DEPTH {
            return Err(self.malformed("arrays and objects are nested too deeply"));
        }
        self.at += 1;
        self.space();
        Ok(())
    }

    fn array(&mut self, depth: usize) -> Result<Value<'t>, Malformed> {
        self.open(depth)?;
        let mut items = Vec::new();
        if self.take(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.space();
            if self.take(b']') {
                return Ok(Value::Array(items));
            }
            if !self.take(b',') {
                return Err(self.malformed("expected ',' or ']'"));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value<'t>, Malformed> {
        self.open(depth)?;
        let mut members = Vec::new();
        if self.take(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.space();
            let offset = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.malformed("expected a key in quotes"));
            }
            let key = self.string()?;
            self.space();
            if !self.take(b':') {
                return Err(self.malformed("expected ':'"));
            }
            let value = self.value(depth + 1)?;
            members.push(Member {
                key,
                offset,
                value,
                is_again: false,
            });
            self.space();
            if self.take(b'}') {
                mark(&mut members);
                return Ok(Value::Object(members));
            }
            if !self.take(b',') {
                return Err(self.malformed("expected ',' or '}'"));
            }
        }
    }

    fn digits(&mut self) -> Result<(), Malformed> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.malformed("expected a digit"));
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<&'t str, Malformed> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            if !self.take(b'+') {
                self.take(b'-');
            }
            self.digits()?;
        }
        self.slice(start)
    }

    /// Returns the text from `start` to here.
    fn slice(&self, start: usize) -> Result<&'t str, Malformed> {
        self.text
            .get(start..self.at)
            .ok_or_else(|| self.malformed("expected a value"))
    }

    fn string(&mut self) -> Result<Cow<'t, str>, Malformed> {
        self.at += 1;
        let mut start = self.at;
        let mut resolved: Option<String> = None;
        loop {
            match self.peek() {
                None => return Err(self.malformed("the text ends inside a string")),
                Some(b'"') => {
                    let last = self.slice(start)?;
                    self.at += 1;
                    return Ok(match resolved {
                        None => Cow::Borrowed(last),
                        Some(mut text) => {
                            text.push_str(last);
                            Cow::Owned(text)
                        }
                    });
                }
                Some(b'\\') => {
                    let before = self.slice(start)?;
                    let character = self.escape()?;
                    let text = resolved.get_or_insert_default();
                    text.push_str(before);
                    text.push(character);
                    start = self.at;
                }
                Some(..0x20) => {
                    return Err(self.malformed("a control character inside a string"));
                }
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<char, Malformed> {
        self.at += 1;
        let character = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(),
            _ => return Err(self.malformed("an unknown escape inside a string")),
        };
        self.at += 1;
        Ok(character)
    }

    /// Reads `uXXXX`, or two of them that are a surrogate pair.
    fn unicode(&mut self) -> Result<char, Malformed> {
        const WRONG: &str = "an escape that is no character";
        let first = self.hexadecimal()?;
        let code = if (0xD800..0xDC00).contains(&first) {
            if !self.take(b'\\') || self.peek() != Some(b'u') {
                return Err(self.malformed(WRONG));
            }
            let second = self.hexadecimal()?;
            if !(0xDC00..0xE000).contains(&second) {
                return Err(self.malformed(WRONG));
            }
            0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
        } else {
            first
        };
        char::from_u32(code).ok_or_else(|| self.malformed(WRONG))
    }

    fn hexadecimal(&mut self) -> Result<u32, Malformed> {
        let digits = self
            .text
            .get(self.at + 1..self.at + 5)
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .ok_or_else(|| self.malformed("expected four hexadecimal digits"))?;
        self.at += 5;
        Ok(digits)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns whether `serde_json` reads the same value. Numbers are compared as they are read, keys in order.
    fn same(ours: &Json<'_>, theirs: &serde_json::Value) -> bool {
        match (&ours.value, theirs) {
            (Value::Null, serde_json::Value::Null) => true,
            (Value::Bool(ours), serde_json::Value::Bool(theirs)) => ours == theirs,
            (Value::Number(ours), serde_json::Value::Number(theirs)) => {
                ours.parse::<f64>().ok() == theirs.as_f64()
            }
            (Value::String(ours), serde_json::Value::String(theirs)) => ours == theirs,
            (Value::Array(ours), serde_json::Value::Array(theirs)) => {
                ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(a, b)| same(a, b))
            }
            (Value::Object(ours), serde_json::Value::Object(theirs)) => {
                // Where a key occurs twice, serde_json keeps the last value.
                ours.iter().all(|member| theirs.contains_key(&*member.key))
                    && theirs.iter().all(|(key, value)| {
                        ours.iter()
                            .rfind(|member| member.key == key.as_str())
                            .is_some_and(|member| same(&member.value, value))
                    })
            }
            _ => false,
        }
    }

    fn compare(text: &str) {
        match (parse(text), serde_json::from_str::<serde_json::Value>(text)) {
            (Ok(ours), Ok(theirs)) => assert!(same(&ours, &theirs), "{text}"),
            (Err(_), Err(_)) => {}
            // A number that no f64 holds is still a number.
            (Ok(_), Err(err)) if err.to_string().starts_with("number out of range") => {}
            (ours, theirs) => panic!("{text}: {ours:?} but {theirs:?}"),
        }
    }

    #[test]
    fn accepts_what_serde_json_accepts() {
        for text in [
            "",
            " ",
            "null",
            "nul",
            "true",
            "[",
            "[]",
            "[1,]",
            "[1 2]",
            "{}",
            "{\"a\"}",
            "{\"a\":1,}",
            "{a:1}",
            "01",
            "-",
            "-0",
            "1.",
            "1.5",
            ".5",
            "1e5",
            "1e",
            "1E+5",
            "1e-5",
            "\"",
            "\"a",
            "\"\\u00e9\"",
            "\"\\ud83d\\ude00\"",
            "\"\\ud83d\"",
            "\"\\ude00\"",
            "\"\\ud83d\\u0041\"",
            "\"\\x\"",
            "\"\t\"",
            "\"\\u12\"",
            "\"\\u+123\"",
            "[1] 2",
            " [ 1 , {\"a\" : [ ] } ] ",
            "\u{feff}1",
            "\"é\"",
            "1e999",
            "{\"a\":1,\"a\":2}",
        ] {
            compare(text);
        }
    }

    proptest! {
        #[test]
        fn damaged_text_is_read_as_serde_json_reads_it(
            at in 0usize..100,
            text in "[\\[\\]{}:,\"\\\\0-9eE+.a-fu -]{0,6}",
            length in 0usize..4,
        ) {
            let whole = r#"{"a": [1, -2.5e3, {"b~/": "x\u0041\\"}], "c": null, "d": {"e": true, "f": [[], {}]}}"#;
            let start = at.min(whole.len());
            let end = (start + length).min(whole.len());
            compare(&format!("{}{text}{}", &whole[..start], &whole[end..]));
        }
    }

    #[test]
    fn depth_has_a_limit() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse(&nested(MAX_DEPTH)).is_ok());
        let error = parse(&nested(MAX_DEPTH + 1)).expect_err("too deep");
        assert_eq!(
            error.place,
            Place {
                line: 1,
                column: MAX_DEPTH + 1
            }
        );
        assert!(parse(&"[".repeat(10_000_000)).is_err());
    }

    #[test]
    fn keys_that_occur_twice_are_marked() {
        let root = parse(r#"{"a": 1, "b": 2, "\u0061": 3}"#).expect("JSON");
        let Value::Object(members) = root.value else {
            panic!("an object");
        };
        assert_eq!(
            [false, false, true],
            [0, 1, 2].map(|at| members[at].is_again)
        );
    }

    #[test]
    fn keys_of_large_objects_are_marked_as_well() {
        for count in [FEW, FEW + 1, 100] {
            let keys = (1..count).map(|key| format!("\"{key}\": 0, "));
            let text = format!("{{{}\"1\": 0}}", keys.collect::<String>());
            let Value::Object(members) = parse(&text).expect("JSON").value else {
                panic!("an object");
            };
            let again = members.iter().filter(|member| member.is_again);
            assert_eq!(members.len(), count);
            assert_eq!(
                again.map(|member| member.offset).collect::<Vec<_>>(),
                [members[count - 1].offset]
            );
        }
    }

    #[test]
    fn pointers_of_values_and_keys() {
        let text = r#"{"a": [1, {"b/~": 2}], "c": 3}"#;
        let root = parse(text).expect("JSON");
        for (needle, expected) in [
            ("{\"a\"", ""),
            ("\"a\"", "/a"),
            ("[1", "/a"),
            ("1,", "/a/0"),
            ("{\"b", "/a/1"),
            ("\"b", "/a/1/b~1~0"),
            ("2}", "/a/1/b~1~0"),
            ("3}", "/c"),
        ] {
            let offset = text.find(needle).expect("a needle");
            assert_eq!(pointer(&root, offset), expected, "{needle}");
        }
    }
}
