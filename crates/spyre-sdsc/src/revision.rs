//! The revision of the file format, and everything that depends on it.
//!
//! The third revision is what this generator is for. The first one, with addresses as numbers and loops unrolled, can
//! be asked for, so that its files can be reproduced. [`Revision`] has one method per rule that changed; nothing else
//! asks which revision it is. The first revision's specifications also had another form, with strides of the host tensor
//! instead of advances: [`R1Node`] reads them, and [`unroll`] unrolls them.
//!
//! Sections are those of the SDSC bundle specification.

mod levels;
mod lower;
mod model;
mod unroll;

pub(crate) use lower::{Located, lower_loops_at};
pub use lower::{lower, lower_loops};
pub use model::{R1Allocation, R1Arg, R1Iteration, R1Loop, R1Node, R1Op};
pub use unroll::{Order, R1Error, unroll};

/// A revision of the file format (SDSC bundle specification, introduction).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Revision {
    /// The first: addresses may be numbers, and loops unrolled.
    R1,
    /// The third, which is the second with runtime bounds of loops and shared files: addresses are symbols.
    #[default]
    R3,
}

impl Revision {
    const fn is_first(self) -> bool {
        matches!(self, Self::R1)
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

    /// True if the data stages say which sizes are symbolic, split or padded (section 5).
    pub const fn writes_stage_details(self) -> bool {
        !self.is_first()
    }

    /// True if `maxDimSizes_` is in the tensor's own order of dimensions, not in that of its layout (section 5).
    pub const fn orders_max_sizes_by_tensor(self) -> bool {
        !self.is_first()
    }

    /// True if the padding of `exp` is masked (section 4.6).
    pub const fn masks_exp(self) -> bool {
        !self.is_first()
    }

    /// The rank from which a split contraction may become the fastest dimension of cores (section 4.7).
    pub const fn k_fast_rank(self) -> usize {
        if self.is_first() { 3 } else { 0 }
    }

    /// True if a top-k whose output has only dimensions of its input gets one more (section 4.2 c).
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
