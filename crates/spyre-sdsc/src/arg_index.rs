//! Argument positions: a separate type, so that none is taken for another number.

use std::fmt;

use serde::{Deserialize, Serialize};

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
