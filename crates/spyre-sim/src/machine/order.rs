//! The order in which casts between 16 and 32 bits leave elements.
//!
//! No document says it; only that a cast back restores the one before. So the simulated card has one of its own: of the 64
//! elements of a 16-bit stick, those with even positions go to the first stick of 32 bits, the others to the second. A program
//! that depends on any order shows in its results. Padding changes places as elements do.

use std::ops::Range;

use crate::memory::{Memory, NOBODY, Stick};

use super::gather::{Doubt, Row};

/// Elements of a 16-bit stick.
pub(super) const BLOCK: usize = 64;

/// The way that elements go.
#[derive(Clone, Copy)]
pub(super) enum Order {
    /// From a 16-bit stick to a pair of others.
    Apart,
    /// From a pair back.
    Together,
}

impl Order {
    /// Returns the order in which a function leaves what it reads, if it changes it.
    pub(super) fn of(function: &str) -> Option<Self> {
        match function {
            "dl16tofp32" => Some(Self::Apart),
            "fp32todl16" => Some(Self::Together),
            _ => None,
        }
    }

    /// Returns the position in a block from which a position is filled.
    fn source(self, position: usize) -> usize {
        let half = BLOCK / 2;
        match self {
            Self::Apart => 2 * (position % half) + position / half,
            Self::Together => position / 2 + half * (position % 2),
        }
    }
}

impl Row {
    /// Brings whole blocks into another order.
    pub(super) fn reorder(&mut self, order: Order) {
        exchange(&mut self.codes, order);
        exchange(&mut self.undefined, order);
        // The padding of a pair is all over the stick that is made of it, and behind the elements when it is a pair again.
        self.is_scattered = matches!(order, Order::Together);
    }

    /// Notes a stick that is read for some lanes: the first or the second one of a pair.
    pub(super) fn note_pair(&mut self, lanes: Range<usize>, stick: &Stick) {
        if lanes.start % BLOCK < BLOCK / 2 {
            self.first_of_pair = stick.value;
        } else if self.of_pairs && self.first_of_pair != stick.value && stick.value != NOBODY {
            self.doubts.push(Doubt {
                lanes,
                first: self.first_of_pair,
                second: stick.value,
                read_in: stick.read.then_some(stick.read_in),
            });
        }
    }

    /// Takes for padding what was in the room behind the last element of a pair before: it was there before the elements, and
    /// nobody has read it since.
    pub(super) fn leave_out_room(&mut self, memory: &Memory) {
        for doubt in std::mem::take(&mut self.doubts) {
            // Nobody may have written the first one: then all is as it is.
            let Some(first) = memory.value(doubt.first) else {
                continue;
            };
            let second = &memory.values[doubt.second as usize];
            let is_over = || doubt.read_in.is_some_and(|read| read < first.execution);
            let is_before = second.execution < first.execution;
            if first.element != second.element || is_before && is_over() {
                self.seen.values.retain(|value| *value != doubt.second);
                self.seen.over.retain(|(value, _)| *value != doubt.second);
                self.poison(doubt.lanes);
            }
        }
    }

    /// Returns whether a lane that is read from 32 bits for a stick of 16 is the rest of a pair of sticks that holds something.
    pub(super) fn is_rest_of_pair(&self, lane: usize) -> bool {
        self.of_pairs && !self.is_undefined(lane / BLOCK * BLOCK)
    }
}

fn exchange<T: Copy>(elements: &mut [T], order: Order) {
    for block in elements.chunks_exact_mut(BLOCK) {
        let before: [T; BLOCK] = std::array::from_fn(|at| block[at]);
        for (at, element) in block.iter_mut().enumerate() {
            *element = before[order.source(at)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cast_back_restores_the_order() {
        for position in 0..BLOCK {
            let there = Order::Apart.source(position);
            assert_eq!(Order::Together.source(there), position);
        }
        assert_eq!(Order::Apart.source(1), 2);
        assert_eq!(Order::Apart.source(32), 1);
    }
}
