//! `--convert-ktdp-to-linalg`: kernels in KTIR as functions on tensors, to run them on the CPU.
//!
//! A kernel becomes a loop over its cores around its body. Each argument that is an address becomes a flat tensor, the
//! buffer; the function takes all buffers and returns those that the kernel stores. A load reads the elements of its
//! tile at `base + index * stride`, and a store writes them, so everything is tensors, and the passes of upstream make
//! buffers of them in place. Indices that ranges do not prove inside of the view, the set of coordinates and the buffer
//! are compared at run time; outside, the function calls [`FAULT`] with numbers that [`Fault`] reads.
//!
//! * `program`: the kernels that are launched one after the other, and their arguments; `arguments`: values of arguments;
//! * `range`: ranges of indices;
//! * `rewrite`: cores, loops and branches, which carry buffers;
//! * `empties`: contents of tensors that nothing has written;
//! * `views` and `tiles` read operations of `ktdp`; `access` builds loads and stores;
//! * `number`: arithmetic on indices that may be constants; `fault`: comparisons, and calls where they fail.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod access;
mod arguments;
mod convert;
mod empties;
mod fault;
mod number;
mod program;
mod range;
mod rewrite;
mod tiles;
mod views;

pub use convert::CONVERT_KTDP_TO_LINALG;
pub use fault::{FAULT, Fault, SITES};
pub use program::{ARGUMENT, INDICES, POOL, STORED, VIEW};

use melior::ir::operation::OperationLike;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::Op;

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use spyre_cpp as _;

/// The name of the pass, which messages begin with.
const PASS: &str = "convert-ktdp-to-linalg";

/// The unit of the base addresses of memory views.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BaseUnit {
    /// Elements of the view.
    Element,
    /// Bytes.
    Byte,
}

/// The order in which cores run, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CoreOrder {
    /// From core 0 on.
    Forward,
    /// From the last core on.
    Reverse,
}

/// Returns an error of the pass at an operation.
fn error<'p>(op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(op.location(), format!("{PASS}: {message}"))
}
