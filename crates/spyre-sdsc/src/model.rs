//! Operation specifications: the input of the generator (SDSC bundle specification, section 3).
//!
//! The types can be built directly or read from the neutral JSON form, in which `arg_index` and the address are
//! separate fields; here an [`Allocation`] has both, so that a kernel argument without an index, or a scratchpad tensor
//! with one, cannot be written down.

mod json;
mod provenance;
mod tree;

use serde::{Deserialize, Serialize};

pub use json::SpecError;
pub use provenance::{DebugHandle, HandleError, SourceLoc, Transform, TransformKind};
pub use tree::{DimSource, LoopBound, LoopSpec, Node};

use crate::expr::{Expr, Symbol};
use crate::ordered::{Json, Object};
use crate::{ArgIndex, Arrangement, Bytes, DeviceFormat};

/// Where a tensor lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Allocation {
    /// In device memory, inside a kernel argument.
    Hbm {
        /// The kernel argument.
        arg: ArgIndex,
        /// Static distance of the tensor's first element from the argument's base.
        offset: Bytes,
    },
    /// In each core's scratchpad, at the same address on every core.
    Lx {
        /// The address in the scratchpad.
        address: Bytes,
    },
    /// In the pool of device memory that the bundle itself allocates.
    HbmPool {
        /// Distance from the start of the pool.
        offset: Bytes,
    },
}

impl Allocation {
    /// The start of kernel argument `index`.
    pub const fn argument(index: u32) -> Self {
        Self::Hbm {
            arg: ArgIndex::new(index),
            offset: Bytes::ZERO,
        }
    }

    /// Scratchpad address `bytes`.
    pub const fn lx(bytes: u64) -> Self {
        Self::Lx {
            address: Bytes(bytes),
        }
    }

    /// Pool offset `bytes`.
    pub const fn pool(bytes: u64) -> Self {
        Self::HbmPool {
            offset: Bytes(bytes),
        }
    }

    /// The kernel argument, for tensors inside one.
    pub const fn arg_index(self) -> Option<ArgIndex> {
        match self {
            Self::Hbm { arg, .. } => Some(arg),
            Self::Lx { .. } | Self::HbmPool { .. } => None,
        }
    }

    /// True for scratchpad tensors.
    pub const fn is_lx(self) -> bool {
        matches!(self, Self::Lx { .. })
    }
}

/// Whether an operation reads or writes a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Read.
    Input,
    /// Written.
    Output,
}

/// The name of the number of a core in [`OpSpec::core_id_to_work_slice`] and [`Ownership::core_id_to_work_slice`].
pub const CORE_ID: &str = "core_id";

/// Which core owns which part of a tensor, for re-layouts from scratchpad to scratchpad.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ownership {
    /// Slices per iteration symbol.
    pub work_slices: Object<u64, Symbol>,
    /// The slice of a core, as an expression of its number `core_id`.
    pub core_id_to_work_slice: Object<Expr, Symbol>,
    /// The cores among which the tensor is distributed, which may be more than its slices; the cores of the operation
    /// if not stated (contract, K71).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_cores: Option<u32>,
}

/// One tensor operand of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorArg {
    /// Read or written.
    pub direction: Direction,
    /// Element format.
    pub format: DeviceFormat,
    /// Extent per device dimension, outermost first; the last is the elements per stick.
    pub device_size: Vec<u64>,
    /// One coordinate per device dimension, in iteration symbols; the last is the position inside the stick.
    /// Integer terms are slice offsets.
    pub device_coordinates: Vec<Expr>,
    /// Where the tensor lives.
    pub allocation: Allocation,
    /// Name, for tensors that take part in indirect access.
    pub name: Option<String>,
    /// Distance in device elements from the tensor's start to the current tile: a sum with one term `k*s` or
    /// `floor(k*s/d)` per advancing level symbol. `None` if the tensor does not move.
    pub advance: Option<Expr>,
    /// Arrangement inside a stick; only [`Arrangement::Qfp8Wt`] changes the generated files.
    pub arrangement: Arrangement,
    /// Ownership by cores, if it differs from the operation's.
    pub ownership: Option<Ownership>,
    /// True if each core's part is a separate tensor in device memory (contract, K62); the parts of one buffer
    /// otherwise.
    pub separate_parts: bool,
    /// True if the front end states that the tensor has no uses outside of its kernel; no file depends on it (contract,
    /// K73).
    pub kernel_local: bool,
}

