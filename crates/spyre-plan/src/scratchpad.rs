//! Placing buffers in a memory of fixed size, such as the scratchpad (LX) of a core.
//!
//! Buffers that are alive at the same time must not overlap; none moves while it is live. A buffer that does not fit is
//! spilled: it stays in device memory, and every use of it costs a transfer.

mod exact;
mod fit;
mod greedy;
mod pack;

use std::ops::Range;
use std::str::FromStr;

use spyre_layout::Bytes;

pub use self::exact::{Exact, NODES, exact};
pub use self::fit::{best_fit, first_fit};
pub use self::greedy::greedy;

/// A buffer to place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Bytes that it takes in the memory of one core.
    pub size: Bytes,
    /// From the step that first uses it to the one after its last use.
    pub live: Range<u32>,
    /// Steps that read or write it.
    pub uses: u32,
    /// Whether the first of these steps writes it.
    pub first_use_is_write: bool,
    /// The number of executions: the iterations of the loops around it. At least 1.
    pub repeats: u32,
    /// Buffers, by index, that the step that writes this one reads element by element for the last time, so that it may
    /// be written over one of them. Indices without a buffer have no effect.
    pub may_overwrite: Vec<usize>,
}

impl Buffer {
    /// Returns a buffer that is written once and read once, and overwrites no other.
    #[must_use]
    pub fn new(size: Bytes, live: Range<u32>) -> Self {
        Self {
            size,
            live,
            uses: 2,
            first_use_is_write: true,
            repeats: 1,
            may_overwrite: Vec::new(),
        }
    }

    /// Returns the same buffer, which is written over no other.
    #[must_use]
    pub fn apart(&self) -> Self {
        Self {
            may_overwrite: Vec::new(),
            ..self.clone()
        }
    }

    /// Returns whether this buffer can take over the place of `old`: it is written in the step of `old`'s
    /// last use, and is not larger (middle-end specification, section 5.1).
    fn can_overwrite(&self, old: &Self) -> bool {
        old.live.start < self.live.start
            && self.live.start.checked_add(1) == Some(old.live.end)
            && self.size <= old.size
    }

    /// Returns for how many steps it lives. A range that ends before it starts has none.
    fn life(&self) -> u32 {
        self.live.end.saturating_sub(self.live.start)
    }

    /// Returns the cost of a place, the steps of life per use, as a numerator and a denominator. The smaller the cost, the
    /// more a place in the scratchpad saves. Sharing a place with another buffer counts as a quarter of a step less.
    fn cost(&self, overwrites: bool, overwritten: bool) -> (u64, u64) {
        let shared = u64::from(overwrites) + u64::from(overwritten);
        // A buffer with an empty live range costs nothing, shared or not.
        let numerator = (4 * u64::from(self.life())).saturating_sub(shared);
        let denominator = 2 * (2 * u64::from(self.uses) + u64::from(self.first_use_is_write));
        (numerator, denominator)
    }

    /// Returns the bytes that it moves to and from device memory where it has no place.
    fn traffic(&self) -> u64 {
        let uses = u64::from(self.uses).saturating_mul(self.repeats.into());
        self.size.get().saturating_mul(uses)
    }
}

/// The place of a buffer, if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placement {
    /// The buffer starts at this byte address for its whole live range.
    At(Bytes),
    /// The buffer did not fit.
    Spilled,
}

impl Placement {
    /// Returns the address, unless the buffer was spilled.
    #[must_use]
    pub const fn address(self) -> Option<Bytes> {
        match self {
            Self::At(address) => Some(address),
            Self::Spilled => None,
        }
    }
}

/// A placement algorithm (middle-end specification, section 5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Solver {
    /// In the order of the program, above the live buffers: [`greedy`].
    Greedy,
    /// The most valuable first, each in the lowest gap: [`first_fit`].
    FirstFit,
    /// The most valuable first, each in the tightest gap: [`best_fit`].
    BestFit,
    /// The least traffic that there is: [`exact`], within [`NODES`] nodes.
    Exact,
}

/// A name that no solver has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no solver is named '{0}'; there are greedy, first-fit, best-fit and exact")]
pub struct NoSuchSolver(String);

impl FromStr for Solver {
    type Err = NoSuchSolver;

    fn from_str(name: &str) -> Result<Self, NoSuchSolver> {
        match name {
            "greedy" => Ok(Self::Greedy),
            "first-fit" => Ok(Self::FirstFit),
            "best-fit" => Ok(Self::BestFit),
            "exact" => Ok(Self::Exact),
            _ => Err(NoSuchSolver(name.to_owned())),
        }
    }
}

/// Places buffers in a memory of `capacity` bytes at multiples of `align` with the given solver. Returns a placement
/// per buffer, and a lower bound on the [traffic](spill_traffic) of any placement.
#[must_use]
pub fn place(solver: Solver, buffers: &[Buffer], capacity: Bytes, align: Bytes) -> Exact {
    let placements = match solver {
        Solver::Greedy => greedy(buffers, capacity, align),
        Solver::FirstFit => first_fit(buffers, capacity, align),
        Solver::BestFit => best_fit(buffers, capacity, align),
        Solver::Exact => return exact(buffers, capacity, align, NODES),
    };
    Exact {
        placements,
        bound: Bytes::ZERO,
        nodes: 0,
    }
}

