//! Results that depend on the range of the card's 16-bit format.
//!
//! The 16-bit format of the card has one code for NaN and infinity (contract, K1). A result that is a number or an infinity, and
//! has that code in memory, depends on the card's number range: another format may have it. Results that are NaN in all
//! formats, such as the root of a negative number, do not.

use super::compute::{Runner, Seat};

/// The results of one execution that depend on the range of the card's numbers.
#[derive(Debug)]
pub(crate) struct Beyond {
    /// How many there are.
    pub count: u64,
    /// The core of the first one.
    pub core: u16,
    /// The first one: a coordinate for each dimension.
    pub element: Vec<(String, u64)>,
}

impl Runner<'_> {
    /// Counts a result of a reduction that is the number that masked elements read as: all elements are beyond it.
    pub(super) fn count_of_mask(&mut self, seat: &Seat<'_>, point: &[u64], inner: usize) {
        if let Some(of_mask) = &mut self.of_mask {
            of_mask.count += 1;
            return;
        }
        self.of_mask = Some(Beyond {
            count: 1,
            core: seat.core,
            element: self.element(seat, point, inner, 0),
        });
    }

    /// Counts results of a row that are beyond the numbers of the card. Undefined ones are no results.
    pub(super) fn count_beyond(
        &mut self,
        seat: &Seat<'_>,
        point: &[u64],
        inner: usize,
        lanes: &[usize],
        undefined: &[bool],
    ) {
        for lane in lanes {
            if undefined.get(*lane).is_some_and(|mark| *mark) {
                continue;
            }
            if let Some(beyond) = &mut self.beyond {
                beyond.count += 1;
                continue;
            }
            self.beyond = Some(Beyond {
                count: 1,
                core: seat.core,
                element: self.element(seat, point, inner, *lane),
            });
        }
    }
}
