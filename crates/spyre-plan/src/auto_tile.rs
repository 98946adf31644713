//! Choice of the operations to tile: operations with an operand that spans too much memory ([`span`]), and runs
//! of operations that tiles make move fewer bytes through device memory ([`traffic`]).
//!
//! A program is seen as a [`Block`]: operations in order, the values between them, and how each operation indexes
//! its tensors. Tiles here are equal: a count divides the extent, in whole sticks where a dimension is on the
//! stick of a tensor. Shorter last tiles are made only on request.

mod block;
mod counts;
pub mod span;
pub mod traffic;

pub use block::{Block, Dim, Shape, Step, Tensor, Value};
pub use span::Span;
