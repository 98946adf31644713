//! Passes that convert device operations to bundles, and to linalg for the CPU.
#![forbid(unsafe_code)]

pub mod to_linalg;
pub mod to_sdscbundle;

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use spyre_cpp as _;
