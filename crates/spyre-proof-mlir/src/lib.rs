//! Proofs about functions of device operations.
//!
//! * [`program`] reads a function as the [`Program`](spyre_proof::program::Program) that claims are about, at any stage:
//!   before tiling, after `--coarse-tile`, or planned.
//!
//! Invariant: the crate shares no code with the passes that it checks. Of an operation it reads the attributes, and the
//! interface of device operations, which is the definition of an operation.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod constants;
mod extents;
mod index;
mod keys;
mod reader;
mod statements;
mod views;

pub use reader::{Sites, Unmodelled, program};

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use spyre_cpp as _;

#[cfg(test)]
mod tests;
