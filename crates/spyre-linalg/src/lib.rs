//! Passes from linalg to device operations, and the division of a program between host and device.
//!
//! The input is linalg as front ends and other compilers print it; the output is functions of device operations
//! without layouts, and functions of the host that call them: what `docs/Linalg.md` describes.
//!
//! * [`uplift`]: `--spyre-uplift-loops`, counted loops as `scf.for` with affine offsets.
//! * [`from_linalg`]: `--convert-linalg-to-spyre`, the passes that prepare it and those that narrow its result, and
//!   the pipeline `--spyre-import-linalg`.
//! * [`raise`]: `--spyre-raise-opfuncs`, expressions that one OpFunc computes.
//! * [`outline`]: `--spyre-outline-device`, functions of the device.
//! * [`boundary`]: `--spyre-copy-joined-parts`, copies around concatenations.
#![forbid(unsafe_code)]

pub mod boundary;
pub mod from_linalg;
pub mod outline;
pub mod raise;
pub mod uplift;

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use spyre_cpp as _;
