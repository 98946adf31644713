//! Addresses as numbers: where kernel arguments and the pool lie (SDSC bundle specification, section 7.2).

use spyre_plan::Target;

use crate::Bytes;
use crate::addresses::SegmentError;
use crate::codegen::{Descriptor, PlannedTensor, Scale, fits};
use crate::model::Allocation;

/// The table of segments: the pool first, if there is one, then one kernel argument each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segments {
    has_pool: bool,
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

    /// Returns the address at which kernel argument number `arg` starts; `None` if it does not fit 64 bits (SDSC bundle
    /// specification, section 7.2).
    pub fn argument(self, arg: u32) -> Option<Bytes> {
        Self::size().checked_mul(u64::from(arg) + u64::from(self.has_pool))
    }

    /// Returns the first and the last address of kernel argument number `arg`; `None` if they do not fit 64 bits.
    pub fn range(self, arg: u32) -> Option<(u64, u64)> {
        let start = self.argument(arg)?.get();
        // The size is a power of two that divides the start, so that the sum fits where the start does.
        Some((start, start + (Self::size().get() - 1)))
    }

    /// Returns the kernel argument that an address is of; `None` for an address of the pool, and beyond 32 bits of arguments.
    fn argument_at(self, address: u64) -> Option<u32> {
        let segment = address / Self::size().get();
        u32::try_from(segment.checked_sub(u64::from(self.has_pool))?).ok()
    }

    /// Returns the message that an address is not one of kernel argument number `arg_index`, with the addresses of the
    /// argument and the text to write.
    pub(crate) fn address_error(self, address: u64, arg_index: i64) -> String {
        let arg = u32::try_from(arg_index).ok();
        let Some((first, last)) = arg.and_then(|arg| self.range(arg)) else {
            let reason = format!("arg_index={arg_index} is no kernel argument");
            return match self.argument_at(address) {
                Some(arg) => format!(
                    "{reason}, and hbm {address:#x} is an address of argument {arg}; write arg_index={arg}"
                ),
                None => format!("{reason}; number the arguments from 0"),
            };
        };
        let mut message = format!(
            "hbm {address:#x} is no address of argument {arg_index}, which is at {first:#x} to {last:#x}; write \
             {{\"hbm\": {arg_index}}} for its start"
        );
        // A number inside of the first segment may count from the start of the argument.
        if address != 0 && address < Self::size().get() {
            message += &format!(
                ", or {{\"hbm\": {}}} for its byte {address}",
                first + address
            );
        }
        message
    }

    /// Returns the address of a core's part of a tensor (SDSC bundle specification, sections 4.8 and 7.2).
    ///
    /// # Panics
    /// If [`Segments::check`] refuses the tensor.
    pub fn address(self, descriptor: &Descriptor, tensor: &PlannedTensor, slices: &[u32]) -> Bytes {
        let (segment, offset) = match tensor.allocation {
            Allocation::Lx { address } => return address,
            Allocation::HbmPool { offset } => (Some(Bytes::ZERO), offset),
            Allocation::Hbm { arg, offset } => (self.argument(arg.get()), offset),
        };
        let core_offset = descriptor.core_offset(tensor, slices);
        assert!(
            core_offset.per_size.is_empty(),
            "an address that is a number depends on no runtime size"
        );
        let inside = [offset, Bytes(offset_bytes(tensor)), core_offset.bytes];
        fits(
            inside
                .into_iter()
                .try_fold(fits(segment), Bytes::checked_add),
        )
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
            let last = descriptor.dims.iter().map(|dim| {
                let last = u32::try_from(dim.slices - 1);
                last.expect("a division has at most as many slices as there are cores")
            });
            let last: Vec<u32> = last.collect();
            // A sum that saturates is outside as well.
            let offset = start
                .get()
                .saturating_add(offset_bytes(tensor))
                .saturating_add(descriptor.core_offset(tensor, &last).bytes.get());
            let last_byte = start.get().saturating_add(end_bytes(tensor)) - 1;
            // A message prefers the start of a part to the last byte.
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

/// Returns the bytes from the start of a tensor to the end of the elements that the operation uses, gaps included: at
/// least one. A dimension covers the dimensions that are nearer to the stick, so that the furthest end of any is the
/// end of the tensor. A sum that saturates is beyond every segment.
fn end_bytes(tensor: &PlannedTensor) -> u64 {
    let in_memory = tensor.dims.iter().filter(|dim| dim.scale == Scale::Full);
    let ends = in_memory.map(|dim| dim.offset.get().saturating_add(dim.stride.get()));
    let elements = ends.fold(tensor.per_stick.get(), u64::max);
    elements.saturating_mul(tensor.element_bytes.get())
}

/// Returns the bytes before the first element that the operation uses. A product that saturates is beyond every segment.
fn offset_bytes(tensor: &PlannedTensor) -> u64 {
    tensor
        .slice_offset()
        .get()
        .saturating_mul(tensor.element_bytes.get())
}
