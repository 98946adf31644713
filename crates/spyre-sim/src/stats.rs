//! The bytes that a bundle moves.

use std::collections::BTreeMap;

use spyre_layout::Bytes;
use spyre_plan::Picoseconds;

/// An operand of an operation in device memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OperandId {
    /// The file of the operation, such as `sdsc_0.json`.
    pub file: String,
    /// The position among the tensors: inputs first, then the output.
    pub position: usize,
    /// The name of the operation's function, such as `mul`.
    pub function: String,
    /// The name of the tensor, with its role.
    pub tensor: String,
}

/// The bytes that moved between device memory and an operand, in all executions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperandTraffic {
    /// The bytes that all cores moved.
    pub all: Bytes,
    /// The same, with bytes that several cores moved in one execution counted once.
    pub distinct: Bytes,
    /// The most cores that moved the same slice in one execution.
    pub fan_out: u32,
}

/// The bytes that moved, and the bytes that were needed.
///
/// Traffic follows from the slices of the operations: in every execution, each core moves every stick that its slice of
/// a tensor is in, once. A tensor with one element per stick moves whole sticks. How often a core would really fetch a
/// stick is the backend compiler's choice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Bytes of device memory that were read.
    pub hbm_read: Bytes,
    /// Bytes of device memory that were written. Under a split of a reduced dimension cores pass on parts of the same elements,
    /// and one of them writes.
    pub hbm_written: Bytes,
    /// Bytes of device memory that were read, with bytes that several cores read in one execution counted once. Slices
    /// that overlap in part, such as windows, are each counted in full.
    pub hbm_read_distinct: Bytes,
    /// The traffic of each operand in device memory. Their sums are the three totals.
    pub operands: BTreeMap<OperandId, OperandTraffic>,
    /// The modelled time of all executions and iterations ([`Rates`](spyre_plan::Rates) of the target).
    pub modelled_time: Picoseconds,
    /// Bytes of scratchpads that were read, all cores together.
    pub lx_read: Bytes,
    /// Bytes of scratchpads that were written, all cores together.
    pub lx_written: Bytes,
    /// For each core with tensors in its scratchpad, the end of the last one.
    pub lx_peak: BTreeMap<u16, Bytes>,
    /// Executions of operations.
    pub ops: u64,
    /// Iterations of loops.
    pub iterations: u64,
}

impl Stats {
    /// Adds bytes to a total. A sum above 2^64 - 1 counts as 2^64 - 1.
    pub(crate) fn add(total: &mut Bytes, bytes: u64) {
        *total = Bytes(total.get().saturating_add(bytes));
    }
}