impl TensorArg {
    /// An input in standard arrangement that does not advance; [`OpSpec::with_output`] makes it an output.
    pub const fn new(
        format: DeviceFormat,
        device_size: Vec<u64>,
        device_coordinates: Vec<Expr>,
        allocation: Allocation,
    ) -> Self {
        Self {
            direction: Direction::Input,
            format,
            device_size,
            device_coordinates,
            allocation,
            name: None,
            advance: None,
            arrangement: Arrangement::Standard,
            ownership: None,
            separate_parts: false,
            kernel_local: false,
        }
    }

    /// The same tensor, moving by `advance` device elements. See [`TensorArg::advance`].
    pub fn advancing(mut self, advance: Expr) -> Self {
        self.advance = Some(advance);
        self
    }
}

/// One dimension of an operation's iteration space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IterationDim {
    /// The symbol that coordinates use.
    pub symbol: Symbol,
    /// Extent in elements: an integer, or the name of a runtime size listed in
    /// [`OpSpec::symbolic_dim_bounds`].
    #[serde(rename = "range")]
    pub extent: Expr,
    /// The number of equal slices over which cores divide the dimension.
    #[serde(rename = "work_division")]
    pub slices: u64,
}

/// The bounds of a runtime size. Reads and writes as `[max, granularity]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "(u64, u64)", into = "(u64, u64)")]
pub struct DimBounds {
    /// The largest value.
    pub max: u64,
    /// Every value is a multiple of this.
    pub granularity: u64,
}

impl From<(u64, u64)> for DimBounds {
    fn from((max, granularity): (u64, u64)) -> Self {
        Self { max, granularity }
    }
}

impl From<DimBounds> for (u64, u64) {
    fn from(bounds: DimBounds) -> Self {
        (bounds.max, bounds.granularity)
    }
}

/// Extras of an operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OpInfo {
    /// Named constants, in the order in which they are emitted. Truth values are read as 1 and 0.
    #[serde(
        default,
        deserialize_with = "numbers_and_truths",
        skip_serializing_if = "Object::is_empty"
    )]
    pub constants: Object<f64>,
    /// Everything else, such as `conv_params`.
    #[serde(flatten)]
    pub other: Object<Json>,
}

/// Reads constants, of which some are truth values: `useZeroMean` of `exx2` is one.
pub(crate) fn numbers_and_truths<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Object<f64>, D::Error> {
    let entries = Object::<Constant>::deserialize(deserializer)?;
    let numbers = entries
        .iter()
        .map(|(name, Constant(value))| (name.clone(), *value));
    Ok(numbers.collect())
}

/// A number, or a truth value as a number.
struct Constant(f64);

impl<'de> Deserialize<'de> for Constant {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl serde::de::Visitor<'_> for Reader {
            type Value = Constant;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number or a truth value")
            }

            fn visit_bool<E>(self, value: bool) -> Result<Constant, E> {
                Ok(Constant(f64::from(u8::from(value))))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Constant, E> {
                Ok(Constant(value as f64))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Constant, E> {
                Ok(Constant(value as f64))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Constant, E> {
                Ok(Constant(value))
            }
        }

        deserializer.deserialize_any(Reader)
    }
}

/// One device operation on one tile (SDSC bundle specification, section 3.1).
#[derive(Clone, Debug, PartialEq)]
pub struct OpSpec {
    /// Operation name: the backend's operation function before any suffix.
    pub op: String,
    /// True for reductions, matrix multiplications and top-k.
    pub is_reduction: bool,
    /// The dimensions, output dimensions before reduction dimensions.
    pub iteration_space: Vec<IterationDim>,
    /// The operands: inputs in order, output last.
    pub args: Vec<TensorArg>,
    /// Constants and other extras.
    pub op_info: OpInfo,
    /// The symbols that each enclosing loop advances, innermost loop first, one entry per enclosing loop.
    pub tiled_levels: Vec<Vec<Symbol>>,
    /// Trip count of the loop of a level symbol.
    pub tiled_symbol_trip_counts: Object<u64, Symbol>,
    /// Bounds of the runtime sizes that extents name.
    pub symbolic_dim_bounds: Object<DimBounds, Symbol>,
    /// The slice of each dimension that a core works on, as an expression of its number `core_id`, in the order in which
    /// files list the dimensions (contract, K69). A dimension without an entry is undivided. `None` if the division of the
    /// dimensions defines it.
    pub core_id_to_work_slice: Option<Object<Expr, Symbol>>,
    /// The cores that have finished the source of a re-layout, where only some have; only these are scheduled (contract,
    /// K68). Empty if all have.
    pub completed_producer_cores: Vec<u32>,
    /// Extents in NCHW order, for pools and convolutions.
    pub node_output_ranges: Vec<Expr>,
    /// Provenance as the front end wrote it; files hold it in the form of [`DebugHandle`].
    pub debug_handle: Option<Json>,
}

