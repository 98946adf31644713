//! The forms of addresses, and why a place has no address.

use thiserror::Error;

use crate::Bytes;

/// The form of the addresses of a bundle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AddressMode {
    /// Bound by the function when the bundle is launched; files name them by symbols.
    #[default]
    Symbolic,
    /// Numbers in the files, from the table of [`Segments`](crate::bundle::Segments) (SDSC bundle specification, section 7.2). A number cannot
    /// move, so loops are unrolled; they must have fixed counts.
    Concrete,
}

/// Why a place has no address.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SegmentError {
    /// More kernel arguments than segments.
    #[error(
        "operand {operand} is in segment {segment}, and there are {count}: each kernel argument takes one, constants \
         among them, and so does the pool; symbolic addresses need none"
    )]
    NoSegment {
        /// Position of the operand.
        operand: usize,
        /// The segment it needs.
        segment: u64,
        /// Segments of the device.
        count: u32,
    },
    /// A place outside its segment.
    #[error("operand {operand} reaches byte {offset} of a segment of {size}")]
    OutOfSegment {
        /// Position of the operand.
        operand: usize,
        /// Distance from the start of the segment.
        offset: u64,
        /// The size of a segment.
        size: Bytes,
    },
    /// A place that depends on a runtime size.
    #[error(
        "operand {operand} is split over cores along a runtime size, so that its addresses are no numbers"
    )]
    RuntimeSize {
        /// Position of the operand.
        operand: usize,
    },
}
