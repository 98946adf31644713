//! The function of a bundle as an AST: few kinds of statements, values by number.

use std::sync::Arc;

use super::AddressMode;
use super::names::Names;
use crate::bundle::symbols::SymbolId;
use crate::expr::Symbol;
use crate::model::{DimBounds, DimSource};
use crate::{ArgIndex, Bytes};

/// A value of the function. Numbers are dense, from 0, in order of definition: parameters first, then
/// statements depth first; every use follows its definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueId(u32);

impl ValueId {
    /// The value with this number.
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number, for indexing a table of [`Function::value_count`] entries.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// `func.func @sdsc_bundle`, with the affine maps it uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// The form of addresses: bound by the function, or numbers in the files.
    pub addresses: AddressMode,
    /// The maps `#map_0`, `#map_1` ...
    pub maps: Vec<AffineMap>,
    /// The parameters.
    pub params: Vec<Param>,
    /// The statements, without the final `return`.
    pub body: Vec<Stmt>,
    pub(super) names: Names,
}

impl Function {
    /// Returns the name of a value, without `%`; unique in the function.
    ///
    /// # Panics
    /// If the value is one of another function.
    pub fn name(&self, value: ValueId) -> &str {
        self.names.get(value.index())
    }

    /// Returns the bounds of a runtime size that is a parameter.
    pub fn bounds_of(&self, size: &Symbol) -> Option<DimBounds> {
        self.params.iter().find_map(|param| match &param.binding {
            ParamBinding::Dimension { symbol, bounds } if symbol == size => Some(*bounds),
            _ => None,
        })
    }

    /// The number of values.
    pub fn value_count(&self) -> usize {
        self.names.len()
    }
}

/// `(d0, d1 ...)[s0] -> (s0 + strides[0]*d0 + strides[1]*d1 ...)`: an address as its base and the bytes per
/// iteration of each contributing loop, outermost first, or per element of each runtime size.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AffineMap {
    /// Bytes per unit of each induction variable or runtime size.
    pub strides: Vec<Bytes>,
}

/// `!sdscbundle.input_arg<index ...>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputArgType {
    /// `granularity` and `max_value`, for runtime sizes.
    pub bounds: Option<DimBounds>,
}

/// A parameter of the function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// The value.
    pub value: ValueId,
    /// The type.
    pub ty: InputArgType,
    /// The binding of the parameter.
    pub binding: ParamBinding,
}

/// The value that the launcher passes for a parameter (SDSC bundle specification, section 2.8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParamBinding {
    /// The address of the pool.
    Pool,
    /// The address of a kernel argument.
    Kernel(ArgIndex),
    /// A runtime size of an operation, by name.
    Dimension {
        /// The size.
        symbol: Symbol,
        /// The bounds.
        bounds: DimBounds,
    },
    /// A runtime size that bounds a loop.
    LoopDimension {
        /// The size.
        symbol: Symbol,
        /// The bounds.
        bounds: DimBounds,
        /// The place.
        source: DimSource,
    },
}

impl ParamBinding {
    /// Returns the type of the parameter.
    pub const fn ty(&self) -> InputArgType {
        let bounds = match self {
            Self::Pool | Self::Kernel(_) => None,
            Self::Dimension { bounds, .. } | Self::LoopDimension { bounds, .. } => Some(*bounds),
        };
        InputArgType { bounds }
    }

    /// Returns the name of the parameter with the value `value`.
    pub(super) fn param_name(&self, value: &str) -> String {
        match self {
            Self::Pool | Self::Kernel(_) => format!("{value}_base_addr"),
            Self::Dimension { .. } | Self::LoopDimension { .. } => format!("{value}_base"),
        }
    }
}

/// A statement. Every one but [`Execute`](Self::Execute) and [`For`](Self::For) defines `result`, of type `index`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// `sdscbundle.device_mem_allocate SIZE bytes : index`.
    DeviceMemAllocate {
        /// The address.
        result: ValueId,
        /// Bytes to allocate.
        size: Bytes,
    },
    /// `sdscbundle.input_arg_extract value from %param : TYPE -> index`.
    InputArgExtract {
        /// The value passed.
        result: ValueId,
        /// The parameter.
        param: ValueId,
        /// The parameter's type.
        ty: InputArgType,
    },
    /// `arith.constant N : index`.
    Constant {
        /// The constant.
        result: ValueId,
        /// The value, below 2^63.
        value: u64,
    },
    /// `arith.addi %lhs, %rhs : index`.
    AddI {
        /// The sum.
        result: ValueId,
        /// The left operand.
        lhs: ValueId,
        /// The right operand.
        rhs: ValueId,
    },
    /// `affine.apply #map(%ivs)[%base]`.
    Apply {
        /// The address.
        result: ValueId,
        /// Position in [`Function::maps`].
        map: usize,
        /// The induction variables or runtime sizes, one per stride of the map; shared by operands that move
        /// alike.
        ivs: Arc<[ValueId]>,
        /// The address where they are zero.
        base: ValueId,
    },
    /// `sdscbundle.sdsc_execute (%operands) {sdsc_filename="...", "symbol_ids"=[...]}`.
    Execute {
        /// The addresses and runtime sizes.
        operands: Box<[ValueId]>,
        /// The operation's file.
        filename: String,
        /// The symbol that each operand is bound to.
        symbol_ids: Box<[SymbolId]>,
    },
    /// `scf.for %iv = %lower to %upper step %step { ... }`.
    For {
        /// The induction variable.
        iv: ValueId,
        /// First value.
        lower: ValueId,
        /// Bound.
        upper: ValueId,
        /// Increment.
        step: ValueId,
        /// The statements of an iteration.
        body: Vec<Stmt>,
    },
}
