//! Deserializes a JSON value with source locations into types with `serde::Deserialize`.
//!
//! An error is at the innermost value that causes it. Numbers are exact: a number without a fraction is read as an
//! integer.

use std::fmt;

use serde::Deserializer;
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, Error, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::{Json, Value, parse};
use crate::error::{Place, TextError};

/// Reads a value of a type. A key that occurs twice is an error, where the type reads the object.
///
/// # Errors
/// The first place that is not JSON, or does not match the type.
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, TextError> {
    let root = parse(text)?;
    T::deserialize(At(&root)).map_err(|err: Mismatch| {
        let offset = err.offset.unwrap_or(root.offset);
        TextError::new(Place::from_offset(text, offset), err.message)
    })
}

/// A value that does not match its type.
#[derive(Debug)]
struct Mismatch {
    message: String,
    /// The place of the innermost value that is read, in bytes. A type does not have the place of its value.
    offset: Option<usize>,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Mismatch {}

impl Error for Mismatch {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self {
            message: message.to_string(),
            offset: None,
        }
    }
}

/// A value that is read.
struct At<'de, 't>(&'de Json<'t>);

impl<'de> At<'de, '_> {
    fn visit<V: Visitor<'de>>(&self, visitor: V) -> Result<V::Value, Mismatch> {
        match &self.0.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(text) => match (text.parse(), text.parse(), text.parse()) {
                (Ok(value), _, _) => visitor.visit_u64(value),
                (_, Ok(value), _) => visitor.visit_i64(value),
                (_, _, Ok(value)) => visitor.visit_f64(value),
                _ => Err(Mismatch::custom("a number that cannot be read")),
            },
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => {
                let mut items = SeqDeserializer::new(items.iter().map(At));
                let value = visitor.visit_seq(&mut items)?;
                items.end().map(|()| value)
            }
            Value::Object(members) => {
                if let Some(again) = members.iter().find(|member| member.is_again) {
                    return Err(Mismatch {
                        message: format!("'{}' occurs twice", again.key),
                        offset: Some(again.offset),
                    });
                }
                let members = members.iter().map(|entry| (&*entry.key, At(&entry.value)));
                let mut members = MapDeserializer::new(members);
                let value = visitor.visit_map(&mut members)?;
                members.end().map(|()| value)
            }
        }
    }
}

impl<'de> IntoDeserializer<'de, Mismatch> for At<'de, '_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for At<'de, '_> {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        self.visit(visitor).map_err(|err| Mismatch {
            offset: err.offset.or(Some(self.0.offset)),
            ..err
        })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self.0.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct enum identifier
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Record {
        #[serde(default)]
        name: Option<String>,
        pair: [u64; 2],
        table: BTreeMap<String, i32>,
    }

    fn refused(text: &str) -> String {
        from_str::<Record>(text).expect_err("an error").to_string()
    }

    #[test]
    fn values_of_a_type() {
        let text = r#"{"pair": [1, 18446744073709551615], "more": [{"a": 1, "a": 2}], "table": {"x": -7}}"#;
        let record = Record {
            name: None,
            pair: [1, u64::MAX],
            table: BTreeMap::from([("x".to_owned(), -7)]),
        };
        assert_eq!(from_str(text), Ok(record));
    }

    #[test]
    fn errors_are_at_the_value() {
        assert_eq!(refused("{"), "1:2: expected a key in quotes");
        assert_eq!(refused("{\n \"table\": {}}"), "1:1: missing field `pair`");
        assert_eq!(
            refused("{\n \"pair\": [1, -2]}"),
            "2:14: invalid value: integer `-2`, expected u64"
        );
        assert_eq!(
            refused("{\n \"table\": {\"a\": 1, \"a\": 2}}"),
            "2:20: 'a' occurs twice"
        );
        assert_eq!(
            refused(r#"{"pair": [1, 2, 3]}"#),
            "1:10: invalid length 3, expected 2 elements in sequence"
        );
        assert!(refused(r#"{"name": 1e999}"#).starts_with("1:10: invalid type: floating point"));
    }
}
