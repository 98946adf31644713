//! The number of iterations of each loop of a group, and the copies of its body.
//!
//! If the tiles of a level do not divide the extent that it cuts, the last tile is shorter. It has a copy of the loop's body to
//! itself, behind the loop, with static extents: the loop is peeled. With several such levels there are copies of copies, up to
//! two for each level.

use rustc_hash::FxHashMap;

/// A copy of the bodies of a group: for each level, the one for its whole tiles or the one for the shorter tile behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Variant(u64);

/// The largest number of levels that a group can have.
pub const MOST_LEVELS: usize = 64;

impl Variant {
    /// Returns whether the copy is the one for the shorter tile of a level.
    pub fn is_rest(self, level: usize) -> bool {
        self.0 >> level & 1 == 1
    }

    /// Returns the copy for the shorter tile of a level, and otherwise for the same tiles.
    pub fn rest(self, level: usize) -> Self {
        Self(self.0 | 1 << level)
    }

    /// Returns the copy with regard to the levels around `level` only.
    fn around(self, level: usize) -> Self {
        Self(self.0 & ((1 << level) - 1))
    }
}

/// The tiles of a level in one copy of the body around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trip {
    /// The number of whole tiles.
    pub whole: u64,
    /// Whether a shorter tile follows.
    pub rest: bool,
}

/// The trips of a group's levels.
#[derive(Debug, Default)]
pub struct Trips {
    known: FxHashMap<(usize, Variant), Trip>,
}

impl Trips {
    /// Returns the tiles of a level in a copy of the body around it.
    pub fn get(&self, level: usize, variant: Variant) -> Trip {
        let key = (level, variant.around(level));
        // Every copy was entered when the group was planned.
        self.known.get(&key).copied().unwrap_or(Trip {
            whole: 1,
            rest: false,
        })
    }

    /// Enters the tiles of a level in a copy of the body around it.
    pub fn set(&mut self, level: usize, variant: Variant, trip: Trip) {
        self.known.insert((level, variant.around(level)), trip);
    }

    /// Returns whether some level has a shorter last tile.
    pub fn is_ragged(&self) -> bool {
        self.known.values().any(|trip| trip.rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_looked_up_by_the_levels_around_it() {
        let mut trips = Trips::default();
        let inner = Trip {
            whole: 2,
            rest: true,
        };
        let in_rest = Trip {
            whole: 0,
            rest: true,
        };
        trips.set(1, Variant::default(), inner);
        trips.set(1, Variant::default().rest(0), in_rest);
        let variant = Variant::default().rest(1);
        assert_eq!(trips.get(1, variant), inner);
        assert_eq!(trips.get(1, variant.rest(0)), in_rest);
        assert!(trips.is_ragged());
        assert!(variant.rest(63).is_rest(63));
    }
}