/// Returns the bytes that spilled buffers move to and from device memory: their size for each use
/// (middle-end specification, section 5.1). More than 2^64 - 1 bytes count as 2^64 - 1.
#[must_use]
pub fn spill_traffic(buffers: &[Buffer], placements: &[Placement]) -> Bytes {
    let spilled = buffers
        .iter()
        .zip(placements)
        .filter(|(_, at)| **at == Placement::Spilled);
    Bytes(spilled.fold(0u64, |sum, (buffer, _)| {
        sum.saturating_add(buffer.traffic())
    }))
}

/// Returns the highest address in use, plus one: the memory that the placements really need. It is at most 2^64 - 1;
/// [`verify`] refuses placements that need more.
#[must_use]
pub fn high_water(buffers: &[Buffer], placements: &[Placement]) -> Bytes {
    let ends = buffers
        .iter()
        .zip(placements)
        .filter_map(|(buffer, placement)| {
            placement
                .address()
                .map(|start| start.get().saturating_add(buffer.size.get()))
        });
    Bytes(ends.max().unwrap_or(0))
}

/// Placements that break a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlacementError {
    /// Not one placement per buffer.
    #[error("{placements} placements for {buffers} buffers")]
    Count {
        /// Number of buffers.
        buffers: usize,
        /// Number of placements.
        placements: usize,
    },
    /// An address that is not aligned.
    #[error("buffer {buffer} is at {address}, which is not a multiple of {align}")]
    Unaligned {
        /// The buffer.
        buffer: usize,
        /// The address.
        address: Bytes,
        /// The requested alignment.
        align: Bytes,
    },
    /// A buffer that leaves the memory.
    #[error("buffer {buffer} of {size} at {address} leaves a memory of {capacity}")]
    Outside {
        /// The buffer.
        buffer: usize,
        /// The size.
        size: Bytes,
        /// The address.
        address: Bytes,
        /// The size of the memory.
        capacity: Bytes,
    },
    /// Two buffers in the same place at the same time.
    #[error(
        "buffers {first} (at {first_address}) and {second} (at {second_address}) overlap and are \
         both alive at step {step}"
    )]
    Overlap {
        /// One buffer.
        first: usize,
        /// The address.
        first_address: Bytes,
        /// The other buffer, which starts to live later or at the same step.
        second: usize,
        /// The address.
        second_address: Bytes,
        /// The first step at which both are alive.
        step: u32,
    },
}

/// Checks placements by their definition, independently of the solver: aligned, inside the memory, and no two buffers
/// in the same place at the same time, except that one buffer may [overwrite](Buffer::may_overwrite) another exactly at
/// its address.
///
/// Time is proportional to the number of buffers times the number of buffers that are alive at once.
///
/// # Errors
/// The first broken rule.
pub fn verify(
    buffers: &[Buffer],
    placements: &[Placement],
    capacity: Bytes,
    align: Bytes,
) -> Result<(), PlacementError> {
    if buffers.len() != placements.len() {
        let (buffers, placements) = (buffers.len(), placements.len());
        return Err(PlacementError::Count {
            buffers,
            placements,
        });
    }
    let mut placed = Vec::new();
    for (id, (buffer, placement)) in buffers.iter().zip(placements).enumerate() {
        let Some(address) = placement.address() else {
            continue;
        };
        if align != Bytes::ZERO && !address.is_multiple_of(align) {
            return Err(PlacementError::Unaligned {
                buffer: id,
                address,
                align,
            });
        }
        match address.checked_add(buffer.size) {
            Some(end) if end <= capacity => placed.push((id, buffer, address, end)),
            _ => {
                let size = buffer.size;
                return Err(PlacementError::Outside {
                    buffer: id,
                    size,
                    address,
                    capacity,
                });
            }
        }
    }
    placed.retain(|(_, buffer, ..)| !buffer.live.is_empty() && buffer.size != Bytes::ZERO);
    placed.sort_by_key(|&(id, buffer, ..)| (buffer.live.start, id));

    let mut alive: Vec<(usize, &Buffer, Bytes, Bytes)> = Vec::new();
    for (id, buffer, address, end) in placed {
        let step = buffer.live.start;
        alive.retain(|(_, other, ..)| other.live.end > step);
        for &(other_id, other, other_address, other_end) in &alive {
            if other_end <= address || end <= other_address {
                continue;
            }
            let overwrites = buffer.may_overwrite.contains(&other_id)
                && buffer.can_overwrite(other)
                && address == other_address;
            if !overwrites {
                return Err(PlacementError::Overlap {
                    first: other_id,
                    first_address: other_address,
                    second: id,
                    second_address: address,
                    step,
                });
            }
        }
        alive.push((id, buffer, address, end));
    }
    Ok(())
}
