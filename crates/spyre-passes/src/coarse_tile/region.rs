//! The window of a tensor that one iteration of a group's loops visits.

use rustc_hash::FxHashMap;

use super::trips::{Trips, Variant};
use crate::dynamic::SymbolId;

/// The levels that move a window along one dimension, each with its step in elements, outermost first.
pub type Movement = Vec<(usize, u64)>;

/// One dimension of a tensor under the loops of a group.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Axis {
    /// What moves the window.
    pub movement: Movement,
    /// Extent of the whole tensor; the largest, where it is dynamic.
    pub whole: u64,
    /// The dynamic dimension that it is.
    pub dynamic: Option<SymbolId>,
}

impl Axis {
    /// Extent of the window inside the levels below `depth`.
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

    /// The dynamic dimension that the window still has inside the levels below `depth`.
    pub fn dynamic_inside(&self, depth: usize) -> Option<SymbolId> {
        let is_cut = self.movement.iter().any(|(level, _)| *level < depth);
        self.dynamic.filter(|_| !is_cut)
    }
}

/// A tensor's window in the terms of its group, by dimension.
pub type Region = Vec<Axis>;

/// The distinct regions of a function.
#[derive(Debug, Default)]
pub struct Regions {
    known: FxHashMap<Region, RegionId>,
    regions: Vec<Region>,
}

/// Names a region: equal regions have equal names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RegionId(usize);

impl Regions {
    /// The name of a region.
    pub fn intern(&mut self, region: Region) -> RegionId {
        if let Some(known) = self.known.get(&region) {
            return *known;
        }
        let id = RegionId(self.regions.len());
        self.regions.push(region.clone());
        self.known.insert(region, id);
        id
    }

    /// The region of a name.
    pub fn get(&self, id: RegionId) -> &Region {
        &self.regions[id.0]
    }

    /// How many levels, outermost first, leave the same of a tensor under both regions; `None` for all of them.
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

/// The extents of a window inside the levels below `depth`.
pub fn extents(region: &Region, trips: &Trips, variant: Variant, depth: usize) -> Vec<u64> {
    region
        .iter()
        .map(|axis| axis.extent(trips, variant, depth))
        .collect()
}
