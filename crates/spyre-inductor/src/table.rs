//! Values by their names: objects of JSON with few entries, in little memory.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use smol_str::SmolStr;

/// Values by their names, in the order of names.
///
/// A B-tree has room for eleven entries where most objects of a program have one or two: it was most of the memory of a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Table<T>(Vec<(SmolStr, T)>);

impl<T> Table<T> {
    /// Returns the table without entries.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Returns whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&T> {
        let place = self.place(name).ok()?;
        Some(&self.0[place].1)
    }

    /// Returns the value of a name, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut T> {
        let place = self.place(name).ok()?;
        Some(&mut self.0[place].1)
    }

    /// Sets the value of a name, in place of the previous one.
    pub fn insert(&mut self, name: impl Into<SmolStr>, value: T) {
        let name = name.into();
        match self.place(&name) {
            Ok(place) => self.0[place].1 = value,
            Err(place) => self.0.insert(place, (name, value)),
        }
    }

    /// Returns the entries, in the order of names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns the entries, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&str, &mut T)> {
        self.0
            .iter_mut()
            .map(|(name, value)| (name.as_str(), value))
    }

    /// Returns the values, in the order of names.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(_, value)| value)
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(key, _)| key.as_str().cmp(name))
    }
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> From<Vec<(SmolStr, T)>> for Table<T> {
    fn from(mut entries: Vec<(SmolStr, T)>) -> Self {
        if !entries.is_sorted_by(|(a, _), (b, _)| a < b) {
            // The last one of a name counts.
            entries.reverse();
            entries.sort_by(|(a, _), (b, _)| a.cmp(b));
            entries.dedup_by(|(later, _), (kept, _)| later == kept);
        }
        Self(entries)
    }
}

impl<T, N: Into<SmolStr>> FromIterator<(N, T)> for Table<T> {
    fn from_iter<I: IntoIterator<Item = (N, T)>>(entries: I) -> Self {
        let entries = entries.into_iter();
        let entries: Vec<_> = entries.map(|(name, value)| (name.into(), value)).collect();
        entries.into()
    }
}

impl<T: Serialize> Serialize for Table<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Table<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(TableVisitor(PhantomData))
    }
}

struct TableVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for TableVisitor<T> {
    type Value = Table<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Table<T>, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry::<SmolStr, T>()? {
            entries.push(entry);
        }
        Ok(entries.into())
    }
}
