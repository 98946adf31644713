//! Readers of located JSON. Every access that fails is reported as a problem, and reading continues.

use spyre_bundle_files::json::{Json, Member, Value};

use super::options::Options;
use super::report::Problem;
use super::rules::{FIXED, KEY_ORDER, KIND, MISSING, Rule, TWICE, UNKNOWN};

/// The collector of problems.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    options: Options,
    /// The problems, in the order in which they were found.
    pub problems: Vec<Problem>,
}

/// The form of a part of a file that is the same in all files.
pub(crate) enum Fixed<'a> {
    /// This integer.
    Int(i64),
    /// This string.
    Text(&'a str),
    /// An array of fixed parts.
    Array(&'a [Fixed<'a>]),
    /// An object with these keys.
    Object(&'a [(&'a str, Fixed<'a>)]),
}

impl Reader {
    /// Makes a reader of files of a revision.
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            options: options.clone(),
            problems: Vec::new(),
        }
    }

    /// Returns whether the rules of the published contract hold.
    pub(crate) const fn is_contract(&self) -> bool {
        self.options.revision.is_contract()
    }

    /// Returns the names of the exceptions from the contract that are allowed.
    pub(crate) fn exceptions(&self) -> &[&'static str] {
        self.options.exceptions()
    }

    /// Reports a broken rule.
    pub(crate) fn report(&mut self, rule: Rule, offset: usize, message: impl Into<String>) {
        self.problems.push(Problem {
            rule,
            offset,
            message: message.into(),
        });
    }

    fn wrong_kind<T>(&mut self, json: &Json<'_>, expected: &str) -> Option<T> {
        let kind = json.value.kind();
        self.report(
            KIND,
            json.offset,
            format!("expected {expected}, found {kind}"),
        );
        None
    }

    /// Reads an integer of 64 bits.
    pub(crate) fn int(&mut self, json: &Json<'_>) -> Option<i64> {
        let Value::Number(text) = &json.value else {
            return self.wrong_kind(json, "an integer");
        };
        let value = text.parse().ok();
        if value.is_none() {
            self.report(
                KIND,
                json.offset,
                format!("{text} is not an integer of 64 bits"),
            );
        }
        value
    }

    /// Reads an integer that is at least `least`, which is not negative.
    pub(crate) fn at_least(&mut self, json: &Json<'_>, least: u64) -> Option<u64> {
        let value = self.int(json)?;
        let natural = u64::try_from(value).ok().filter(|value| *value >= least);
        if natural.is_none() {
            self.report(KIND, json.offset, format!("{value} is less than {least}"));
        }
        natural
    }

    /// Reads a string.
    pub(crate) fn text<'j>(&mut self, json: &'j Json<'_>) -> Option<&'j str> {
        match &json.value {
            Value::String(text) => Some(text),
            _ => self.wrong_kind(json, "a string"),
        }
    }

    /// Reads an integer that is written as a string, with only its digits and sign.
    pub(crate) fn decimal(&mut self, json: &Json<'_>) -> Option<i64> {
        let text = self.text(json)?;
        let value = text
            .parse::<i64>()
            .ok()
            .filter(|value| value.to_string() == text);
        if value.is_none() {
            let message = format!("'{}' is not a decimal number", text.escape_default());
            self.report(KIND, json.offset, message);
        }
        value
    }

    /// Reads an array.
    pub(crate) fn array<'j, 't>(&mut self, json: &'j Json<'t>) -> Option<&'j [Json<'t>]> {
        match &json.value {
            Value::Array(items) => Some(items),
            _ => self.wrong_kind(json, "an array"),
        }
    }

    /// Reads an array of strings, with their places.
    pub(crate) fn texts<'j>(&mut self, json: &'j Json<'_>) -> Option<Vec<(&'j str, usize)>> {
        self.array(json)?
            .iter()
            .map(|item| Some((self.text(item)?, item.offset)))
            .collect()
    }

    /// Reads an array of integers, with their places.
    pub(crate) fn ints(&mut self, json: &Json<'_>) -> Option<Vec<(i64, usize)>> {
        self.array(json)?
            .iter()
            .map(|item| Some((self.int(item)?, item.offset)))
            .collect()
    }

    /// Reads the entries of an object with keys that are data.
    pub(crate) fn entries<'j, 't>(&mut self, json: &'j Json<'t>) -> Option<&'j [Member<'t>]> {
        let Value::Object(members) = &json.value else {
            return self.wrong_kind(json, "an object");
        };
        for member in members.iter().filter(|member| member.is_again) {
            let message = format!("key '{}' occurs twice", member.key.escape_default());
            self.report(TWICE, member.offset, message);
        }
        Some(members)
    }

    /// Reads the fields of an object with known keys. Call [`Fields::finish`] at the end.
    pub(crate) fn fields<'j, 't>(&mut self, json: &'j Json<'t>) -> Option<Fields<'j, 't>> {
        let members = self.entries(json)?;
        Some(Fields {
            offset: json.offset,
            members,
            read: vec![false; members.len()],
            next: 0,
            in_order: true,
        })
    }

    /// Compares a text with the one that it has in every file, by a rule.
    pub(crate) fn fixed_text(&mut self, json: &Json<'_>, expected: &str, rule: Rule) {
        if let Some(text) = self.text(json).filter(|text| *text != expected) {
            let message = format!("is '{}', but must be '{expected}'", text.escape_default());
            self.report(rule, json.offset, message);
        }
    }

    /// Compares a value with the one that it has in every file.
    pub(crate) fn fixed(&mut self, json: &Json<'_>, expected: &Fixed<'_>) {
        match expected {
            Fixed::Int(expected) => {
                if let Some(value) = self.int(json).filter(|value| value != expected) {
                    let message = format!("is {value}, but must be {expected}");
                    self.report(FIXED, json.offset, message);
                }
            }
            Fixed::Text(expected) => self.fixed_text(json, expected, FIXED),
            Fixed::Array(expected) => {
                let Some(items) = self.array(json) else {
                    return;
                };
                if items.len() != expected.len() {
                    let message = format!(
                        "has {} entries, but must have {}",
                        items.len(),
                        expected.len()
                    );
                    self.report(FIXED, json.offset, message);
                }
                for (item, expected) in items.iter().zip(*expected) {
                    self.fixed(item, expected);
                }
            }
            Fixed::Object(expected) => {
                let Some(mut fields) = self.fields(json) else {
                    return;
                };
                for (key, expected) in *expected {
                    if let Some(value) = fields.required(self, key) {
                        self.fixed(value, expected);
                    }
                }
                fields.finish(self);
            }
        }
    }
}

