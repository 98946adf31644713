//! JSON, as `llvm-tblgen` prints it.

use std::collections::BTreeMap;

/// A value of JSON.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

impl Json {
    /// Reads a text that has one value.
    ///
    /// # Errors
    /// The text is not JSON; the error has the position of the first byte that is wrong.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value()?;
        reader.skip_blanks();
        match reader.at == text.len() {
            true => Ok(value),
            false => Err(reader.wrong("the end")),
        }
    }

    /// Returns a member of an object; `None` if there is none, or the value is no object.
    pub(super) fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Self::Object(members) => members.get(name),
            _ => None,
        }
    }

    /// Returns the text of a string; `None` for any other value.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the elements of a list; none for any other value.
    pub(super) fn list(&self) -> &[Json] {
        match self {
            Self::List(list) => list,
            _ => &[],
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    /// The position of the next byte.
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn wrong(&self, expected: &str) -> String {
        format!("expected {expected} at byte {}", self.at)
    }

    fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Reads a word after blanks; returns whether it is there.
    fn has(&mut self, word: &str) -> bool {
        self.skip_blanks();
        let is_there = self.rest().starts_with(word);
        self.at += if is_there { word.len() } else { 0 };
        is_there
    }

    fn value(&mut self) -> Result<Json, String> {
        if self.has("{") {
            let member = |it: &mut Self| {
                let name = it.quoted()?;
                it.after(":")?;
                Ok((name, it.value()?))
            };
            return Ok(Json::Object(self.elements("}", member)?));
        }
        if self.has("[") {
            return Ok(Json::List(self.elements("]", Self::value)?));
        }
        if self.rest().starts_with('"') {
            return Ok(Json::Text(self.quoted()?));
        }
        let words = [
            ("null", Json::Null),
            ("true", Json::Bool(true)),
            ("false", Json::Bool(false)),
        ];
        for (word, value) in words {
            if self.has(word) {
                return Ok(value);
            }
        }
        let rest = self.rest();
        let is_part = |sign: char| sign.is_ascii_digit() || "+-.eE".contains(sign);
        let length = rest.find(|sign| !is_part(sign)).unwrap_or(rest.len());
        let number = rest[..length].parse().map_err(|_| self.wrong("a value"))?;
        self.at += length;
        Ok(Json::Number(number))
    }

    fn after(&mut self, word: &str) -> Result<(), String> {
        match self.has(word) {
            true => Ok(()),
            false => Err(self.wrong(&format!("'{word}'"))),
        }
    }

    fn elements<T, C: Default + Extend<T>>(
        &mut self,
        end: &str,
        read: impl Fn(&mut Self) -> Result<T, String>,
    ) -> Result<C, String> {
        let mut elements = C::default();
        if self.has(end) {
            return Ok(elements);
        }
        loop {
            elements.extend([read(self)?]);
            if self.has(end) {
                return Ok(elements);
            }
            self.after(",")?;
        }
    }

    fn quoted(&mut self) -> Result<String, String> {
        self.after("\"")?;
        let mut text = String::new();
        let mut signs = self.text[self.at..].char_indices();
        while let Some((at, sign)) = signs.next() {
            match sign {
                '"' => {
                    self.at += at + 1;
                    return Ok(text);
                }
                '\\' => text.push(match signs.next().map(|(_, sign)| sign) {
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some('r') => '\r',
                    Some('b') => '\u{8}',
                    Some('f') => '\u{c}',
                    Some('u') => {
                        let digits: String = signs.by_ref().take(4).map(|(_, sign)| sign).collect();
                        let code = u32::from_str_radix(&digits, 16);
                        // TableGen escapes control characters alone, which are no halves of others.
                        let sign = code.ok().and_then(char::from_u32);
                        sign.ok_or_else(|| self.wrong("the code of a character"))?
                    }
                    Some(sign @ ('"' | '\\' | '/')) => sign,
                    _ => return Err(self.wrong("a string with known escapes")),
                }),
                sign => text.push(sign),
            }
        }
        Err(self.wrong("a string with an end"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_value() {
        let text = r#" {"a": [1, -2.5e1, "x\"\\\u000a"], "b": {}, "c": null, "d": [true, false]} "#;
        let value = Json::parse(text).expect("it is JSON");
        let list = value.get("a").expect("a member").list();
        assert_eq!(list[..2], [Json::Number(1.0), Json::Number(-25.0)]);
        assert_eq!(list[2].text(), Some("x\"\\\n"));
        assert_eq!(value.get("b"), Some(&Json::Object(BTreeMap::new())));
        assert_eq!(value.get("c"), Some(&Json::Null));
        assert_eq!(value.get("e"), None);
    }

    #[test]
    fn errors_have_a_position() {
        let wrong = |text| Json::parse(text).expect_err("it is not JSON");
        assert_eq!(wrong("{} x"), "expected the end at byte 3");
        assert_eq!(wrong("[1 2]"), "expected ',' at byte 3");
        assert_eq!(wrong("{\"a\" 1}"), "expected ':' at byte 5");
        assert_eq!(wrong("\"a"), "expected a string with an end at byte 1");
        assert_eq!(wrong("x"), "expected a value at byte 0");
    }
}
