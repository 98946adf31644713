//! The front end of PyTorch Inductor: import from JSON, export, the decisions of its scheduler, and the lowering to
//! linalg.
//!
//! The files, index expressions and decisions are in `spyre-inductor`, which is pure; this crate has them in the
//! dialect `inductor`. It depends on no other front end, and not on `spyre-planning`.
//!
//! * [`import`] builds a module from a graph, and [`export`] a graph from a module.
//! * [`realize`] decides which expressions are buffers.
//! * [`decide_layout`] decides the strides of buffers.
//! * [`program`] reads a graph as a program for a scheduler.
//! * [`schedule`] decides the loops, the order and the kernels of graphs.
//! * [`to_linalg`] lowers graphs to functions of linalg.
//! * `copy` copies bodies, `alike` compares them, and `number` finds common subexpressions in them.
//! * `index` turns index expressions without an affine map into operations.
//! * `memo` caches values by key.
//! * `table` has the names of the file next to those of the dialect, `functions` the functions of bodies, and `types`
//!   element types.
#![forbid(unsafe_code)]

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use spyre_cpp as _;

mod alike;
mod copy;
pub mod decide_layout;
mod errors;
pub mod export;
mod functions;
pub mod import;
mod index;
mod memo;
mod number;
pub mod program;
pub mod realize;
pub mod schedule;
mod table;
pub mod to_linalg;
mod types;

pub use to_linalg::sizes::{names as symbol_names, symbol_sizes};

/// The attributes of a graph that are no parts of the operation.
mod graph {
    /// The version of PyTorch.
    pub(super) const TORCH: &str = "torch";
    /// The schedulers.
    pub(super) const BACKEND: &str = "backend";
    /// The number in its program.
    pub(super) const NUMBER: &str = "number";
    /// The symbolic sizes.
    pub(super) const SYMBOLS: &str = "symbols";
    /// `"forward"` or `"backward"`.
    pub(super) const PHASE: &str = "phase";
    /// The device of all buffers.
    pub(super) const DEVICE: &str = "device";
}

/// The attributes of an operation that are no parts of it.
mod op {
    /// The node of the graph that it comes from.
    pub(super) const ORIGIN: &str = "origin";
    /// All nodes of the graph that it comes from.
    pub(super) const ORIGINS: &str = "origins";
    /// The name of an input in the program: of a parameter, a buffer or an argument.
    pub(super) const SOURCE: &str = "source";
    /// The tiling hints of the program.
    pub(super) const HINTS: &str = "hints";
    /// The type that it computes, where that is not the element type.
    pub(super) const DTYPE: &str = "dtype";
    /// The number that a constant was written as, where `f32` does not have it.
    pub(super) const EXACT: &str = "exact";
    /// The numbers of the operands of a function that are integers without a sign.
    pub(super) const UNSIGNED: &str = "unsigned";
    /// The kernel of an extern operation.
    pub(super) const KERNEL: &str = "kernel";
    /// The tensors of one, where they are no plain list.
    pub(super) const INPUTS: &str = "inputs";
    /// Its arguments that are no tensors.
    pub(super) const CONSTANT_ARGS: &str = "constant_args";
    /// Its arguments by name.
    pub(super) const KWARGS: &str = "kwargs";
    /// Its arguments in order.
    pub(super) const CALL: &str = "call";
    /// The class of a buffer without writes.
    pub(super) const EMPTY: &str = "NopKernel";
    /// Other facts about it.
    pub(super) const OTHER: &str = "other";
}
