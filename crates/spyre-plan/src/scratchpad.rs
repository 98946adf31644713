//! Placing buffers in a memory of fixed size, such as the scratchpad (LX) of a core.
//!
//! Buffers that are alive at the same time must not overlap; nothing moves during its life. What
//! does not fit is spilled: it stays in device memory, and every use of it costs a transfer.

use std::{cmp::Ordering, ops::Range};

use spyre_layout::Bytes;

use crate::overlap::Lifetimes;

/// A buffer that wants a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Bytes that it takes in the memory of one core.
    pub size: Bytes,
    /// From the step that first uses it to the one after its last use.
    pub live: Range<u32>,
    /// Steps that read or write it.
    pub uses: u32,
    /// Whether the first of them writes it.
    pub first_use_is_write: bool,
    /// Buffers, by index, that the step which writes this one reads element by element for the last
    /// time, so that it may be written over one of them. Those that do not exist give no place.
    pub may_overwrite: Vec<usize>,
}

impl Buffer {
    /// A buffer that is written once and read once, in its own place.
    #[must_use]
    pub fn new(size: Bytes, live: Range<u32>) -> Self {
        Self {
            size,
            live,
            uses: 2,
            first_use_is_write: true,
            may_overwrite: Vec::new(),
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

    /// Returns the cost of a place; the smaller, the more a place is worth: steps of life per use. Numerator and denominator.
    /// Buffers that share a place count as a quarter of a step less.
    fn cost(&self, overwrites: bool, overwritten: bool) -> (u64, u64) {
        let shared = u64::from(overwrites) + u64::from(overwritten);
        // What never lives costs nothing, shared or not.
        let numerator = (4 * u64::from(self.life())).saturating_sub(shared);
        let denominator = 2 * (2 * u64::from(self.uses) + u64::from(self.first_use_is_write));
        (numerator, denominator)
    }
}

/// The place of a buffer, if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placement {
    /// It starts at this byte address for its whole life.
    At(Bytes),
    /// It did not fit.
    Spilled,
}

impl Placement {
    /// The address, unless the buffer was spilled.
    #[must_use]
    pub const fn address(self) -> Option<Bytes> {
        match self {
            Self::At(address) => Some(address),
            Self::Spilled => None,
        }
    }
}

/// Places buffers in a memory of `capacity` bytes at addresses that are multiples of `align`
/// (0 counts as 1). One placement per buffer, in the order given.
///
/// Buffers are taken by increasing steps of life per use, then by life, then in the order given,
/// but each after those it may overwrite. Each takes the place of one that it may overwrite, if that
/// is free after it; else the lowest gap that is large enough for as long as it lives; else it is
/// spilled (middle-end specification, section 5.3, first fit). A place is taken over at most once.
///
/// The result depends on nothing but the arguments. Time is `n log n` plus the number of pairs of
/// buffers that are alive at the same time.
#[must_use]
pub fn first_fit(buffers: &[Buffer], capacity: Bytes, align: Bytes) -> Vec<Placement> {
    let mut packer = Packer {
        buffers,
        capacity: capacity.get(),
        align: align.get().max(1),
        placements: vec![Placement::Spilled; buffers.len()],
        lifetimes: Lifetimes::new(buffers.iter().map(|buffer| &buffer.live)),
        busy: Vec::new(),
    };
    for id in placement_order(buffers) {
        packer.place(id);
    }
    packer.placements
}

/// Buffers by decreasing worth, each after those that it may overwrite.
fn placement_order(buffers: &[Buffer]) -> Vec<usize> {
    let parents = |id: usize| {
        let child = &buffers[id];
        child.may_overwrite.iter().copied().filter(move |&parent| {
            let old = buffers.get(parent);
            old.is_some_and(|old| child.can_overwrite(old))
        })
    };
    let mut overwritten = vec![false; buffers.len()];
    for id in 0..buffers.len() {
        parents(id).for_each(|parent| overwritten[parent] = true);
    }
    let mut by_worth: Vec<_> = buffers
        .iter()
        .enumerate()
        .map(|(id, buffer)| {
            let cost = buffer.cost(parents(id).next().is_some(), overwritten[id]);
            (cost, buffer.life(), id)
        })
        .collect();
    by_worth.sort_unstable_by(|a, b| compare_fractions(a.0, b.0).then((a.1, a.2).cmp(&(b.1, b.2))));

    // A parent starts before its child, so this ends.
    let mut order = Vec::with_capacity(buffers.len());
    let mut done = vec![false; buffers.len()];
    let mut stack = Vec::new();
    for (_, _, id) in by_worth {
        stack.push(id);
        while let Some(&top) = stack.last() {
            let before = stack.len();
            if !done[top] {
                stack.extend(parents(top).filter(|&parent| !done[parent]));
            }
            if stack.len() == before {
                stack.pop();
                if !std::mem::replace(&mut done[top], true) {
                    order.push(top);
                }
            }
        }
    }
    order
}

/// Compares `a.0 / a.1` with `b.0 / b.1`; anything over zero is larger than every number.
fn compare_fractions(a: (u64, u64), b: (u64, u64)) -> Ordering {
    match (a.1, b.1) {
        (0, 0) => Ordering::Equal,
        (0, _) => Ordering::Greater,
        (_, 0) => Ordering::Less,
        _ => (u128::from(a.0) * u128::from(b.1)).cmp(&(u128::from(b.0) * u128::from(a.1))),
    }
}

struct Packer<'a> {
    buffers: &'a [Buffer],
    capacity: u64,
    align: u64,
    placements: Vec<Placement>,
    /// Buffers that have a place.
    lifetimes: Lifetimes,
    /// Address ranges taken during the life of the buffer at hand, with the buffer in them.
    busy: Vec<(u64, u64, usize)>,
}

