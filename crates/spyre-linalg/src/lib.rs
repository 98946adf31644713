//! Passes from linalg to device operations, and their division between host and device.
#![forbid(unsafe_code)]

pub mod boundary;
pub mod from_linalg;
pub mod outline;
pub mod raise;
pub mod uplift;

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use spyre_cpp as _;
