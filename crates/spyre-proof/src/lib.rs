//! Proofs about addresses: decisions that no address of a program is wrong, without running it.
//!
//! Tiling, windows, the division over cores and placement are affine, so equality of what is read and written can be
//! *decided* for all iterations, cores and extents at once. A [`Program`](program::Program) is the part of a function
//! that the claims are about: loops, tensors, and for each operation the elements that it reads and writes. The
//! [claims](claim::Claim) are:
//!
//! * P1 coverage: each element that is read or returned has been written, once, or by the parts of one reduction;
//! * P2 correspondence: an operation reads the same elements of the same values as in the program before the pass;
//! * P3 order: no element is read before it is written, or after it is overwritten;
//! * P4 place: live values are disjoint, accesses are inside their buffers, and the addresses of cores are whole
//!   sticks;
//! * P5 files: the addresses that the files of a bundle compute are those of the program.
//!
//! The crate shares no code with the passes that it checks. It reads nothing but data: `spyre-proof-mlir` reads
//! functions as programs.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod address;
pub mod claim;
mod contents;
mod coverage;
mod domain;
pub mod expr;
pub mod files;
mod ids;
mod memory;
pub mod places;
pub mod program;
mod repeats;
pub mod rewrite;
pub mod sets;
mod table;
