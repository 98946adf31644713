//! Lists that are indexed by the number of a node.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A number with the type of the entity that it identifies.
pub trait Id: Copy {
    /// Returns the id of a position.
    fn of(position: usize) -> Self;
    /// Returns the position.
    fn position(self) -> usize;
}

/// A node of a graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl Id for NodeId {
    fn of(position: usize) -> Self {
        Self(u32::try_from(position).expect("a graph has fewer than 2^32 nodes"))
    }

    fn position(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// A list of which the positions are ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexVec<I, T> {
    list: Vec<T>,
    ids: PhantomData<I>,
}

impl<I: Id, T> IndexVec<I, T> {
    /// Returns an empty list.
    #[must_use]
    pub fn new() -> Self {
        Vec::new().into()
    }

    /// Returns a list of the same value many times.
    #[must_use]
    pub fn repeat(value: T, count: usize) -> Self
    where
        T: Clone,
    {
        vec![value; count].into()
    }

    /// Appends a value. Returns its id.
    pub fn push(&mut self, value: T) -> I {
        let id = I::of(self.list.len());
        self.list.push(value);
        id
    }

    /// Returns the number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns whether there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the ids, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.list.len()).map(I::of)
    }

    /// Returns the values with their ids, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        let values = self.list.iter().enumerate();
        values.map(|(position, value)| (I::of(position), value))
    }
}

impl<I: Id, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I, T> From<Vec<T>> for IndexVec<I, T> {
    fn from(list: Vec<T>) -> Self {
        Self {
            list,
            ids: PhantomData,
        }
    }
}

impl<I: Id, T> Index<I> for IndexVec<I, T> {
    type Output = T;

    fn index(&self, id: I) -> &T {
        &self.list[id.position()]
    }
}

impl<I: Id, T> IndexMut<I> for IndexVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.list[id.position()]
    }
}
