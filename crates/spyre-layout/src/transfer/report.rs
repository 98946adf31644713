//! The changes that a transfer made to the values it moved.

use std::fmt;

use crate::{
    transfer::{
        convert::{Change, Conversion},
        loops::Direction,
    },
    units::Elements,
};

/// The outcome of a transfer that was executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferReport {
    /// Elements of the tensor, each of which was moved.
    pub elements: Elements,
    /// The changes of the conversion beyond rounding. A transfer has one conversion, so one warning.
    pub warning: Option<ConversionWarning>,
}

/// A conversion that changes values by more than rounding, or might have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversionWarning {
    pub(super) conversion: Conversion,
    pub(super) direction: Direction,
    pub(super) out_of_range: Option<OutOfRange>,
}

/// Elements that the target of a conversion cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfRange {
    /// The number of such elements.
    pub count: Elements,
    /// Host coordinates of the one that comes first in host memory.
    pub first: Vec<u64>,
}

impl ConversionWarning {
    /// The elements that did not fit, if there were any.
    #[must_use]
    pub fn out_of_range(&self) -> Option<&OutOfRange> {
        self.out_of_range.as_ref()
    }
}

impl fmt::Display for ConversionWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (host, format) = (self.conversion.host_type(), self.conversion.format());
        let change = self.conversion.change(self.direction);
        let verb = match change {
            Change::LowBits(_) => "narrowed",
            Change::Infinity | Change::Nan => "converted",
        };
        match self.direction {
            Direction::ToDevice => write!(f, "{host} {verb} to {format}: ")?,
            Direction::ToHost => write!(f, "{format} {verb} to {host}: ")?,
        }
        let Some(OutOfRange { count, first }) = &self.out_of_range else {
            return f.write_str("all elements are in range");
        };
        match change {
            Change::LowBits(bits) => write!(f, "{count} out of range cut to the low {bits} bits")?,
            Change::Infinity => write!(f, "{count} out of range made infinite")?,
            Change::Nan => write!(f, "{count} out of range made NaN")?,
        }
        write!(f, ", first at {first:?}")
    }
}
