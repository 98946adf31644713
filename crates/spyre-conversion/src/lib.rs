//! Passes that convert device operations to bundles, and to linalg for the CPU.
//!
//! * [`to_sdscbundle`]: `--convert-spyre-to-sdscbundle`, a planned function as a bundle in IR, which `spyre-bundle`
//!   writes.
//! * [`to_linalg`]: `--convert-spyre-to-linalg` and the pipeline `--spyre-lower-to-llvm`, which `spyre-exec` runs. It
//!   converts device operations of any level: without layouts, with layouts, in tiles, and planned.
#![forbid(unsafe_code)]

pub mod to_linalg;
pub mod to_sdscbundle;

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use spyre_cpp as _;
