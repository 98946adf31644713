//! The writes of an execution. Cores run at the same time: all operands are read before the first write.

use std::ops::Range;

use crate::memory::{Memory, NOBODY, POISON, Region, RegionId, STICK, Stick, mask};

/// A run of bytes to write.
struct PendingWrite {
    /// The value that it is a part of.
    value: u32,
    region: RegionId,
    offset: u64,
    data: Range<usize>,
    /// The place of its elements in the marks, if some are undefined.
    marks: Option<usize>,
    /// Whether padding is between its elements.
    is_scattered: bool,
}

/// A write to one stick.
struct StickWrite<'d> {
    /// The place of the first byte in the stick.
    from: usize,
    bytes: &'d [u8],
    /// A bit for each written byte of the stick.
    bits: u128,
    /// The bits of bytes of defined elements.
    defined: u128,
}

impl StickWrite<'_> {
    /// Returns whether the stick has the bytes already. An undefined element has no value.
    fn is_same(&self, stick: &Stick) -> bool {
        let there = &stick.bytes[self.from..self.from + self.bytes.len()];
        let mut pairs = there.iter().zip(self.bytes).enumerate();
        stick.defined & self.bits == self.defined
            && pairs.all(|(at, (a, b))| a == b || !self.is_defined(at))
    }

    /// Returns whether a written byte belongs to a defined element.
    fn is_defined(&self, at: usize) -> bool {
        self.defined >> (self.from + at) & 1 != 0
    }

    /// Writes the bytes.
    fn apply(&self, stick: &mut Stick) {
        let place = &mut stick.bytes[self.from..self.from + self.bytes.len()];
        place.copy_from_slice(self.bytes);
        if self.defined != self.bits {
            for (at, byte) in place.iter_mut().enumerate() {
                if !self.is_defined(at) {
                    *byte = POISON;
                }
            }
        }
        // An operation writes whole sticks: the bytes after the end of a dimension become undefined.
        let kept = match self.from {
            0 => stick.fresh,
            _ => !0,
        };
        stick.defined = stick.defined & kept & !self.bits | self.defined;
        stick.fresh |= self.bits;
    }
}

/// The writes of one execution.
#[derive(Default)]
pub(super) struct Pending {
    runs: Vec<PendingWrite>,
    data: Vec<u8>,
    undefined: Vec<bool>,
    /// Whether padding is between the elements of the next writes.
    pub is_scattered: bool,
}

/// The fault of a write.
pub(super) enum Conflict {
    /// A byte that this execution has written already: the value that it belongs to.
    TwoWriters { other: u32 },
    /// A byte that another core reads in this execution; `None` if several do.
    Race { reader: Option<u16> },
    /// A value of another operation is lost before it is read.
    Lost { other: u32 },
    /// A value of an earlier iteration of the same operation in another window is overwritten, whole or in part, before
    /// it is read.
    Overwritten { other: u32 },
}

impl Pending {
    /// Adds consecutive elements. `undefined` has a mark per element, or none.
    pub(super) fn push(
        &mut self,
        value: u32,
        region: RegionId,
        offset: u64,
        element: usize,
        codes: &[u32],
        undefined: &[bool],
    ) {
        let from = self.data.len();
        for code in codes {
            let bytes = code.to_le_bytes();
            self.data.extend_from_slice(&bytes[..element]);
        }
        let marks = undefined.contains(&true).then_some(self.undefined.len());
        if marks.is_some() {
            self.undefined.extend_from_slice(undefined);
        }
        self.runs.push(PendingWrite {
            value,
            region,
            offset,
            data: from..self.data.len(),
            is_scattered: marks.is_some() && self.is_scattered,
            marks,
        });
    }

