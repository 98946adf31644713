//! Passes that make device operations into operations that the card computes, with a layout for each tensor.
//!
//! They run after the conversion from linalg and before planning. The conversions and the division between host and
//! device ask [`admitted`] and [`integers`] too, so that the operations that the card refuses stay on the host.
//!
//! * [`decompose`]: `--spyre-decompose`, expressions of OpFuncs for operations without one.
//! * [`integers`]: `--spyre-check-integers`, 64-bit integers that the card computes in 32 bits.
//! * [`padding_casts`]: `--spyre-fold-padding-casts`, casts between a window and the window without padding.
//! * [`layouts`]: the passes that choose layouts, from `--spyre-merge-batches` to `--spyre-insert-restickify`.
//! * [`clear_tails`]: `--spyre-clear-tails`, elements after the end of K.
//! * [`admitted`]: operations in formats that the contract of the target does not have.
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
