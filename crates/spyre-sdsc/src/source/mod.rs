//! Specification trees as front ends hand them over.
//!
//! [`json`] reads the neutral JSON form, and [`python`] the Python source in which the front end writes its kernels. Both
//! know the fields of all revisions, and refuse a field that they do not know: an ignored one would be a kernel that
//! computes something else.

mod fields;
pub mod json;
pub mod python;

use crate::Bytes;
use crate::model::Node;

/// A tree and what was said beside it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// The tree.
    pub nodes: Vec<Node>,
    /// Where each operation is, in the order of the files.
    pub places: Vec<OpPlace>,
    /// Options of the generator.
    pub options: SourceOptions,
}

/// Where an operation is in its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpPlace {
    /// The way to it: `specs[0].body[1]`.
    pub path: String,
    /// Line and column, from 1, where the form has them.
    pub position: Option<Position>,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// Options of the generator that a source may state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceOptions {
    /// Size of the pool.
    pub pool_size: Option<Bytes>,
    /// True if the caller allocates the pool.
    pub caller_allocates_pool: bool,
    /// True if operations share files (SDSC bundle specification, section 2.10).
    pub share_files: bool,
    /// True if cores are numbered with the first dimension fastest, also where a reduction is split.
    pub cores_in_order: bool,
}
