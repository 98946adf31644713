//! The tiles of a level: their extent, their number, and the copies of the loop's body.
//!
//! All operations of a group have the same number of tiles along a level. Where a dimension is merged with others, an
//! operation has a multiple of its extent, and its tiles are longer by the same factor. If the tiles do not divide the
//! extent, the last tile is shorter. It has a separate copy of the loop's body after the loop, with static extents: the
//! loop is peeled. With several such levels there are copies of copies, up to two for each level.

use rustc_hash::FxHashMap;
use spyre_plan::{Parts, lcm, tile_extent};

use crate::coarse_tile::ids::{Id, LevelId};

/// A copy of the bodies of a group: for each level, the one for its whole tiles or the one for the shorter tile after
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Variant(u64);

/// The largest number of levels that a group can have.
pub(crate) const MOST_LEVELS: usize = 64;

impl Variant {
    /// Returns whether the copy is the one for the shorter tile of a level.
    pub(crate) fn is_rest(self, level: LevelId) -> bool {
        self.0 >> level.index() & 1 == 1
    }

    /// Returns the copy for the shorter tile of a level, and otherwise for the same tiles.
    pub(crate) fn rest(self, level: LevelId) -> Self {
        Self(self.0 | 1 << level.index())
    }

    /// Returns the copy with regard to the levels around `level` only.
    fn around(self, level: LevelId) -> Self {
        Self(self.0 & ((1 << level.index()) - 1))
    }
}

/// The tiles of a level in one copy of the body around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Trip {
    /// The number of whole tiles.
    pub(crate) whole: u64,
    /// Whether a shorter tile follows.
    pub(crate) rest: bool,
}

impl Trip {
    /// The trip of a level without a loop: one whole tile.
    pub(crate) const ONCE: Self = Self {
        whole: 1,
        rest: false,
    };

    /// Returns the number of tiles, the shorter one included.
    pub(crate) fn count(self) -> u64 {
        self.whole + u64::from(self.rest)
    }
}

/// The trips of a group's levels.
#[derive(Debug, Default)]
pub(crate) struct Trips(FxHashMap<(LevelId, Variant), Trip>);

impl Trips {
    /// Returns the tiles of a level in a copy of the body around it.
    pub(crate) fn get(&self, level: LevelId, variant: Variant) -> Trip {
        let trip = self.0.get(&(level, variant.around(level)));
        *trip.expect("the tiles of every copy of a body were entered when they were decided")
    }

    /// Enters the tiles of a level in a copy of the body around it.
    pub(crate) fn set(&mut self, level: LevelId, variant: Variant, trip: Trip) {
        self.0.insert((level, variant.around(level)), trip);
    }

    /// Returns whether some level has a shorter last tile.
    pub(crate) fn is_ragged(&self) -> bool {
        self.0.values().any(|trip| trip.rest)
    }
}

/// A dimension that a level cuts, in one operation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CutDim {
    /// The extent inside the levels around, in elements.
    pub(crate) extent: u64,
    /// The smallest part that may be cut off, in elements.
    pub(crate) unit: u64,
}

/// The unit of the tiles of a level, chosen so that all operations have the same number of tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TileGrain {
    /// The least extent of the dimension among the operations, in elements. `None` if it does not divide the others.
    least: Option<u64>,
    /// The unit of tiles of the least extent, in elements: such tiles are multiples of it.
    unit: u64,
}

impl TileGrain {
    /// Returns the unit of a level that cuts these dimensions.
    pub(crate) fn of(cut: &[CutDim]) -> Self {
        let least = cut.iter().map(|dim| dim.extent).min();
        let divides =
            |least: &u64| *least > 0 && cut.iter().all(|dim| dim.extent.is_multiple_of(*least));
        let grain = Self {
            unit: 1,
            least: least.filter(divides),
        };
        let units = cut.iter().map(|dim| {
            let scale = grain.scale(dim.extent);
            lcm(dim.unit, scale) / scale
        });
        Self {
            unit: units.fold(1, lcm),
            ..grain
        }
    }

    /// Returns an extent as a multiple of the least extent; 1 if the least extent does not divide all extents.
    fn scale(self, extent: u64) -> u64 {
        self.least.map_or(1, |least| extent / least)
    }

