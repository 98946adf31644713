//! The revision of the file format, and everything that depends on it.
//!
//! This generator implements the published contract, SuperDSC-Bundle 1.0.0. Earlier revisions can be selected, so that
//! recorded files can be reproduced. [`Revision`] has one method per rule that changed; no other code depends on the
//! revision. The first revision's specifications also had another form, with strides of the host tensor instead of
//! advances: [`R1Node`] reads them, and [`unroll`] unrolls them.
//!
//! Sections are those of the SDSC bundle specification; rules of the contract have numbers: K7.

mod levels;
mod lower;
mod model;
mod unroll;

pub(crate) use lower::{Located, lower_loops_at};
pub use lower::{lower, lower_loops};
pub use model::{R1Allocation, R1Arg, R1Iteration, R1Loop, R1Node, R1Op};
pub use unroll::{Order, R1Error, unroll};

use std::fmt;
use std::str::FromStr;

use spyre_layout::DeviceFormat;
use spyre_ops::{OpFunc, contract};
use thiserror::Error;

use crate::{encode_constant, encode_number};

/// A revision of the file format (SDSC bundle specification, introduction; SuperDSC-Bundle 1.0.0).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Revision {
    /// The first: addresses may be numbers, and loops unrolled.
    R1,
    /// The second: addresses are symbols, and loops are kept.
    R2,
    /// The third, which is the second with runtime bounds of loops and shared files.
    R3,
    /// The published contract, SuperDSC-Bundle 1.0.0.
    #[default]
    V1,
}

/// A name that is no revision's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{name}` is no revision of bundles; the revisions are 1.0.0, r3, r2 and r1")]
pub struct UnknownRevision {
    /// The name.
    pub name: String,
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Revision {
    type Err = UnknownRevision;

    fn from_str(name: &str) -> Result<Self, UnknownRevision> {
        let mut all = Self::ALL.into_iter();
        let matching = all.find(|revision| revision.name() == name);
        matching.ok_or_else(|| UnknownRevision { name: name.into() })
    }
}

impl Revision {
    /// Every revision, oldest first.
    pub const ALL: [Self; 4] = [Self::R1, Self::R2, Self::R3, Self::V1];

