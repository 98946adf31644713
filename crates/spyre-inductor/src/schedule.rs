//! The decisions of PyTorch Inductor's scheduler about a program: the order of its loops, merged loops, dependences,
//! and fused nodes.
//!
//! * [`program`] is the program: buffers, and the nodes that compute them.
//! * [`nest`] simplifies loop nests: [`order`] picks the order of loops, [`merge`] merges them.
//! * [`realize`] decides which expressions are buffers.
//! * [`layout`] decides the layouts of buffers that have none.
//! * [`deps`] has the reads and writes of nodes, [`graph`] the dependences between nodes, and an order of the nodes.
//! * [`split`] decides the number of parts of a long reduction.
//! * [`fuse`] decides which nodes form a kernel.
//!
//! The rules are from PyTorch 2.12 (`torch/_inductor/scheduler.py`, `ir.py`, `dependencies.py`, `sizevars.py`,
//! `choices.py`, `codegen/cpp.py`, `codegen/simd.py`), for kernels that are no templates, on one device.

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

/// The rules by which loops are fused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// The rules of PyTorch's kernels in C++, on the CPU.
    Cpp,
    /// The rules of its SIMD kernels, in Triton.
    Simd,
    /// The rules of this project: exactly the nodes of one hint scope are fused.
    Spyre,
}
