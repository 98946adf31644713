//! The window of a tensor that one iteration of a group's loops visits.

use rustc_hash::FxHashMap;
use spyre_layout::Elements;

use super::plan::Tiling;

/// A window along one dimension: the levels that move it, with their steps, outermost first.
pub type Movement = Vec<(usize, Elements)>;

/// A tensor's window in the terms of its group: per dimension, movement and extent.
pub type Region = Vec<(Movement, u64)>;

/// The distinct regions of a group.
#[derive(Debug, Default)]
pub struct Regions {
    known: FxHashMap<Region, RegionId>,
    regions: Vec<Region>,
}

/// Names a region of a group: equal regions have equal names.
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

    /// The region of a name of this group.
    pub fn get(&self, id: RegionId) -> &Region {
        &self.regions[id.0]
    }
}

/// The window of a tensor of `shape` that an operation tiled by `tiling` visits; `dims` are the iteration
/// dimensions that index the tensor.
pub fn region(dims: &[Option<usize>], tiling: &Tiling, shape: &[u64]) -> Region {
    dims.iter()
        .zip(shape)
        .map(
            |(dim, extent)| match dim.and_then(|dim| Some((dim, tiling.tile.get(dim)?))) {
                Some((dim, tile)) => (tiling.steps(dim).collect(), *tile),
                None => (Vec::new(), *extent),
            },
        )
        .collect()
}

/// The extents of a window.
pub fn extents(region: &Region) -> Vec<u64> {
    region.iter().map(|(_, extent)| *extent).collect()
}

/// The extents of a window as text, for messages: `512x1024`.
pub fn shape_text(region: &Region) -> String {
    extents(region)
        .iter()
        .map(u64::to_string)
        .collect::<Vec<_>>()
        .join("x")
}
