//! The memories of the card: device memory in regions, and one scratchpad per core.

mod region;
mod stick;
mod value;

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

use spyre_layout::Bytes;

use crate::report::OpSite;

pub(crate) use region::Region;
pub(crate) use stick::{NOBODY, POISON, STICK, Stick, mask};
pub(crate) use value::{Execution, RegionId, Value};

/// Why a region of a core exists: it is created before its name is passed on.
const HAS_SCRATCHPAD: &str = "the scratchpad of a core is made before it is used";

/// All memories, and the writer of each stick.
#[derive(Debug)]
pub(crate) struct Memory {
    hbm: Vec<Region>,
    lx: BTreeMap<u16, Region>,
    lx_bytes: Bytes,
    pub values: Vec<Value>,
    pub executions: Vec<Execution>,
    /// The statements that execute operations.
    pub sites: Vec<OpSite>,
    /// Statements that have overwritten, in a later iteration of a loop, their earlier value after it was read.
    pub carried: FxHashSet<usize>,
    /// The range of bytes (first, end) that a statement has written in a region, in all its executions.
    written: FxHashMap<(usize, RegionId), (u64, u64)>,
}

impl Memory {
    pub(crate) fn new(lx_bytes: Bytes) -> Self {
        Self {
            hbm: Vec::new(),
            lx: BTreeMap::new(),
            lx_bytes,
            values: Vec::new(),
            executions: Vec::new(),
            sites: Vec::new(),
            carried: FxHashSet::default(),
            written: FxHashMap::default(),
        }
    }

    /// Adds a region of device memory, far after the others, and returns its number.
    pub(crate) fn add(&mut self, region: Region) -> RegionId {
        self.hbm.push(region);
        RegionId::Hbm(self.hbm.len() - 1)
    }

    pub(crate) fn hbm(&self) -> &[Region] {
        &self.hbm
    }

    pub(crate) fn region(&self, id: RegionId) -> &Region {
        match id {
            RegionId::Hbm(position) => &self.hbm[position],
            RegionId::Lx(core) => self.lx.get(&core).expect(HAS_SCRATCHPAD),
        }
    }

    pub(crate) fn region_mut(&mut self, id: RegionId) -> &mut Region {
        match id {
            RegionId::Hbm(position) => &mut self.hbm[position],
            RegionId::Lx(core) => self.lx.get_mut(&core).expect(HAS_SCRATCHPAD),
        }
    }

    /// Makes the scratchpad of a core, if it is not there.
    pub(crate) fn scratchpad(&mut self, core: u16) -> &Region {
        let bytes = self.lx_bytes;
        let new = || Region::new(format!("LX of core {core}"), 0, bytes).temporary();
        self.lx.entry(core).or_insert_with(new)
    }

    /// Adds the value that one core is about to write in a region, and returns its number.
    pub(crate) fn add_value(&mut self, region: RegionId, value: Value) -> u32 {
        let number = u32::try_from(self.values.len());
        let number = number.expect("a run ends before numbers of values do");
        let all = self.written.entry((self.site(&value), region));
        let all = all.or_insert(value.range);
        *all = (all.0.min(value.range.0), all.1.max(value.range.1));
        self.values.push(value);
        number
    }

    /// Returns the value of a number, which may be [`NOBODY`].
    pub(crate) fn value(&self, number: u32) -> Option<&Value> {
        (number != NOBODY).then(|| &self.values[number as usize])
    }

    /// Returns the statement that wrote a value.
    pub(crate) fn site(&self, value: &Value) -> usize {
        self.executions[value.execution as usize].site
    }

    /// Returns whether bytes are inside of the range that the writing statement of a value has written in the
    /// region.
    pub(crate) fn is_inside(&self, bytes: (u64, u64), region: RegionId, value: &Value) -> bool {
        let all = self.written_with(region, value);
        bytes.0 >= all.0 && bytes.1 <= all.1
    }

    /// Returns whether the bytes are a proper part of the value.
    pub(crate) fn is_part(&self, bytes: (u64, u64), region: RegionId, value: &Value) -> bool {
        self.is_inside(bytes, region, value) && self.written_with(region, value) != bytes
    }

    fn written_with(&self, region: RegionId, value: &Value) -> (u64, u64) {
        self.written[&(self.site(value), region)]
    }

    /// Returns the region of device memory that an address is in, or else the nearest one below it.
    pub(crate) fn find(&self, address: i64) -> Option<RegionId> {
        let regions = self.hbm.iter().enumerate();
        let below = regions.filter(|(_, region)| region.base <= address);
        let nearest = below.max_by_key(|(_, region)| region.base)?;
        Some(RegionId::Hbm(nearest.0))
    }
}