/// The fields of an object that are still to be read.
pub(crate) struct Fields<'j, 't> {
    /// The place of the object, in bytes from the beginning of the text.
    pub offset: usize,
    members: &'j [Member<'t>],
    read: Vec<bool>,
    /// The member after the last one that was read.
    next: usize,
    in_order: bool,
}

impl<'j, 't> Fields<'j, 't> {
    /// Returns the value of a key that must be there.
    pub(crate) fn required(&mut self, reader: &mut Reader, key: &str) -> Option<&'j Json<'t>> {
        self.required_by(MISSING, reader, key)
    }

    /// Returns the value of a key that a rule demands.
    pub(crate) fn required_by(
        &mut self,
        rule: Rule,
        reader: &mut Reader,
        key: &str,
    ) -> Option<&'j Json<'t>> {
        let member = self.optional(key);
        if member.is_none() {
            reader.report(rule, self.offset, format!("key '{key}' is missing"));
        }
        member
    }

    /// Returns the value of a key that may be absent; `None` if it is. Keys are read in the order of the format.
    pub(crate) fn optional(&mut self, key: &str) -> Option<&'j Json<'t>> {
        let is_it = |at: usize| self.members.get(at).is_some_and(|m| m.key == key);
        let at = if is_it(self.next) {
            self.next
        } else {
            let at = self.members.iter().position(|member| member.key == key)?;
            // A key that was passed over may still be read later, so only going back is a fault.
            self.in_order &= at >= self.next;
            at
        };
        self.next = at + 1;
        if let Some(read) = self.read.get_mut(at) {
            *read = true;
        }
        self.members.get(at).map(|member| &member.value)
    }

    /// Returns the value of an optional key if it is the next one of the file; otherwise `None`.
    pub(crate) fn if_next(&mut self, key: &str) -> Option<&'j Json<'t>> {
        let next = self.members.get(self.next)?;
        (next.key == key).then(|| self.optional(key)).flatten()
    }

    /// Reports the keys that were not read, and keys that are not in the order in which they were read.
    pub(crate) fn finish(self, reader: &mut Reader) {
        self.finish_by(UNKNOWN, reader);
    }

    /// Does the same as [`Fields::finish`], where a rule forbids other keys.
    pub(crate) fn finish_by(self, rule: Rule, reader: &mut Reader) {
        for (member, read) in self.members.iter().zip(&self.read) {
            let has_other = || {
                let same = |other: &&Member<'_>| other.key == member.key;
                self.members.iter().filter(same).count() > 1
            };
            if !read && (self.members.len() > 64 || !has_other()) {
                let message = format!("key '{}' is unknown", member.key.escape_default());
                reader.report(rule, member.offset, message);
            }
        }
        if !self.in_order {
            let message = "keys are not in the order of the format";
            reader.report(KEY_ORDER, self.offset, message);
        }
    }
}
