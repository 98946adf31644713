//! The window of a tensor that one iteration of a group's loops visits.

use rustc_hash::FxHashMap;

use crate::coarse_tile::plan::trips::{Trips, Variant};
use crate::dynamic::SymbolId;

/// The levels that move a window along one dimension, each with its step in elements, outermost first.
pub type Movement = Vec<(usize, u64)>;

/// One dimension of a tensor under the loops of a group.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Axis {
    /// The levels that move the window.
    pub movement: Movement,
    /// The extent of the whole tensor in elements; the maximum, where it is dynamic.
    pub whole: u64,
    /// The dynamic dimension that the axis is; `None` for a static extent.
    pub dynamic: Option<SymbolId>,
}

impl Axis {
    /// Returns the extent of the window, in elements, inside the levels below `depth`.
    pub fn extent(&self, trips: &Trips, variant: Variant, depth: usize) -> u64 {
        let mut extent = self.whole;
        for (level, step) in self.movement.iter().take_while(|(level, _)| *level < depth) {
            extent = if variant.is_rest(*level) {
                let before = trips.get(*level, variant).whole * step;
                extent
                    .checked_sub(before)
                    .expect("whole tiles end inside the extent")
            } else {
                extent.min(*step)
            };
        }
        extent
    }

    /// Returns the dynamic dimension if no level below `depth` cuts it, so that the window's extent is still dynamic; `None`
    /// otherwise.
    pub fn dynamic_inside(&self, depth: usize) -> Option<SymbolId> {
        let is_cut = self.movement.iter().any(|(level, _)| *level < depth);
        self.dynamic.filter(|_| !is_cut)
    }
}

/// A tensor's window under the loops of its group, by dimension.
pub type Region = Vec<Axis>;

/// The distinct regions of a function.
#[derive(Debug, Default)]
pub struct Regions {
    known: FxHashMap<Region, RegionId>,
    regions: Vec<Region>,
}

/// The name of a region. Equal regions have equal names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RegionId(usize);

impl Regions {
    /// Returns the name of a region, which is added if it is new.
    pub fn intern(&mut self, region: Region) -> RegionId {
        if let Some(known) = self.known.get(&region) {
            return *known;
        }
        let id = RegionId(self.regions.len());
        self.regions.push(region.clone());
        self.known.insert(region, id);
        id
    }

    /// Returns the region of a name.
    pub fn get(&self, id: RegionId) -> &Region {
        &self.regions[id.0]
    }

    /// Returns how many levels, outermost first, leave the same window of a tensor under both regions; `None` if all of them do.
    pub fn common_depth(&self, a: RegionId, b: RegionId) -> Option<usize> {
        if a == b {
            return None;
        }
        let differ = |(a, b): (&Axis, &Axis)| {
            let mut pairs = 0..a.movement.len().max(b.movement.len());
            pairs.find_map(|at| {
                let (a, b) = (a.movement.get(at), b.movement.get(at));
                let level = |entry: Option<&(usize, u64)>| entry.map(|(level, _)| *level);
                (a != b).then(|| level(a).into_iter().chain(level(b)).min().unwrap_or(0))
            })
        };
        self.get(a).iter().zip(self.get(b)).filter_map(differ).min()
    }
}

/// Returns the extents of a window, in elements, inside the levels below `depth`.
pub fn extents(region: &Region, trips: &Trips, variant: Variant, depth: usize) -> Vec<u64> {
    region
        .iter()
        .map(|axis| axis.extent(trips, variant, depth))
        .collect()
}
