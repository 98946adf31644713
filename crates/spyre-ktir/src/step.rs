//! Device operations as KTIR will execute them: their tensors, and the division over cores.

use spyre_analysis::dynamic::SymbolId;
use spyre_conversion::to_sdscbundle::window::Operand;
use spyre_mlir_rt::ir::Op;

use crate::division::{Division, Part};

/// The iterations of a loop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trips {
    /// The largest number of them.
    pub most: u64,
    /// The growth of the counter in one iteration.
    pub step: u64,
    /// The dynamic dimension that the loop visits in tiles of `step` elements.
    pub symbol: Option<SymbolId>,
}

/// A tensor of an operation.
#[derive(Clone)]
pub(crate) struct Tensor<'p> {
    /// Its buffer and window.
    pub operand: Operand<'p>,
    /// The part of each dimension that a core has.
    pub parts: Vec<Part>,
}

/// A device operation.
pub(crate) struct Step<'p> {
    /// Its division over cores.
    pub division: Division,
    /// Its tensors, operands first, then the result.
    pub tensors: Vec<Tensor<'p>>,
}

/// A step, where it is in the program.
pub(crate) struct Entry<'p> {
    /// The operation.
    pub op: Op<'p>,
    /// The number of the operation at the top of the function that it is in, or is.
    pub top: usize,
    /// The iterations of each enclosing loop, outermost first.
    pub trips: Vec<Trips>,
    /// Its plan.
    pub step: Step<'p>,
}
