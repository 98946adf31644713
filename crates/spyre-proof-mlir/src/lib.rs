//! Proofs about functions of device operations.
//!
//! * `reader` reads a function as the [`Program`](spyre_proof::program::Program) that claims are about, at any
//!   stage: before tiling, after `--coarse-tile`, or planned.
//! * [`prove`]: `--spyre-prove`, the claims about the functions of a module, and those about two versions of a
//!   function.
//! * [`chain`]: the same from pass to pass of a pipeline.
//! * [`report`]: findings as diagnostics at the operations that they are about.
//!
//! Invariant: the crate shares no code with the passes that it checks. Of an operation it reads the attributes, and the
//! interface of device operations, which is the definition of an operation.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod chain;
mod claims;
mod constants;
mod extents;
mod index;
mod keys;
pub mod prove;
mod reader;
mod regions;
pub mod report;
mod statements;
mod target;
mod views;

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use spyre_cpp as _;

#[cfg(test)]
mod tests;
