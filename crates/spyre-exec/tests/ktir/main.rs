//! Kernels in KTIR on the CPU: the programs of `examples/ktir`, and faults that are put into their kernels.

mod examples;
mod faults;
mod kernels;
mod pieces;
mod scratchpads;
