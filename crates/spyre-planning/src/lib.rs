//! Passes that plan loops, cores and addresses: hints, coarse tiling, work division, scratchpad.
#![forbid(unsafe_code)]

pub mod assign_hints;
pub mod bound;
pub mod choose_tiles;
pub mod coarse_tile;
pub mod constants;
pub mod plan;
pub mod propagate_names;
pub mod scratchpad;
pub mod specialize;
pub mod unroll;
pub mod verify_plan;
pub mod work_division;

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use spyre_cpp as _;
