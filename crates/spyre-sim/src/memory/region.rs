//! A region of memory: an argument, the pool, or a scratchpad.

use spyre_layout::Bytes;

use super::stick::{STICK, Stick, mask};

/// Sticks of a page. Untouched pages take no memory.
const PAGE: usize = 64;

/// A named range of memory.
#[derive(Debug)]
pub(crate) struct Region {
    /// The name that reports have for it.
    pub name: String,
    /// The address of its first byte.
    pub base: i64,
    pub size: u64,
    /// Whether it is for values inside of a bundle: a scratchpad or the pool.
    pub temporary: bool,
    pages: Vec<Option<Box<[Stick]>>>,
}

impl Region {
    pub(crate) fn new(name: impl Into<String>, base: i64, size: Bytes) -> Self {
        Self {
            name: name.into(),
            base,
            size: size.get(),
            temporary: false,
            pages: Vec::new(),
        }
    }

    /// The region, for values inside of a bundle.
    pub(crate) fn temporary(mut self) -> Self {
        self.temporary = true;
        self
    }

    /// Returns whether the region has `len` bytes from `offset`. No region reaches beyond 63 bits, however large the
    /// region is.
    pub(crate) fn holds(&self, offset: i64, len: u64) -> bool {
        let len = i64::try_from(len).ok();
        let end = len.and_then(|len| offset.checked_add(len));
        offset >= 0 && end.is_some_and(|end| end.unsigned_abs() <= self.size)
    }

    /// Returns a stick, by its number, if its page has been touched.
    pub(crate) fn stick(&self, number: usize) -> Option<&Stick> {
        let page = self.pages.get(number / PAGE)?.as_ref()?;
        Some(&page[number % PAGE])
    }

    /// Returns a stick, by its number, to change.
    pub(crate) fn stick_mut(&mut self, number: usize) -> &mut Stick {
        let page = number / PAGE;
        if page >= self.pages.len() {
            self.pages.resize(page + 1, None);
        }
        let page = &mut self.pages[page];
        let page = page.get_or_insert_with(|| vec![Stick::NEW; PAGE].into_boxed_slice());
        &mut page[number % PAGE]
    }

    /// Returns the part of each stick in `len` bytes from `offset`: the number of the stick, and the first byte and the
    /// number of bytes in it.
    pub(crate) fn parts(offset: u64, len: usize) -> impl Iterator<Item = (usize, usize, usize)> {
        let (mut at, mut left) = (offset, len);
        std::iter::from_fn(move || {
            let number = usize::try_from(at / STICK as u64).expect("sticks are counted in memory");
            let from = (at % STICK as u64) as usize;
            let part = left.min(STICK - from);
            if part == 0 {
                return None;
            }
            left -= part;
            at += part as u64;
            Some((number, from, part))
        })
    }

    /// Stores bytes from outside of the machine.
    pub(crate) fn fill(&mut self, offset: u64, bytes: &[u8]) {
        let mut rest = bytes;
        for (number, from, part) in Self::parts(offset, bytes.len()) {
            let (now, later) = rest.split_at(part);
            rest = later;
            let stick = self.stick_mut(number);
            stick.bytes[from..from + part].copy_from_slice(now);
            stick.defined |= mask(from, part);
            // Arguments are often passed and not used: they are not values that get lost.
            stick.read = true;
        }
    }

    /// Returns a copy of the contents, and for each byte whether it is defined. `None` if the copy does not fit into
    /// memory: the size of a region is a number of the caller, and untouched pages take no memory.
    pub(crate) fn contents(&self) -> Option<(Vec<u8>, Vec<bool>)> {
        let size = usize::try_from(self.size).ok()?;
        let (mut bytes, mut defined) = (Vec::new(), Vec::new());
        bytes.try_reserve_exact(size).ok()?;
        defined.try_reserve_exact(size).ok()?;
        bytes.resize(size, super::stick::POISON);
        defined.resize(size, false);
        let chunks = bytes.chunks_mut(STICK).zip(defined.chunks_mut(STICK));
        for (number, (bytes, defined)) in chunks.enumerate() {
            if let Some(stick) = self.stick(number) {
                bytes.copy_from_slice(&stick.bytes[..bytes.len()]);
                for (at, defined) in defined.iter_mut().enumerate() {
                    *defined = stick.defined >> at & 1 == 1;
                }
            }
        }
        Some((bytes, defined))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_end_at_sticks() {
        let parts: Vec<_> = Region::parts(120, 140).collect();
        assert_eq!(parts, [(0, 120, 8), (1, 0, 128), (2, 0, 4)]);
        assert_eq!(Region::parts(256, 0).count(), 0);
    }

    #[test]
    fn contents_beyond_memory_are_none() {
        for size in [1_000_000_000_000_000, u64::MAX] {
            assert!(Region::new("r", 0, Bytes(size)).contents().is_none());
        }
    }

    #[test]
    fn contents_have_a_mark_for_each_written_byte() {
        let mut region = Region::new("r", 0, Bytes(300));
        region.fill(126, &[1, 2, 3]);
        let (bytes, defined) = region.contents().expect("room");
        assert_eq!(bytes.len(), 300);
        assert_eq!(bytes[125..130], [0xFF, 1, 2, 3, 0xFF]);
        assert_eq!(defined.iter().filter(|defined| **defined).count(), 3);
        assert!(region.holds(0, 300) && !region.holds(1, 300) && !region.holds(-1, 1));
    }
}
