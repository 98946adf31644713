//! Random programs of device operations, drawn from shapes alone.
//!
//! The crate has no dependencies: it knows what the verifiers of the operations admit, and nothing of layouts, sticks in
//! memory or passes. [`draw::program`] draws a program from a seed and a number; nothing is drawn again because something
//! refuses it. Every view has a [`View`] and a [`Head`], so that a runner can count what it has seen. [`shrink`] makes
//! smaller programs of one that fails.
//!
//! [`View`]: view::View
//! [`Head`]: view::Head
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod draw;
pub mod graph;
pub mod numbers;
pub mod program;
pub mod shrink;
mod text;
pub mod view;

pub use program::{Element, Kind, Node, Program, Tensor};
