//! All addresses of a few buffers, for tests that enumerate plans. It has no code of the solvers.

use std::ops::Range;

/// Bytes in a scratchpad.
#[derive(Clone, Debug)]
pub(crate) struct Buffer<V> {
    pub bytes: u64,
    /// The steps during which they are alive.
    pub live: Range<usize>,
    /// The value in the bytes.
    pub value: V,
    /// The values that the step that writes this buffer reads, and for each whether the buffer may be written over it.
    pub over: Vec<(V, bool)>,
}

impl<V: PartialEq> Buffer<V> {
    /// Returns whether it may take over the place of `old`: all that its first step reads of `old` may be written over.
    fn may_be_over(&self, old: &Self) -> bool {
        let mut read = self.over.iter().filter(|(value, _)| *value == old.value);
        old.live.end == self.live.start + 1
            && old.live.start <= self.live.start
            && self.bytes <= old.bytes
            && read.clone().next().is_some()
            && read.all(|(_, is_free)| *is_free)
    }
}

/// Returns whether there are addresses for all buffers in a scratchpad of `lx` bytes.
pub(crate) fn fits<V: PartialEq>(buffers: &[Buffer<V>], lx: u64) -> bool {
    place(buffers, lx, &mut vec![None; buffers.len()])
}

/// Places the buffers that have no address, in every order, each at the bottom, after another one, or over one.
fn place<V: PartialEq>(buffers: &[Buffer<V>], lx: u64, placed: &mut [Option<u64>]) -> bool {
    if placed.iter().all(Option::is_some) {
        return true;
    }
    for (at, buffer) in buffers.iter().enumerate() {
        if placed[at].is_some() {
            continue;
        }
        let others: Vec<(&Buffer<V>, u64)> = buffers
            .iter()
            .zip(&*placed)
            .filter_map(|(other, at)| Some((other, (*at)?)))
            .collect();
        let mut addresses = vec![0];
        let ends = others.iter();
        addresses.extend(ends.flat_map(|(other, start)| [*start, start + other.bytes]));
        addresses.sort_unstable();
        addresses.dedup();
        for address in addresses {
            let is_free = others.iter().all(|&(other, start)| {
                let apart = address + buffer.bytes <= start || start + other.bytes <= address;
                let never =
                    buffer.live.end <= other.live.start || other.live.end <= buffer.live.start;
                let is_over = buffer.may_be_over(other) || other.may_be_over(buffer);
                apart || never || address == start && is_over
            });
            if address + buffer.bytes <= lx && is_free {
                placed[at] = Some(address);
                if place(buffers, lx, placed) {
                    return true;
                }
                placed[at] = None;
            }
        }
    }
    false
}
