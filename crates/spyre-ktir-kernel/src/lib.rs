//! Kernels in KTIR, as the attributes of their functions describe them.
//!
//! A kernel is a function that accesses memory by operations of `ktdp`. Attributes have the facts that no operation has:
//! the cores, the program that the kernel is a launch of, the dynamic extents, and the arguments that are pools. The
//! conversion to KTIR writes them. The check of kernels and their run on the CPU read them here, so that both have one
//! definition; an attribute of another form is an error of both.
//!
//! * `grid`: the cores;
//! * `programs`: launches of one program;
//! * `extents`: arguments that are extents, with bounds and names;
//! * `pools`: arguments with intermediate values.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod extents;
mod grid;
mod pools;
mod programs;

pub use extents::{Extent, ExtentsError, extents};
pub use grid::{Grid, GridError, MOST_CORES, grid};
pub use pools::{PoolError, pools};
pub use programs::{LaunchError, Program, has_accesses, launch_errors, programs};

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use spyre_cpp as _;

/// The attribute of a kernel with the number of cores: `[n]`.
pub const GRID: &str = "grid";

/// The attribute of a launch with the name of the program, which its launches have in common.
pub const PROGRAM: &str = "program";

/// The attribute of a launch with its number in the program, from 0 on.
pub const LAUNCH: &str = "launch";

/// The attribute of a kernel with its dynamic extents: `[argument, granularity, maximum]` of each.
pub const EXTENTS: &str = "extents";

/// The attribute of a kernel with the names of its dynamic extents in the program, in the order of [`EXTENTS`].
pub const EXTENT_NAMES: &str = "extent_names";

/// The attribute of an argument with the bytes that it is the address of.
pub const BYTES: &str = "ktdp.bytes";

/// The attribute of a kernel with the bytes of each input and result, of the room for dynamic extents.
pub const ARGUMENT_BYTES: &str = "argument_bytes";

/// The attribute of a kernel with the bytes of each pool.
pub const POOL_BYTES: &str = "pool_bytes";

/// The attribute of a kernel with the element type of each pool: the last arguments, in order.
pub const POOL_TYPES: &str = "pool_types";

/// The attribute of a kernel with the number of the argument that is its only pool.
pub const POOL_ARGUMENT: &str = "pool_argument";
