//! Specification trees as front ends hand them over.
//!
//! [`json`] reads the neutral JSON form, and [`python`] the Python source in which the front end writes its kernels. Both
//! accept the fields of all revisions, and reject an unknown field: ignoring one would change the kernel.

mod fields;
pub mod json;
pub mod python;

use crate::bundle::{BundleOptions, PoolSource};
use crate::codegen::PlanOptions;
use crate::model::{Allocation, Node, TensorArg};
use crate::{Bytes, STICK_BYTES};

/// A tree and the options next to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// The tree.
    pub nodes: Vec<Node>,
    /// The place of each operation in the source, in the order of the files.
    pub places: Vec<OpPlace>,
    /// The operations that the front end could not express, which become no file.
    pub left_out: Vec<LeftOut>,
    /// Options of the generator.
    pub options: SourceOptions,
}

/// An operation that the front end could not express: an `UnimplementedOp`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The name.
    pub op: String,
    /// Where it is.
    pub place: OpPlace,
}

/// The place of an operation in its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpPlace {
    /// The path: `specs[0].body[1]`.
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

impl SourceOptions {
    /// The options of the generator for a tree with these nodes, as the published contract has them;
    /// [`PlanOptions::revision`] chooses another revision.
    pub fn bundle_options(&self, nodes: &[Node]) -> BundleOptions {
        BundleOptions {
            pool_size: self.pool_size.unwrap_or_else(|| pool_size(nodes)),
            pool: if self.caller_allocates_pool {
                PoolSource::Caller
            } else {
                PoolSource::Bundle
            },
            share_files: self.share_files,
            plan: PlanOptions {
                k_fast: !self.cores_in_order,
                ..PlanOptions::default()
            },
            ..BundleOptions::default()
        }
    }
}

/// Bytes of the pool: up to the end of the last tensor in it.
#[must_use]
pub fn pool_size(nodes: &[Node]) -> Bytes {
    let mut end = 0;
    for node in nodes {
        end = end.max(match node {
            Node::Op(op) => op.args.iter().map(pool_end).max().unwrap_or(0),
            Node::Loop(inner) => pool_size(&inner.body).get(),
            Node::Unimplemented { .. } => 0,
        });
    }
    Bytes(end)
}

/// The end of a tensor in the pool; beyond every pool if the address is not a number.
fn pool_end(arg: &TensorArg) -> u64 {
    let Allocation::HbmPool { offset } = arg.allocation else {
        return 0;
    };
    // The last device dimension is one stick.
    let outer = arg
        .device_size
        .split_last()
        .map_or(&[][..], |(_, rest)| rest);
    let bytes = outer
        .iter()
        .try_fold(STICK_BYTES.get(), |bytes, size| bytes.checked_mul(*size));
    bytes
        .and_then(|bytes| bytes.checked_add(offset.get()))
        .unwrap_or(u64::MAX)
}
