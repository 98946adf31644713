//! Builders of device operations, and of structured operations of linalg.
#![forbid(unsafe_code)]

pub mod access;
pub mod affine;
pub mod build;
pub mod fill;
pub mod loops;
pub mod reassociation;
pub mod reshape;
pub mod structured;

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use spyre_cpp as _;
