//! Dividing extents into tiles, one loop level after the other.
//!
//! Tiles of one level have one extent. Where it does not divide what is cut, the last tile is shorter.

/// How a loop over tiles visits an extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parts {
    /// Number of whole tiles.
    pub whole: u64,
    /// Extent of the last tile if it is shorter than the others, else 0.
    pub rest: u64,
}

impl Parts {
    /// The whole tiles of extent `tile` in `extent`, and what is left; `None` for tiles of extent 0.
    #[must_use]
    pub fn of(extent: u64, tile: u64) -> Option<Self> {
        Some(Self {
            whole: extent.checked_div(tile)?,
            rest: extent.checked_rem(tile)?,
        })
    }

    /// Number of tiles, the shorter one included.
    #[must_use]
    pub fn count(self) -> u64 {
        // Whole tiles and a rest together are no more than the extent.
        self.whole.saturating_add(u64::from(self.rest > 0))
    }
}

/// The extent of each of at most `count` tiles of `extent`: the smallest whole number of `unit`s, or the extent
/// itself if that is less. The last tile gets what is left, so there may be fewer tiles than asked for: 9 in 7
/// tiles is 5 tiles, four of 2 and one of 1.
///
/// `None` for no tiles, units of nothing, or numbers out of range.
#[must_use]
pub fn tile_extent(extent: u64, count: u64, unit: u64) -> Option<u64> {
    if count == 0 {
        return None;
    }
    let tile = extent.div_ceil(count).checked_next_multiple_of(unit)?;
    Some(tile.min(extent))
}

/// One loop of a nest: it cuts dimension `dim` into `count` tiles of whole `unit`s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Level {
    /// The dimension that is cut.
    pub dim: usize,
    /// Number of tiles.
    pub count: u64,
    /// The smallest part that may be cut off: the elements of a stick for a dimension on the stick, else 1.
    pub unit: u64,
}

/// Extents that levels leave of a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileNest {
    /// The extent of a whole tile at each level, outermost first: what one iteration moves by.
    pub steps: Vec<u64>,
    /// Extents of the innermost whole tile.
    pub tile: Vec<u64>,
}

/// Cuts `shape` level by level, outermost first. Levels over the same dimension cut the tiles of the levels before:
/// 256 by (4, 2) gives steps of 64 and 32, and tiles of 32 (middle-end specification, section 3.4).
///
/// `None` when a level cuts a dimension that does not exist, or as for [`tile_extent`].
#[must_use]
pub fn tile_nest(shape: &[u64], levels: &[Level]) -> Option<TileNest> {
    let mut tile = shape.to_vec();
    let mut steps = Vec::with_capacity(levels.len());
    for level in levels {
        let extent = tile.get_mut(level.dim)?;
        *extent = tile_extent(*extent, level.count, level.unit)?;
        steps.push(*extent);
    }
    Some(TileNest { steps, tile })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(dim: usize, count: u64) -> Level {
        Level {
            dim,
            count,
            unit: 1,
        }
    }

    #[test]
    fn tiles_that_divide_are_as_asked() {
        assert_eq!(tile_extent(1024, 2, 1), Some(512));
        assert_eq!(tile_extent(5, 5, 1), Some(1));
        assert_eq!(Parts::of(1024, 512), Some(Parts { whole: 2, rest: 0 }));
    }

    #[test]
    fn the_last_tile_is_what_is_left() {
        // 250 in 4 tiles: 63, 63, 63, 61.
        assert_eq!(tile_extent(250, 4, 1), Some(63));
        let parts = Parts::of(250, 63).unwrap();
        assert_eq!((parts.whole, parts.rest, parts.count()), (3, 61, 4));
        // Fewer tiles than asked for.
        assert_eq!(tile_extent(9, 7, 1), Some(2));
        assert_eq!(Parts::of(9, 2).unwrap().count(), 5);
    }

    #[test]
    fn tiles_are_whole_units() {
        // 200 columns are 4 sticks, the last filled in part: 128 and 72.
        assert_eq!(tile_extent(200, 2, 64), Some(128));
        assert_eq!(Parts::of(200, 128), Some(Parts { whole: 1, rest: 72 }));
        // 512 in 16 would cut sticks: 8 tiles of one.
        assert_eq!(tile_extent(512, 16, 64), Some(64));
        // Less than a stick is one tile.
        assert_eq!(tile_extent(40, 2, 64), Some(40));
    }

    #[test]
    fn levels_over_one_dimension_cut_each_other() {
        let nest = tile_nest(&[256], &[level(0, 4), level(0, 2)]).unwrap();
        assert_eq!((nest.steps, nest.tile), (vec![64, 32], vec![32]));
    }

    #[test]
    fn the_canonical_nest() {
        let nest = tile_nest(&[1024, 4096], &[level(0, 2), level(1, 4)]).unwrap();
        assert_eq!((nest.steps, nest.tile), (vec![512, 1024], vec![512, 1024]));
    }

    #[test]
    fn what_has_no_tiles() {
        assert_eq!(tile_extent(10, 0, 1), None);
        assert_eq!(tile_extent(10, 2, 0), None);
        assert_eq!(tile_extent(u64::MAX, 1, 64), None);
        assert_eq!(Parts::of(10, 0), None);
        assert_eq!(tile_nest(&[8], &[level(1, 2)]), None);
    }
}
