//! Greedy placement: buffers in the order of their live ranges, on top of the live ones.

use spyre_layout::Bytes;

use super::{Buffer, Placement};

/// Places buffers in the order in which they start to live, buffers of one step in the order given (middle-end
/// specification, section 5.3, greedy; the default of the reference compiler).
///
/// Each takes the place of one that it may overwrite and no other has taken; else address 0, if it fits below all live
/// buffers; else the address above them; else the first hole; else it is spilled. Addresses are multiples of `align` (0
/// counts as 1).
///
/// Time is the number of buffers times the number of buffers that are alive at once.
#[must_use]
pub fn greedy(buffers: &[Buffer], capacity: Bytes, align: Bytes) -> Vec<Placement> {
    let (capacity, align) = (capacity.get(), align.get().max(1));
    let mut placements = vec![Placement::Spilled; buffers.len()];
    let mut taken = vec![false; buffers.len()];
    let mut order: Vec<usize> = (0..buffers.len()).collect();
    order.sort_by_key(|&id| buffers[id].live.start);
    // The buffers that have a place, and live.
    let mut alive: Vec<Lives> = Vec::new();
    for id in order {
        let buffer = &buffers[id];
        alive.retain(|other| buffers[other.id].live.end > buffer.live.start);
        let parent = buffer.may_overwrite.iter().copied().find_map(|old| {
            let usable = buffers
                .get(old)
                .is_some_and(|old| buffer.can_overwrite(old));
            let place = alive.iter().find(|other| other.id == old)?;
            (usable && !taken[old]).then_some((place.start, Some(old)))
        });
        let size = buffer.size.get();
        let slot = parent.or_else(|| Some((free(&mut alive, size, capacity, align)?, None)));
        if let Some((start, parent)) = slot {
            if let Some(parent) = parent {
                taken[parent] = true;
            }
            placements[id] = Placement::At(Bytes(start));
            if !buffer.live.is_empty() {
                let end = start + size; // At most the capacity.
                alive.push(Lives { start, end, id });
            }
        }
    }
    placements
}

/// A buffer that lives, and the bytes that it has.
struct Lives {
    start: u64,
    end: u64,
    id: usize,
}

/// Returns an address of `size` bytes that no live buffer has: at the bottom, above all, or in the first hole.
fn free(alive: &mut [Lives], size: u64, capacity: u64, align: u64) -> Option<u64> {
    alive.sort_unstable_by_key(|other| (other.start, other.end));
    let bottom = alive.first().map_or(capacity, |lowest| lowest.start);
    if size <= bottom {
        return Some(0);
    }
    let top = alive.iter().map(|other| other.end).max().unwrap_or(0);
    if let Some(top) = top.checked_next_multiple_of(align)
        && top.checked_add(size).is_some_and(|end| end <= capacity)
    {
        return Some(top);
    }
    let mut address: u64 = 0;
    for other in alive.iter() {
        if address.checked_add(size)? <= other.start {
            return Some(address);
        }
        address = address.max(other.end.checked_next_multiple_of(align)?);
    }
    None
}