impl Packer<'_> {
    fn place(&mut self, id: usize) {
        let buffer = &self.buffers[id];
        self.busy.clear();
        self.lifetimes.for_each_overlap(&buffer.live, |other| {
            let address = self.placements[other].address();
            let start = address.expect("only what has a place is added").get();
            // The end was checked against the capacity when it was placed.
            let end = start + self.buffers[other].size.get();
            self.busy.push((start, end, other));
        });
        self.busy.sort_unstable();
        let address = self
            .overwrite(buffer)
            .or_else(|| self.lowest_gap(buffer.size.get()));
        if let Some(address) = address {
            self.placements[id] = Placement::At(Bytes(address));
            self.lifetimes.insert(id, &buffer.live);
        }
    }

    /// Returns the address of a buffer whose place the given one can take.
    fn overwrite(&self, buffer: &Buffer) -> Option<u64> {
        buffer.may_overwrite.iter().find_map(|&old| {
            if !buffer.can_overwrite(self.buffers.get(old)?) {
                return None;
            }
            let start = self.placements[old].address()?.get();
            let end = start + buffer.size.get();
            // Another one that took the place lives in this step too, so it is among the busy.
            let free = self
                .busy
                .iter()
                .all(|&(low, high, other)| other == old || high <= start || end <= low);
            free.then_some(start)
        })
    }

    /// Returns the lowest aligned address with `size` free bytes.
    fn lowest_gap(&self, size: u64) -> Option<u64> {
        let mut address: u64 = 0;
        for &(low, high, _) in &self.busy {
            if address.checked_add(size)? <= low {
                break;
            }
            address = address.max(high.checked_next_multiple_of(self.align)?);
        }
        (address.checked_add(size)? <= self.capacity).then_some(address)
    }
}

/// Returns the bytes that spilled buffers move to and from device memory: their size for each use
/// (middle-end specification, section 5.1). More than 2^64 - 1 bytes count as so many.
#[must_use]
pub fn spill_traffic(buffers: &[Buffer], placements: &[Placement]) -> Bytes {
    let spilled = buffers
        .iter()
        .zip(placements)
        .filter(|(_, at)| **at == Placement::Spilled);
    Bytes(spilled.fold(0u64, |sum, (buffer, _)| {
        sum.saturating_add(buffer.size.get().saturating_mul(buffer.uses.into()))
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
        /// Its address.
        address: Bytes,
        /// The alignment asked for.
        align: Bytes,
    },
    /// A buffer that leaves the memory.
    #[error("buffer {buffer} of {size} at {address} leaves a memory of {capacity}")]
    Outside {
        /// The buffer.
        buffer: usize,
        /// Its size.
        size: Bytes,
        /// Its address.
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
        /// Its address.
        first_address: Bytes,
        /// The other buffer, which starts to live later or at the same step.
        second: usize,
        /// Its address.
        second_address: Bytes,
        /// The first step at which both are alive.
        step: u32,
    },
}

/// Checks placements by their definition, independently of how they were found: aligned, inside the
/// memory, and no two buffers in the same place at the same time, except that one buffer may
/// [overwrite](Buffer::may_overwrite) another exactly at its address.
///
/// Time is proportional to the number of buffers times those alive at once.
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
