//! Specifications of the first revision (SDSC bundle specification, section 3, rows marked r1).

use serde::{Deserialize, Serialize};

use crate::DeviceFormat;
use crate::expr::{Expr, Symbol};
use crate::model::{IterationDim, OpInfo};

/// A node of a specification tree of the first revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum R1Node {
    /// An operation.
    Op(R1Op),
    /// A loop.
    Loop(R1Loop),
    /// An operation that the front end could not express.
    Unimplemented {
        /// The name.
        op: String,
    },
}

/// A counted loop of the first revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct R1Loop {
    /// The number of iterations.
    pub count: Expr,
    /// The nodes of an iteration, in order.
    pub body: Vec<R1Node>,
    /// The iteration symbols of which this loop visits one tile after the other. If empty, the symbols of the first
    /// operation in the body.
    #[serde(default)]
    pub tiled_symbols: Vec<Symbol>,
}

/// An operation of the first revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct R1Op {
    /// Operation name.
    pub op: String,
    /// True for reductions, matrix multiplications and top-k.
    pub is_reduction: bool,
    /// The dimensions, with the extents of one tile.
    pub iteration_space: Vec<IterationDim>,
    /// Constants and other extras.
    #[serde(default)]
    pub op_info: OpInfo,
    /// The symbols that the enclosing loops divide, outermost first.
    #[serde(default)]
    pub tiled_symbols: Vec<Symbol>,
    /// The operands: inputs in order, output last.
    pub args: Vec<R1Arg>,
}

/// An operand of the first revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct R1Arg {
    /// Read or written.
    pub is_input: bool,
    /// The kernel argument; -1 in scratchpad and pool.
    pub arg_index: i64,
    /// Element format.
    #[serde(with = "crate::by_name")]
    pub device_dtype: DeviceFormat,
    /// Extent per device dimension, outermost first; the last is the elements per stick.
    pub device_size: Vec<u64>,
    /// One coordinate per device dimension, in iteration symbols.
    pub device_coordinates: Vec<Expr>,
    /// Where the operand starts.
    pub allocation: R1Allocation,
    /// Name, for operands that take part in indirect access.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Host elements from one position to the next along each device dimension; only the unroller uses it.
    #[serde(default)]
    pub stride_map: Option<Vec<i64>>,
    /// True for scratch memory that every tile uses again.
    #[serde(default)]
    pub per_tile_fixed: bool,
}

/// Where an operand of the first revision starts, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum R1Allocation {
    /// An address in device memory, as a number.
    Hbm(u64),
    /// An address in each core's scratchpad.
    Lx(u64),
    /// An offset in the pool.
    Pool(u64),
}

impl R1Allocation {
    /// The same memory, `bytes` further on; `None` if that is no address.
    pub fn moved(self, bytes: i64) -> Option<Self> {
        Some(match self {
            Self::Hbm(start) => Self::Hbm(start.checked_add_signed(bytes)?),
            Self::Lx(start) => Self::Lx(start.checked_add_signed(bytes)?),
            Self::Pool(start) => Self::Pool(start.checked_add_signed(bytes)?),
        })
    }
}

/// The extent that an operation has of one of a loop's symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct R1Iteration {
    /// The symbol.
    pub symbol: Symbol,
    /// The extent of one tile.
    pub tile: i64,
}

impl R1Op {
    /// The given loop symbols that this operation iterates over, with the extents of one tile.
    ///
    /// Extents that are not fixed are left out: a tile of them is no number of elements. Planning refuses them in this
    /// revision.
    pub fn iterations(&self, symbols: &[Symbol]) -> Vec<R1Iteration> {
        let tile = |symbol: &Symbol| {
            let dim = self.iteration_space.iter().find(|d| d.symbol == *symbol)?;
            Some(R1Iteration {
                symbol: symbol.clone(),
                tile: dim.extent.eval(|_| None).ok()?,
            })
        };
        symbols.iter().filter_map(tile).collect()
    }
}

impl R1Loop {
    /// The symbols of this loop's level: its tiled symbols, or the ones of the first operation of `body` (SDSC bundle
    /// specification, section 7.1).
    pub fn level_symbols<'a>(&'a self, body: &'a [R1Node]) -> &'a [Symbol] {
        if !self.tiled_symbols.is_empty() {
            return &self.tiled_symbols;
        }
        let first = body.iter().find_map(|node| match node {
            R1Node::Op(op) => Some(op.tiled_symbols.as_slice()),
            R1Node::Loop(_) | R1Node::Unimplemented { .. } => None,
        });
        first.unwrap_or_default()
    }
}
