//! Numbers of members, levels, loops and tensors as separate types, and vectors that are indexed by them.
//!
//! A number of one kind cannot be used for another. The type of a vector names the kind of its positions. An index that
//! is not in the vector is a bug of this pass, so it panics, which is reported at the function.

use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Index, IndexMut};
use std::rc::Rc;

/// A number of one kind.
pub(crate) trait Id: Copy {
    /// Returns the id of a position.
    fn new(index: usize) -> Self;
    /// Returns the position.
    fn index(self) -> usize;
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) struct $name(usize);

        impl Id for $name {
            fn new(index: usize) -> Self {
                Self(index)
            }

            fn index(self) -> usize {
                self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

ids! {
    /// An operation of a group, by its position in the group.
    MemberId;
    /// A level of a group, outermost first. A body that has `depth` levels around it is inside the levels below `depth`.
    LevelId;
    /// A dimension of an operation's iteration space.
    IterDim;
    /// An operand of an operation that is a tensor.
    OperandId;
    /// Operations of a group that are cut alike.
    KindId;
    /// A loop of a group. The first one is the block around all loops.
    NodeId;
    /// A region. Equal regions have equal ids.
    RegionId;
    /// A tensor that loops carry.
    SinkId;
}

impl LevelId {
    /// Returns whether the level is among the outermost `depth` levels.
    pub(crate) fn is_above(self, depth: usize) -> bool {
        self.0 < depth
    }

    /// Returns the number of levels around the bodies of this level, the level included.
    pub(crate) fn depth_inside(self) -> usize {
        self.0 + 1
    }

    /// Returns the outermost `depth` levels.
    pub(crate) fn first(depth: usize) -> impl DoubleEndedIterator<Item = Self> {
        (0..depth).map(Self)
    }
}

/// A vector that is indexed by ids.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct IdVec<I, T>(Vec<T>, PhantomData<I>);

impl<I: Id, T> IdVec<I, T> {
    /// Adds an element and returns its id.
    pub(crate) fn push(&mut self, element: T) -> I {
        self.0.push(element);
        I::new(self.0.len() - 1)
    }

    /// Returns the ids and the elements.
    pub(crate) fn pairs(
        &self,
    ) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator + Clone {
        self.0
            .iter()
            .enumerate()
            .map(|(index, element)| (I::new(index), element))
    }

    /// Returns the ids.
    pub(crate) fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.0.len()).map(I::new)
    }
}

impl<I, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Self(Vec::new(), PhantomData)
    }
}

impl<I, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<S: IntoIterator<Item = T>>(elements: S) -> Self {
        Self(elements.into_iter().collect(), PhantomData)
    }
}

impl<I, T> Deref for IdVec<I, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<I, T> DerefMut for IdVec<I, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;

    fn index(&self, id: I) -> &T {
        &self.0[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.0[id.index()]
    }
}

/// A shared value as a key. Two keys are equal if they share the value, so that a key keeps its value alive.
#[derive(Debug)]
pub(crate) struct Shared<T: ?Sized>(pub(crate) Rc<T>);

impl<T: ?Sized> Shared<T> {
    /// Returns the key of a value.
    pub(crate) fn of(value: &Rc<T>) -> Self {
        Self(Rc::clone(value))
    }
}

impl<T: ?Sized> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T: ?Sized> Eq for Shared<T> {}

impl<T: ?Sized> Hash for Shared<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Rc::as_ptr(&self.0).cast::<()>().hash(state);
    }
}
