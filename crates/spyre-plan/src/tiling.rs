//! Dividing extents into tiles. An inner level divides the tile of the level around it.
//!
//! Tiles of one level have one extent. Where it does not divide the extent, the last tile is shorter.

/// The tiles in which a loop visits an extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parts {
    /// Number of whole tiles.
    pub whole: u64,
    /// Extent of the last tile if it is shorter than the others, else 0.
    pub rest: u64,
}

impl Parts {
    /// Returns the whole tiles of extent `tile` in `extent`, and the rest; `None` for tiles of extent 0.
    #[must_use]
    pub fn of(extent: u64, tile: u64) -> Option<Self> {
        Some(Self {
            whole: extent.checked_div(tile)?,
            rest: extent.checked_rem(tile)?,
        })
    }

    /// Returns the number of tiles, the shorter one included.
    #[must_use]
    pub fn count(self) -> u64 {
        // Whole tiles and a rest together are no more than the extent.
        self.whole + u64::from(self.rest > 0)
    }
}

/// Returns the extent of each of at most `count` tiles of `extent`: the smallest whole number of `unit`s, or the extent
/// itself if that is less. The last tile gets the rest, so there may be fewer tiles than requested: 9 in 7 tiles is 5
/// tiles, four of 2 and one of 1.
///
/// `None` for no tiles, units of 0, or numbers out of range.
#[must_use]
pub fn tile_extent(extent: u64, count: u64, unit: u64) -> Option<u64> {
    if count == 0 {
        return None;
    }
    let tile = extent.div_ceil(count).checked_next_multiple_of(unit)?;
    Some(tile.min(extent))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        // Fewer tiles than requested.
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
        // An extent below a stick is one tile.
        assert_eq!(tile_extent(40, 2, 64), Some(40));
    }

    #[test]
    fn levels_over_one_dimension_cut_each_other() {
        // 256 by (4, 2), middle-end specification, section 3.4.
        let outer = tile_extent(256, 4, 1).unwrap();
        assert_eq!((outer, tile_extent(outer, 2, 1)), (64, Some(32)));
    }

    #[test]
    fn what_has_no_tiles() {
        assert_eq!(tile_extent(10, 0, 1), None);
        assert_eq!(tile_extent(10, 2, 0), None);
        assert_eq!(tile_extent(u64::MAX, 1, 64), None);
        assert_eq!(Parts::of(10, 0), None);
    }
}