    /// Returns the name, which [`FromStr`] reads: `1.0.0`, `r3`, `r2` or `r1`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::R1 => "r1",
            Self::R2 => "r2",
            Self::R3 => "r3",
            Self::V1 => "1.0.0",
        }
    }

    const fn is_first(self) -> bool {
        matches!(self, Self::R1)
    }

    const fn is_published(self) -> bool {
        matches!(self, Self::V1)
    }

    /// True if the rules of [`contract`](crate::validate::contract) hold, which recorded files break.
    pub const fn obeys_contract(self) -> bool {
        self.is_published()
    }

    /// Returns the number of sticks that hold `elements`: every stick that is begun, at least one (contract, K57), or whole
    /// sticks only (section 5, coordinates).
    pub const fn sticks_of(self, elements: u64, per_stick: u64) -> u64 {
        if !self.is_published() {
            return elements / per_stick;
        }
        match elements.div_ceil(per_stick) {
            0 => 1,
            sticks => sticks,
        }
    }

    /// True if operations share files by default (section 2.10).
    pub const fn shares_files(self) -> bool {
        matches!(self, Self::R3)
    }

    /// Returns the number that masked elements of an operation read as: the published one (contract, K7), which is never
    /// the code of NaN (contract, K8), or the identity in the recorded files, where an infinity is that code (section
    /// 4.6).
    ///
    /// An operation for which the contract has no number gets the identity; that its elements are masked at all is an
    /// [`Rule::MaskValue`](crate::validate::contract::Rule::MaskValue) finding.
    pub fn mask_value(self, op: &str) -> f64 {
        // Every operation that is not listed has 0 in both tables.
        OpFunc::of(op).map_or(0.0, |row| match row.mask.published {
            Some(published) if self.is_published() => published,
            _ => row.mask.recorded,
        })
    }

    /// Returns the code of a constant (contract, K1, K5).
    pub(crate) fn code(self, value: f64, format: DeviceFormat) -> u32 {
        match self.is_published() {
            true => encode_number(value, format),
            false => encode_constant(value, format),
        }
    }

    /// True if files may hold addresses as numbers: the later revisions refuse them (SDSC bundle specification,
    /// section 6).
    pub const fn has_concrete_addresses(self) -> bool {
        self.is_first()
    }

    /// True if `debug_handle_` is written (section 5).
    pub const fn writes_provenance(self) -> bool {
        !self.is_first()
    }

    /// True if provenance has the published form, with every field (contract, K56). Before, it is copied.
    pub const fn completes_provenance(self) -> bool {
        self.is_published()
    }

    /// Returns the name in files of a constant of an operation. The contract has `exx2scale`, as newer front ends write it;
    /// recorded files have `exx2Scale` (contract, K5).
    pub fn constant_name<'n>(self, op: &str, name: &'n str) -> &'n str {
        match (op, name) {
            ("exx2", "exx2Scale" | "exx2scale") if self.is_published() => "exx2scale",
            ("exx2", "exx2Scale" | "exx2scale") => "exx2Scale",
            _ => name,
        }
    }

    /// True if `dimToSymbolMapping_` holds identifiers as text, as the published schema has it (contract, K54 and K55). The
    /// extent in `N_` stays the maximum, which the reference runs with.
    pub const fn names_symbols_by_text(self) -> bool {
        self.is_published()
    }

    /// True if the entry of a window that cores divide has the total of one core in the core stage, and a window of one
    /// element has no entry (contract, K20). Before, pools and `conv2d` have the total of the whole there, and depthwise
    /// convolutions have an entry of every window.
    pub const fn pads_by_core(self) -> bool {
        self.is_published()
    }

    /// Returns the format in which an operation computes, given the format of its first tensor of values: conversions
    /// between 32-bit integers and floats compute in floats (contract, K32).
    pub fn computed_format(self, op: &str, format: DeviceFormat) -> DeviceFormat {
        if self.is_published() && op == "int32tofp32" {
            return DeviceFormat::IeeeFp32;
        }
        format
    }

    /// True if the data stages state which sizes are symbolic, split or padded (section 5).
    pub const fn writes_stage_details(self) -> bool {
        !self.is_first()
    }

    /// True if `maxDimSizes_` is in the order of the tensor's dimensions, not in the order of its layout (section 5).
    pub const fn orders_max_sizes_by_tensor(self) -> bool {
        !self.is_first()
    }

    /// True if the dimension that is added for tensors of one element in each stick has the extent of a stick of the data of a
    /// gather, whatever the width of its indices (contract, K36, K44); before, that of the shortest stick (section 4.2).
    pub const fn keeps_sticks_of_indices_apart(self) -> bool {
        matches!(self, Self::V1)
    }

    /// Returns the most sticks of a row of `exp` with masked padding (section 4.6; contract, K9, K14).
    pub const fn masked_exp_sticks(self) -> u64 {
        match self {
            Self::R1 => 0,
            Self::R2 | Self::R3 => u64::MAX,
            Self::V1 => contract::MASKED_EXP_STICKS,
        }
    }

    /// The rank from which a split contraction may become the fastest dimension of cores (section 4.7).
    pub const fn k_fast_rank(self) -> usize {
        if self.is_first() { 3 } else { 0 }
    }

    /// True if a top-k with only dimensions of its input in the output gets one more (section 4.2 c).
    pub const fn extends_topk(self) -> bool {
        !self.is_first()
    }

    /// True if there are pools and convolutions (section 4.11).
    pub const fn has_windows(self) -> bool {
        !self.is_first()
    }

    /// True if every dimension of an operation must have a device dimension in every operand (sections 3.2 and 4.4).
    pub const fn needs_aligned_ranks(self) -> bool {
        self.is_first()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for revision in Revision::ALL {
            assert_eq!(revision.to_string().parse(), Ok(revision));
        }
        assert_eq!(Revision::default().to_string(), "1.0.0");
        let unknown = "r4".parse::<Revision>().map_err(|error| error.to_string());
        assert_eq!(
            unknown,
            Err("`r4` is no revision of bundles; the revisions are 1.0.0, r3, r2 and r1".into())
        );
    }

    #[test]
    fn sticks_that_are_begun_count() {
        for (elements, published, recorded) in [(0, 1, 0), (1, 1, 0), (64, 1, 1), (65, 2, 1)] {
            assert_eq!(Revision::V1.sticks_of(elements, 64), published);
            assert_eq!(Revision::R3.sticks_of(elements, 64), recorded);
        }
    }

    #[test]
    fn published_masks_are_numbers() {
        for (op, published, recorded) in [
            ("sum", 0.0, 0.0),
            ("mean", 0.0, 0.0),
            ("max", -65504.0, f64::NEG_INFINITY),
            ("min", 65504.0, f64::INFINITY),
            ("exp", -10000.0, f64::NEG_INFINITY),
            ("absmax", 0.0, 0.0),
        ] {
            assert_eq!(Revision::V1.mask_value(op), published, "{op}");
            assert_eq!(Revision::R3.mask_value(op), recorded, "{op}");
        }
    }
}
