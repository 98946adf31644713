//! A relayout: a copy of a tensor between the scratchpads of cores (K66, K67).

use rustc_hash::FxHashMap;

use super::super::super::reader::Reader;
use super::super::super::rules::{RELAYOUT, RELAYOUT_FAN};
use super::super::Memory;
use super::super::folds::Division;
use super::Facts;

/// Most cores that a core reads from.
const MOST_SOURCES: usize = 8;

/// Checks the tensors of a relayout.
pub(super) fn check(reader: &mut Reader, facts: &Facts<'_, '_>) {
    if !facts.plan.work.is_shuffle {
        return;
    }
    if facts.tensors.len() != 2 {
        let message = format!(
            "a relayout has a source and a destination, not {} tensors",
            facts.tensors.len()
        );
        reader.report(RELAYOUT, facts.offset, message);
        return;
    }
    for (number, node) in facts.nodes.iter().enumerate() {
        let Some(node) = node else {
            continue;
        };
        if node.memory.is_some_and(|memory| memory != Memory::Lx) {
            let message = format!(
                "tensor {number} is in device memory, and a relayout is between scratchpads; use 'identity'"
            );
            reader.report(RELAYOUT, node.offset, message);
        }
        match &node.division {
            None => {
                let message = format!(
                    "tensor {number} has no division of its own: coreIdToWkSlice_ of its coordinates is empty"
                );
                reader.report(RELAYOUT, node.offset, message);
            }
            Some(division) => complete(reader, number, node.offset, division),
        }
    }
    let divisions: Vec<&Division> = facts
        .nodes
        .iter()
        .flatten()
        .filter_map(|node| node.division.as_ref())
        .collect();
    if let [source, destination] = divisions.as_slice() {
        fan(reader, facts.offset, source, destination);
    }
}

/// Checks that the cores together have all parts of a tensor, each on the same number of cores. Another rule has checked that no
/// two cores have the same part of the source.
fn complete(reader: &mut Reader, number: usize, offset: usize, division: &Division) {
    let parts = division.splits.iter().try_fold(1usize, |parts, splits| {
        parts.checked_mul(usize::try_from(*splits).ok()?)
    });
    let mut shares: FxHashMap<&[u64], usize> = FxHashMap::default();
    for slices in &division.slices {
        *shares.entry(slices).or_default() += 1;
    }
    let cores = division.slices.len();
    if parts != Some(shares.len()) {
        let parts = parts.map_or("too many".to_owned(), |parts| parts.to_string());
        let message = format!(
            "tensor {number} has {parts} parts, but {cores} cores have {} of them",
            shares.len()
        );
        reader.report(RELAYOUT, offset, message);
    } else if shares.values().any(|share| share * shares.len() != cores) {
        let message =
            format!("tensor {number} has parts that more of the {cores} cores have than others");
        reader.report(RELAYOUT, offset, message);
    }
}

/// Returns whether slice `a` of `of_a` equal parts and slice `b` of `of_b` have an element in common.
fn overlap((a, of_a): (u64, u64), (b, of_b): (u64, u64)) -> Option<bool> {
    let end = |slice: u64, count: u64| slice.checked_add(1)?.checked_mul(count);
    Some(a.checked_mul(of_b)? < end(b, of_a)? && b.checked_mul(of_a)? < end(a, of_b)?)
}

/// Checks how many cores a core reads from, and how many it is read by.
fn fan(reader: &mut Reader, offset: usize, source: &Division, destination: &Division) {
    let meets = |from: &Vec<u64>, to: &Vec<u64>| {
        let slices = from
            .iter()
            .zip(&source.splits)
            .zip(to.iter().zip(&destination.splits));
        slices
            .map(|((a, of_a), (b, of_b))| overlap((*a, *of_a), (*b, *of_b)))
            .all(|overlap| overlap.unwrap_or(true))
    };
    let read: Vec<usize> = (destination.slices.iter())
        .map(|to| source.slices.iter().filter(|from| meets(from, to)).count())
        .collect();
    let written: Vec<usize> = (source.slices.iter())
        .map(|from| {
            destination
                .slices
                .iter()
                .filter(|to| meets(from, to))
                .count()
        })
        .collect();
    for (counts, what) in [(&read, "reads from"), (&written, "is read by")] {
        let (least, most) = (counts.iter().min(), counts.iter().max());
        if let (Some(least), Some(most)) = (least, most.filter(|most| Some(*most) != least)) {
            let message = format!(
                "one core {what} {least} cores, and another {what} {most}; all must be equal"
            );
            reader.report(RELAYOUT_FAN, offset, message);
        }
    }
    if let Some(most) = read.iter().max().filter(|most| **most > MOST_SOURCES) {
        let message = format!(
            "a core reads from {most} cores, but at most {MOST_SOURCES}; go through device memory"
        );
        reader.report(RELAYOUT_FAN, offset, message);
    }
    let (from, to) = (source.slices.len(), destination.slices.len());
    if from > 0 && !to.is_multiple_of(from) {
        let message = format!("{to} cores read what {from} cores have, which is no multiple");
        reader.report(RELAYOUT_FAN, offset, message);
    }
}
