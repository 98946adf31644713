//! Reads `sdsc_N.json` and makes the checks that do not need the rest of the bundle (SDSC bundle specification, section
//! 5).

mod compute;
mod constants;
mod contract;
mod descriptors;
mod dsc;
mod folds;
mod format;
mod layouts;
mod links;
mod mask_value;
mod names;
mod nodes;
mod root;
mod scratchpad;
mod sizes;
mod starts;
mod windows;

pub use names::op_funcs;
pub(crate) use root::read;

use super::geometry::Shape;

/// The parts of a file that the rest of the bundle is checked against.
#[derive(Debug, Default)]
pub(crate) struct Sdsc {
    /// The operation, if the file has one name for it.
    pub op: Option<String>,
    /// Whether the file has the additions of revision r2 to the format.
    pub is_r2: bool,
    /// The symbols in the order of their first use; `None` when the file is too broken.
    pub symbols: Option<Vec<Symbol>>,
    /// The runtime dimensions.
    pub runtime: Vec<RuntimeDim>,
    /// The slice of each core in each dimension, if it is known.
    pub slices: Vec<Vec<u64>>,
    /// The tensors without faults.
    pub tensors: Vec<Tensor>,
    /// The masked dimensions with their first masked position.
    pub masks: Vec<(usize, u64)>,
}

/// A symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Symbol {
    /// The id, which is negative.
    pub id: i64,
    /// Whether the symbol is a size; otherwise it is an address.
    pub is_size: bool,
}

/// A dimension with a size that is known at launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RuntimeDim {
    /// The name in the file.
    pub dim: String,
    /// The symbol of its size.
    pub id: i64,
    /// The name of the size.
    pub tag: Option<String>,
    /// Largest size and granularity on a core, in elements.
    pub bounds: Option<(u64, u64)>,
    /// The number of cores that divide it.
    pub splits: u64,
}

/// A tensor of an operation.
#[derive(Debug, Clone)]
pub(crate) struct Tensor {
    /// The number.
    pub number: usize,
    /// Whether the operation writes the tensor.
    pub is_output: bool,
    /// The memory of the tensor.
    pub memory: Memory,
    /// The start on each core: a symbol, or an address in bytes.
    pub starts: Vec<i64>,
    /// The tensor's shape in memory; `None` if it is read through an index, or is relaid between cores.
    pub shape: Option<Shape>,
    /// Whether the tensor holds indices of another tensor.
    pub is_index: bool,
    /// Whether device memory has it as one tensor for all cores (K62).
    pub is_unified: bool,
    /// The dimension along its sticks, and the number of elements of a stick; `None` if the tensor does not have the dimension in
    /// memory.
    pub stick: Option<(usize, u64)>,
}

/// The memory of a tensor, and the form of its addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Memory {
    /// Device memory, the addresses are symbols.
    Symbolic,
    /// Device memory, the addresses are bytes.
    Concrete,
    /// The scratchpad of each core.
    Lx,
}

/// Returns whether a number is a symbol.
const fn is_symbol(id: i64) -> bool {
    id < 0
}
