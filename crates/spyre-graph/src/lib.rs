//! Programs of `spyre` operations, with inferred types.
//!
//! A [`Graph`] is a function under construction: inputs, operations on tensors, and hints. A program states the types of
//! inputs and constants alone. The type of a result follows from the operands: shapes broadcast as in PyTorch, elements
//! agree, and a result has a layout where all operands have its type and that layout. Other tensors have none, and the
//! passes of layouts choose. An operation that does not fit its operands is a [`GraphError`] that names them with their
//! shapes, where the program asks for the operation. [`Graph::finish`] returns the error of a refused input, and of an
//! operation without an OpFunc that would not be tiled as the program demands.
//!
//! The graph is data until [`Graph::finish`], which builds a verified module by the constructors of `spyre-ods`. So a
//! refused operation leaves the graph as it is.
//!
//! ```
//! use spyre_graph::{Element, Graph};
//!
//! let context = spyre_exec::context();
//! let mut graph = Graph::new(&context, "add_mul");
//! let x = graph.input("x", &[1024, 4096], Element::F16);
//! let y = graph.input("y", &[1024, 4096], Element::F16);
//! let sum = graph.add(x, y)?;
//! let product = graph.mul(sum, x)?;
//! let module = graph.finish(&[product])?;
//! assert!(module.as_operation().to_string().contains("spyre.mul"));
//! # Ok::<(), spyre_graph::GraphError>(())
//! ```
//!
//! * [`Graph`]: inputs, hints, and the module.
//! * [`pointwise`]: the operations with one and two operands that compute element by element, as tables.
//! * [`reduction`]: the reductions, as a table.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod attributes;
mod casts;
mod compose;
mod convert;
#[cfg(test)]
mod dialect_tests;
mod emit;
mod error;
mod function;
mod graph;
mod hints;
mod infer;
mod matmul;
pub mod pointwise;
pub mod reduction;
mod select;
mod tensor;

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use spyre_exec as _;

pub use convert::Quantized;
pub use error::{DeclarationError, GraphError, Operand};
pub use graph::Graph;
pub use reduction::ReducedDims;
pub use spyre_dialects::hint::Tiles;
pub use spyre_layout::Layout;
pub use tensor::{Axis, Dim, ELEMENTS, Element, Tensor, TensorType};
