//! Answers that are given once.
//!
//! Each relation has a number, and relations with equal rows have equal ones: columns of a row have positions and no
//! names. A question with equal numbers is the same function of the same arguments, so its answer is the one given
//! before. The layers of a model ask the same questions about other tensors, so each layer after the first few costs
//! looking them up.
//!
//! An answer that is looked up takes nothing from the budget. What a program asks, and in which order, is the same on
//! every machine, so a decision still ends at the same place.

use rustc_hash::FxHashMap;

use crate::handle::{Handle, Map};
use crate::operation::Operation;
use crate::rows::{Basic, Point, Shape};

/// The answers that are kept: enough for all statements of a block that differ, and a bound for programs in which no
/// two are equal.
const MOST: usize = 1 << 16;

/// What a question is, in numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) operation: Operation,
    /// The numbers of the relations.
    pub(crate) operands: [u64; 2],
    /// The operands that are no relations.
    pub(crate) numbers: [i64; 3],
}

/// A relation that is kept.
pub(crate) struct Entry {
    pub(crate) number: u64,
    pub(crate) map: Handle<Map>,
    pub(crate) shape: Shape,
}

/// The answers of a context.
#[derive(Default)]
pub(crate) struct Memo {
    next: u64,
    pub(crate) rows: FxHashMap<Basic, Entry>,
    pub(crate) relations: FxHashMap<Key, Entry>,
    /// The relations by the hash of their rows.
    pub(crate) equal: FxHashMap<(u32, Shape), Vec<Entry>>,
    pub(crate) truths: FxHashMap<Key, bool>,
    pub(crate) samples: FxHashMap<Key, Option<Point>>,
}

impl Memo {
    /// Returns the number of the next relation, after it has forgotten all answers if they are too many. Numbers are
    /// not used again, so no question that comes has an answer of another one.
    pub(crate) fn number(&mut self) -> u64 {
        let kept = self.rows.len() + self.relations.len() + self.truths.len() + self.samples.len();
        if kept >= MOST {
            self.rows.clear();
            self.relations.clear();
            self.equal.clear();
            self.truths.clear();
            self.samples.clear();
        }
        self.next += 1;
        self.next
    }
}