impl OpSpec {
    /// An empty specification of `op`, to be completed with the `with_` methods.
    pub fn new(op: impl Into<String>, is_reduction: bool) -> Self {
        Self {
            op: op.into(),
            is_reduction,
            iteration_space: Vec::new(),
            args: Vec::new(),
            op_info: OpInfo::default(),
            tiled_levels: Vec::new(),
            tiled_symbol_trip_counts: Object::new(),
            symbolic_dim_bounds: Object::new(),
            core_id_to_work_slice: None,
            completed_producer_cores: Vec::new(),
            node_output_ranges: Vec::new(),
            debug_handle: None,
        }
    }

    /// An empty elementwise, cast or data-movement operation.
    pub fn pointwise(op: impl Into<String>) -> Self {
        Self::new(op, false)
    }

    /// An empty reduction, matrix multiplication or top-k.
    pub fn reduction(op: impl Into<String>) -> Self {
        Self::new(op, true)
    }

    /// Appends an iteration dimension.
    pub fn with_dim(mut self, symbol: impl Into<Symbol>, extent: Expr, slices: u64) -> Self {
        self.iteration_space.push(IterationDim {
            symbol: symbol.into(),
            extent,
            slices,
        });
        self
    }

    /// Appends an input operand.
    pub fn with_input(mut self, tensor: TensorArg) -> Self {
        self.args.push(TensorArg {
            direction: Direction::Input,
            ..tensor
        });
        self
    }

    /// Appends an output operand.
    pub fn with_output(mut self, tensor: TensorArg) -> Self {
        self.args.push(TensorArg {
            direction: Direction::Output,
            ..tensor
        });
        self
    }

    /// Sets a named constant.
    pub fn with_constant(mut self, name: impl Into<String>, value: f64) -> Self {
        self.op_info.constants.insert(name.into(), value);
        self
    }

    /// Adds the entry of the next *outer* enclosing loop: call once per loop, innermost first. `symbols` is
    /// empty for loops that move none of the operation's tensors.
    pub fn with_tiled_level(mut self, symbols: impl IntoIterator<Item = Symbol>) -> Self {
        self.tiled_levels.push(symbols.into_iter().collect());
        self
    }

    /// Records the trip count of the loop of a level symbol.
    pub fn with_trip_count(mut self, symbol: impl Into<Symbol>, trips: u64) -> Self {
        self.tiled_symbol_trip_counts.insert(symbol.into(), trips);
        self
    }

    /// Records the bounds of a runtime size.
    pub fn with_runtime_size(mut self, symbol: impl Into<Symbol>, bounds: DimBounds) -> Self {
        self.symbolic_dim_bounds.insert(symbol.into(), bounds);
        self
    }

    /// States the slice of a dimension that a core works on, as an expression of `core_id`.
    pub fn with_core_slice(mut self, symbol: impl Into<Symbol>, slice: Expr) -> Self {
        let mapping = self.core_id_to_work_slice.get_or_insert_with(Object::new);
        mapping.insert(symbol.into(), slice);
        self
    }

    /// The operands that are read.
    pub fn inputs(&self) -> impl Iterator<Item = &TensorArg> {
        self.args
            .iter()
            .filter(|arg| arg.direction == Direction::Input)
    }

    /// The operands that are written.
    pub fn outputs(&self) -> impl Iterator<Item = &TensorArg> {
        self.args
            .iter()
            .filter(|arg| arg.direction == Direction::Output)
    }
}
