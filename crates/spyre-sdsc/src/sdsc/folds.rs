//! Folds: how an index over cores, corelets, rows and elements becomes a coordinate.

use serde::{Deserialize, Serialize};

use super::Text;

/// The function of one fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FoldFn {
    /// `alpha * index + beta`.
    Affine {
        /// The factor.
        #[serde(rename = "alpha_")]
        alpha: u64,
        /// The term.
        #[serde(rename = "beta_")]
        beta: u64,
    },
    /// One value for all indices.
    Const {},
    /// A table, in the `data_` next to it.
    Map {},
}

impl FoldFn {
    /// `alpha * index`.
    pub const fn scale(alpha: u64) -> Self {
        Self::Affine { alpha, beta: 0 }
    }
}

/// The number of indices of a fold, and its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoldAttr {
    /// How many indices.
    #[serde(rename = "factor_")]
    pub factor: u64,
    /// The name.
    #[serde(rename = "label_")]
    pub label: Text,
}

impl FoldAttr {
    /// A fold of `factor` indices.
    pub fn new(factor: u64, label: impl Into<Text>) -> Self {
        Self {
            factor,
            label: label.into(),
        }
    }
}

/// A list of folds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoldMap {
    /// The functions, outermost first.
    pub dim_prop_func: Vec<FoldFn>,
    /// The sizes, in the same order.
    pub dim_prop_attr: Vec<FoldAttr>,
}

/// A list of folds with a table of values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fold<D> {
    /// The functions, outermost first.
    pub dim_prop_func: Vec<FoldFn>,
    /// The sizes, in the same order.
    pub dim_prop_attr: Vec<FoldAttr>,
    /// The values, keyed by index lists such as `[0, 0, 0]`.
    #[serde(rename = "data_")]
    pub data: D,
}
