//! Newtypes that keep bytes, elements and argument positions apart.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A count of bytes, or a byte offset.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Bytes(u64);

impl Bytes {
    /// Zero bytes.
    pub const ZERO: Self = Self(0);

    /// Wraps a count of bytes.
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// The count.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The sum, or `None` on overflow.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0)
    }
}

/// A count of device elements, or a distance in device elements.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Elements(u64);

impl Elements {
    /// No elements.
    pub const ZERO: Self = Self(0);

    /// Wraps a count of elements.
    pub const fn new(elements: u64) -> Self {
        Self(elements)
    }

    /// The count.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The bytes these elements take at `width` each, or `None` on overflow.
    pub fn checked_bytes(self, width: Bytes) -> Option<Bytes> {
        self.0.checked_mul(width.0).map(Bytes)
    }
}

impl fmt::Display for Elements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} elements", self.0)
    }
}

/// Position of a tensor among the kernel's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ArgIndex(u32);

impl ArgIndex {
    /// Wraps an argument position.
    pub const fn new(index: u32) -> Self {
        Self(index)
    }

    /// The position.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for ArgIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
