//! Passes that plan loops, cores and addresses.
//!
//! They run on device operations with layouts, and the last of them leaves functions with a division and a place for
//! each operation. The arithmetic is in `spyre-plan`. These passes are one crate, since [`plan`] runs [`coarse_tile`],
//! [`work_division`] and [`scratchpad`] on copies of a function and compares the results.
//!
//! No two of these modules use each other. At the bottom are `executions`, how often an operation runs and the work of an
//! execution, and `accesses`, how it reads and writes its tensors; `measure` adds both up to the cost of a planned
//! function, and [`plan`], at the top, compares costs.
//!
//! Names and dynamic extents:
//!
//! * [`propagate_names`]: `--spyre-propagate-named-dims`, the names of all dimensions in the IR.
//! * [`bound`]: `--spyre-bound-dynamic-dims`, the largest extents that tensors can have.
//! * [`specialize`]: `--spyre-specialize-dynamic-dims`, numbers for dynamic extents.
//!
//! Hints and loops:
//!
//! * [`assign_hints`]: `--spyre-assign-dim-hints`, hints on operations for scopes around them.
//! * [`choose_tiles`]: `--spyre-choose-tiles`, hints for operations without any.
//! * [`coarse_tile`]: `--coarse-tile`, loops over tiles.
//! * [`unroll`]: `--spyre-unroll-loops`, the iterations of loops.
//!
//! Cores and addresses:
//!
//! * [`plan`]: `--spyre-plan`, tiles, divisions and places of a function, decided together.
//! * [`constants`]: `--spyre-constants-to-arguments`, constant tensors as arguments.
//! * [`work_division`]: `--spyre-work-division`, the cores along each dimension.
//! * [`scratchpad`]: `--spyre-insert-tensor-copies` and `--spyre-scratchpad-planning`, a place for each value.
//! * [`verify_plan`]: `--spyre-verify-plan`, a check of planned functions without any code of planning.
#![forbid(unsafe_code)]

mod accesses;
pub mod assign_hints;
pub mod bound;
pub mod choose_tiles;
pub mod coarse_tile;
pub mod constants;
mod executions;
mod measure;
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
