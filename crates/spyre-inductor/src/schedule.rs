//! The decisions of PyTorch Inductor's scheduler about a program: the order of its loops, which of them are one, what depends on
//! what, and which nodes run together.
//!
//! * [`program`] is the program: buffers, and the nodes that make them.
//! * [`nest`] makes loop nests simpler: [`order`] picks the order of loops, [`merge`] merges them.
//! * [`realize`] decides which expressions are buffers.
//! * [`layout`] decides where elements are that nobody has placed.
//! * [`deps`] has what nodes need and make, [`graph`] who needs whom, and an order of the nodes.
//! * [`split`] says how many parts a long reduction has.
//! * [`fuse`] decides which nodes run together.
//!
//! The rules are those of PyTorch 2.12 (`torch/_inductor/scheduler.py`, `ir.py`, `dependencies.py`, `sizevars.py`, `choices.py`,
//! `codegen/cpp.py`, `codegen/simd.py`), for kernels that are no templates, on one device.

pub mod deps;
pub mod fuse;
pub mod graph;
pub mod layout;
pub mod merge;
pub mod nest;
pub mod order;
pub mod program;
pub mod realize;
pub mod split;

/// Whose rules decide which loops run together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Those of PyTorch's kernels in C++, on the CPU.
    Cpp,
    /// Those of its kernels of vectors, in Triton.
    Simd,
    /// Those of this project: what is in one hint scope runs together, and nothing else.
    Spyre,
}
