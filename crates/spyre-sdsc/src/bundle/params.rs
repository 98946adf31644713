//! The values that the launcher must bind to the function's parameters.

use serde::{Deserialize, Serialize};

use super::ast::ParamBinding;

/// One parameter in the launcher's form: all fields present, unused ones at -1, 0 or empty
/// (SDSC bundle specification, section 2.8).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchParam {
    /// `pool`, `kernel`, `dimension` or `loop_dimension`.
    pub kind: String,
    /// Unused for parameters.
    pub base_sym_idx: i64,
    /// Unused for parameters.
    pub offset: i64,
    /// The kernel argument, for `kernel` and `loop_dimension`.
    pub arg_index: i64,
    /// For runtime sizes, the divisor of the size.
    pub granularity: u64,
    /// For runtime sizes, the largest size.
    pub max_value: u64,
    /// For runtime sizes, the name.
    pub pytorch_sym: String,
    /// Unused for parameters.
    pub core_idx: i64,
    /// Unused for parameters.
    pub split_count: i64,
    /// For `loop_dimension`, the host dimension of the argument.
    pub dim_index: i64,
}

impl LaunchParam {
    /// The launcher's form of a binding (SDSC bundle specification, section 2.8).
    pub fn from_binding(binding: &ParamBinding) -> Self {
        let empty = Self {
            kind: String::new(),
            base_sym_idx: -1,
            offset: 0,
            arg_index: -1,
            granularity: 0,
            max_value: 0,
            pytorch_sym: String::new(),
            core_idx: -1,
            split_count: 0,
            dim_index: -1,
        };
        match binding {
            ParamBinding::Pool => Self {
                kind: "pool".into(),
                ..empty
            },
            ParamBinding::Kernel(arg) => Self {
                kind: "kernel".into(),
                arg_index: arg.get().into(),
                ..empty
            },
            ParamBinding::Dimension { symbol, bounds } => Self {
                kind: "dimension".into(),
                granularity: bounds.granularity,
                max_value: bounds.max,
                pytorch_sym: symbol.to_string(),
                ..empty
            },
            ParamBinding::LoopDimension {
                symbol,
                bounds,
                source,
            } => Self {
                kind: "loop_dimension".into(),
                arg_index: source.arg.get().into(),
                granularity: bounds.granularity,
                max_value: bounds.max,
                pytorch_sym: symbol.to_string(),
                dim_index: source.dim.into(),
                ..empty
            },
        }
    }
}
