//! Values that have been computed already: programs have few distinct sizes, layouts and places, each many times.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::convert::Infallible;
use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Values that are computed once for each key.
pub(crate) struct Memo<K, V>(RefCell<FxHashMap<K, V>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<K: Hash + Eq, V: Clone> Memo<K, V> {
    /// Returns the value of a key, which is computed if there is none.
    pub(crate) fn of<Q>(&self, key: &Q, make: impl FnOnce() -> V) -> V
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        let Ok(value) = self.try_of(key, || Ok::<V, Infallible>(make()));
        value
    }

    /// Returns the value of a key, which is computed if there is none. An error is computed again each time.
    pub(crate) fn try_of<Q, E>(&self, key: &Q, make: impl FnOnce() -> Result<V, E>) -> Result<V, E>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        if let Some(value) = self.get(key) {
            return Ok(value);
        }
        let value = make()?;
        self.insert(key.to_owned(), value.clone());
        Ok(value)
    }

    /// Returns the value of a key if it is known.
    pub(crate) fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.0.borrow().get(key).cloned()
    }

    /// Gives a key a value.
    pub(crate) fn insert(&self, key: K, value: V) {
        self.0.borrow_mut().insert(key, value);
    }
}