    /// Writes all runs of an execution to memory.
    pub(super) fn commit(
        &self,
        memory: &mut Memory,
        execution: u32,
        element: usize,
        mut conflict: impl FnMut(u32, RegionId, u64, Conflict),
    ) {
        for run in &self.runs {
            let mut rest = &self.data[run.data.clone()];
            let mut marks = run.marks.map(|at| &self.undefined[at..]);
            let core = memory.values[run.value as usize].core;
            for (number, from, part) in Region::parts(run.offset, rest.len()) {
                let (bytes, later) = rest.split_at(part);
                rest = later;
                let bits = mask(from, part);
                let mut defined = bits;
                if let Some(left) = &mut marks {
                    let (part_marks, later) = left.split_at(part / element);
                    *left = later;
                    for (at, _) in part_marks.iter().enumerate().filter(|(_, mark)| **mark) {
                        defined &= !mask(from + at * element, element);
                    }
                }
                let write = StickWrite {
                    from,
                    bytes,
                    bits,
                    defined,
                };
                let stick = memory.region_mut(run.region).stick_mut(number);
                let address = (number * STICK + from) as u64;
                let mut report = |what| conflict(run.value, run.region, address, what);
                if stick.fresh_in != execution {
                    stick.fresh_in = execution;
                    stick.fresh = 0;
                    if stick.read_in == execution && stick.reader != core {
                        let several = stick.reader == Stick::SEVERAL;
                        let reader = (!several).then_some(stick.reader);
                        report(Conflict::Race { reader });
                    }
                } else if stick.fresh & bits != 0 {
                    report(Conflict::TwoWriters { other: stick.value });
                }
                let (other, before) = (stick.value, stick.previous);
                if other != run.value && other != NOBODY && stick.defined & bits != 0 {
                    stick.previous = other;
                    if stick.read {
                        note_carried(memory, run.value, other);
                    } else {
                        let same = write.is_same(stick);
                        let what = lost(memory, run.region, run.value, [other, before], same);
                        if let Some(what) = what {
                            conflict(run.value, run.region, address, what);
                        }
                    }
                }
                // Borrowed again: the values were in between.
                let stick = memory.region_mut(run.region).stick_mut(number);
                write.apply(stick);
                stick.value = run.value;
                stick.is_scattered = run.is_scattered;
                stick.read = false;
            }
        }
    }
}

/// Returns the conflict when an unread stick of another value is overwritten, perhaps with the same bytes. `before` is
/// the value that was in the stick before that.
fn lost(
    memory: &mut Memory,
    region: RegionId,
    value: u32,
    [other, before]: [u32; 2],
    same: bool,
) -> Option<Conflict> {
    let value_entry = &memory.values[value as usize];
    let gone = &memory.values[other as usize];
    // If one of the two values is an update of a part of the other, the remaining elements may still be read.
    let was_update = memory.value(before).is_some_and(|base| {
        let sites = [base, gone].map(|value| memory.site(value));
        sites[0] != sites[1] && memory.is_inside(gone.range, region, base)
    });
    let is_update = was_update || memory.is_part(value_entry.range, region, gone);
    if value_entry.execution == gone.execution {
        // Reported as two writers.
        return None;
    }
    let site = memory.site(value_entry);
    let execution = &mut memory.executions[gone.execution as usize];
    execution.lost += 1;
    execution.changed |= !same;
    if execution.site == site {
        // A core that computes the same again in every iteration is at the same bytes each time.
        let moved = value_entry.range != gone.range || value_entry.core != gone.core;
        return moved.then_some(Conflict::Overwritten { other });
    }
    // A value that is computed again, as in the copies of a body, is not lost, and neither is the value of the last
    // iteration of a loop, which only a next iteration would have read.
    let is_lost = execution.lost == execution.sticks
        && execution.changed
        && !is_update
        && !memory.carried.contains(&execution.site);
    is_lost.then_some(Conflict::Lost { other })
}

/// Records that the next iteration of the loop that carries a value overwrites it at the same bytes after it was read:
/// by the same statement, or by one of a nested loop.
fn note_carried(memory: &mut Memory, value: u32, other: u32) {
    let (value_entry, gone) = (
        &memory.values[value as usize],
        &memory.values[other as usize],
    );
    if value_entry.range == gone.range {
        memory.carried.insert(memory.site(gone));
    }
}
