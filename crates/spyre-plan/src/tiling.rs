//! Dividing extents into tiles, one loop level after the other.

use spyre_layout::Elements;

/// An extent that does not divide into the asked number of equal tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "extent {extent} does not divide into {count} equal tiles{}",
    match .extent.checked_rem(*.count) {
        Some(remainder) => format!(" (remainder {remainder})"),
        None => String::new(),
    }
)]
pub struct NotDivisible {
    /// The extent.
    pub extent: u64,
    /// The number of tiles.
    pub count: u64,
}

/// The extent of each of `count` equal tiles of `extent`.
///
/// # Errors
/// The extent is not a multiple of the count, or there would be no tile.
pub fn divide(extent: u64, count: u64) -> Result<u64, NotDivisible> {
    if extent.is_multiple_of(count) {
        // Zero is a multiple of zero.
        extent
            .checked_div(count)
            .ok_or(NotDivisible { extent, count })
    } else {
        Err(NotDivisible { extent, count })
    }
}

/// One loop of a nest: it cuts dimension `dim` into `count` tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Level {
    /// The dimension that is cut.
    pub dim: usize,
    /// Number of tiles, the trip count of the loop.
    pub count: u64,
}

/// What one loop of a nest moves by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LevelStep {
    /// The dimension that is cut.
    pub dim: usize,
    /// Number of tiles, the trip count of the loop.
    pub count: u64,
    /// Extent of the dimension inside the enclosing levels.
    pub span: Elements,
    /// Extent of the dimension inside this level: what one iteration moves by.
    pub step: Elements,
}

/// A nest of loops over tiles of one shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileNest {
    /// The loops, outermost first.
    pub levels: Vec<LevelStep>,
    /// Extents of the innermost tile.
    pub tile: Vec<u64>,
}

/// Loop levels that do not fit a shape.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TilingError {
    /// A level that cuts a dimension that does not exist.
    #[error("loop level {level} cuts d{dim}, but the tensor has rank {rank}")]
    NoSuchDim {
        /// Position of the level, the outermost being 0.
        level: usize,
        /// The dimension.
        dim: usize,
        /// Rank of the shape.
        rank: usize,
    },
    /// A level that does not divide what the levels around it leave.
    #[error("loop level {level} over d{dim}: {source}")]
    NotDivisible {
        /// Position of the level, the outermost being 0.
        level: usize,
        /// The dimension.
        dim: usize,
        /// The numbers.
        source: NotDivisible,
    },
}

/// Cuts `shape` level by level, outermost first. Levels over the same dimension cut the tiles of
/// the levels before: 256 by (4, 2) gives steps of 64 and 32, and tiles of 32 (middle-end
/// specification, section 3.4).
///
/// # Errors
/// A dimension does not exist, or its extent does not divide.
pub fn tile_nest(shape: &[u64], levels: &[Level]) -> Result<TileNest, TilingError> {
    let mut tile = shape.to_vec();
    let mut steps = Vec::with_capacity(levels.len());
    for (level, &Level { dim, count }) in levels.iter().enumerate() {
        let rank = shape.len();
        let extent = tile
            .get_mut(dim)
            .ok_or(TilingError::NoSuchDim { level, dim, rank })?;
        let step = divide(*extent, count).map_err(|source| TilingError::NotDivisible {
            level,
            dim,
            source,
        })?;
        steps.push(LevelStep {
            dim,
            count,
            span: Elements(*extent),
            step: Elements(step),
        });
        *extent = step;
    }
    Ok(TileNest {
        levels: steps,
        tile,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_divide_or_say_why_not() {
        assert_eq!(divide(1024, 2), Ok(512));
        assert_eq!(divide(5, 5), Ok(1));
        assert_eq!(
            divide(10, 3).unwrap_err().to_string(),
            "extent 10 does not divide into 3 equal tiles (remainder 1)"
        );
        for extent in [0, 10] {
            assert_eq!(
                divide(extent, 0).unwrap_err().to_string(),
                format!("extent {extent} does not divide into 0 equal tiles")
            );
        }
        assert!(divide(3, 6).is_err());
    }

    #[test]
    fn levels_over_one_dimension_cut_each_other() {
        let nest = tile_nest(
            &[256],
            &[Level { dim: 0, count: 4 }, Level { dim: 0, count: 2 }],
        )
        .unwrap();
        assert_eq!(nest.tile, [32]);
        let steps: Vec<_> = nest
            .levels
            .iter()
            .map(|l| (l.span.get(), l.step.get()))
            .collect();
        assert_eq!(steps, [(256, 64), (64, 32)]);
    }

    #[test]
    fn the_canonical_nest() {
        let levels = [Level { dim: 0, count: 2 }, Level { dim: 1, count: 4 }];
        let nest = tile_nest(&[1024, 4096], &levels).unwrap();
        assert_eq!(nest.tile, [512, 1024]);
        let steps: Vec<_> = nest.levels.iter().map(|l| l.step.get()).collect();
        assert_eq!(steps, [512, 1024]);
    }

    #[test]
    fn errors_name_the_level() {
        let levels = [Level { dim: 1, count: 2 }, Level { dim: 1, count: 4 }];
        assert_eq!(
            tile_nest(&[8, 12], &levels).unwrap_err().to_string(),
            "loop level 1 over d1: extent 6 does not divide into 4 equal tiles (remainder 2)"
        );
        assert_eq!(
            tile_nest(&[8], &levels).unwrap_err().to_string(),
            "loop level 0 cuts d1, but the tensor has rank 1"
        );
    }
}
