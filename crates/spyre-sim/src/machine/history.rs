//! Finds out whether values are still whole when they are read, and which values a write destroys.

use crate::memory::{Memory, RegionId, Value};
use crate::report::FaultKind;

use super::compute::{Runner, Seat};
use super::execute::range;
use super::gather::Seen;
use super::pending::Conflict;
use super::place;
use super::problem::Problem;

impl Runner<'_> {
    /// Checks that the elements that a core has read of an input are still the written ones.
    pub(super) fn check_seen(&mut self, seat: &Seat<'_>, input: usize, seen: Seen) {
        let view = seat.inputs[input];
        let (mut values, mut over) = (seen.values, seen.over);
        values.sort_unstable();
        values.dedup();
        over.sort_unstable();
        over.dedup();
        let here = range(view);
        let mut conflicts: Vec<(FaultKind, u64, String)> = Vec::new();
        for value in &values {
            let value = &self.memory.values[*value as usize];
            if usize::from(value.element) != view.element {
                let message = format!(
                    "elements of {} bytes, written by {} with {}",
                    view.element,
                    writer(self.memory, value),
                    value.element
                );
                conflicts.push((FaultKind::OtherFormat, value.range.0.max(here.0), message));
            }
        }
        for (new, old) in over {
            let new = &self.memory.values[new as usize];
            let previous = &self.memory.values[old as usize];
            // A value inside of the range that is read is an update of a part, as when a buffer is filled and then
            // written into. A value inside of the range of another statement, of which a window is read, is also an
            // update, and so is another window of the tensor.
            let whole = seat.wholes[input];
            let filled = || {
                let seen = values.iter();
                let mut seen = seen.map(|value| &self.memory.values[*value as usize]);
                seen.any(|value| {
                    self.memory.site(value) != self.memory.site(new)
                        && self.memory.is_inside(new.range, view.region, value)
                })
            };
            let update = new.range.0 >= whole.0 && new.range.1 <= whole.1
                || filled()
                || is_in_one_tensor(new.range, whole, seat.sizes[input]);
            if values.binary_search(&old).is_err()
                || update
                || self.memory.site(new) == self.memory.site(previous)
            {
                continue;
            }
            // Both writes may be to different bytes of one stick.
            let start = new.range.0.max(here.0);
            let bytes = new.range.1.min(here.1).saturating_sub(start);
            let message = format!(
                "{} that {} wrote here were overwritten by {}, at bytes {} to {}",
                place::in_sticks(bytes),
                writer(self.memory, previous),
                writer(self.memory, new),
                new.range.0,
                new.range.1
            );
            conflicts.push((FaultKind::Overlap, start, message));
        }
        for (kind, byte, message) in conflicts {
            self.problem(kind, seat, input, |_| (byte, Vec::new(), message));
        }
    }

    /// Writes the computed elements.
    pub(super) fn commit(self) {
        let Self {
            op,
            pending,
            memory,
            problems,
            number,
            ..
        } = self;
        let element = op.output.element_bytes() as usize;
        let mut conflicts: Vec<(u32, RegionId, u64, Conflict)> = Vec::new();
        pending.commit(
            memory,
            number,
            element,
            |value, region, address, conflict| {
                // One conflict for each kind and value is kept: the report counts operations and not bytes.
                let same = |earlier: &(u32, RegionId, u64, Conflict)| {
                    earlier.0 == value
                        && std::mem::discriminant(&earlier.3) == std::mem::discriminant(&conflict)
                };
                if !conflicts.iter().rev().take(4).any(same) {
                    conflicts.push((value, region, address, conflict));
                }
            },
        );
        for (value, region, address, conflict) in conflicts {
            let value = &memory.values[value as usize];
            let Some((kind, message)) = fault(memory, value, region, conflict) else {
                continue;
            };
            let problem = Problem::new(kind, message).on(op, &op.output);
            let problem = problem.of_core(value.core);
            problems.push(problem.at_byte(&memory.region(region).name, address));
        }
    }
}

/// Returns the fault of a write of `value` to a region; `None` for arguments, which may be filled before they are written
/// into.
fn fault(
    memory: &Memory,
    value: &Value,
    region: RegionId,
    conflict: Conflict,
) -> Option<(FaultKind, String)> {
    let value_of = |other: u32| &memory.values[other as usize];
    let by = |other: u32| writer(memory, value_of(other));
    Some(match conflict {
        Conflict::TwoWriters { other } => {
            let message = match value_of(other).core {
                core if core == value.core => "the core writes these bytes twice".to_owned(),
                other => format!("core {other} writes the same bytes in this execution"),
            };
            (FaultKind::TwoWriters, message)
        }
        Conflict::Race { reader } => {
            let reader = reader.map_or("other cores".to_owned(), |core| format!("core {core}"));
            let message = format!("{reader} read the same bytes in this execution");
            (FaultKind::Race, message)
        }
        Conflict::Lost { other } => {
            if !memory.region(region).temporary {
                return None;
            }
            let message = format!(
                "overwrites all that {} wrote before anybody has read it",
                by(other)
            );
            (FaultKind::Lost, message)
        }
        Conflict::Overwritten { other } => {
            let old = value_of(other).range;
            let message = match value.range.0.abs_diff(old.0) {
                0 => format!(
                    "overwrites what core {} of {} wrote: its window is in the same place",
                    value_of(other).core,
                    by(other)
                ),
                step => format!(
                    "overwrites a part of what {} wrote: its window starts {} from there, and that one spans {}",
                    by(other),
                    place::in_sticks(step),
                    place::in_sticks(old.1 - old.0),
                ),
            };
            (FaultKind::Overwritten, message)
        }
    })
}

/// Returns whether a written range and a window that is read lie in a span of at most the size of the read tensor, so
/// that both can be windows of the same tensor.
fn is_in_one_tensor(written: (u64, u64), read: (u64, u64), size: Option<u64>) -> bool {
    let span = written.1.max(read.1).checked_sub(written.0.min(read.0));
    span.is_some_and(|span| size.is_some_and(|size| span <= size))
}

/// Names the operation that wrote a value.
fn writer(memory: &Memory, value: &Value) -> String {
    let execution = &memory.executions[value.execution as usize];
    let site = &memory.sites[execution.site];
    match execution.iteration.as_slice() {
        [] => site.to_string(),
        iteration => format!("{site} in iteration {iteration:?}"),
    }
}
