//! Places in JSON.

use std::fmt;

/// A place in JSON, from its root. It is formatted only for a message.
#[derive(Debug, Clone, Copy)]
pub(super) enum Path<'a> {
    /// The root.
    Root,
    /// A field of an object.
    Field(&'a Path<'a>, &'a str),
    /// An item of a list.
    Item(&'a Path<'a>, usize),
}

impl<'a> Path<'a> {
    /// Returns the place of a field.
    pub(super) fn field(&'a self, name: &'a str) -> Self {
        Self::Field(self, name)
    }

    /// Returns the innermost enclosing place before a field of that name; this place if there is no such field.
    pub(super) fn before(&'a self, name: &str) -> &'a Self {
        let mut place = self;
        loop {
            match place {
                Self::Root => return self,
                Self::Field(of, key) if *key == name => return of,
                Self::Field(of, _) | Self::Item(of, _) => place = of,
            }
        }
    }

    /// Returns the place of an item.
    pub(super) fn item(&'a self, number: usize) -> Self {
        Self::Item(self, number)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Field(Self::Root, name) => f.write_str(name),
            Self::Field(of, name) => write!(f, "{of}.{name}"),
            Self::Item(of, number) => write!(f, "{of}[{number}]"),
        }
    }
}
