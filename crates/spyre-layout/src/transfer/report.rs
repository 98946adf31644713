//! What a transfer did to the values it moved.

use std::fmt;

use crate::{transfer::convert::Change, units::Elements};

/// What an executed transfer did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferReport {
    /// Elements of the tensor, each of which was moved.
    pub elements: Elements,
    /// At most one warning: the one conversion of a transfer has changed values, or might have.
    pub warning: Option<ConversionWarning>,
}

/// A conversion that may change values beyond rounding, and what it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversionWarning {
    /// Name of the type or format that was read.
    pub from: &'static str,
    /// Name of the type or format that was written.
    pub to: &'static str,
    /// The elements that did not fit, if there were any.
    pub out_of_range: Option<OutOfRange>,
    pub(super) change: Change,
}

/// Elements that the target of a conversion cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfRange {
    /// How many.
    pub count: Elements,
    /// Host coordinates of the one that comes first in host memory.
    pub first: Vec<u64>,
}

impl fmt::Display for ConversionWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = match self.change {
            Change::LowBits(_) => "narrowed",
            Change::Infinity => "converted",
        };
        write!(f, "{} {verb} to {}: ", self.from, self.to)?;
        let Some(OutOfRange { count, first }) = &self.out_of_range else {
            return f.write_str("all elements are in range");
        };
        write!(f, "{count} out of range ")?;
        match self.change {
            Change::LowBits(bits) => write!(f, "cut to the low {bits} bits")?,
            Change::Infinity => f.write_str("became infinity")?,
        }
        write!(f, ", first at {first:?}")
    }
}
