//! Values in the form that MLIR has, and why they have none.

use std::fmt::Display;

use melior::Context;
use melior::ir::AffineExpr;
use spyre_sdsc::{Expr, Symbol};

use super::affine::{AffineError, Names, to_affine};

/// The reason why a value has no attribute.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AttributeError {
    /// An attribute of a tensor.
    #[error("tensor #{tensor}: {source}")]
    OfTensor {
        /// The position of the tensor.
        tensor: usize,
        /// The reason.
        source: Box<AttributeError>,
    },
    /// A number that does not fit.
    #[error("{what}, {value}, is not below 2^63")]
    TooLarge {
        /// The number.
        value: u64,
        /// A description of the number.
        what: String,
    },
    /// An expression without an affine form.
    #[error("{what} {source}")]
    NotAffine {
        /// A description of the expression.
        what: &'static str,
        /// The reason.
        source: AffineError,
    },
    /// A number that is an expression of names, or too large.
    #[error("{what} {reason}")]
    NotNumber {
        /// A description of the number.
        what: String,
        /// The reason.
        reason: String,
    },
    /// A dimension of no elements, or of fewer.
    #[error("extent of {dim} must be positive, got {extent}")]
    NotPositive {
        /// The number of elements.
        extent: i64,
        /// The dimension.
        dim: Symbol,
    },
    /// A runtime size without bounds.
    #[error("extent {size} of {dim} has no bounds")]
    NoBounds {
        /// The size.
        size: Symbol,
        /// The dimension.
        dim: Symbol,
    },
    /// Parts of cores along a dimension that does not exist.
    #[error("work_division names {symbol}, which is no iteration symbol")]
    OwnedDim {
        /// The dimension.
        symbol: Symbol,
    },
    /// Parts that no core owns.
    #[error(
        "work_division distributes a tensor among no cores; leave num_cores out for the cores of the operation"
    )]
    NoOwners,
    /// Provenance that attributes cannot hold.
    #[error("{what} has an object with two equal names, or a number that does not fit 64 bits")]
    NotJson {
        /// A description of the provenance.
        what: &'static str,
    },
}

/// Returns a count or an address in the form that MLIR has.
///
/// # Errors
/// Numbers of 63 bits and more.
pub(super) fn signed(value: u64, what: impl Display) -> Result<i64, AttributeError> {
    i64::try_from(value).map_err(|_| AttributeError::TooLarge {
        value,
        what: what.to_string(),
    })
}

pub(super) fn all_signed(values: &[u64], what: &'static str) -> Result<Vec<i64>, AttributeError> {
    values.iter().map(|value| signed(*value, what)).collect()
}

/// Returns expressions as those of MLIR.
///
/// # Errors
/// [`AttributeError::NotAffine`]
pub(super) fn affine_all<'c>(
    context: &'c Context,
    exprs: &[Expr],
    names: &mut Names<'_>,
    what: &'static str,
) -> Result<Vec<AffineExpr<'c>>, AttributeError> {
    exprs
        .iter()
        .map(|expr| {
            to_affine(context, expr, names)
                .map_err(|source| AttributeError::NotAffine { what, source })
        })
        .collect()
}
