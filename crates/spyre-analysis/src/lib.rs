//! Facts about functions of device operations: walks, views, names of dimensions, extents, tensors of the device.
#![forbid(unsafe_code)]

pub mod division;
pub mod dynamic;
pub mod indexing;
pub mod insert;
pub mod kinds;
pub mod names;
pub mod relayout;
pub mod rows;
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
