//! Tensor programs of tinyspec: directed graphs of UOps, which are tensors, effects and loops in one vocabulary.
//!
//! * [`schema`] is the file `uop-graph-1`, field by field.
//! * [`graph`] has nodes with the types and the rules of [`op`]erations, and [`mod@file`] converts
//!   a file to nodes, and back.
//! * [`table`] has the names, the sources and the arguments of all operations.
//! * [`element`] has elements, and elementwise operations on them.
//! * [`decompose`] writes operations in terms of others.
//! * [`place`] computes the places of values, and [`range`] their intervals.
//! * [`interpret`] executes a graph on [`tensor`]s, and [`record`] compares it with recorded results.
//! * [`opt`] has optimisations of the loops of an operation.
//! * [`dtype`] and [`shape`] have the types of tensors, [`ids`] the numbers of nodes.
//!
//! The page `docs/Uop.md` has the form of the file, and `docs/Dialects/UopConstraints.md` the
//! rules. This crate does not depend on MLIR.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod argument;
mod calls;
pub mod decompose;
pub mod dtype;
pub mod element;
pub mod file;
pub mod graph;
pub mod ids;
pub mod interpret;
pub mod op;
pub mod opt;
pub mod place;
pub mod range;
pub mod record;
pub mod schema;
pub mod shape;
pub mod table;
pub mod tensor;
