//! `--convert-spyre-to-ktir`: planned device operations as KTIR.
//!
//! KTIR is the tile IR of Spyre's kernels: one function that all cores run, with views of memory, access tiles, loads
//! and stores of the dialect `ktdp`, and `linalg` on tensors. The input is the planned program that
//! `--convert-spyre-to-sdscbundle` takes. The steps are
//!
//! * `plan`: the division, the buffers and windows of each operation, which is a `step`;
//! * `division` and `area`: the part of a tensor that a core has, and the memory that the part takes;
//! * `phases`: the places where cores have to wait for each other, and a new launch begins;
//! * `walk`: loops, and values in scratchpads, which are tensors; `parts` follows them through windows and views;
//! * `extents` and `dynamic`: dimensions whose extents a launch chooses, and views of tensors with them;
//! * `memory`: loads and stores; `compute` (on a `computation`), `contract`, `reduce`, `moments` and `gather`: the computation of an operation;
//!   `sums` has those that combine elements, all of them at once or in pieces;
//! * `pieces` and `fit`: loops over pieces of a part that is too large for the scratchpad of a core;
//! * `emit`, `structured`, `texts` and `ktdp`: builders of operations;
//! * `upstream`: the flavour of the scheduler.
#![forbid(unsafe_code)]

mod area;
mod computation;
mod compute;
mod contract;
mod convert;
mod division;
mod dynamic;
mod emit;
mod extents;
mod fit;
mod gather;
mod ktdp;
mod memory;
mod moments;
mod parts;
mod phases;
mod pieces;
mod plan;
mod reduce;
mod step;
mod structured;
mod sums;
mod texts;
mod upstream;
mod walk;

pub use convert::CONVERT_SPYRE_TO_KTIR;

use melior::ir::operation::OperationLike;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::Op;

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use spyre_cpp as _;

/// The name of the pass, which messages begin with.
const PASS: &str = "convert-spyre-to-ktir";

/// The unit of the base addresses of memory views.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BaseUnit {
    /// Elements of the view.
    Element,
    /// Bytes.
    Byte,
}

/// Returns an error of the pass at an operation.
fn error<'p>(op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(op.location(), format!("{PASS}: {message}"))
}
