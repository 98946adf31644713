//! The order in which casts between 16 and 32 bits leave elements.
//!
//! A cast to 32 bits makes two sticks of one. Groups of four elements go to the two in turn: the even groups to the first, the odd
//! ones to the second. So slot j of stick s of 32 bits holds element `(s div 2) * 64 + (j div 4) * 8 + (s mod 2) * 4 + j mod 4`,
//! and a cast back is the inverse (contract, K33; from the RFC of element arrangements, torch-spyre issue 2971). The published page
//! of the casts says "8 elements in turn" for the way back, which does not fit into these formulas; the RFC has them.
//!
//! Padding changes places as elements do. The defined elements of a stick of 16 bits, a prefix, become a prefix of each
//! of the two sticks.

use std::ops::Range;

use crate::memory::{Memory, NOBODY, Stick};

use super::gather::{Doubt, Row};

/// Elements of a 16-bit stick.
pub(super) const BLOCK: usize = 64;
/// Elements that stay together.
const GROUP: usize = 4;

/// The direction of the reordering.
#[derive(Clone, Copy)]
pub(super) enum Order {
    /// From a 16-bit stick to a pair of others.
    Apart,
    /// From a pair back.
    Together,
}

impl Order {
    /// Returns the order in which a function leaves its operand, if it changes the order.
    pub(super) fn for_function(function: &str) -> Option<Self> {
        match function {
            "dl16tofp32" => Some(Self::Apart),
            "fp32todl16" => Some(Self::Together),
            _ => None,
        }
    }

    /// Returns the position in a block from which a position is filled.
    fn source(self, position: usize) -> usize {
        let (half, within) = (BLOCK / 2, position % GROUP);
        match self {
            Self::Apart => {
                let (stick, slot) = (position / half, position % half);
                (2 * (slot / GROUP) + stick) * GROUP + within
            }
            Self::Together => {
                let group = position / GROUP;
                group % 2 * half + group / 2 * GROUP + within
            }
        }
    }
}

impl Row {
    /// Brings whole blocks into another order.
    pub(super) fn reorder(&mut self, order: Order) {
        exchange(&mut self.codes, order);
        exchange(&mut self.undefined, order);
        // A stick that is packed from a pair has its padding between the elements; a pair that is unpacked from a stick
        // has it after them.
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

    /// Marks as padding the earlier contents of the room after the last element of a pair: they were written before the
    /// elements, and not read since.
    pub(super) fn leave_out_room(&mut self, memory: &Memory) {
        for doubt in std::mem::take(&mut self.doubts) {
            // If the first stick is unwritten, the row is not reordered.
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

    /// Returns whether a lane of a 16-bit stick that is read from a pair of 32-bit sticks is padding of a pair with elements.
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
    fn groups_of_four_in_turn() {
        for stick in 0..2 {
            for slot in 0..BLOCK / 2 {
                // The formula of the RFC, for the first two sticks.
                let element = slot / 4 * 8 + stick * 4 + slot % 4;
                assert_eq!(Order::Apart.source(stick * BLOCK / 2 + slot), element);
            }
        }
        assert_eq!(Order::Apart.source(3), 3);
        assert_eq!(Order::Apart.source(4), 8);
        assert_eq!(Order::Apart.source(32), 4);
    }

    #[test]
    fn a_cast_back_restores_the_order() {
        for position in 0..BLOCK {
            let there = Order::Apart.source(position);
            assert_eq!(Order::Together.source(there), position);
        }
    }

    #[test]
    fn padding_stays_at_the_ends() {
        // However many of the 64 elements there are, they come first in both sticks.
        for elements in 0..=BLOCK {
            let mut marks: Vec<bool> = (0..BLOCK).map(|at| at >= elements).collect();
            exchange(&mut marks, Order::Apart);
            for stick in marks.chunks(BLOCK / 2) {
                assert!(stick.is_sorted(), "{elements}: {stick:?}");
            }
        }
    }
}
