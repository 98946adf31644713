//! The window of a tensor that one iteration of a group's loops visits.
//!
//! Along each dimension, levels move the window by their steps, outermost first. Inside a level the window is one tile
//! of the tile of the outer levels, or the shorter rest after the whole tiles. Regions are interned: equal ones have
//! one id, so that two tensors with the same id are visited in the same windows.

use std::ops::Range;

use rustc_hash::FxHashMap;
use spyre_analysis::dynamic::SymbolId;

use crate::coarse_tile::ids::{IdVec, LevelId, RegionId};
use crate::coarse_tile::plan::trips::{Trips, Variant};

/// The levels that move a window along one dimension, each with its step in elements, outermost first.
pub(crate) type Movement = Vec<(LevelId, u64)>;

/// The depth inside all levels.
pub(crate) const INNERMOST: usize = usize::MAX;

/// One dimension of a tensor under the loops of a group.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Axis {
    /// The levels that move the window.
    pub(crate) movement: Movement,
    /// The extent of the whole tensor in elements; the maximum, where it is dynamic.
    pub(crate) whole: u64,
    /// The dynamic dimension that the axis is; `None` for a static extent.
    pub(crate) dynamic: Option<SymbolId>,
}

impl Axis {
    /// Returns the extent of the window, in elements, inside the levels below `depth`.
    pub(crate) fn extent(&self, trips: &Trips, variant: Variant, depth: usize) -> u64 {
        let inside = |(level, _): &&(LevelId, u64)| level.is_above(depth);
        let moved = self.movement.iter().take_while(inside);
        moved.fold(self.whole, |extent, (level, step)| {
            if !variant.is_rest(*level) {
                return extent.min(*step);
            }
            let before = trips.get(*level, variant).whole * step;
            extent
                .checked_sub(before)
                .expect("whole tiles end inside the extent")
        })
    }

    /// Returns the dynamic dimension if no level below `depth` cuts it, so that the window's extent is still dynamic; `None`
    /// otherwise.
    pub(crate) fn dynamic_inside(&self, depth: usize) -> Option<SymbolId> {
        let is_cut = self.movement.iter().any(|(level, _)| level.is_above(depth));
        self.dynamic.filter(|_| !is_cut)
    }
}

/// A tensor's window under the loops of its group, by dimension.
pub(crate) type Region = Vec<Axis>;

/// The distinct regions of a function.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    ids: FxHashMap<Region, RegionId>,
    regions: IdVec<RegionId, Region>,
}

impl Regions {
    /// Returns the id of a region, which is added if it is new.
    pub(crate) fn intern(&mut self, region: Region) -> RegionId {
        if let Some(id) = self.ids.get(&region) {
            return *id;
        }
        let id = self.regions.push(region.clone());
        self.ids.insert(region, id);
        id
    }

    /// Returns the region of an id.
    pub(crate) fn get(&self, id: RegionId) -> &Region {
        &self.regions[id]
    }

    /// Returns the outermost level inside which the windows of two regions of one tensor differ; `None` if they never do.
    pub(crate) fn differ_in(&self, a: RegionId, b: RegionId) -> Option<LevelId> {
        let differ = |(a, b): (&Axis, &Axis)| {
            let (a, b) = (&a.movement, &b.movement);
            let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
            let next = [a.get(same), b.get(same)].into_iter().flatten();
            next.map(|(level, _)| *level).min()
        };
        let axes = self.get(a).iter().zip(self.get(b));
        axes.filter_map(differ).min()
    }
}

/// Returns the extents of a window, in elements, inside the levels below `depth`.
pub(crate) fn extents(region: &Region, trips: &Trips, variant: Variant, depth: usize) -> Vec<u64> {
    let axes = region.iter();
    axes.map(|axis| axis.extent(trips, variant, depth))
        .collect()
}

/// A window that levels cut out of the part of a tensor that the levels around them leave.
#[derive(Debug, Clone)]
pub(crate) struct TileWindow {
    /// The region of the tensor.
    pub(crate) region: RegionId,
    /// The copy of the bodies.
    pub(crate) variant: Variant,
    /// The depth of the body that has the part, and that of the body that visits the window.
    pub(crate) depths: Range<usize>,
}

impl TileWindow {
    /// Returns whether a level cuts the window out.
    pub(crate) fn is_cut_by(&self, level: LevelId) -> bool {
        level.is_above(self.depths.end) && !level.is_above(self.depths.start)
    }

    /// Returns whether the window is the whole dimension: no level moves it, or the levels that move it have one tile in this
    /// copy of the body. For a dynamic dimension this is never known.
    pub(crate) fn is_whole(&self, regions: &Regions, trips: &Trips) -> bool {
        let Range { start, end } = self.depths;
        regions.get(self.region).iter().all(|axis| {
            let extent = |depth| axis.extent(trips, self.variant, depth);
            let mut moved = axis.movement.iter();
            !moved.any(|(level, _)| self.is_cut_by(*level))
                || (extent(start) == extent(end) && axis.dynamic_inside(start).is_none())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coarse_tile::ids::Id;
    use crate::coarse_tile::plan::trips::Trip;

    fn axis(whole: u64, steps: &[(usize, u64)]) -> Axis {
        let movement = steps
            .iter()
            .map(|(level, step)| (LevelId::new(*level), *step));
        Axis {
            movement: movement.collect(),
            whole,
            dynamic: None,
        }
    }

    #[test]
    fn windows_are_tiles_of_what_the_levels_around_leave() {
        let [outer, inner] = [0, 1].map(LevelId::new);
        let mut trips = Trips::default();
        let ragged = Trip {
            whole: 3,
            rest: true,
        };
        trips.set(outer, Variant::default(), ragged);
        trips.set(
            inner,
            Variant::default(),
            Trip {
                whole: 2,
                rest: false,
            },
        );
        trips.set(
            inner,
            Variant::default().rest(outer),
            Trip {
                whole: 0,
                rest: true,
            },
        );
        let axis = axis(250, &[(0, 64), (1, 32)]);
        let whole = |depth| axis.extent(&trips, Variant::default(), depth);
        assert_eq!([0, 1, 2].map(whole), [250, 64, 32]);
        let rest = Variant::default().rest(outer);
        assert_eq!(axis.extent(&trips, rest, 1), 58);
        assert_eq!(axis.extent(&trips, rest.rest(inner), INNERMOST), 58);
    }

    #[test]
    fn regions_differ_inside_the_first_level_that_moves_them_apart() {
        let mut regions = Regions::default();
        let mut add =
            |steps: &[(usize, u64)]| regions.intern(vec![axis(256, &[]), axis(512, steps)]);
        let (whole, rows, tiles) = (add(&[]), add(&[(0, 64)]), add(&[(0, 64), (2, 16)]));
        assert_eq!(add(&[(0, 64)]), rows);
        let differ = |a, b| regions.differ_in(a, b).map(Id::index);
        assert_eq!(differ(rows, rows), None);
        assert_eq!(differ(whole, tiles), Some(0));
        assert_eq!(differ(rows, tiles), Some(2));
    }
}
