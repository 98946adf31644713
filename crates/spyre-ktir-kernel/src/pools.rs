//! The arguments of a kernel with intermediate values.

use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, Op};
use thiserror::Error;

use crate::{POOL_ARGUMENT, POOL_TYPES};

/// The reason why attributes name no pools.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PoolError {
    /// No argument has the number.
    #[error("`{POOL_ARGUMENT}` is the number of an argument, below {arguments}, got {text}")]
    Argument {
        /// The number of arguments.
        arguments: usize,
        /// The attribute.
        text: String,
    },
    /// More pools than arguments.
    #[error("`{POOL_TYPES}` has {pools} pools, and the kernel has {arguments} arguments")]
    Types {
        /// The number of pools.
        pools: usize,
        /// The number of arguments.
        arguments: usize,
    },
}

/// Returns the numbers of the arguments of a kernel that are pools: the one that `pool_argument` names, or the last
/// ones, as many as `pool_types` has types.
///
/// # Errors
/// Attributes that name no arguments.
pub fn pools(function: Op<'_>) -> Result<Vec<usize>, PoolError> {
    let body = ir::function_body(function);
    let arguments = body.map_or(0, |body| ir::arguments(body).count());
    if let Some(only) = ir::attribute(function, POOL_ARGUMENT) {
        let number = attr::integer(only).and_then(|number| usize::try_from(number).ok());
        let number = number.filter(|number| *number < arguments);
        let text = || only.to_string();
        let number = number.ok_or_else(|| PoolError::Argument {
            arguments,
            text: text(),
        });
        return Ok(vec![number?]);
    }
    let types = ir::attribute(function, POOL_TYPES).map(attr::elements);
    let pools = types.unwrap_or_default().len();
    match arguments.checked_sub(pools) {
        Some(first) => Ok((first..arguments).collect()),
        None => Err(PoolError::Types { pools, arguments }),
    }
}
