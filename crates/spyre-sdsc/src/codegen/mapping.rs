//! The slices of the dimensions that each core works on.
//!
//! A division gives the number of slices of every dimension, and not which core has which slice. Without more, the
//! number of a core has one digit per dimension, the first dimension fastest (SDSC bundle specification, section 4.7).
//! A specification may state the slices instead, as one expression of `core_id` per dimension (contract, K69): the
//! front end permutes the digits where owners of scratchpads or a split reduction require it. Both are this type.

use spyre_plan::CoreMapping;

/// The slice of every dimension that each core works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreSlices {
    /// The dimensions, by place in the iteration space, in the order in which a file lists them.
    order: Vec<usize>,
    cores: u32,
    slices: Slices,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Slices {
    /// The digits of the number of a core.
    Digits(CoreMapping),
    /// A row for each core, with a slice for each dimension in the order of the iteration space.
    Stated(Vec<Vec<u32>>),
}

impl CoreSlices {
    /// Returns stated slices: a row for each core, with a slice for each dimension in the order of the iteration space;
    /// `None` for more rows than numbers of cores.
    pub(crate) fn stated(order: Vec<usize>, rows: Vec<Vec<u32>>) -> Option<Self> {
        Some(Self {
            order,
            cores: u32::try_from(rows.len()).ok()?,
            slices: Slices::Stated(rows),
        })
    }

    /// Returns the number of cores that work.
    pub const fn cores(&self) -> u32 {
        self.cores
    }

    /// Returns the dimensions, by place in the iteration space, in the order in which a file lists them: of digits the
    /// fastest first, of stated slices as they are stated.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Returns the slice of each dimension that `core` works on, in the order of the iteration space; `None` for a core
    /// without work.
    pub fn slices_of(&self, core: u32) -> Option<Vec<u32>> {
        match &self.slices {
            Slices::Digits(mapping) => mapping.slices_of(core),
            Slices::Stated(rows) => rows.get(core as usize).cloned(),
        }
    }
}

impl From<CoreMapping> for CoreSlices {
    fn from(mapping: CoreMapping) -> Self {
        Self {
            order: mapping.order().to_vec(),
            cores: mapping.cores(),
            slices: Slices::Digits(mapping),
        }
    }
}
