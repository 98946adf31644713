//! Tiled programs visit the addresses of their untiled ones: each core, in each iteration, exactly the elements of its
//! part of the tile.
//!
//! The addresses that the generated function and files visit are compared with the addresses that the layouts of the
//! tensors give to host coordinates (`DeviceTensor::address`), with loops kept and unrolled. No data is moved, so the
//! check is fast enough to be exhaustive in a small scope, which `exhaustive.rs` describes; `properties.rs` goes
//! beyond it.

#[path = "../common/mod.rs"]
mod common;

mod check;
mod exhaustive;
mod program;
mod properties;
mod visits;
