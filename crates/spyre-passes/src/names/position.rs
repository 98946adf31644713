//! Where an operation has a name.

use super::factors::{DimName, Name};

/// Where an operation has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The iteration dimension.
    pub dim: usize,
    /// The extent of what is named.
    pub extent: u64,
    /// Whether the dimension holds others beside what is named.
    pub merged: bool,
}

/// A name that two dimensions of an operation have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ambiguous(pub usize, pub usize);

/// The iteration dimension of a name, or the one that it was merged into. One element cannot be cut, so a
/// dimension of extent 1 is none.
///
/// # Errors
/// Two dimensions have the name.
pub fn position(
    names: &[DimName],
    space: &[i64],
    name: Name,
) -> Result<Option<Position>, Ambiguous> {
    let dims = names.iter().zip(space).enumerate();
    let mut found = dims.filter_map(|(dim, (names, extent))| {
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
    let first = found.next();
    if let (Some(a), Some(b)) = (first, found.next()) {
        return Err(Ambiguous(a.dim, b.dim));
    }
    Ok(first)
}
