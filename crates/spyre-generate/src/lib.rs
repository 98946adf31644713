//! Random programs of device operations, drawn from shapes alone.
//!
//! The crate has no dependencies. It uses the rules of the operations' verifiers, and no rules of layouts, sticks in memory or
//! passes. [`draw::program`] draws a program from a seed and a number; a program is not drawn again because a pass refuses it.
//! Every view has a [`View`] and a [`Head`], so that a runner can count them. [`shrink`] makes smaller programs of one that
//! fails.
//!
//! [`View`]: view::View
//! [`Head`]: view::Head
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod draw;
pub mod graph;
pub mod inductor;
pub mod linalg;
pub mod numbers;
pub mod program;
pub mod shrink;
mod text;
pub mod uop;
pub mod view;
pub mod vocabulary;

pub use program::{Element, Node, NodeKind, Program, Tensor};
pub use vocabulary::Vocabulary;
