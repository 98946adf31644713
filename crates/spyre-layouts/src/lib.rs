//! Passes on device operations and their layouts.
#![forbid(unsafe_code)]

pub mod admitted;
pub mod clear_tails;
pub mod decompose;
pub mod integers;
pub mod layouts;
pub mod padding_casts;

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use spyre_cpp as _;