    /// Returns the unit of the tiles of an extent, in elements; `None` if it is out of range.
    pub(crate) fn unit_of(self, extent: u64) -> Option<u64> {
        self.unit.checked_mul(self.scale(extent))
    }

    /// Returns the extent of the tiles of an extent, in elements, and their number. There are `count` tiles, or tiles of `size`
    /// elements of the least extent. `None` if there are no such tiles, or numbers are out of range.
    pub(crate) fn tile(self, extent: u64, count: u64, size: Option<u64>) -> Option<(u64, Parts)> {
        let unit = self.unit_of(extent)?;
        let tile = match size {
            // A tile that is longer than the extent covers the extent.
            Some(size) => match size.checked_mul(self.scale(extent)) {
                Some(size) => size.min(extent).checked_next_multiple_of(unit)?,
                None => extent,
            },
            None => tile_extent(extent, count, unit)?,
        };
        let tile = tile.min(extent);
        Some((tile, Parts::of(extent, tile)?))
    }
}

/// Returns the trip of each dimension that a level cuts in one copy of the body. `steps` are the extents of their tiles.
///
/// A rest of one element along a stick does not have a separate stick in every layout, so the last whole tile takes it
/// in. This needs several whole tiles: with one, no whole tile would be left.
pub(crate) fn trips_of(cut: &[CutDim], steps: &[u64]) -> Vec<Trip> {
    let parts: Vec<Parts> = cut
        .iter()
        .zip(steps)
        .map(|(dim, step)| Parts::of(dim.extent, *step).expect("a tile has elements"))
        .collect();
    let is_lonely =
        |(dim, parts): (&CutDim, &Parts)| parts.rest == 1 && parts.whole > 1 && dim.unit > 1;
    let takes_in = cut.iter().zip(&parts).any(is_lonely);
    let trip = |parts: &Parts| Trip {
        whole: parts.whole - u64::from(takes_in && parts.whole > 0),
        rest: parts.rest > 0,
    };
    parts.iter().map(trip).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trip(whole: u64, rest: bool) -> Trip {
        Trip { whole, rest }
    }

    fn dim(extent: u64, unit: u64) -> CutDim {
        CutDim { extent, unit }
    }

    #[test]
    fn a_level_is_looked_up_by_the_levels_around_it() {
        let [outer, inner] = [0, 1].map(LevelId::new);
        let mut trips = Trips::default();
        trips.set(inner, Variant::default(), trip(2, true));
        trips.set(inner, Variant::default().rest(outer), trip(0, true));
        let variant = Variant::default().rest(inner);
        assert_eq!(trips.get(inner, variant), trip(2, true));
        assert_eq!(trips.get(inner, variant.rest(outer)), trip(0, true));
        assert!(trips.is_ragged());
        let last = LevelId::new(MOST_LEVELS - 1);
        assert!(variant.rest(last).is_rest(last));
    }

    #[test]
    fn tiles_are_whole_sticks_and_the_last_one_is_shorter() {
        let grain = TileGrain::of(&[dim(200, 64), dim(200, 1)]);
        let (tile, parts) = grain.tile(200, 3, None).unwrap();
        assert_eq!((tile, parts.whole, parts.rest), (128, 1, 72));
    }

    #[test]
    fn a_merged_dimension_has_as_many_tiles() {
        let grain = TileGrain::of(&[dim(8, 1), dim(512, 64)]);
        let of = |extent| grain.tile(extent, 3, None).unwrap();
        assert_eq!((of(8).0, of(512).0), (3, 192));
        assert_eq!(of(8).1.count(), of(512).1.count());
        assert_eq!(grain.tile(512, 0, Some(u64::MAX)).unwrap().0, 512);
    }

    #[test]
    fn there_are_no_tiles_of_nothing() {
        assert_eq!(TileGrain::of(&[dim(8, 1)]).tile(8, 0, None), None);
        assert_eq!(TileGrain::of(&[dim(8, 1)]).tile(8, 2, Some(0)), None);
    }

    #[test]
    fn the_last_whole_tile_takes_in_one_element_of_a_stick() {
        assert_eq!(trips_of(&[dim(257, 64)], &[64]), [trip(3, true)]);
        assert_eq!(trips_of(&[dim(257, 1)], &[64]), [trip(4, true)]);
        assert_eq!(trips_of(&[dim(65, 64)], &[64]), [trip(1, true)]);
    }
}
