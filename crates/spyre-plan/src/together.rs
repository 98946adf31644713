//! Joint choice of the divisions of all operations of a program and of the values in the scratchpads.
//!
//! A value stays in the scratchpads where the cores that read it find their slices on their own core, and where it has room until its
//! last use. If one reader does not find its slices, or there is no room, the value goes through device memory for all of them. So a
//! division that is good for one operation can be bad for its neighbours: a product
//! that is cut along rows and columns broadcasts its weights to few cores, and its rows have to go through device memory. [`choose`]
//! walks over the operations with states: the slices of the values that are alive, how much of the scratchpad they take, and which of
//! them are in device memory. Of states that later operations cannot distinguish, the cheapest stays, and of the others
//! as many as the beam is wide.
//!
//! [`choose_tilings`] chooses the tiles of each operation as well, of several tilings of the whole program.
//!
//! Times come from [`cost`](crate::cost). Addresses are not chosen here: values fit if the sum of their bytes does.
//! With a limit on the bytes that move, the fastest program is not made of fastest parts: of two states that are equal
//! otherwise, one may be faster and the other have more bytes left, and both stay.

mod search;
#[cfg(test)]
mod tests;
mod tilings;

use std::ops::Range;

use spyre_layout::Bytes;

pub use self::search::choose;
pub use self::tilings::choose_tilings;
use crate::time::Picoseconds;

/// The slices of a tensor that the cores have: a number that identifies the slices, and the number of cores that have
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slices {
    /// The map from a core to its slice.
    pub map: u32,
    /// The number of cores that have a slice: a prefix of the cores.
    pub cores: u32,
}

impl Slices {
    /// Returns whether cores that need the slices `read` have them here.
    fn have(self, read: Self) -> bool {
        self.map == read.map && read.cores <= self.cores
    }
}

/// The parts of a value that the cores hold in their scratchpads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Held {
    /// The slices into which the cores divide the value.
    pub slices: Slices,
    /// The bytes of one slice.
    pub bytes: Bytes,
}

/// The number of a value of a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueId(pub usize);

/// The cost of moving a tensor from or to device memory, all executions together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// The time.
    pub time: Picoseconds,
    /// The bytes, with bytes that several cores read in the same execution counted once.
    pub bytes: Bytes,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An operation makes it.
    Made,
    /// A copy from device memory, in the slices of its first reader.
    Copied(Copied),
    /// The value is in device memory.
    Memory,
}

/// A value that is a copy from device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The cost of copying it.
    pub copy: CopyCost,
    /// The cost of writing it in device memory.
    pub write: Traffic,
    /// Whether that cost is due in the scratchpads too, because a loop writes its results to device memory.
    pub is_written_out: bool,
    /// The operation, by number, at which its live range starts, if that is before its first reader: the first one of a
    /// loop that changes it.
    pub from: Option<usize>,
    /// The bytes that it takes of a scratchpad until it is read.
    pub bytes: Bytes,
}

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Where it comes from.
    pub origin: Origin,
    /// The operation, by number, at which its live range ends, if that is after its last use: the last one of a loop
    /// that reads it.
    pub until: usize,
}

/// The cost of a copy from device memory into the scratchpads, in all executions together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopyCost {
    /// The time in which cores copy.
    pub compute: Picoseconds,
    /// The cost of moving it from device memory.
    pub memory: Traffic,
}

/// The factors on the time of traffic from and to device memory. More than 1 to save bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights {
    /// For results of operations, and for copies that the program has.
    pub results: u64,
    /// For values in device memory.
    pub memory: u64,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            results: 1,
            memory: 1,
        }
    }
}

/// An operand of an operation under a division.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// The parts that the cores read; `None` if they cannot be in the scratchpad.
    pub held: Option<Held>,
    /// The cost of reading it from device memory.
    pub memory: Traffic,
    /// The cost of copying it into the scratchpads; `None` where it is not copied, or no copy has this result.
    pub copy: Option<CopyCost>,
    /// Whether the result may be written over it, if it has no later use.
    pub is_free_after: bool,
}

/// A division of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The time to compute, all executions together.
    pub time: Picoseconds,
    /// The parts of the result that the cores make; `None` if it cannot stay in the scratchpad.
    pub result: Option<Held>,
    /// The reads of its operands, in order.
    pub reads: Vec<Read>,
}

/// An operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The divisions, at least one.
    pub choices: Vec<Choice>,
    /// The values of its operands.
    pub operands: Vec<ValueId>,
    /// The result, or the value that it writes over, such as the next value of a loop-carried one.
    pub result: ValueId,
    /// The cost of writing it in device memory.
    pub write: Traffic,
    /// Whether it costs that in the scratchpads too, because it is part of a tensor in device memory as well.
    pub is_written_out: bool,
}

/// A program, its operations in the order of execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Bytes of scratchpad of each core.
    pub lx: Bytes,
    /// The most bytes that may move from and to device memory; `None` for no limit.
    pub most_bytes: Option<Bytes>,
    /// The factors on the time of traffic.
    pub weights: Weights,
    /// The values.
    pub values: Vec<Value>,
    /// The operations.
    pub operations: Vec<Operation>,
}

/// The choices of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The number of the division of each operation.
    pub choices: Vec<usize>,
    /// The modelled time, weighted.
    pub time: Picoseconds,
    /// The bytes that move from and to device memory.
    pub bytes: Bytes,
}

/// A program in one of its tilings.
///
/// An operation that is tiled can be several, such as a sum that becomes sums of tiles and their addition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tiling {
    /// The program, tiled.
    pub program: Program,
    /// The part of each operation of the program without tiles, in order. Together they are all operations.
    pub parts: Vec<Part>,
}

/// The operations of a [`Tiling`] that one operation of the program without tiles becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The numbers of the operations.
    pub operations: Range<usize>,
    /// The loops around the operations; `None` if the operation has no tiles.
    pub nest: Option<Nest>,
}

/// Loops of a [`Tiling`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Nest {
    /// The number of the loops. All operations that share the loops have the same number.
    pub number: usize,
    /// The cost of their iterations, in addition to the operations in them.
    pub time: Picoseconds,
}

/// The tilings that a search has chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenTilings {
    /// The number of the tiling of each operation.
    pub tilings: Vec<usize>,
    /// The modelled time, weighted.
    pub time: Picoseconds,
    /// The bytes that move from and to device memory.
    pub bytes: Bytes,
}
