//! PyTorch Inductor's dumps of its scheduler: `ir_pre_fusion.txt` and `ir_post_fusion.txt`, which `TORCH_COMPILE_DEBUG=1` writes.
//!
//! They are for people, and have less than the export: no operands of external kernels, no positions of parts in a
//! concatenation, no bounds of loaded indices, and loops that are merged already. Only graphs of loop nests are read,
//! for inspection. The nests of a kernel are read one after the other.
//!
//! Older dumps have no layouts either: then a buffer is one-dimensional, with as many elements as its accesses reach.

mod body;
mod graph;
mod layout;
mod syntax;

use std::fmt;

use crate::schema;

/// The words of an error for a part that the text does not have: the other format has it.
const EXPORT: &str = "the export as JSON has it";

/// The text is not a dump, or has no graph of loop nests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// The error there.
    pub reason: String,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            line,
            column,
            reason,
        } = self;
        write!(f, "{line}:{column}: error: {reason}")
    }
}

impl std::error::Error for TextError {}

/// A position in a text, in bytes, and the error there.
#[derive(Debug)]
struct Wrong {
    at: usize,
    reason: String,
}

fn wrong<T>(at: usize, reason: impl Into<String>) -> Result<T, Wrong> {
    let reason = reason.into();
    Err(Wrong { at, reason })
}

/// Reads a dump.
///
/// # Errors
/// [`TextError`], at the first place that is wrong.
pub fn read(text: &str) -> Result<schema::Graph, TextError> {
    let read = syntax::parse(text).and_then(|nodes| graph::graph(&nodes));
    read.map_err(|wrong| {
        let before = &text[..wrong.at.min(text.len())];
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        TextError {
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
            reason: wrong.reason,
        }
    })
}

#[cfg(test)]
mod tests;
