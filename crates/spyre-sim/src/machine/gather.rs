//! Reading rows of elements.

use std::ops::Range;

use crate::memory::{NOBODY, Region, STICK, Stick, mask};

use super::view::{Runs, View};

/// A row of codes, with a mark for each undefined code.
#[derive(Default)]
pub(super) struct Row {
    pub codes: Vec<u32>,
    /// One mark for each code; empty if no code is undefined.
    pub undefined: Vec<bool>,
    /// A byte that is read and neither defined nor the padding of a stick, and the lane.
    pub fault: Option<(u64, usize)>,
    /// The lanes that are masked.
    pub masked: Range<usize>,
    /// The values that were read since the row was made.
    pub seen: Seen,
    /// Whether two sticks are read for one.
    pub of_pairs: bool,
    /// The value of the first one of a pair.
    pub first_of_pair: u32,
    /// Second sticks with another writer than the first.
    pub doubts: Vec<Doubt>,
    /// Whether padding is between its elements.
    pub is_scattered: bool,
}

/// The second stick of a pair with another writer than the first: other elements of the same tensor, or the earlier
/// contents of the room after its last element.
pub(super) struct Doubt {
    /// The lanes.
    pub lanes: Range<usize>,
    /// The value of the first stick.
    pub first: u32,
    /// The value of this one.
    pub second: u32,
    /// The last execution that has read this one since.
    pub read_in: Option<u32>,
}

impl Row {
    pub(super) fn clear(&mut self, lanes: usize) {
        self.codes.clear();
        self.codes.resize(lanes, u32::MAX);
        self.undefined.clear();
        self.fault = None;
        self.masked = 0..0;
        self.doubts.clear();
        self.is_scattered = false;
    }

    /// Marks lanes as undefined.
    pub(super) fn poison(&mut self, lanes: Range<usize>) {
        if self.undefined.is_empty() {
            self.undefined.resize(self.codes.len(), false);
        }
        self.undefined[lanes].fill(true);
    }

    /// Replaces lanes by a code.
    pub(super) fn replace(&mut self, lanes: Range<usize>, code: u32) {
        self.codes[lanes.clone()].fill(code);
        if !self.undefined.is_empty() {
            self.undefined[lanes].fill(false);
        }
    }

    /// Adds the marks of this row to the marks of other rows.
    pub(super) fn add_undefined(&self, all: &mut Vec<bool>) {
        if !self.undefined.is_empty() {
            all.resize(self.codes.len(), false);
            for (mark, is_undefined) in all.iter_mut().zip(&self.undefined) {
                *mark |= is_undefined;
            }
        }
    }

    pub(super) fn is_undefined(&self, lane: usize) -> bool {
        !self.undefined.is_empty() && self.undefined[lane]
    }
}

/// The values that a core has read through a view, to find values that are no longer whole.
#[derive(Default)]
pub(super) struct Seen {
    /// Values.
    pub values: Vec<u32>,
    /// Values, each with one that it has overwritten.
    pub over: Vec<(u32, u32)>,
}

impl Seen {
    fn note(&mut self, stick: &Stick) {
        if stick.value == NOBODY {
            return;
        }
        if self.values.last() != Some(&stick.value) {
            self.values.push(stick.value);
        }
        let over = (stick.value, stick.previous);
        if stick.previous != NOBODY && self.over.last() != Some(&over) {
            self.over.push(over);
        }
    }
}

/// Who reads.
#[derive(Clone, Copy)]
pub(super) struct Reader {
    pub execution: u32,
    pub core: u16,
}

/// Reads the elements along dimension `inner` from element `first`, at `base` bytes from the view's start. There is at least one.
pub(super) fn gather(
    region: &mut Region,
    view: &View,
    base: i64,
    inner: usize,
    first: usize,
    reader: Reader,
    row: &mut Row,
) {
    let lanes = row.codes.len();
    let mut read = |at: i64, into: Range<usize>, row: &mut Row| {
        let offset = view.byte_at(base + at);
        read_run(region, offset, view.element, into, reader, row);
    };
    match view.runs(inner, first + lanes) {
        Runs::Repeat => {
            read(0, 0..1, row);
            let code = row.codes[0];
            row.codes.fill(code);
            if row.is_undefined(0) {
                row.poison(0..lanes);
            }
        }
        Runs::Steps { unit, step, held } => {
            let mut at = first;
            while at < held {
                let (number, within) = (at / step, at % step);
                let end = held.min(at - within + step);
                let offset = number as i64 * unit + (within * view.element) as i64;
                read(offset, at - first..end - first, row);
                at = end;
            }
            if held < first + lanes {
                row.poison(held.saturating_sub(first)..lanes);
            }
        }
    }
}

/// Reads the two elements at the start of a stick, at `base` bytes from the view's start.
pub(super) fn gather_pair(
    region: &mut Region,
    view: &View,
    base: i64,
    reader: Reader,
    row: &mut Row,
) {
    read_run(region, view.byte_at(base), view.element, 0..2, reader, row);
}

/// Reads consecutive elements.
fn read_run(
    region: &mut Region,
    offset: u64,
    element: usize,
    lanes: Range<usize>,
    reader: Reader,
    row: &mut Row,
) {
    let mut lane = lanes.start;
    for (number, from, part) in Region::parts(offset, lanes.len() * element) {
        let stick = region.stick_mut(number);
        // Elements start at whole elements; a start inside one was reported, and its rest is left out.
        let here = part / element;
        let end = lane + here;
        row.note_pair(lane..end, stick);
        row.seen.note(stick);
        stick.read = true;
        if stick.read_in != reader.execution {
            stick.read_in = reader.execution;
            stick.reader = reader.core;
        } else if stick.reader != reader.core {
            stick.reader = Stick::SEVERAL;
        }
        let bytes = &stick.bytes[from..from + here * element];
        decode(bytes, element, &mut row.codes[lane..end]);
        let bits = mask(from, part);
        let (defined, padding) = stick.find(bits);
        row.is_scattered |= stick.is_scattered;
        if defined != bits {
            for at in 0..here {
                let byte = from + at * element;
                let element_bits = mask(byte, element);
                if defined & element_bits != element_bits {
                    row.poison(lane + at..lane + at + 1);
                    if !padding && row.fault.is_none() && !row.is_rest_of_pair(lane + at) {
                        row.fault = Some(((number * STICK + byte) as u64, lane + at));
                    }
                }
            }
        }
        lane = end;
    }
}

fn decode(bytes: &[u8], element: usize, codes: &mut [u32]) {
    match element {
        1 => {
            for (code, byte) in codes.iter_mut().zip(bytes) {
                *code = u32::from(*byte);
            }
        }
        2 => {
            for (code, bytes) in codes.iter_mut().zip(bytes.as_chunks::<2>().0) {
                *code = u32::from(u16::from_le_bytes(*bytes));
            }
        }
        4 => {
            for (code, bytes) in codes.iter_mut().zip(bytes.as_chunks::<4>().0) {
                *code = u32::from_le_bytes(*bytes);
            }
        }
        bytes => unreachable!("no format has elements of {bytes} bytes"),
    }
}
