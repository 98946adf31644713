//! The specification tree: operations inside counted loops.

use serde::{Deserialize, Serialize};

use super::{DimBounds, OpSpec};
use crate::ArgIndex;
use crate::error::LoopError;
use crate::expr::{Expr, ExprKind, Symbol};
use crate::ordered::Object;

/// Where the launcher finds a runtime size: a dimension of a kernel argument. Reads and writes as
/// `[arg_index, dim_index]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "(ArgIndex, u32)", into = "(ArgIndex, u32)")]
pub struct DimSource {
    /// The kernel argument.
    pub arg: ArgIndex,
    /// The host dimension of that argument.
    pub dim: u32,
}

impl From<(ArgIndex, u32)> for DimSource {
    fn from((arg, dim): (ArgIndex, u32)) -> Self {
        Self { arg, dim }
    }
}

impl From<DimSource> for (ArgIndex, u32) {
    fn from(source: DimSource) -> Self {
        (source.arg, source.dim)
    }
}

/// A counted loop (SDSC bundle specification, section 3.3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopSpec {
    /// The number of iterations: an integer, a runtime size, or `floor(size/tile)`.
    pub count: Expr,
    /// The nodes of an iteration, in order.
    pub body: Vec<Node>,
    /// Bounds of the runtime sizes in the count.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub count_symbol_bounds: Object<DimBounds, Symbol>,
    /// Sources of the runtime sizes in the count.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub count_symbol_sources: Object<DimSource, Symbol>,
}

/// The form of a loop's count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoopBound {
    /// A fixed number of iterations.
    Static(i64),
    /// `size / step` iterations over a runtime size; the induction variable counts elements.
    Runtime {
        /// The runtime size.
        symbol: Symbol,
        /// Elements per iteration, at least 1.
        step: u64,
    },
}

impl LoopSpec {
    /// `count` iterations of `body`.
    pub fn new(count: i64, body: Vec<Node>) -> Self {
        Self {
            count: Expr::int(count),
            body,
            count_symbol_bounds: Object::new(),
            count_symbol_sources: Object::new(),
        }
    }

    /// `size / step` iterations of `body`, where `size` is known when the kernel is launched. `step` is positive.
    pub fn over_runtime_size(
        size: impl Into<Symbol>,
        step: i64,
        bounds: DimBounds,
        source: DimSource,
        body: Vec<Node>,
    ) -> Self {
        let size = size.into();
        let count = match step {
            1 => Expr::from(size.clone()),
            step => Expr::from(size.clone()).floor_div(step),
        };
        Self {
            count,
            body,
            count_symbol_bounds: [(size.clone(), bounds)].into_iter().collect(),
            count_symbol_sources: [(size, source)].into_iter().collect(),
        }
    }

    /// The number of iterations; of a loop over a runtime size, the largest.
    ///
    /// # Errors
    /// The errors of [`bound`](Self::bound), a negative number, and a runtime size without bounds.
    pub fn most_iterations(&self) -> Result<u64, LoopError> {
        let count = || self.count.to_string();
        match self.bound()? {
            LoopBound::Static(number) => {
                u64::try_from(number).map_err(|_| LoopError::UnknownCount { count: count() })
            }
            LoopBound::Runtime { symbol, step } => {
                let bounds = self.count_symbol_bounds.get(symbol.as_str());
                let bounds = bounds.ok_or_else(|| LoopError::NoBounds {
                    count: count(),
                    symbol: symbol.clone(),
                })?;
                Ok(bounds.max / step)
            }
        }
    }

    /// The form of the count (SDSC bundle specification, section 2.7).
    ///
    /// # Errors
    /// Any count that is not an integer, a symbol or the floor of a symbol over a positive integer.
    pub fn bound(&self) -> Result<LoopBound, LoopError> {
        let unknown = || LoopError::UnknownCount {
            count: self.count.to_string(),
        };
        if self.count.symbols().is_empty() {
            return self
                .count
                .eval(|_| None)
                .map(LoopBound::Static)
                .map_err(|_| unknown());
        }
        let (symbol, step) = match self.count.kind() {
            ExprKind::Symbol(symbol) => (symbol, 1),
            ExprKind::Floor(operand) => match operand.kind() {
                ExprKind::Symbol(symbol) => (symbol, 1),
                ExprKind::Quotient(numerator, step) => {
                    let symbol = numerator.as_symbol().ok_or_else(unknown)?;
                    (symbol, step.as_int().ok_or_else(unknown)?)
                }
                _ => return Err(unknown()),
            },
            _ => return Err(unknown()),
        };
        match u64::try_from(step) {
            Ok(step) if step > 0 => Ok(LoopBound::Runtime {
                symbol: symbol.clone(),
                step,
            }),
            _ => Err(unknown()),
        }
    }
}

/// A node of the specification tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Node {
    /// An operation.
    Op(Box<OpSpec>),
    /// A loop.
    Loop(LoopSpec),
    /// An operation that the front end could not express; skipped, without a file number.
    Unimplemented {
        /// The name.
        op: String,
    },
}

impl From<OpSpec> for Node {
    fn from(op: OpSpec) -> Self {
        Self::Op(Box::new(op))
    }
}

impl From<LoopSpec> for Node {
    fn from(spec: LoopSpec) -> Self {
        Self::Loop(spec)
    }
}
