//! What an execution writes. Cores run at the same time: all operands are read before anything is written.

use std::ops::Range;

use crate::memory::{Memory, NOBODY, POISON, RegionId, mask};

/// A run of bytes to write.
struct Run {
    /// The value that it is a part of.
    value: u32,
    region: RegionId,
    offset: u64,
    data: Range<usize>,
    /// Where its elements are in the marks, if some are undefined.
    marks: Option<usize>,
    /// Whether padding is between its elements.
    is_scattered: bool,
}

/// The writes of one execution.
#[derive(Default)]
pub(super) struct Pending {
    runs: Vec<Run>,
    data: Vec<u8>,
    undefined: Vec<bool>,
    /// Whether padding is between the elements of what is added next.
    pub is_scattered: bool,
}

/// What is wrong with a write.
pub(super) enum Conflict {
    /// A byte that this execution has written already: the value that it belongs to.
    TwoWriters { other: u32 },
    /// A byte that another core reads in this execution; `None` if several do.
    Race { reader: Option<u16> },
    /// A value of another operation that nobody has read is gone.
    Lost { other: u32 },
    /// What an earlier iteration of the same operation wrote in another window, and nobody has read, is gone, or part of it.
    Overwritten { other: u32 },
}

impl Pending {
    /// Adds consecutive elements. `undefined` has a mark per element, or none.
    pub fn push(
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
            self.data
                .extend_from_slice(bytes.get(..element).unwrap_or(&bytes));
        }
        let marks = undefined.contains(&true).then_some(self.undefined.len());
        if marks.is_some() {
            self.undefined.extend_from_slice(undefined);
        }
        self.runs.push(Run {
            value,
            region,
            offset,
            data: from..self.data.len(),
            is_scattered: marks.is_some() && self.is_scattered,
            marks,
        });
    }

    /// Writes all runs of an execution to memory.
    pub fn commit(
        &self,
        memory: &mut Memory,
        execution: u32,
        element: usize,
        mut conflict: impl FnMut(u32, RegionId, u64, Conflict),
    ) {
        for run in &self.runs {
            let mut rest = self.data.get(run.data.clone()).unwrap_or(&[]);
            let mut marks = run.marks.and_then(|at| self.undefined.get(at..));
            let core = memory.values.get(run.value as usize).map(|own| own.core);
            for (number, from, part) in crate::memory::Region::parts(run.offset, rest.len()) {
                let (bytes, later) = rest.split_at(part.min(rest.len()));
                rest = later;
                let bits = mask(from, part);
                let mut defined = bits;
                if let Some(left) = &mut marks {
                    let (own, later) = left.split_at((part / element).min(left.len()));
                    *left = later;
                    for (at, _) in own.iter().enumerate().filter(|(_, mark)| **mark) {
                        defined &= !mask(from + at * element, element);
                    }
                }
                let region = memory.region_mut(run.region);
                let Some(stick) = region.and_then(|region| region.stick_mut(number)) else {
                    continue;
                };
                let address = number as u64 * 128 + from as u64;
                let mut report = |what| conflict(run.value, run.region, address, what);
                if stick.fresh_in != execution {
                    stick.fresh_in = execution;
                    stick.fresh = 0;
                    if stick.read_in == execution && Some(stick.reader) != core {
                        let several = stick.reader == crate::memory::Stick::SEVERAL;
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
                        let there = stick.bytes.get(from..from + bytes.len()).unwrap_or(&[]);
                        let mut pairs = there.iter().zip(bytes).enumerate();
                        // What is undefined has no value.
                        let same = stick.defined & bits == defined
                            && pairs.all(|(at, (a, b))| a == b || defined >> (from + at) & 1 == 0);
                        let what = lost(memory, run.region, run.value, [other, before], same);
                        if let Some(what) = what {
                            conflict(run.value, run.region, address, what);
                        }
                    }
                }
                // Borrowed again: the values were in between.
                let region = memory.region_mut(run.region);
                let Some(stick) = region.and_then(|region| region.stick_mut(number)) else {
                    continue;
                };
                if let Some(place) = stick.bytes.get_mut(from..from + bytes.len()) {
                    place.copy_from_slice(bytes);
                    if defined != bits {
                        for (at, byte) in place.iter_mut().enumerate() {
                            if defined >> (from + at) & 1 == 0 {
                                *byte = POISON;
                            }
                        }
                    }
                }
                // An operation writes whole sticks: what is behind the end of a dimension is nobody's then.
                let kept = match from {
                    0 => stick.fresh,
                    _ => !0,
                };
                stick.defined = stick.defined & kept & !bits | defined;
                stick.fresh |= bits;
                stick.value = run.value;
                stick.is_scattered = run.is_scattered;
                stick.read = false;
            }
        }
    }
}

/// What it means that a stick of another value, which nobody has read, is overwritten, perhaps with the same. `before` is the
/// value that was in the stick before that.
fn lost(
    memory: &mut Memory,
    region: RegionId,
    value: u32,
    [other, before]: [u32; 2],
    same: bool,
) -> Option<Conflict> {
    let own = memory.values.get(value as usize)?;
    let gone = memory.values.get(other as usize)?;
    // Of what a part was an update of, or is updated in, somebody may read the rest.
    let base = memory.values.get(before as usize);
    let was_update = base.is_some_and(|base| {
        let sites = [base, gone].map(|value| memory.site(value));
        sites[0] != sites[1] && memory.is_inside(gone.range, region, base)
    });
    let is_update = was_update || memory.is_part(own.range, region, gone);
    if own.execution == gone.execution {
        // Reported as two writers.
        return None;
    }
    let site = memory.executions.get(own.execution as usize)?.site;
    let execution = memory.executions.get_mut(gone.execution as usize)?;
    execution.lost += 1;
    execution.changed |= !same;
    if execution.site == site {
        // A core that computes the same again in every iteration is at the same bytes each time.
        let moved = own.range != gone.range || own.core != gone.core;
        return moved.then_some(Conflict::Overwritten { other });
    }
    // A value that is computed again, as in the copies of a body, is not lost; nor is that of the last turn of a loop,
    // which only a next turn would have read.
    let is_lost = execution.lost == execution.sticks
        && execution.changed
        && !is_update
        && !memory.carried.contains(&execution.site);
    is_lost.then_some(Conflict::Lost { other })
}

/// Notes that what a statement has written is overwritten at the same bytes once it has been read, by the next turn of the loop
/// that it is carried to: by the same statement, or by one of a loop inside.
fn note_carried(memory: &mut Memory, value: u32, other: u32) {
    let values = (memory.values.get(value as usize)).zip(memory.values.get(other as usize));
    let Some((_, gone)) = values.filter(|(own, gone)| own.range == gone.range) else {
        return;
    };
    if let Some(execution) = memory.executions.get(gone.execution as usize) {
        memory.carried.insert(execution.site);
    }
}
