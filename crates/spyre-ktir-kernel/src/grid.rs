//! The cores of a kernel.

use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, Op};
use thiserror::Error;

use crate::GRID;

/// The most cores of a grid. A card has 32 cores, and this is the number of 2,048 cards. A run on the CPU executes one
/// core after the other, so a larger number is more likely a slip than a machine, and its run would not end.
pub const MOST_CORES: u64 = 1 << 16;

/// The cores of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// The number of cores along each dimension.
    pub dims: Vec<i64>,
    /// Whether the attribute has the form `[n]`, which all readers of KTIR have.
    pub is_plain: bool,
}

impl Grid {
    /// Returns the number of cores.
    #[must_use]
    pub fn cores(&self) -> i64 {
        // At most the largest grid, so the product fits.
        self.dims.iter().product()
    }
}

/// The reason why an attribute is no grid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GridError {
    /// The attribute is no list of positive numbers.
    #[error("the grid {0} is no number of cores; `grid = [n]` is one")]
    Numbers(String),
    /// The grid has more cores than [`MOST_CORES`].
    #[error(
        "the grid {grid} has {cores} cores, and a kernel has at most {MOST_CORES}: {} cards of 32",
        MOST_CORES / 32
    )]
    Cores {
        /// The attribute.
        grid: String,
        /// The number of cores.
        cores: u128,
    },
}

/// Reads the cores of a kernel; `None` if it has no grid.
///
/// # Errors
/// An attribute that is no grid.
pub fn grid(function: Op<'_>) -> Result<Option<Grid>, GridError> {
    let Some(attribute) = ir::attribute(function, GRID) else {
        return Ok(None);
    };
    let elements = attr::elements(attribute);
    let dims = match elements.is_empty() {
        true => attr::dense_signed_integers(Some(attribute)),
        false => elements.iter().copied().map(attr::integer).collect(),
    };
    let dims = dims.filter(|dims: &Vec<i64>| !dims.is_empty() && dims.iter().all(|it| *it > 0));
    let dims = dims.ok_or_else(|| GridError::Numbers(attribute.to_string()))?;
    let counts = dims.iter().map(|dim| u128::from(dim.unsigned_abs()));
    let cores = counts.fold(1, u128::saturating_mul);
    if cores > MOST_CORES.into() {
        let grid = attribute.to_string();
        return Err(GridError::Cores { grid, cores });
    }
    let is_plain = elements.iter().all(|it| {
        let text = it.to_string();
        text.ends_with(": i64") || !text.contains(':')
    });
    let is_plain = is_plain && elements.len() == 1;
    Ok(Some(Grid { dims, is_plain }))
}
