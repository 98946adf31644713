//! Whether values are still whole when they are read, and what a write destroys.

use crate::memory::{Memory, RegionId, Value};
use crate::report::FaultKind;

use super::compute::{Runner, Seat};
use super::execute::{Problem, range};
use super::gather::Seen;
use super::pending::Conflict;
use super::place;

impl Runner<'_> {
    /// Whether what a core has read of an input is still what was written there.
    pub(super) fn check_seen(&mut self, seat: &Seat<'_>, input: usize, seen: Seen) {
        let Some(view) = seat.inputs.get(input) else {
            return;
        };
        let (mut values, mut over) = (seen.values, seen.over);
        values.sort_unstable();
        values.dedup();
        over.sort_unstable();
        over.dedup();
        let here = range(view);
        let mut found: Vec<(FaultKind, u64, String)> = Vec::new();
        for value in &values {
            let Some(value) = self.memory.values.get(*value as usize) else {
                continue;
            };
            if usize::from(value.element) != view.element {
                let message = format!(
                    "elements of {} bytes, written by {} with {}",
                    view.element,
                    writer(self.memory, value),
                    value.element
                );
                found.push((FaultKind::OtherFormat, value.range.0.max(here.0), message));
            }
        }
        for (new, old) in over {
            let (Some(new), Some(previous)) = (
                self.memory.values.get(new as usize),
                self.memory.values.get(old as usize),
            ) else {
                continue;
            };
            // A value inside of what is read is an update of a part, as when a buffer is filled and then written into. So is
            // one inside of what another statement has written all of, of which a window is read, and one that is another window of the
            // tensor.
            let whole = seat.wholes.get(input).copied().unwrap_or(here);
            let filled = || {
                let seen = values.iter();
                let mut seen = seen.filter_map(|value| self.memory.values.get(*value as usize));
                seen.any(|value| {
                    self.memory.site(value) != self.memory.site(new)
                        && self.memory.is_inside(new.range, view.region, value)
                })
            };
            let update = new.range.0 >= whole.0 && new.range.1 <= whole.1
                || filled()
                || is_in_one_tensor(new.range, whole, seat.sizes.get(input).copied().flatten());
            if values.binary_search(&old).is_err()
                || update
                || self.memory.site(new) == self.memory.site(previous)
            {
                continue;
            }
            let start = new.range.0.max(here.0);
            let bytes = new.range.1.min(here.1).saturating_sub(start);
            let message = format!(
                "{} of what {} wrote here were overwritten by {}, at bytes {} to {}",
                place::in_sticks(i64::try_from(bytes).unwrap_or(i64::MAX)),
                writer(self.memory, previous),
                writer(self.memory, new),
                new.range.0,
                new.range.1
            );
            found.push((FaultKind::Overlap, start, message));
        }
        for (kind, byte, message) in found {
            self.problem(kind, seat, input, |_| (byte, Vec::new(), message));
        }
    }

    /// Writes what has been computed.
    pub(super) fn commit(self) {
        let Self {
            op,
            pending,
            memory,
            problems,
            number,
            ..
        } = self;
        let element = usize::try_from(op.output.element_bytes()).unwrap_or(1);
        let mut conflicts: Vec<(u32, RegionId, u64, Conflict)> = Vec::new();
        pending.commit(
            memory,
            number,
            element,
            |value, region, address, conflict| {
                // One of a kind and value is enough; the report counts operations and not bytes.
                let same = |known: &(u32, RegionId, u64, Conflict)| {
                    known.0 == value
                        && std::mem::discriminant(&known.3) == std::mem::discriminant(&conflict)
                };
                if !conflicts.iter().rev().take(4).any(same) {
                    conflicts.push((value, region, address, conflict));
                }
            },
        );
        for (value, region, address, conflict) in conflicts {
            let value = memory.values.get(value as usize);
            let core_of = |other: u32| memory.values.get(other as usize).map(|other| other.core);
            let by = |other: u32| {
                let other = memory.values.get(other as usize);
                other.map_or(String::new(), |other| writer(memory, other))
            };
            let (kind, message) = match conflict {
                Conflict::TwoWriters { other } => {
                    let own = value.map(|value| value.core);
                    let message = match core_of(other) {
                        Some(other) if Some(other) != own => {
                            format!("core {other} writes the same bytes in this execution")
                        }
                        _ => "the core writes these bytes twice".to_owned(),
                    };
                    (FaultKind::TwoWriters, message)
                }
                Conflict::Race { reader } => {
                    let reader =
                        reader.map_or("other cores".to_owned(), |core| format!("core {core}"));
                    let message = format!("{reader} read the same bytes in this execution");
                    (FaultKind::Race, message)
                }
                Conflict::Lost { other } => {
                    // Arguments may be filled before they are written into.
                    let argument = memory
                        .region(region)
                        .is_some_and(|region| !region.temporary);
                    if argument {
                        continue;
                    }
                    let message = format!(
                        "overwrites all that {} wrote before anybody has read it",
                        by(other)
                    );
                    (FaultKind::Lost, message)
                }
                Conflict::Overwritten { other } => {
                    let ranges = memory
                        .values
                        .get(other as usize)
                        .zip(value)
                        .map(|(old, new)| {
                            let by = |a: u64, b: u64| {
                                i64::try_from(a)
                                    .ok()
                                    .zip(i64::try_from(b).ok())
                                    .and_then(|(a, b)| a.checked_sub(b))
                            };
                            (
                                by(new.range.0, old.range.0),
                                old.range.1.saturating_sub(old.range.0),
                            )
                        });
                    let message = match ranges {
                        Some((Some(0), _)) => format!(
                            "overwrites what core {} of {} wrote: its window is in the same place",
                            core_of(other).unwrap_or_default(),
                            by(other)
                        ),
                        Some((Some(step), length)) => format!(
                            "overwrites a part of what {} wrote: its window starts {} from there, and that one spans {}",
                            by(other),
                            place::in_sticks(step),
                            place::in_sticks(i64::try_from(length).unwrap_or(i64::MAX)),
                        ),
                        _ => format!("overwrites a part of what {} wrote", by(other)),
                    };
                    (FaultKind::Overwritten, message)
                }
            };
            let name = memory
                .region(region)
                .map_or("", |region| region.name.as_str());
            let mut problem = Problem::new(kind, message)
                .on(op, &op.output)
                .at(name, i64::try_from(address).unwrap_or(i64::MAX));
            problem.core = value.map(|value| value.core);
            problems.push(problem);
        }
    }
}

/// Whether what was written and a window that is read fit into one tensor of the size of the one that is read: then both can
/// be windows of it.
fn is_in_one_tensor(written: (u64, u64), read: (u64, u64), size: Option<u64>) -> bool {
    let span = written.1.max(read.1).checked_sub(written.0.min(read.0));
    span.is_some_and(|span| size.is_some_and(|size| span <= size))
}

/// The operation that wrote a value.
fn writer(memory: &Memory, value: &Value) -> String {
    let execution = memory.executions.get(value.execution as usize);
    let site = execution.and_then(|execution| memory.sites.get(execution.site));
    match execution.zip(site) {
        Some((execution, site)) if execution.iteration.is_empty() => site.to_string(),
        Some((execution, site)) => format!("{site} in iteration {:?}", execution.iteration),
        None => "another operation".to_owned(),
    }
}
