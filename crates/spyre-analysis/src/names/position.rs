//! Finds the dimension of an operation that has a name.

use super::factors::{DimName, Name};

/// The dimension of an operation that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The iteration dimension.
    pub dim: usize,
    /// The extent of the named dimension, in elements.
    pub extent: u64,
    /// Whether the dimension is merged from the named one and others.
    pub merged: bool,
}

/// The two dimensions of an operation that have the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ambiguous(pub usize, pub usize);

/// Returns the iteration dimension of a name, or the one that it was merged into; `None` if there is none. Dimensions of extent
/// 1 are not considered, since they cannot be cut.
///
/// # Errors
/// Two dimensions have the name.
pub fn position(
    names: &[DimName],
    space: &[i64],
    name: Name,
) -> Result<Option<Position>, Ambiguous> {
    let dims = names.iter().zip(space).enumerate();
    let mut positions = dims.filter_map(|(dim, (names, extent))| {
        let (factor, merged) = names.iter().find_map(|factors| {
            let factor = factors.iter().find(|factor| factor.name == Some(name))?;
            Some((factor, factors.len() > 1))
        })?;
        (*extent != 1 && factor.extent != 1).then_some(Position {
            dim,
            extent: factor.extent,
            merged,
        })
    });
    let first = positions.next();
    if let (Some(a), Some(b)) = (first, positions.next()) {
        return Err(Ambiguous(a.dim, b.dim));
    }
    Ok(first)
}
