//! The last writer of each byte of the memories.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

/// A memory with a separate address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Space {
    /// The scratchpads: all cores have the same addresses.
    Lx,
    /// The pool in device memory.
    Pool,
    /// An argument in device memory.
    Argument(u32),
}

/// Bytes of a memory; in LX, the bytes of each core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) space: Space,
    pub(super) bytes: Range<u64>,
}

impl Region {
    /// Returns whether two regions have bytes in common.
    pub(super) fn meets(&self, other: &Self) -> bool {
        self.space == other.space
            && self.bytes.start < other.bytes.end
            && other.bytes.start < self.bytes.end
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { start, end } = self.bytes;
        match self.space {
            Space::Lx => write!(f, "bytes {start} to {end} of LX"),
            Space::Pool => write!(f, "bytes {start} to {end} of the pool"),
            Space::Argument(number) => write!(f, "argument {number}"),
        }
    }
}

/// The last writer of each byte: intervals that do not overlap, by their first byte.
#[derive(Default)]
pub(super) struct Memory {
    written: BTreeMap<(Space, u64), (u64, usize)>,
}

impl Memory {
    /// Notes that `writer` has written a region.
    pub(super) fn write(&mut self, region: &Region, writer: usize) {
        let Region { space, bytes } = region;
        if bytes.is_empty() {
            return;
        }
        // A region that begins before the end and ends after the start keeps its parts outside.
        let meeting: Vec<_> = self
            .written
            .range((*space, 0)..(*space, bytes.end))
            .rev()
            .map(|((_, start), (end, by))| (*start, *end, *by))
            .take_while(|(_, end, _)| *end > bytes.start)
            .collect();
        for (start, end, by) in meeting {
            self.written.remove(&(*space, start));
            if start < bytes.start {
                self.written.insert((*space, start), (bytes.start, by));
            }
            if end > bytes.end {
                self.written.insert((*space, bytes.end), (end, by));
            }
        }
        self.written
            .insert((*space, bytes.start), (bytes.end, writer));
    }

    /// Returns the reason why `writer` has not written all of a region: another writer of a part of it, or an
    /// uninitialised part; `None` if it has.
    pub(super) fn other(&self, region: &Region, writer: usize) -> Option<Foreign> {
        let Region { space, bytes } = region;
        let mut at = bytes.end;
        let parts = self.written.range((*space, 0)..(*space, bytes.end)).rev();
        for ((_, start), (end, by)) in parts {
            if at <= bytes.start {
                break;
            }
            if *end < at {
                return Some(Foreign::Nobody);
            }
            if *by != writer {
                return Some(Foreign::Writer(*by));
            }
            at = *start;
        }
        (at > bytes.start).then_some(Foreign::Nobody)
    }
}

/// Contents of a region that differ from the expected ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Foreign {
    /// Uninitialised bytes.
    Nobody,
    /// Bytes of this writer.
    Writer(usize),
}

#[cfg(test)]
mod tests {
    use super::{Foreign, Memory, Region, Space};

    fn lx(start: u64, end: u64) -> Region {
        Region {
            space: Space::Lx,
            bytes: start..end,
        }
    }

    #[test]
    fn the_last_writer_of_each_byte_is_known() {
        let mut memory = Memory::default();
        assert_eq!(memory.other(&lx(0, 8), 1), Some(Foreign::Nobody));
        memory.write(&lx(0, 100), 1);
        assert_eq!(memory.other(&lx(0, 100), 1), None);
        memory.write(&lx(40, 60), 2);
        assert_eq!(memory.other(&lx(0, 100), 1), Some(Foreign::Writer(2)));
        assert_eq!(memory.other(&lx(0, 40), 1), None);
        assert_eq!(memory.other(&lx(60, 100), 1), None);
        assert_eq!(memory.other(&lx(40, 60), 2), None);
        assert_eq!(memory.other(&lx(90, 101), 1), Some(Foreign::Nobody));
        let pool = Region {
            space: Space::Pool,
            ..lx(0, 8)
        };
        assert_eq!(memory.other(&pool, 1), Some(Foreign::Nobody));
        memory.write(&lx(30, 70), 3);
        assert_eq!(memory.other(&lx(30, 70), 3), None);
        assert_eq!(memory.other(&lx(29, 70), 3), Some(Foreign::Writer(1)));
    }
}
