//! Checks that tensors are inside the scratchpad, and do not overlap.

use spyre_layout::Bytes;
use spyre_plan::Target;

use super::super::geometry::Shape;
use super::super::reader::Reader;
use super::super::rules::{LX_END, LX_OVERLAP, LX_SHARE, LX_START};
use super::{Memory, Tensor};

/// Checks that every core has the tensor at the same place.
pub(super) fn same_start(reader: &mut Reader, offset: usize, starts: &[i64]) {
    if let Some(first) = starts.first()
        && let Some((core, start)) = starts.iter().enumerate().find(|(_, start)| *start != first)
    {
        let message =
            format!("starts at {first} in the scratchpad of core 0, but at {start} on core {core}");
        reader.report(LX_START, offset, message);
    }
}

/// Checks that a tensor ends inside the scratchpad, and warns if it is not inside the part that the backend leaves.
pub(super) fn end(
    reader: &mut Reader,
    offset: usize,
    number: usize,
    starts: &[i64],
    shape: &Shape,
    target: &Target,
) {
    let end = starts.iter().max().and_then(|start| {
        let start = Bytes(u64::try_from(*start).ok()?);
        start.checked_add(shape.least().compact()?)
    });
    let shown = end.map_or("beyond 64 bits".to_owned(), |end| {
        format!("at {}", end.get())
    });
    let ends = format!("tensor {number} ends {shown} in the scratchpad");
    if end.is_none_or(|end| end > target.lx_bytes) {
        let message = format!("{ends}, which has {} bytes", target.lx_bytes.get());
        reader.report(LX_END, offset, message);
    } else if end > Some(target.usable_lx()) {
        let usable = target.usable_lx().get();
        let message = format!("{ends}, of which a program may use the first {usable} bytes");
        reader.report(LX_SHARE, offset, message);
    }
}

/// Checks that any two tensors in the scratchpad are apart, or that one is updated in place.
pub(super) fn overlaps(reader: &mut Reader, offset: usize, tensors: &[Tensor]) {
    let mut ranges: Vec<(u64, u64, usize)> = tensors
        .iter()
        .filter(|tensor| tensor.memory == Memory::Lx)
        .filter_map(|tensor| {
            let start = u64::try_from(*tensor.starts.first()?).ok()?;
            let size = tensor.shape.as_ref()?.least().compact()?.get();
            Some((start, start.checked_add(size)?, tensor.number))
        })
        .collect();
    ranges.sort_unstable();
    for pair in ranges.windows(2) {
        let [(start, end, number), (next, _, other)] = pair else {
            continue;
        };
        if next < end && next != start {
            let message = format!(
                "tensors {number} and {other} overlap in the scratchpad: {start} to {end}, and from {next}"
            );
            reader.report(LX_OVERLAP, offset, message);
        }
    }
}
