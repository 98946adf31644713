//! Safe access to the parts of MLIR that its C API, and so `melior`, lacks.
//!
//! * [`pass`]: passes written in Rust as first-class citizens of MLIR's pass registry, with options,
//!   statistics and dependent dialects.
//! * [`rules`]: rewrites of one operation, in tables that a caller extends.
//! * [`pipeline`]: named pipelines with options.
//! * [`affine`]: evaluating affine expressions.
//! * [`diagnostic`]: located diagnostics with notes.
//! * [`messages`]: the messages of a tool, as text or as JSON.
//! * [`ir`]: building, reading and editing the upstream operations that passes create by the thousand.
//! * [`execution`]: functions compiled for this machine, and called.
//! * [`statistics`]: the counts of the passes.
//! * [`bytecode`]: modules as bytes, and back.
//! * [`source`]: parsing files and running pipelines on them.
//! * [`tool`]: the mains of `mlir-opt` and `mlir-lsp-server` for our registry.
//!
//! All `unsafe` around MLIR is here and in `spyre-dialects`. Two properties of MLIR cannot be put
//! into types and stay the caller's duty: a handle of an erased operation must not be used again, and a
//! pass touches only the operation it runs on and what is inside it.

pub mod affine;
pub mod bytecode;
pub mod diagnostic;
mod excerpt;
pub mod execution;
mod ffi;
pub mod ir;
pub mod messages;
mod panics;
pub mod pass;
pub mod pipeline;
pub mod remark;
pub mod rules;
pub mod source;
pub mod statistics;
mod symbols;
pub mod tool;

// The tests link the C++, which calls functions of `spyre-dialects`.
#[cfg(test)]
use {spyre_cpp as _, spyre_dialects as _};
