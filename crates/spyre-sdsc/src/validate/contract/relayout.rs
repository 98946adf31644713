//! Re-layouts from scratchpad to scratchpad.

use super::Planned;
use crate::codegen::{CoreOwnership, Descriptor, PlannedTensor};

/// The most source cores that a destination core reads: it has 8 registers for bounds of addresses.
const MOST_SOURCES: usize = 8;

/// Checks that the cores of a destination read few and equally many source cores, that each source core is read by equally
/// many, and that there are as many destination cores as source cores, or a multiple (contract, K67).
pub(super) fn fan(planned: &Planned<'_>) -> Option<String> {
    let descriptor = planned.descriptor;
    let [source, destination] = descriptor.tensors.as_slice() else {
        return None;
    };
    let (source, destination) = (parts(descriptor, source)?, parts(descriptor, destination)?);
    let (from, to) = (source.len(), destination.len());
    if !to.is_multiple_of(from) {
        return Some(format!(
            "{to} destination cores read {from} source cores, of which they must be a multiple; copy through device memory"
        ));
    }
    let reads = |part: &Part, others: &[Part]| {
        let read = others
            .iter()
            .filter(|other| overlap(&part.ranges, &other.ranges));
        read.count()
    };
    let fan_in: Vec<usize> = destination
        .iter()
        .map(|part| reads(part, &source))
        .collect();
    let most = fan_in.iter().copied().max().unwrap_or(0);
    if most > MOST_SOURCES {
        let place = fan_in.iter().position(|count| *count == most)?;
        return Some(format!(
            "destination core {} reads {most} source cores, at most {MOST_SOURCES} are possible; divide the destination more \
             like the source, or copy through device memory",
            destination[place].core
        ));
    }
    let fan_out: Vec<usize> = source
        .iter()
        .map(|part| reads(part, &destination))
        .collect();
    uneven(&destination, &fan_in, "destination", "reads", "source")
        .or_else(|| uneven(&source, &fan_out, "source", "is read by", "destination"))
}

/// The part of a tensor that a core owns: a range of elements along each dimension.
struct Part {
    core: u32,
    ranges: Vec<[u64; 2]>,
}

/// Returns the parts of a tensor; `None` if it is not of a re-layout.
fn parts(descriptor: &Descriptor, tensor: &PlannedTensor) -> Option<Vec<Part>> {
    let CoreOwnership { slices, of_cores } = tensor.ownership.as_ref()?;
    let parts = of_cores.iter().map(|(core, core_slices)| {
        let ranges = slices.iter().zip(core_slices).map(|((dim, count), slice)| {
            let planned = descriptor.dim(*dim);
            let extent = planned
                .expect("owners have dimensions of the operation")
                .extent;
            let size = extent / count;
            [slice * size, (slice + 1) * size]
        });
        Part {
            core: *core,
            ranges: ranges.collect(),
        }
    });
    Some(parts.collect())
}

/// Returns whether two parts have an element in common.
fn overlap(a: &[[u64; 2]], b: &[[u64; 2]]) -> bool {
    let mut pairs = a.iter().zip(b);
    pairs.all(|(a, b)| a[0] < b[1] && b[0] < a[1])
}

/// Returns the conflict between two cores that read, or are read by, other numbers of cores.
fn uneven(parts: &[Part], counts: &[usize], side: &str, verb: &str, other: &str) -> Option<String> {
    let first = *counts.first()?;
    let place = counts.iter().position(|count| *count != first)?;
    Some(format!(
        "{side} core {} {verb} {} {other} cores and {side} core {} {}, which must be equally many; copy through device \
         memory",
        parts[0].core, first, parts[place].core, counts[place]
    ))
}
