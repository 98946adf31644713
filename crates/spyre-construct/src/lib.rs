//! Builders of device operations, and of structured operations of linalg.
//!
//! Front ends build `linalg` with these, and passes build device operations. The builders take index expressions of
//! `spyre-index-expr`, and know no front end, no layout and no plan.
//!
//! * [`build`]: device operations and views before an operation, with extents that are numbers or dynamic dimensions.
//! * [`error`]: the reasons why a builder refuses operands.
//! * [`fill`]: constant tensors.
//! * [`reassociation`]: the dimensions that a reshape merges and splits.
//! * [`reshape`]: reshapes that merge dimensions and split them in another order.
//! * [`structured`]: builders of `linalg.generic`.
//! * [`access`]: the coordinates of the tensors of a structured operation, as linear forms of its loops.
//! * [`loops`]: the loops of a nest, cut into digits, so that coordinates are linear in them.
//! * [`affine`]: index expressions as affine maps, and back.
#![forbid(unsafe_code)]

pub mod access;
pub mod affine;
pub mod build;
pub mod error;
pub mod fill;
pub mod loops;
pub mod reassociation;
pub mod reshape;
pub mod structured;

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use spyre_cpp as _;
