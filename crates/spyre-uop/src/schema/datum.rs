//! Values in the file: numbers, truth values, and texts for the three values that JSON lacks.

use std::fmt;

use serde::de::{self, Deserializer, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

/// A value of an element, as it is in the file.
#[derive(Debug, Clone, Copy)]
pub enum Datum {
    /// A truth value.
    Bool(bool),
    /// An integer below 0.
    Negative(i64),
    /// An integer from 0.
    Natural(u64),
    /// A float. The texts `"nan"`, `"inf"` and `"-inf"` are floats.
    Float(f64),
}

impl Datum {
    /// Returns an integer.
    #[must_use]
    pub fn integer(value: i64) -> Self {
        u64::try_from(value).map_or(Self::Negative(value), Self::Natural)
    }

    /// Returns the value as an integer; `None` for floats and truth values.
    #[must_use]
    pub fn as_integer(self) -> Option<i128> {
        match self {
            Self::Negative(value) => Some(value.into()),
            Self::Natural(value) => Some(value.into()),
            Self::Bool(_) | Self::Float(_) => None,
        }
    }
}

/// NaN equals NaN, and 0.0 differs from -0.0: equal values are written in the same way.
impl PartialEq for Datum {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Negative(a), Self::Negative(b)) => a == b,
            (Self::Natural(a), Self::Natural(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => {
                a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
            }
            _ => false,
        }
    }
}

impl Eq for Datum {}

impl Serialize for Datum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Bool(value) => serializer.serialize_bool(value),
            Self::Negative(value) => serializer.serialize_i64(value),
            Self::Natural(value) => serializer.serialize_u64(value),
            Self::Float(value) if value.is_nan() => serializer.serialize_str("nan"),
            Self::Float(f64::INFINITY) => serializer.serialize_str("inf"),
            Self::Float(f64::NEG_INFINITY) => serializer.serialize_str("-inf"),
            Self::Float(value) => serializer.serialize_f64(value),
        }
    }
}

impl<'de> Deserialize<'de> for Datum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DatumVisitor)
    }
}

struct DatumVisitor;

impl Visitor<'_> for DatumVisitor {
    type Value = Datum;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a truth value, \"nan\", \"inf\" or \"-inf\"")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Datum, E> {
        Ok(Datum::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Datum, E> {
        Ok(Datum::integer(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Datum, E> {
        Ok(Datum::Natural(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Datum, E> {
        Ok(Datum::Float(value))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Datum, E> {
        match value {
            "nan" => Ok(Datum::Float(f64::NAN)),
            "inf" => Ok(Datum::Float(f64::INFINITY)),
            "-inf" => Ok(Datum::Float(f64::NEG_INFINITY)),
            _ => Err(E::invalid_value(de::Unexpected::Str(value), &self)),
        }
    }
}
