//! Facts about functions of device operations, for all passes.
//!
//! A pass asks here which operations there are, how they index their tensors, which names, extents and bytes these
//! operations. Facts that one pass alone needs are in the crate of that pass, and larger builders in
//! `spyre-construct`.
//!
//! Operations and their tensors:
//!
//! * [`walk`]: the device operations of a block, the values that loops carry, trip counts.
//! * [`kinds`]: kinds of operations that passes treat alike, such as fills and copies.
//! * [`tensor`]: tensor types: shape, layout, room in device memory.
//! * [`view`]: permutations and reshapes, which move no elements.
//! * [`indexing`]: the iteration dimensions that index each tensor of an operation.
//! * [`signs`]: tensors without negative elements.
//!
//! Dimensions:
//!
//! * [`names`]: the names of dimensions, from arguments through the operations of a function.
//! * [`dynamic`]: dimensions with dynamic extents.
//! * [`sizes`]: the extents that a user gives dynamic dimensions.
//!
//! Cores and memory:
//!
//! * [`target`]: the machine, and `--spyre-set-target`.
//! * [`units`]: the smallest parts of iteration dimensions that one core can work on.
//! * [`division`]: the parts of tensors that cores have.
//! * [`spans`]: the bytes over which a core reaches in a tensor.
//! * [`strides`]: layouts that an operation can run on.
//! * [`scratchpad`]: the tensors of a kernel in KTIR that are alive at the same time.
//! * [`relayout`]: copies from scratchpad to scratchpad.
//! * [`rows`]: the rows that a change of layout brings onto the stick.
#![forbid(unsafe_code)]

pub mod dim_sizes;
pub mod division;
pub mod dynamic;
pub mod indexing;
pub mod kinds;
pub mod names;
pub mod relayout;
pub mod rows;
pub mod scratchpad;
pub mod signs;
pub mod sizes;
pub mod spans;
pub mod strides;
pub mod target;
pub mod tensor;
pub mod units;
pub mod view;
pub mod walk;

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use spyre_cpp as _;
