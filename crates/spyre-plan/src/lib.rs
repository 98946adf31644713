//! Planning for the Spyre accelerator, without MLIR: the [target](Target), the [time](cost) of operations, their [joint
//! division](together), the [choice of tiles](auto_tile), how extents are [cut into tiles](tile_extent), how work is
//! [shared among cores](distribute), where buffers go in a [memory of fixed size](first_fit), and which
//! [layouts](restickify) make values need the fewest copies.
//!
//! ```
//! use spyre_layout::{Bytes, STICK_BYTES};
//! use spyre_plan::{Buffer, Placement, Target, first_fit, tile_extent};
//!
//! // 1024 x 4096 in 2 x 4 tiles of 512 x 1024, the columns in whole sticks.
//! assert_eq!(tile_extent(1024, 2, 1), Some(512));
//! assert_eq!(tile_extent(4096, 4, 64), Some(1024));
//!
//! // One tile in 16-bit elements, shared by all cores, fits their scratchpads.
//! let target = Target::default();
//! let per_core = Bytes(512 * 1024 * 2 / u64::from(target.cores));
//! let buffer = Buffer::new(per_core, 0..2);
//! assert_eq!(first_fit(&[buffer], target.usable_lx(), STICK_BYTES), [Placement::At(Bytes(0))]);
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod auto_tile;
pub mod cost;
mod disjoint_sets;
mod dynamic;
mod overlap;
pub mod relayout;
pub mod restickify;
mod scratchpad;
mod target;
mod tiling;
mod time;
pub mod together;
mod work_division;

pub use disjoint_sets::DisjointSets;
pub use dynamic::{DynamicExtent, NotAdmitted, lcm};
pub use scratchpad::{
    Buffer, Exact, NODES, NoSuchSolver, Placement, PlacementError, Solver, best_fit, exact,
    first_fit, greedy, high_water, place, spill_traffic, verify,
};
pub use target::{Target, TargetError};
pub use tiling::{Parts, tile_extent};
pub use time::{Picoseconds, Rates};
pub use work_division::{
    CoreMapping, CoreMappingError, SplitDim, TensorSlices, core_slices, distribute,
    distribute_within, slices_agree, splits_only,
};
