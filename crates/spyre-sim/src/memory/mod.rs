//! The memories of the card: device memory in regions, and one scratchpad per core.

mod region;
mod stick;
mod value;

use std::collections::{BTreeMap, HashSet};

use spyre_layout::Bytes;

use crate::report::OpSite;

pub(crate) use region::Region;
pub(crate) use stick::{NOBODY, POISON, STICK, Stick, mask};
pub(crate) use value::{Execution, RegionId, Value};

/// All memories, and who wrote what.
#[derive(Debug)]
pub(crate) struct Memory {
    hbm: Vec<Region>,
    lx: BTreeMap<u16, Region>,
    lx_bytes: Bytes,
    pub values: Vec<Value>,
    pub executions: Vec<Execution>,
    /// The statements that execute operations.
    pub sites: Vec<OpSite>,
    /// Statements that have overwritten, in a later turn of a loop, what they had written and somebody had read.
    pub carried: HashSet<usize>,
}

impl Memory {
    pub fn new(lx_bytes: Bytes) -> Self {
        Self {
            hbm: Vec::new(),
            lx: BTreeMap::new(),
            lx_bytes,
            values: Vec::new(),
            executions: Vec::new(),
            sites: Vec::new(),
            carried: HashSet::new(),
        }
    }

    /// Adds a region of device memory, far behind the others, and returns where.
    pub fn add(&mut self, region: Region) -> RegionId {
        self.hbm.push(region);
        RegionId::Hbm(self.hbm.len() - 1)
    }

    pub fn hbm(&self) -> &[Region] {
        &self.hbm
    }

    pub fn region(&self, id: RegionId) -> Option<&Region> {
        match id {
            RegionId::Hbm(position) => self.hbm.get(position),
            RegionId::Lx(core) => self.lx.get(&core),
        }
    }

    pub fn region_mut(&mut self, id: RegionId) -> Option<&mut Region> {
        match id {
            RegionId::Hbm(position) => self.hbm.get_mut(position),
            RegionId::Lx(core) => self.lx.get_mut(&core),
        }
    }

    /// Makes the scratchpad of a core, if it is not there.
    pub fn scratchpad(&mut self, core: u16) -> &Region {
        let bytes = self.lx_bytes;
        let new = || Region::new(format!("LX of core {core}"), 0, bytes).temporary();
        self.lx.entry(core).or_insert_with(new)
    }

    /// The region of device memory that an address is in, or else the nearest one below it.
    pub fn find(&self, address: i64) -> Option<RegionId> {
        let regions = self.hbm.iter().enumerate();
        let below = regions.filter(|(_, region)| region.base <= address);
        let nearest = below.max_by_key(|(_, region)| region.base)?;
        Some(RegionId::Hbm(nearest.0))
    }
}
