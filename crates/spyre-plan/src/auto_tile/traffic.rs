//! Tiles that make a program move fewer bytes through device memory.
//!
//! # Cost
//!
//! The cost of a program is the bytes that its operations read from and write to device memory, and
//! [`Machine::overhead`] bytes for each time an operation runs. In detail (middle-end specification, section 5.1):
//!
//! * A value in the scratchpad costs nothing. It can be there when each core reads the slice that it wrote itself, when
//!   all users are later steps of the block, and when it fits: [`first_fit`](crate::first_fit) decides that, which also
//!   computes the final placement.
//! * Any other value costs its bytes when it is written, and each time that it is read, by each core that reads it:
//!   cores that share out the rows of a product all read its right operand. With [`Machine::broadcasts`], bytes that
//!   several cores read at once count once, and more for many cores. In a loop, an operand costs the window of an
//!   iteration, in every iteration of all loops around the operation: a loop-invariant operand is read again.
//! * A result of a group with uses outside of it is inserted into a full tensor in device memory. So it is written
//!   once, and the users outside read it from there, even if it was in the scratchpad before. An operand from outside
//!   that a group reads window by window is in device memory as well.
//! * No run of an operation is cheaper than a stick that each core moves. This is the overhead. It makes few tiles
//!   preferable to many.
//!
//! # Search
//!
//! Elementwise operations that read one another are an *atom*: a group has all or none. Over the atoms runs a
//! dynamic program: a group is at most [`Machine::most_atoms`] atoms in a row, and costs what its best tiles cost less what its
//! operations cost untiled. For each group, tile counts are combined for at most [`MAX_CLASSES`] dimensions.
//! Combinations are tried in the order of a lower bound of their cost until that is no better than the best so far, so
//! this finds the minimum of at most [`MAX_COMBINATIONS`] combinations. The time is linear in the number of steps.
//!
//! Dimensions that an operation of a group reduces are not cut: accumulators add to the traffic between operations, and
//! the operands of a reduction are read once either way.

mod cost;
mod group;
mod search;
mod sum;
#[cfg(test)]
mod tests;
mod untiled;

use crate::Target;
use crate::time::Rates;

pub use search::{Choice, Chosen, Member, choose};

/// The most atoms of a group, unless [`Machine::most_atoms`] sets another limit.
pub const MAX_ATOMS: usize = 8;
/// The most atoms of a group in a longer search, which can find a loop over several layers of a model. The search takes
/// up to (32 / 8)^2 times as long.
pub const LONG_RUN: usize = 32;
/// The most dimensions that are combined in one group.
pub const MAX_CLASSES: usize = 3;
/// The most combinations of numbers of tiles for one group.
pub const MAX_COMBINATIONS: usize = 512;
/// The most tiles of a dimension, and of a group.
const MAX_OF_DIM: u64 = 1024;
const MAX_TILES: u64 = 4096;

/// The numbers of the target on which the cost depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Cores that share the work.
    pub cores: u32,
    /// Bytes of scratchpad of each core that programs have.
    pub lx: u64,
    /// Bytes of a stick.
    pub stick: u64,
    /// The cost of each run of an operation, in bytes.
    pub overhead: u64,
    /// The widest span that tiles may have, if tiles have to bring spans within a limit.
    pub span_limit: Option<u64>,
    /// Whether bytes that several cores read in the same execution count once, more for wide broadcasts ([`Rates::weighted`]),
    /// as the card broadcasts them. Otherwise the read of every core counts.
    pub broadcasts: bool,
    /// How fast it is.
    pub rates: Rates,
    /// The most atoms of a group.
    pub most_atoms: usize,
}

impl Machine {
    /// Returns that of a target.
    #[must_use]
    pub fn new(target: &Target) -> Self {
        Self {
            cores: target.cores,
            lx: target.usable_lx().get(),
            stick: target.stick_bytes.get(),
            overhead: u64::from(target.cores) * target.stick_bytes.get(),
            span_limit: None,
            broadcasts: false,
            rates: target.rates,
            most_atoms: MAX_ATOMS,
        }
    }

    /// Returns the cost of `bytes` that `cores` cores read at once.
    pub(crate) fn moved(&self, bytes: i128, cores: u64) -> i128 {
        if self.broadcasts {
            self.rates.weighted(bytes, cores)
        } else {
            bytes * i128::from(cores)
        }
    }
}
