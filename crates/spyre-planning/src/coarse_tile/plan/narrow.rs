//! Narrows the ranges of dynamic extents to the extents that the loops can visit.
//!
//! A loop over such a dimension visits whole tiles, so the extent is a multiple of the tile. With several loops it is a
//! multiple of the least common multiple of their tiles and of the granularity that the function declares. Each tile divides the
//! declared maximum, so the least common multiple does too.

use spyre_plan::DynamicExtent;

/// A dynamic dimension for which the loops allow fewer extents than the function declares.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NarrowedExtent<S> {
    /// The dimension.
    pub(crate) symbol: S,
    /// The extents that are left.
    pub(crate) extent: DynamicExtent,
    /// The extents of the tiles that do not divide its granularity, in elements.
    pub(crate) tiles: Vec<u64>,
}

/// Returns the dynamic dimensions for which the tiles allow fewer extents than declared.
pub(crate) fn narrow<S: Copy + PartialEq>(
    declared: impl Fn(S) -> DynamicExtent,
    tiles: &[(S, u64)],
) -> Vec<NarrowedExtent<S>> {
    let mut narrowed: Vec<NarrowedExtent<S>> = Vec::new();
    for (symbol, tile) in tiles {
        let entry = narrowed.iter_mut().find(|entry| entry.symbol == *symbol);
        let before = entry
            .as_ref()
            .map_or_else(|| declared(*symbol), |entry| entry.extent);
        let left = before.in_tiles_of(*tile);
        let extent = left.expect("every tile divides the declared maximum");
        if extent == before {
            continue;
        }
        match entry {
            Some(entry) => {
                entry.extent = extent;
                entry.tiles.push(*tile);
            }
            None => narrowed.push(NarrowedExtent {
                symbol: *symbol,
                extent,
                tiles: vec![*tile],
            }),
        }
    }
    narrowed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_of_different_steps_leave_common_multiples() {
        let declared = |_| DynamicExtent::new(32, 768).unwrap();
        let narrowed = narrow(declared, &[('s', 32), ('s', 64), ('t', 16), ('s', 96)]);
        assert_eq!(
            narrowed,
            [NarrowedExtent {
                symbol: 's',
                extent: DynamicExtent::new(192, 768).unwrap(),
                tiles: vec![64, 96],
            }]
        );
    }
}
