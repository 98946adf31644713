//! Addresses as numbers: where kernel arguments and the pool lie (SDSC bundle specification, section 7.2).

use spyre_plan::Target;
use thiserror::Error;

use crate::Bytes;
use crate::codegen::{Descriptor, PlannedTensor, Scale};
use crate::model::Allocation;

/// The table of segments: the pool first, if there is one, then one kernel argument each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segments {
    has_pool: bool,
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

impl Segments {
    /// The table of a bundle with or without pool tensors.
    pub const fn new(has_pool: bool) -> Self {
        Self { has_pool }
    }

    /// The size of a segment.
    pub const fn size() -> Bytes {
        Target::CARD.segment_bytes
    }

    /// The address at which kernel argument number `arg` starts (SDSC bundle specification, section 7.2).
    pub fn argument(self, arg: u32) -> Bytes {
        let segment = u64::from(arg) + u64::from(self.has_pool);
        Bytes(segment.saturating_mul(Target::CARD.segment_bytes.get()))
    }

    /// The address of a core's part of a tensor. Planning has checked, by [`Segments::check`], that it is inside its
    /// segment (SDSC bundle specification, sections 4.8 and 7.2).
    pub fn address(self, descriptor: &Descriptor, tensor: &PlannedTensor, slices: &[u32]) -> Bytes {
        let start = match tensor.allocation {
            Allocation::Lx { address } => return address,
            Allocation::HbmPool { offset } => offset,
            Allocation::Hbm { arg, offset } => {
                Bytes(self.argument(arg.get()).get().saturating_add(offset.get()))
            }
        };
        let inside =
            offset_bytes(tensor).saturating_add(descriptor.core_offset(tensor, slices).bytes.get());
        Bytes(start.get().saturating_add(inside))
    }

    /// Checks that every core's part of every tensor starts and ends inside a segment.
    ///
    /// # Errors
    /// The first operand without addresses.
    pub fn check(self, descriptor: &Descriptor) -> Result<(), SegmentError> {
        let Target {
            segments: count,
            segment_bytes: size,
            ..
        } = Target::CARD;
        for (operand, tensor) in descriptor.tensors.iter().enumerate() {
            let (segment, start) = match tensor.allocation {
                Allocation::Lx { .. } => continue,
                Allocation::HbmPool { offset } => (0, offset),
                Allocation::Hbm { arg, offset } => {
                    (u64::from(arg.get()) + u64::from(self.has_pool), offset)
                }
            };
            if segment >= u64::from(count) {
                return Err(SegmentError::NoSegment {
                    operand,
                    segment,
                    count,
                });
            }
            if descriptor.is_split_at_run_time(tensor) {
                return Err(SegmentError::RuntimeSize { operand });
            }
            // The last slice along every dimension is the furthest part.
            let last: Vec<u32> = descriptor
                .core_mapping
                .splits()
                .iter()
                .map(|slices| slices.saturating_sub(1))
                .collect();
            let offset = start
                .get()
                .saturating_add(offset_bytes(tensor))
                .saturating_add(descriptor.core_offset(tensor, &last).bytes.get());
            let last_byte = start
                .get()
                .saturating_add(end_bytes(tensor))
                .saturating_sub(1);
            // Where parts start is what a message is about that can name it.
            let outside = [offset, last_byte]
                .into_iter()
                .find(|byte| *byte >= size.get());
            if let Some(offset) = outside {
                return Err(SegmentError::OutOfSegment {
                    operand,
                    offset,
                    size,
                });
            }
        }
        Ok(())
    }
}

/// Bytes from the start of a tensor to the end of what the operation uses, with the gaps inside. A dimension covers those
/// that are nearer to the stick, so that the furthest end of any is the end of the tensor.
fn end_bytes(tensor: &PlannedTensor) -> u64 {
    let in_memory = tensor.dims.iter().filter(|dim| dim.scale == Scale::Full);
    let ends = in_memory.map(|dim| dim.offset.get().saturating_add(dim.stride.get()));
    let elements = ends.fold(tensor.per_stick.get(), u64::max);
    elements.saturating_mul(tensor.element_bytes.get())
}

/// Bytes before the first element that the operation uses.
fn offset_bytes(tensor: &PlannedTensor) -> u64 {
    tensor
        .slice_offset()
        .get()
        .saturating_mul(tensor.element_bytes.get())
}
