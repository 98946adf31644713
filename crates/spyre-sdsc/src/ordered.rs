//! JSON objects that keep the order of their keys.

use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

/// A map in insertion order, for small objects with a key order that the file format fixes.
///
/// Lookups are linear: use it for tens of keys, not for thousands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Object<V, K = String>(Vec<(K, V)>);

impl<V, K> Default for Object<V, K> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V, K> Object<V, K> {
    /// An empty object.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// True without entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The entries, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&K, &V)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// The values, in order, for change in place.
    pub fn values_mut(&mut self) -> impl ExactSizeIterator<Item = &mut V> {
        self.0.iter_mut().map(|(_, value)| value)
    }

    /// The keys, in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &K> {
        self.0.iter().map(|(key, _)| key)
    }
}

impl<V, K: PartialEq> Object<V, K> {
    /// The value under `key`.
    pub fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: PartialEq + ?Sized,
    {
        self.0
            .iter()
            .find(|(k, _)| k.borrow() == key)
            .map(|(_, value)| value)
    }

    /// Sets `key`, keeping its place if it is already there; returns the previous value.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.0.iter_mut().find(|(k, _)| *k == key) {
            Some((_, old)) => Some(std::mem::replace(old, value)),
            None => {
                self.0.push((key, value));
                None
            }
        }
    }
}

/// Collects entries with distinct keys, which the caller guarantees.
impl<V, K> FromIterator<(K, V)> for Object<V, K> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

impl<V: Serialize, K: Serialize> Serialize for Object<V, K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de, V: Deserialize<'de>, K: Deserialize<'de> + PartialEq> Deserialize<'de> for Object<V, K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<V, K>(PhantomData<(V, K)>);
        impl<'de, V: Deserialize<'de>, K: Deserialize<'de> + PartialEq> Visitor<'de> for Entries<V, K> {
            type Value = Object<V, K>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Object(entries))
            }
        }
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

/// A JSON value with objects that keep their key order (`serde_json::Value` sorts them).
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(serde_json::Number),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object.
    Object(Object<Json>),
}

/// Reads a value in one pass. The derived code of an untagged enum would try each variant on a copy of the
/// value.
impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Json;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON value")
            }
            fn visit_unit<E>(self) -> Result<Json, E> {
                Ok(Json::Null)
            }
            fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
                Ok(Json::Bool(value))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
                Ok(Json::Number(value.into()))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
                Ok(Json::Number(value.into()))
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<Json, E> {
                let number = serde_json::Number::from_f64(value);
                let number = number.ok_or_else(|| E::custom("a JSON number is finite"))?;
                Ok(Json::Number(number))
            }
            fn visit_str<E>(self, value: &str) -> Result<Json, E> {
                Ok(Json::String(value.to_owned()))
            }
            fn visit_string<E>(self, value: String) -> Result<Json, E> {
                Ok(Json::String(value))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = seq.next_element()? {
                    values.push(value);
                }
                Ok(Json::Array(values))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Json, A::Error> {
                Deserialize::deserialize(MapAccessDeserializer::new(map)).map(Json::Object)
            }
        }
        deserializer.deserialize_any(Any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_order_survives_a_round_trip() -> Result<(), serde_json::Error> {
        let text = r#"{"z":1,"a":{"y":[null,true,-1.5],"b":"s"}}"#;
        let value: Json = serde_json::from_str(text)?;
        assert_eq!(serde_json::to_string(&value)?, text);
        Ok(())
    }

    #[test]
    fn insert_replaces_in_place() {
        let mut object: Object<i32> = [("a".to_owned(), 1), ("b".to_owned(), 2)]
            .into_iter()
            .collect();
        assert_eq!(object.insert("a".into(), 3), Some(1));
        assert_eq!(object.insert("c".into(), 4), None);
        let keys: Vec<_> = object.keys().map(String::as_str).collect();
        assert_eq!(keys, ["a", "b", "c"]);
        assert_eq!(object.get("a"), Some(&3));
    }
}
